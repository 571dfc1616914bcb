// Commit, watches, retries, time-outs and the ends of Transaction. Engine-only: below the C ABI, over a fake engine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "fdbjobs/embedded/transaction.h"
#include "tests/embedded/random_seed.h"
#include "tests/embedded/transaction_fixture.h"

namespace fdbjobs::embedded {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

constexpr int kTimeout = 500;
constexpr int kRetryLimit = 501;
constexpr int kMaxRetryDelay = 502;

std::string Error(ErrorCode code) { return "<" + std::to_string(code) + ">"; }

Version CommittedVersion(const TestTransaction& transaction) {
  Version version = 0;
  EXPECT_EQ(transaction->GetCommittedVersion(&version), kSuccess);
  return version;
}

// Commit.

TEST(TransactionCommitTest, AReadOnlyTransactionCommitsWithoutTheEngine) {
  const TestDatabase database(Map{{"a", "1"}});
  const TestTransaction transaction(database);
  transaction.Get("a");
  const FutureRef stamp = transaction->GetVersionstamp();
  EXPECT_EQ(transaction.Commit(), kSuccess);
  EXPECT_THAT(database.engine->requests(), IsEmpty());
  EXPECT_EQ(CommittedVersion(transaction), kNoVersion);
  EXPECT_EQ(stamp->error(), kNoCommitVersion);
}

TEST(TransactionCommitTest, ABlindWriteHasNoReadVersion) {
  const TestDatabase database;
  const TestTransaction transaction(database);
  transaction->Set("a", "1");
  ASSERT_EQ(transaction.Commit(), kSuccess);
  EXPECT_EQ(database.engine->requests().at(0).read_version, kNoVersion);
  EXPECT_EQ(database.engine->read_versions(), 0);
}

TEST(TransactionCommitTest, TheRequestTellsWhatWasReadAndWritten) {
  const TestDatabase database(Map{{"a", "1"}});
  const TestTransaction transaction(database);
  transaction.Get("a");
  transaction->Set("b", "2");
  transaction->ClearRange("x", "z");
  ASSERT_EQ(transaction.Commit(), kSuccess);
  const CommitRequest& request = database.engine->requests().at(0);
  EXPECT_EQ(request.read_version, FakeEngine::kFirstVersion);
  RangeSet reads = request.read_conflicts;
  ASSERT_THAT(reads.Ranges(), SizeIs(1));
  EXPECT_EQ(reads.Ranges()[0].begin, "a");
  EXPECT_THAT(ConflictsOf(*request.writes), SizeIs(2));
  EXPECT_THAT(MutationsOf(*request.writes), SizeIs(2));
}

TEST(TransactionCommitTest, GivesVersionAndVersionstamp) {
  const TestDatabase database;
  const TestTransaction transaction(database);
  EXPECT_EQ(CommittedVersion(transaction), kNoVersion);
  transaction->Set("a", "1");
  const FutureRef stamp = transaction->GetVersionstamp();
  EXPECT_FALSE(stamp->IsReady());
  ASSERT_EQ(transaction.Commit(), kSuccess);
  EXPECT_EQ(CommittedVersion(transaction), FakeEngine::kFirstVersion + 100);
  ASSERT_EQ(Wait(stamp), kSuccess);
  EXPECT_EQ(stamp->result_if<Future::KeyResult>()->key, std::string("\0\0\0\0\0\0\x04\x4c\0\0", 10));
}

TEST(TransactionCommitTest, AFailedCommitFailsTheVersionstamp) {
  const TestDatabase database;
  database.engine->FailCommits(kNotCommitted);
  const TestTransaction transaction(database);
  transaction->Set("a", "1");
  const FutureRef stamp = transaction->GetVersionstamp();
  EXPECT_EQ(transaction.Commit(), kNotCommitted);
  EXPECT_EQ(Wait(stamp), kTransactionInvalidVersion);
}

TEST(TransactionCommitTest, AUseDuringTheCommitFailsBoth) {
  const TestDatabase database;
  database.engine->HoldCommits();
  const TestTransaction transaction(database);
  transaction->Set("a", "1");
  const FutureRef commit = transaction->Commit();
  EXPECT_FALSE(commit->IsReady());
  EXPECT_EQ(transaction.Get("a"), Error(kUsedDuringCommit));
  EXPECT_EQ(Wait(commit), kUsedDuringCommit);
  database.engine->ReleaseCommits({.version = 5});
  EXPECT_EQ(transaction->OnError(kNotCommitted)->error(), kUsedDuringCommit);
}

TEST(TransactionCommitTest, TheProtectionAgainstUseDuringCommitCanBeDisabled) {
  const TestDatabase database;
  database.engine->HoldCommits();
  const TestTransaction transaction(database);
  transaction->SetOption(701, std::nullopt);
  transaction->Set("a", "1");
  const FutureRef commit = transaction->Commit();
  EXPECT_EQ(transaction.Get("a"), Error(kUsedDuringCommit));
  EXPECT_EQ(transaction->Commit()->error(), kUsedDuringCommit);
  EXPECT_FALSE(commit->IsReady());
  database.engine->ReleaseCommits({.version = 5});
  EXPECT_EQ(Wait(commit), kSuccess);
}

TEST(TransactionCommitTest, AResetDuringTheCommitCancelsItsFuture) {
  const TestDatabase database;
  database.engine->HoldCommits();
  const TestTransaction transaction(database);
  transaction->Set("a", "1");
  const FutureRef commit = transaction->Commit();
  transaction->Reset();
  EXPECT_EQ(Wait(commit), kTransactionCancelled);
  EXPECT_EQ(transaction.Get("a"), "<none>");
  database.engine->ReleaseCommits({.version = 5});
  EXPECT_EQ(CommittedVersion(transaction), kNoVersion);
  EXPECT_EQ(transaction.Get("a"), "<none>");
}

TEST(TransactionCommitTest, AfterTheCommitTheReadVersionIsKeptFromApiVersion700On) {
  for (const int api_version : {630, 700}) {
    const TestDatabase database({}, api_version);
    const TestTransaction transaction(database);
    transaction.Get("a");
    transaction->Set("a", "1");
    ASSERT_EQ(transaction.Commit(), kSuccess);
    const FutureRef version = transaction->GetReadVersion();
    ASSERT_EQ(version->error(), kSuccess);
    EXPECT_EQ(*version->result_if<int64_t>(), FakeEngine::kFirstVersion + (api_version < 700 ? 100 : 0));
  }
}

TEST(TransactionCommitTest, ConflictRangesCanBeLookedAtAfterTheCommit) {
  const TestDatabase database;
  const TestTransaction transaction(database);
  transaction.Get("r");
  transaction->Set("w", "1");
  ASSERT_EQ(transaction.Commit(), kSuccess);
  EXPECT_THAT(transaction.ReadConflicts(), ElementsAre(Pair("r", KeyAfter("r"))));
  EXPECT_THAT(transaction.WriteConflicts(), ElementsAre(Pair("w", KeyAfter("w"))));
}

// Watches.

TEST(TransactionWatchTest, StartsWithTheCommitAndOutlivesTheTransaction) {
  const TestDatabase database(Map{{"a", "1"}});
  FutureRef watch;
  {
    const TestTransaction transaction(database);
    watch = transaction->Watch("a");
    EXPECT_THAT(database.engine->watches(), IsEmpty());
    ASSERT_EQ(transaction.Commit(), kSuccess);
  }
  ASSERT_THAT(database.engine->watches(), SizeIs(1));
  EXPECT_EQ(database.engine->watches().begin()->second.expected, "1");
  EXPECT_FALSE(watch->IsReady());
  database.engine->FireWatches();
  EXPECT_EQ(Wait(watch), kSuccess);
}

TEST(TransactionWatchTest, ExpectsWhatTheTransactionWrote) {
  const TestDatabase database(Map{{"a", "1"}});
  const TestTransaction transaction(database);
  transaction->Set("a", "2");
  const FutureRef watch = transaction->Watch("a");
  ASSERT_EQ(transaction.Commit(), kSuccess);
  EXPECT_EQ(database.engine->watches().begin()->second.expected, "2");
  watch->Cancel();
}

TEST(TransactionWatchTest, ConflictsWithAChangeOfItsKey) {
  const TestDatabase database;
  const TestTransaction transaction(database);
  const FutureRef watch = transaction->Watch("a");
  EXPECT_THAT(transaction.ReadConflicts(), ElementsAre(Pair("a", KeyAfter("a"))));
}

TEST(TransactionWatchTest, FiresForALaterWriteOfTheSameTransaction) {
  const TestDatabase database(Map{{"a", "1"}});
  const TestTransaction transaction(database);
  const FutureRef same = transaction->Watch("a");
  transaction->Set("a", "1");
  EXPECT_FALSE(same->IsReady());
  transaction->ClearRange("0", "b");
  EXPECT_EQ(Wait(same), kSuccess);
  const FutureRef atomic = transaction->Watch("b");
  transaction->AtomicOp("b", "\x01", 2);
  EXPECT_EQ(Wait(atomic), kSuccess);
}

TEST(TransactionWatchTest, IsCancelledWithATransactionThatDidNotCommit) {
  const TestDatabase database;
  FutureRef destroyed;
  {
    const TestTransaction transaction(database);
    destroyed = transaction->Watch("a");
    const FutureRef reset = transaction->Watch("a");
    EXPECT_FALSE(reset->IsReady());
    transaction->Reset();
    EXPECT_EQ(Wait(reset), kTransactionCancelled);
  }
  EXPECT_EQ(Wait(destroyed), kTransactionCancelled);

  database.engine->FailCommits(kCommitUnknownResult);
  const TestTransaction transaction(database);
  const FutureRef failed = transaction->Watch("a");
  transaction->Set("b", "1");
  EXPECT_EQ(transaction.Commit(), kCommitUnknownResult);
  EXPECT_EQ(Wait(failed), kCommitUnknownResult);
}

TEST(TransactionWatchTest, CancellingTheFutureRemovesIt) {
  const TestDatabase database;
  const TestTransaction transaction(database);
  const FutureRef watch = transaction->Watch("a");
  ASSERT_EQ(transaction.Commit(), kSuccess);
  ASSERT_THAT(database.engine->watches(), SizeIs(1));
  watch->Cancel();
  EXPECT_THAT(database.engine->watches(), IsEmpty());
  EXPECT_EQ(Wait(watch), kOperationCancelled);
}

TEST(TransactionWatchTest, ThereIsALimit) {
  const TestDatabase database;
  ASSERT_EQ(database.state->SetOption(20, IntOption(2)), kSuccess);
  const TestTransaction transaction(database);
  const FutureRef first = transaction->Watch("a");
  const FutureRef second = transaction->Watch("b");
  EXPECT_EQ(transaction->Watch("c")->error(), kTooManyWatches);
  first->Cancel();
  const FutureRef third = transaction->Watch("c");
  EXPECT_FALSE(third->IsReady());
  transaction->Set("b", "changed");
  EXPECT_EQ(Wait(second), kSuccess);
  EXPECT_FALSE(transaction->Watch("d")->IsReady());
}

// on_error.

TEST(TransactionRetryTest, ARetryableErrorStartsTheTransactionOver) {
  for (const ErrorCode error :
       {kTransactionTooOld, kFutureVersion, kNotCommitted, kCommitUnknownResult, kProcessBehind, kDatabaseLocked,
        kClusterVersionChanged, kCommitProxyMemoryLimitExceeded, kBatchTransactionThrottled,
        kGrvProxyMemoryLimitExceeded, 1079, kTagThrottled, kProxyTagThrottled}) {
    const TestDatabase database(Map{{"a", "1"}});
    const TestTransaction transaction(database);
    transaction->Set("a", "2");
    const FutureRef watch = transaction->Watch("a");
    EXPECT_EQ(Wait(transaction->OnError(error)), kSuccess) << error;
    EXPECT_EQ(transaction.Get("a"), "1");
    EXPECT_EQ(Wait(watch), kTransactionCancelled);
  }
}

TEST(TransactionRetryTest, OtherErrorsComeBackAndEndTheTransaction) {
  const TestDatabase database;
  for (const ErrorCode error : {kKeyTooLarge, kTransactionCancelled, kTransactionTimedOut, kUsedDuringCommit}) {
    const TestTransaction transaction(database);
    EXPECT_EQ(transaction->OnError(error)->error(), error);
    EXPECT_EQ(transaction.Get("a"), Error(kTransactionCancelled));
    transaction->Reset();
    EXPECT_EQ(transaction.Get("a"), "<none>");
  }
  const TestTransaction transaction(database);
  EXPECT_EQ(transaction->OnError(kSuccess)->error(), kClientInvalidOperation);
}

// The next try counts on it that what is unknown has happened or never will.
TEST(TransactionRetryTest, AnUnknownResultThatMayStillComeIsNotRetried) {
  const TestDatabase database(Map{{"a", "1"}});
  database.engine->SetSettled(kIoError);
  const TestTransaction transaction(database);
  EXPECT_EQ(transaction->OnError(kCommitUnknownResult)->error(), kIoError);
  EXPECT_EQ(transaction.Get("a"), Error(kTransactionCancelled));
  const TestTransaction other(database);
  EXPECT_EQ(Wait(other->OnError(kNotCommitted)), kSuccess);
  database.engine->SetSettled(kSuccess);
  transaction->Reset();
  EXPECT_EQ(Wait(transaction->OnError(kCommitUnknownResult)), kSuccess);
  EXPECT_EQ(transaction.Get("a"), "1");
}

TEST(TransactionRetryTest, BeforeApiVersion610OtherErrorsResetTheTransaction) {
  const TestDatabase database({}, 600);
  const TestTransaction transaction(database);
  transaction->Set("a", "1");
  EXPECT_EQ(transaction->OnError(kKeyTooLarge)->error(), kKeyTooLarge);
  EXPECT_EQ(transaction.Get("a"), "<none>");
}

TEST(TransactionRetryTest, AKeptErrorIsForgotten) {
  const TestDatabase database;
  const TestTransaction transaction(database);
  transaction->Set("\xff", "");
  EXPECT_EQ(transaction.Get("a"), Error(kKeyOutsideLegalRange));
  EXPECT_EQ(Wait(transaction->OnError(kNotCommitted)), kSuccess);
  EXPECT_EQ(transaction.Get("a"), "<none>");
}

TEST(TransactionRetryTest, TheRetryLimitStaysFromApiVersion610On) {
  for (const int api_version : {600, 610}) {
    const TestDatabase database({}, api_version);
    const TestTransaction transaction(database);
    transaction->SetOption(kRetryLimit, IntOption(2));
    EXPECT_EQ(Wait(transaction->OnError(kNotCommitted)), kSuccess);
    EXPECT_EQ(Wait(transaction->OnError(kNotCommitted)), kSuccess);
    EXPECT_EQ(Wait(transaction->OnError(kNotCommitted)), api_version < 610 ? kSuccess : kNotCommitted);
    transaction->Reset();
    transaction->SetOption(kRetryLimit, IntOption(0));
    EXPECT_EQ(Wait(transaction->OnError(kNotCommitted)), kNotCommitted);
  }
}

TEST(TransactionRetryTest, OtherOptionsDoNotStay) {
  const TestDatabase database;
  const TestTransaction transaction(database);
  transaction->SetOption(301, std::nullopt);
  EXPECT_EQ(transaction.Get("\xff"), "<none>");
  EXPECT_EQ(Wait(transaction->OnError(kNotCommitted)), kSuccess);
  EXPECT_EQ(transaction.Get("\xff"), Error(kKeyOutsideLegalRange));
}

// With no delay allowed, the future is ready at once.
TEST(TransactionRetryTest, TheDelayHasALimit) {
  const TestDatabase database;
  const TestTransaction transaction(database);
  transaction->SetOption(kMaxRetryDelay, IntOption(0));
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(transaction->OnError(kNotCommitted)->IsReady());
    EXPECT_TRUE(transaction->OnError(kTransactionTooOld)->IsReady());
  }
}

TEST(TransactionRetryTest, CancellingTheFutureEndsTheTransaction) {
  const TestDatabase database;
  const TestTransaction transaction(database);
  FutureRef retry;
  // Until the backoff has grown so long that the cancel comes first.
  do {
    transaction->Reset();
    for (int i = 0; i < 6; ++i) transaction->OnError(kNotCommitted);
    retry = transaction->OnError(kNotCommitted);
    retry->Cancel();
  } while (retry->error() != kOperationCancelled);
  EXPECT_EQ(transaction.Get("a"), Error(kTransactionCancelled));
}

// Cancel and time-out.

TEST(TransactionEndTest, CancelFailsAllUntilAReset) {
  const TestDatabase database;
  database.engine->HoldCommits();
  const TestTransaction transaction(database);
  const FutureRef stamp = transaction->GetVersionstamp();
  transaction->Set("a", "1");
  const FutureRef commit = transaction->Commit();
  transaction->Cancel();
  EXPECT_EQ(Wait(commit), kTransactionCancelled);
  EXPECT_EQ(Wait(stamp), kTransactionCancelled);
  EXPECT_EQ(transaction->GetReadVersion()->error(), kTransactionCancelled);
  EXPECT_EQ(transaction->OnError(kNotCommitted)->error(), kTransactionCancelled);
  transaction->Reset();
  EXPECT_EQ(transaction.Get("a"), "<none>");
  transaction->Cancel();
  EXPECT_EQ(transaction.Get("a"), Error(kTransactionCancelled));
  EXPECT_EQ(transaction.GetRange("a", "b"), Error(kTransactionCancelled));
  EXPECT_EQ(transaction.GetKey(FirstGreaterOrEqual("a")), Error(kTransactionCancelled));
  EXPECT_EQ(transaction->Watch("a")->error(), kTransactionCancelled);
  EXPECT_EQ(transaction.Commit(), kTransactionCancelled);
}

TEST(TransactionEndTest, ATimeOutFailsWhatIsOutstandingAndWhatComes) {
  const TestDatabase database;
  database.engine->HoldCommits();
  const TestTransaction transaction(database);
  transaction->SetOption(kTimeout, IntOption(20));
  transaction->Set("a", "1");
  const FutureRef commit = transaction->Commit();
  EXPECT_EQ(Wait(commit), kTransactionTimedOut);
  EXPECT_EQ(transaction->GetReadVersion()->error(), kTransactionTimedOut);
  EXPECT_EQ(transaction->OnError(kNotCommitted)->error(), kTransactionTimedOut);
  transaction->Reset();
  EXPECT_EQ(transaction.Get("a"), "<none>");
}

// A retry does not start the clock anew, and from API version 610 on keeps the time-out.
TEST(TransactionEndTest, ATimeOutEndsARetryLoop) {
  const TestDatabase database;
  const TestTransaction transaction(database);
  transaction->SetOption(kTimeout, IntOption(30));
  ErrorCode error = kSuccess;
  while (error == kSuccess) error = Wait(transaction->OnError(kNotCommitted));
  EXPECT_EQ(error, kTransactionTimedOut);
}

TEST(TransactionEndTest, ATimeOutCanBeTakenBack) {
  const TestDatabase database;
  database.engine->HoldCommits();
  const TestTransaction transaction(database);
  transaction->SetOption(kTimeout, IntOption(3'600'000));
  transaction->Set("a", "1");
  const FutureRef commit = transaction->Commit();
  transaction->SetOption(kTimeout, IntOption(0));
  database.engine->ReleaseCommits({.version = 5});
  EXPECT_EQ(Wait(commit), kSuccess);
}

TEST(TransactionEndTest, DefaultTimeOutOfTheDatabase) {
  const TestDatabase database;
  ASSERT_EQ(database.state->SetOption(kTimeout, IntOption(20)), kSuccess);
  const TestTransaction transaction(database);
  EXPECT_EQ(Wait(transaction->GetVersionstamp()), kTransactionTimedOut);
}

TEST(TransactionEndTest, DestroyFailsWhatIsOutstanding) {
  const TestDatabase database;
  database.engine->HoldCommits();
  FutureRef commit;
  FutureRef stamp;
  {
    const TestTransaction transaction(database);
    transaction->Set("a", "1");
    stamp = transaction->GetVersionstamp();
    commit = transaction->Commit();
  }
  EXPECT_EQ(Wait(commit), kTransactionCancelled);
  EXPECT_EQ(Wait(stamp), kTransactionCancelled);
  database.engine->ReleaseCommits({.version = 5});
}

// Nothing to expect but that no sanitizer complains, and that everything comes to an end.
TEST(TransactionEndTest, ManyThreadsOnOneTransaction) {
  const TestDatabase database(Map{{"a", "1"}, {"b", "2"}});
  const TestTransaction transaction(database);
  const uint64_t seed = RandomSeed();
  std::vector<std::thread> threads;
  for (uint64_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      std::mt19937_64 random(seed + thread);
      for (int i = 0; i < 500; ++i) {
        const std::string key(1, static_cast<char>('a' + random() % 4));
        switch (random() % 10) {
          case 0:
            transaction->Reset();
            break;
          case 1:
            transaction->Commit();
            break;
          case 2:
            transaction->OnError(kNotCommitted)->Cancel();
            break;
          case 3:
            transaction->Cancel();
            break;
          case 4:
            transaction->Watch(key)->Cancel();
            break;
          case 5:
            transaction->GetVersionstamp();
            transaction->SetOption(kTimeout, IntOption(static_cast<int64_t>(random() % 3)));
            break;
          case 6:
            transaction->AtomicOp(key, "\x01", 2);
            break;
          case 7:
            transaction->Set(key, "x");
            break;
          default:
            transaction->GetRange({.begin = FirstGreaterOrEqual("a"), .end = FirstGreaterOrEqual(key)});
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  transaction->Reset();
  EXPECT_EQ(transaction->Get("a", false)->error(), kSuccess);
}

const auto* const kNetwork = testing::AddGlobalTestEnvironment(new NetworkEnvironment);

}  // namespace
}  // namespace fdbjobs::embedded
