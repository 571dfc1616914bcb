// commit, reset, cancel, on_error: what a transaction can do when, and what it says when it can't.
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

using LifecycleTest = ::fdbjobs::test::DatabaseTest;

TEST_F(LifecycleTest, UsedAfterItsCommit) {
  OwnedTransaction tr = Begin();
  tr.Set(Key("a"), "1");
  ASSERT_THAT(tr.Commit().Await(), IsOk());
  EXPECT_THAT(tr.Get(Key("a"), Isolation::kSnapshot).Await(), IsFdbError(error::kUsedDuringCommit));
  tr.Reset();
  EXPECT_THAT(tr.Get(Key("a"), Isolation::kSnapshot).Await(), IsOkAnd(Optional(Eq("1"))));
}

TEST_F(LifecycleTest, ResetForgetsWritesAndReads) {
  OwnedTransaction tr = Begin();
  ASSERT_THAT(tr.Get(Key("a"), Isolation::kSerializable).Await(), IsOk());
  tr.Set(Key("b"), "1");
  Put("a", "changed");
  tr.Reset();
  EXPECT_THAT(tr.Get(Key("b"), Isolation::kSerializable).Await(), IsOkAnd(Eq(std::nullopt)));
  tr.Set(Key("c"), "1");
  EXPECT_THAT(tr.Commit().Await(), IsOk());
  EXPECT_EQ(Read("b"), std::nullopt);
  EXPECT_EQ(Read("c"), "1");
}

TEST_F(LifecycleTest, CancelEndsAllUses) {
  OwnedTransaction tr = Begin();
  tr.Set(Key("a"), "1");
  tr.Cancel();
  EXPECT_THAT(tr.Get(Key("a"), Isolation::kSnapshot).Await(), IsFdbError(error::kTransactionCancelled));
  EXPECT_THAT(tr.Commit().Await(), IsFdbError(error::kTransactionCancelled));
  EXPECT_EQ(Read("a"), std::nullopt);
  tr.Reset();
  EXPECT_THAT(tr.Get(Key("a"), Isolation::kSnapshot).Await(), IsOk());
}

TEST_F(LifecycleTest, OnErrorMakesReadyForAnotherTry) {
  for (int code : {error::kTransactionTooOld, error::kFutureVersion, error::kNotCommitted, error::kCommitUnknownResult,
                   error::kProcessBehind}) {
    OwnedTransaction tr = Begin();
    tr.Set(Key("a"), "first try");
    EXPECT_THAT(tr.OnError(code).Await(), IsOk()) << code;
    EXPECT_THAT(tr.Get(Key("a"), Isolation::kSnapshot).Await(), IsOkAnd(Eq(std::nullopt))) << code;
  }
}

TEST_F(LifecycleTest, OnErrorReturnsWhatItCanNotCure) {
  for (int code : {error::kTransactionTimedOut, error::kTransactionCancelled, error::kKeyTooLarge,
                   error::kTransactionTooLarge, error::kUsedDuringCommit}) {
    OwnedTransaction tr = Begin();
    EXPECT_THAT(tr.OnError(code).Await(), IsFdbError(code));
  }
}

TEST_F(LifecycleTest, AConflictIsCuredByARetry) {
  Put("a", "1");
  OwnedTransaction tr = Begin();
  ASSERT_THAT(tr.Get(Key("a"), Isolation::kSerializable).Await(), IsOk());
  Put("a", "2");
  tr.Set(Key("b"), "1");
  const absl::Status status = tr.Commit().Await();
  ASSERT_THAT(status, IsFdbError(error::kNotCommitted));
  ASSERT_THAT(tr.OnError(FdbCode(status)).Await(), IsOk());
  ASSERT_THAT(tr.Get(Key("a"), Isolation::kSerializable).Await(), IsOkAnd(Optional(Eq("2"))));
  tr.Set(Key("b"), "1");
  EXPECT_THAT(tr.Commit().Await(), IsOk());
}

TEST_F(LifecycleTest, AReadVersionCanBeSetOnce) {
  OwnedTransaction tr = Begin();
  ASSERT_THAT(tr.GetReadVersion().Await(), IsOk());
  tr.SetReadVersion(12345);
  EXPECT_THAT(tr.Get(Key("a"), Isolation::kSnapshot).Await(), IsFdbError(error::kReadVersionAlreadySet));
}

TEST_F(LifecycleTest, AReadVersionMustBePositive) {
  OwnedTransaction tr = Begin();
  tr.SetReadVersion(0);
  EXPECT_THAT(tr.Get(Key("a"), Isolation::kSnapshot).Await(), IsFdbError(error::kVersionInvalid));
}

TEST_F(LifecycleTest, TransactionsMove) {
  OwnedTransaction tr = Begin();
  tr.Set(Key("a"), "1");
  OwnedTransaction other = Begin();
  other = std::move(tr);
  EXPECT_THAT(other.Commit().Await(), IsOk());
  EXPECT_EQ(Read("a"), "1");
}

}  // namespace
}  // namespace fdbjobs::fdb
