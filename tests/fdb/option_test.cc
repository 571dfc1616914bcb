// Options of transactions and databases, by what they do; and those that are refused.
#include <string>

#include "fdbjobs/fdb/transaction.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_database.h"

namespace fdbjobs::fdb {
namespace {

using ::fdbjobs::test::IsFdbError;
using ::fdbjobs::test::IsOk;
using ::fdbjobs::test::IsOkAnd;
using ::testing::Eq;
using ::testing::Optional;

class OptionTest : public ::fdbjobs::test::DatabaseTest {
 protected:
  // Reads until the transaction fails, as it does once its time is over.
  absl::Status ReadUntilItFails(Transaction& tr) {
    while (true) {
      const absl::Status status = tr.Get(Key("a"), Isolation::kSnapshot).Await().status();
      if (!status.ok()) return status;
    }
  }

  Database OwnDatabase() {
    absl::StatusOr<Database> database = Database::Open(test::TestDatabaseName());
    EXPECT_THAT(database, IsOk());
    return *std::move(database);
  }
};

TEST_F(OptionTest, UnknownOnesAreRefused) {
  OwnedTransaction tr = Begin();
  EXPECT_THAT(tr.SetOption(static_cast<TransactionFlag>(9999)), IsFdbError(error::kInvalidOption));
  Database database = OwnDatabase();
  EXPECT_THAT(database.SetOption(static_cast<DatabaseFlag>(9999)), IsFdbError(error::kInvalidOption));
}

TEST_F(OptionTest, AllFlagsOfOursAreKnown) {
  for (TransactionFlag flag :
       {TransactionFlag::kCausalWriteRisky, TransactionFlag::kCausalReadRisky,
        TransactionFlag::kNextWriteNoWriteConflictRange, TransactionFlag::kReadYourWritesDisable,
        TransactionFlag::kDurabilityRisky, TransactionFlag::kPrioritySystemImmediate, TransactionFlag::kPriorityBatch,
        TransactionFlag::kAccessSystemKeys, TransactionFlag::kReadSystemKeys,
        TransactionFlag::kSnapshotReadYourWritesEnable, TransactionFlag::kSnapshotReadYourWritesDisable,
        TransactionFlag::kLockAware, TransactionFlag::kUsedDuringCommitProtectionDisable,
        TransactionFlag::kReadLockAware, TransactionFlag::kReportConflictingKeys, TransactionFlag::kBypassUnreadable}) {
    OwnedTransaction tr = Begin();
    EXPECT_THAT(tr.SetOption(flag), IsOk()) << static_cast<int>(flag);
    EXPECT_THAT(tr.Get(Key("a"), Isolation::kSnapshot).Await(), IsOk()) << static_cast<int>(flag);
  }
}

TEST_F(OptionTest, TextsAreTaken) {
  OwnedTransaction tr = Begin();
  EXPECT_THAT(tr.SetOption(TransactionText::kDebugTransactionIdentifier, "option-test"), IsOk());
  EXPECT_THAT(tr.SetOption(TransactionFlag::kLogTransaction), IsOk());
  EXPECT_THAT(tr.SetOption(TransactionText::kTag, "fdbjobs"), IsOk());
  EXPECT_THAT(tr.SetOption(TransactionText::kAutoThrottleTag, "fdbjobs2"), IsOk());
  EXPECT_THAT(tr.Get(Key("a"), Isolation::kSnapshot).Await(), IsOk());
}

TEST_F(OptionTest, AnIntegerNeedsEightBytes) {
  OwnedTransaction tr = Begin();
  // FoundationDB looks at the value later, so the error may come with the next use.
  absl::Status status = tr.SetOption(static_cast<TransactionText>(TransactionInt::kRetryLimit), "abc");
  status.Update(tr.Get(Key("a"), Isolation::kSnapshot).Await().status());
  EXPECT_THAT(status, IsFdbError(error::kInvalidOptionValue));
}

TEST_F(OptionTest, SnapshotReadsCanBeKeptFromOwnWrites) {
  Put("a", "stored");
  OwnedTransaction tr = Begin();
  ASSERT_THAT(tr.SetOption(TransactionFlag::kSnapshotReadYourWritesDisable), IsOk());
  tr.Set(Key("a"), "mine");
  EXPECT_THAT(tr.Get(Key("a"), Isolation::kSnapshot).Await(), IsOkAnd(Optional(Eq("stored"))));
  EXPECT_THAT(tr.Get(Key("a"), Isolation::kSerializable).Await(), IsOkAnd(Optional(Eq("mine"))));
  ASSERT_THAT(tr.SetOption(TransactionFlag::kSnapshotReadYourWritesEnable), IsOk());
  EXPECT_THAT(tr.Get(Key("a"), Isolation::kSnapshot).Await(), IsOkAnd(Optional(Eq("mine"))));
}

TEST_F(OptionTest, SnapshotReadsOfADatabaseCanBeKeptFromOwnWrites) {
  Put("a", "stored");
  Database database = OwnDatabase();
  ASSERT_THAT(database.SetOption(DatabaseFlag::kSnapshotReadYourWritesDisable), IsOk());
  absl::StatusOr<OwnedTransaction> tr = database.CreateTransaction();
  ASSERT_THAT(tr, IsOk());
  tr->Set(Key("a"), "mine");
  EXPECT_THAT(tr->Get(Key("a"), Isolation::kSnapshot).Await(), IsOkAnd(Optional(Eq("stored"))));
}

TEST_F(OptionTest, ReadYourWritesCanBeDisabled) {
  Put("a", "stored");
  OwnedTransaction tr = Begin();
  ASSERT_THAT(tr.SetOption(TransactionFlag::kReadYourWritesDisable), IsOk());
  tr.Set(Key("a"), "mine");
  EXPECT_THAT(tr.Get(Key("a"), Isolation::kSerializable).Await(), IsOkAnd(Optional(Eq("stored"))));
}

TEST_F(OptionTest, ReadYourWritesCanNotBeDisabledLater) {
  OwnedTransaction tr = Begin();
  tr.Set(Key("a"), "mine");
  absl::Status status = tr.SetOption(TransactionFlag::kReadYourWritesDisable);
  status.Update(tr.Commit().Await());
  EXPECT_THAT(status, IsFdbError(error::kClientInvalidOperation));
}

TEST_F(OptionTest, TimeoutFailsTheTransaction) {
  OwnedTransaction tr = Begin();
  ASSERT_THAT(tr.SetTimeout(absl::Milliseconds(20)), IsOk());
  const absl::Status status = ReadUntilItFails(tr);
  EXPECT_THAT(status, IsFdbError(error::kTransactionTimedOut));
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(tr.OnError(FdbCode(status)).Await(), IsFdbError(error::kTransactionTimedOut));
  tr.Set(Key("a"), "1");
  EXPECT_THAT(tr.Commit().Await(), IsFdbError(error::kTransactionTimedOut));
}

TEST_F(OptionTest, TimeoutOfAnAbsurdLengthIsNone) {
  OwnedTransaction tr = Begin();
  EXPECT_THAT(tr.SetTimeout(absl::InfiniteDuration()), IsOk());
  EXPECT_THAT(tr.SetTimeout(absl::Hours(24 * 365)), IsOk());
  EXPECT_THAT(tr.Get(Key("a"), Isolation::kSnapshot).Await(), IsOk());
}

TEST_F(OptionTest, RetryLimitEndsTheRetries) {
  OwnedTransaction tr = Begin();
  ASSERT_THAT(tr.SetOption(TransactionInt::kRetryLimit, 1), IsOk());
  EXPECT_THAT(tr.OnError(error::kNotCommitted).Await(), IsOk());
  EXPECT_THAT(tr.OnError(error::kNotCommitted).Await(), IsFdbError(error::kNotCommitted));
}

TEST_F(OptionTest, ARetryKeepsTheRetryLimitAndAResetForgetsIt) {
  OwnedTransaction tr = Begin();
  ASSERT_THAT(tr.SetOption(TransactionInt::kRetryLimit, 1), IsOk());
  EXPECT_THAT(tr.OnError(error::kNotCommitted).Await(), IsOk());
  EXPECT_THAT(tr.OnError(error::kNotCommitted).Await(), IsFdbError(error::kNotCommitted));
  tr.Reset();
  for (int i = 0; i < 3; ++i) EXPECT_THAT(tr.OnError(error::kNotCommitted).Await(), IsOk());
}

TEST_F(OptionTest, SizeLimitFailsTheCommit) {
  OwnedTransaction tr = Begin();
  ASSERT_THAT(tr.SetOption(TransactionInt::kSizeLimitBytes, 1000), IsOk());
  tr.Set(Key("a"), std::string(2000, 'v'));
  EXPECT_THAT(tr.Commit().Await(), IsFdbError(error::kTransactionTooLarge));
}

TEST_F(OptionTest, DatabasesGiveDefaultsToTransactions) {
  Database database = OwnDatabase();
  ASSERT_THAT(database.SetOption(DatabaseInt::kTransactionRetryLimit, 0), IsOk());
  ASSERT_THAT(database.SetOption(DatabaseInt::kTransactionSizeLimitBytes, 1000), IsOk());
  ASSERT_THAT(database.SetOption(DatabaseInt::kTransactionMaxRetryDelayMilliseconds, 10), IsOk());
  ASSERT_THAT(database.SetOption(DatabaseInt::kTransactionTimeoutMilliseconds, 60'000), IsOk());
  ASSERT_THAT(database.SetOption(DatabaseInt::kLocationCacheSize, 1000), IsOk());
  ASSERT_THAT(database.SetOption(DatabaseText::kMachineId, "0123456789abcdef"), IsOk());
  absl::StatusOr<OwnedTransaction> tr = database.CreateTransaction();
  ASSERT_THAT(tr, IsOk());
  tr->Set(Key("a"), std::string(2000, 'v'));
  EXPECT_THAT(tr->Commit().Await(), IsFdbError(error::kTransactionTooLarge));
  EXPECT_THAT(tr->OnError(error::kNotCommitted).Await(), IsFdbError(error::kNotCommitted));
}

TEST_F(OptionTest, RiskyDurabilityCommitsAllTheSame) {
  OwnedTransaction tr = Begin();
  ASSERT_THAT(tr.SetOption(TransactionFlag::kDurabilityRisky), IsOk());
  tr.Set(Key("a"), "1");
  ASSERT_THAT(tr.Commit().Await(), IsOk());
  EXPECT_EQ(Read("a"), "1");
}

}  // namespace
}  // namespace fdbjobs::fdb
