// commit_unknown_result and other errors of FoundationDB under every call that matters. Of the embedded engine alone,
// since only it fails on demand.
#include <memory>

#include "absl/time/clock.h"
#include "fdbjobs/claimer.h"
#include "fdbjobs/listing.h"
#include "fdbjobs/subscriptions.h"
#include "tests/jobs/fault_fixture.h"

namespace fdbjobs::test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// Both halves of 1021, mixed with commits that come through.
constexpr char kUnknown[] = "unknown_before=0.4,unknown_after=0.4";
// Everything at once.
constexpr char kAll[] =
    "unknown_before=0.2,unknown_after=0.2,not_committed=0.2,too_old=0.05,future_version=0.05,timed_out=0.02,"
    "watch_early=0.3";
constexpr int kRounds = 40;

class UnknownResultTest : public FaultTest {
 protected:
  void AddQuietly(const JobId& id) {
    Faults("");
    ASSERT_THAT(Try([&](fdb::Transaction& tr) { return jobs().Add(tr, type(), {.id = id}); }), IsOk());
  }
  ClaimedJob ClaimQuietly() {
    Faults("");
    return Try([&](fdb::Transaction& tr) { return jobs().Accept(tr, type()); })->jobs.at(0);
  }
};

TEST_F(UnknownResultTest, AnAddSucceedsOnceAndTheJobIsThereOnce) {
  for (int id = 0; id < kRounds; ++id) {
    Faults(kUnknown);
    EXPECT_THAT(Try([&](fdb::Transaction& tr) { return jobs().Add(tr, type(), {.id = id}); }),
                IsOkAnd(AddResult::kAdded));
    EXPECT_EQ(Look(id), "pending");
    EXPECT_EQ(Count().pending, id + 1);
  }
}

TEST_F(UnknownResultTest, AnAddWithoutAnIdIsThereOnce) {
  for (int i = 0; i < kRounds; ++i) {
    Faults(kUnknown);
    // The id is another one in each try.
    EXPECT_THAT(Try([&](fdb::Transaction& tr) { return jobs().Add(tr, type(), NewJob()); }), IsOk());
    EXPECT_EQ(Count().pending, i + 1);
  }
}

TEST_F(UnknownResultTest, AnAcceptNeverLeavesAJobClaimedByNobody) {
  for (int id = 0; id < kRounds; ++id) {
    AddQuietly(id);
    Faults(kUnknown);
    const absl::StatusOr<Claimed> claimed = Try([&](fdb::Transaction& tr) { return jobs().Accept(tr, type()); });
    ASSERT_THAT(claimed, IsOk());
    ASSERT_THAT(claimed->jobs, SizeIs(1));
    Faults("");
    const absl::StatusOr<std::optional<Job>> job =
        Try([&](fdb::Transaction& tr) { return jobs().GetJob(tr, type(), id); });
    EXPECT_EQ((*job)->lock, claimed->jobs[0].lock);
    EXPECT_EQ(Count().running, id + 1);
  }
}

TEST_F(UnknownResultTest, AFinishThatHappenedIsOkAndItsEffectIsThereOnce) {
  const std::string effect = "effect";
  for (int id = 0; id < kRounds; ++id) {
    AddQuietly(id);
    const ClaimedJob job = ClaimQuietly();
    Faults(kUnknown);
    EXPECT_THAT(Try([&](fdb::Transaction& tr) {
                  tr.Add(effect, 1);
                  return jobs().Finish(tr, job);
                }),
                IsOkAnd(Outcome::kOk));
    EXPECT_EQ(Look(id), "finished");
  }
  const auto effects = Try([&](fdb::Transaction& tr) { return tr.Get(effect, fdb::Isolation::kSnapshot).Await(); });
  EXPECT_THAT(keyspace::JobKeys::DecodeCount(effects->value()), IsOkAnd(kRounds));
}

TEST_F(UnknownResultTest, AnUpdateARemoveAndARaisedIncarnationHappenOnce) {
  AddQuietly(0);
  const ClaimedJob job = ClaimQuietly();
  Faults(kUnknown);
  for (int i = 0; i < kRounds; ++i) {
    EXPECT_THAT(Try([&](fdb::Transaction& tr) { return jobs().Update(tr, job, "1"); }), IsOkAnd(Outcome::kOk));
  }
  for (int i = 1; i <= kRounds; ++i) {
    EXPECT_THAT(Try([&](fdb::Transaction& tr) { return jobs().RaiseIncarnation(tr); }), IsOkAnd(i));
  }
  EXPECT_THAT(Try([&](fdb::Transaction& tr) { return jobs().Remove(tr, type(), 0); }), IsOkAnd(ChangeResult::kChanged));
}

TEST_F(UnknownResultTest, ALoopOfTheCallersOwnRecognisesItsCommitByAReceipt) {
  for (int id = 0; id < kRounds; ++id) {
    Faults(kUnknown);
    absl::StatusOr<fdb::OwnedTransaction> callers = db().CreateTransaction();
    const fdb::Receipt receipt = jobs().NewReceipt();
    while (true) {
      absl::Status status;
      {
        fdb::BorrowedTransaction tr(db().client(), callers->raw());
        const absl::StatusOr<bool> done = Jobs::HasCommitted(tr, receipt);
        if (done.ok() && *done) break;
        status = jobs().Add(tr, type(), {.id = id}).status();
        tr.WriteReceipt(receipt);
      }
      if (status.ok()) status = callers->Commit().Await();
      if (status.ok()) break;
      EXPECT_TRUE(fdb::IsRetryable(status)) << status;
      ASSERT_THAT(callers->OnError(fdb::FdbCode(status)).Await(), IsOk());
    }
    EXPECT_EQ(Count().pending, id + 1);
  }
}

TEST_F(UnknownResultTest, ErrorsReachTheCallersLoopAsTheyAre) {
  AddQuietly(0);
  const struct {
    const char* faults;
    int code;
    bool retryable;
  } kCases[] = {
      {"too_old=1", fdb::error::kTransactionTooOld, true},
      {"future_version=1", fdb::error::kFutureVersion, true},
      // FoundationDB itself does not call it retryable: the caller's time is over.
      {"timed_out=1", fdb::error::kTransactionTimedOut, false},
  };
  for (const auto& one : kCases) {
    Faults(one.faults);
    absl::StatusOr<fdb::OwnedTransaction> tr = db().CreateTransaction();
    const absl::Status statuses[] = {
        jobs().Add(*tr, type(), {.id = 1}).status(),
        jobs().Accept(*tr, type()).status(),
        jobs().AcceptToFinish(*tr, type()).status(),
        jobs().Cancel(*tr, type(), 0).status(),
        jobs().GetJob(*tr, type(), 0).status(),
        jobs().Update(*tr, {.type = type(), .id = 0}).status(),
        jobs().Finish(*tr, {.type = type(), .id = 0}).status(),
        jobs().CountJobs(*tr, type()).status(),
        jobs().GetWatch(*tr, type()).status(),
        jobs().Rescue(*tr, type(), Sequence(), 10).status(),
        jobs().PruneReceipts(*tr, absl::UnixEpoch(), 10).status(),
        ListJobs(jobs(), *tr, type()).status(),
        ListTypes(jobs(), *tr).status(),
    };
    for (const absl::Status& status : statuses) {
      EXPECT_THAT(status, IsFdbError(one.code)) << one.faults;
      EXPECT_EQ(fdb::IsRetryable(status), one.retryable) << one.faults;
    }
  }
  Faults("not_committed=1");
  absl::StatusOr<fdb::OwnedTransaction> tr = db().CreateTransaction();
  EXPECT_THAT(jobs().Accept(*tr, type()), IsOk());
  const absl::Status conflict = tr->Commit().Await();
  EXPECT_THAT(conflict, IsFdbError(fdb::error::kNotCommitted));
  EXPECT_TRUE(fdb::IsRetryable(conflict));
}

TEST_F(UnknownResultTest, TheBlockingAcceptSurvivesAllOfThem) {
  for (int id = 0; id < kRounds; ++id) AddQuietly(id);
  Claimer claimer(db(), jobs(), type(), {.limit = 3});
  int claimed = 0;
  Faults(kAll);
  while (claimed < kRounds) {
    const absl::StatusOr<Claimed> some = claimer.Accept(absl::Now() + absl::Minutes(1));
    ASSERT_THAT(some, IsOk());
    ASSERT_THAT(some->jobs, ::testing::Not(IsEmpty()));
    claimed += static_cast<int>(some->jobs.size());
  }
  // Each of them is held by the claim that was told of it: none was left to nobody.
  EXPECT_EQ(claimed, kRounds);
  EXPECT_EQ(Count(), (Counts{.pending = 0, .running = kRounds, .finished = 0}));
}

// Also when the deadline is past and one error follows the other: whoever gives up then has to know what it leaves.
TEST_F(UnknownResultTest, ABlockingAcceptThatFailsHasClaimedNothing) {
  for (int id = 0; id < kRounds; ++id) AddQuietly(id);
  Claimer claimer(db(), jobs(), type());
  int claimed = 0;
  for (int i = 0; i < 10 * kRounds && claimed < kRounds; ++i) {
    Faults("unknown_after=0.5,timed_out=0.3");
    const absl::StatusOr<Claimed> some = claimer.Accept(absl::InfinitePast());
    if (some.ok()) claimed += static_cast<int>(some->jobs.size());
  }
  EXPECT_EQ(Count(), (Counts{.pending = kRounds - claimed, .running = claimed, .finished = 0}));
}

TEST_F(UnknownResultTest, WholeJobsAreDoneOnceUnderAllOfThem) {
  for (int id = 0; id < kRounds; ++id) AddQuietly(id);
  Claimer claimer(db(), jobs(), type(), {.limit = 3});
  Faults(kAll);
  while (true) {
    const absl::StatusOr<Claimed> some = claimer.AcceptAndFinish(
        absl::Now() + absl::Seconds(1), [&](fdb::Transaction& tr, const Claimed& jobs_here) -> absl::Status {
          for (const ClaimedJob& job : jobs_here.jobs) {
            tr.Add("effect", 1);
            if (absl::Status status = jobs().Finish(tr, job).status(); !status.ok()) return status;
          }
          return absl::OkStatus();
        });
    if (some.ok() && some->jobs.empty()) break;
  }
  EXPECT_EQ(Count(), (Counts{.pending = 0, .running = 0, .finished = kRounds}));
  const auto effects = Try([&](fdb::Transaction& tr) { return tr.Get("effect", fdb::Isolation::kSnapshot).Await(); });
  EXPECT_THAT(keyspace::JobKeys::DecodeCount(effects->value()), IsOkAnd(kRounds));
}

TEST_F(UnknownResultTest, ListingSurvivesAllOfThem) {
  constexpr int kJobs = 300;
  std::vector<NewJob> added;
  for (int id = 0; id < kJobs; ++id) added.push_back({.id = id});
  ASSERT_THAT(Try([&](fdb::Transaction& tr) { return jobs().AddMany(tr, type(), added); }), IsOk());
  // Rare enough that small pages get through.
  Faults("too_old=0.01,future_version=0.01,timed_out=0.005");
  for (const std::optional<JobState> state : {std::optional<JobState>(), std::optional(JobState::kPending)}) {
    int id = 0;
    EXPECT_THAT(ForEachJob(jobs(), db(), type(), state,
                           [&](const Job& job) {
                             EXPECT_EQ(job.id, JobId(id++));
                             return true;
                           }),
                IsOk());
    EXPECT_EQ(id, kJobs);
  }
}

TEST_F(UnknownResultTest, WaitingSurvivesAllOfThem) {
  AddQuietly(0);
  Subscriptions subscriptions(db(), jobs());
  ASSERT_THAT(Try([&](fdb::Transaction& tr) { return subscriptions.Subscribe(tr, type(), 0); }), IsOk());
  for (int i = 0; i < kRounds; ++i) {
    Faults("");
    ASSERT_THAT(Try([&](fdb::Transaction& tr) { return jobs().SetPriority(tr, type(), 0, i + 1); }), IsOk());
    Faults(kAll);
    const absl::StatusOr<std::vector<JobChange>> changes = subscriptions.Wait(absl::Now() + absl::Minutes(1));
    ASSERT_THAT(changes, IsOk());
    ASSERT_THAT(*changes, SizeIs(1));
    EXPECT_EQ(changes->at(0).job->priority, Priority(i + 1));
  }
}

}  // namespace
}  // namespace fdbjobs::test
