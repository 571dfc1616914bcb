// Futures: waiting, callbacks, cancelling, and what happens to those that nobody waits for.
#include "fdbjobs/fdb/future.h"

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/notification.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_database.h"

namespace fdbjobs::fdb {
namespace {

using ::fdbjobs::test::IsFdbError;
using ::fdbjobs::test::IsOk;
using ::fdbjobs::test::IsOkAnd;
using ::testing::Eq;
using ::testing::Optional;

class FutureTest : public ::fdbjobs::test::DatabaseTest {
 protected:
  // Not ready until Put(suffix) changes the value.
  VoidFuture Pending(std::string_view suffix) {
    OwnedTransaction tr = Begin();
    VoidFuture watch = tr.Watch(Key(suffix));
    EXPECT_THAT(tr.Commit().Await(), IsOk());
    return watch;
  }
};

TEST_F(FutureTest, SeveralAreAwaitedTogether) {
  Put("a", "1");
  Put("b", "2");
  OwnedTransaction tr = Begin();
  ValueFuture a = tr.Get(Key("a"), Isolation::kSerializable);
  ValueFuture b = tr.Get(Key("b"), Isolation::kSerializable);
  Int64Future version = tr.GetReadVersion();
  ASSERT_THAT(AwaitAll(a, b, version), IsOk());
  EXPECT_TRUE(a.IsReady());
  EXPECT_TRUE(b.IsReady());
  EXPECT_THAT(a.Await(), IsOkAnd(Optional(Eq("1"))));
  EXPECT_THAT(b.Await(), IsOkAnd(Optional(Eq("2"))));
}

TEST_F(FutureTest, AListIsAwaitedTogether) {
  OwnedTransaction tr = Begin();
  std::vector<ValueFuture> reads;
  for (int i = 0; i < 100; ++i) reads.push_back(tr.Get(Key(std::to_string(i)), Isolation::kSnapshot));
  EXPECT_THAT(AwaitAll(reads), IsOk());
  for (const ValueFuture& read : reads) EXPECT_TRUE(read.IsReady());
}

TEST_F(FutureTest, AwaitingAllGivesTheFirstErrorInOrder) {
  OwnedTransaction good = Begin(), cancelled = Begin(), wrong = Begin();
  cancelled.Cancel();
  ValueFuture a = good.Get(Key("a"), Isolation::kSnapshot);
  ValueFuture b = cancelled.Get(Key("a"), Isolation::kSnapshot);
  ValueFuture c = wrong.Get("\xff/x", Isolation::kSnapshot);
  EXPECT_THAT(AwaitAll(a, b, c), IsFdbError(error::kTransactionCancelled));
  EXPECT_THAT(AwaitAll(c, b, a), IsFdbError(error::kKeyOutsideLegalRange));
  EXPECT_TRUE(a.IsReady());
}

TEST_F(FutureTest, WaitingForAWhile) {
  VoidFuture pending = Pending("a");
  EXPECT_FALSE(pending.IsReady());
  EXPECT_FALSE(pending.WaitFor(absl::Milliseconds(1)));
  EXPECT_FALSE(pending.WaitFor(absl::ZeroDuration()));
  Put("a", "1");
  EXPECT_TRUE(pending.WaitFor(absl::InfiniteDuration()));
  EXPECT_TRUE(pending.IsReady());
  EXPECT_TRUE(pending.WaitFor(absl::ZeroDuration()));
}

TEST_F(FutureTest, CallbackOfAPendingFuture) {
  test::Notification called;
  VoidFuture pending = Pending("a");
  ASSERT_THAT(pending.OnReady([&called] { called.Notify(); }), IsOk());
  EXPECT_FALSE(called.HasBeenNotified());
  Put("a", "1");
  called.WaitForNotification();
  EXPECT_TRUE(pending.IsReady());
}

TEST_F(FutureTest, CallbackOfAReadyFuture) {
  test::Notification called;
  OwnedTransaction tr = Begin();
  ValueFuture read = tr.Get(Key("a"), Isolation::kSnapshot);
  ASSERT_THAT(read.AwaitReady(), IsOk());
  ASSERT_THAT(read.OnReady([&called] { called.Notify(); }), IsOk());
  called.WaitForNotification();
}

TEST_F(FutureTest, CallbackMayOwnWhatCanOnlyMove) {
  test::Notification called;
  auto owned = std::make_unique<int>(42);
  OwnedTransaction tr = Begin();
  ValueFuture read = tr.Get(Key("a"), Isolation::kSnapshot);
  ASSERT_THAT(read.OnReady([&called, owned = std::move(owned)] {
    if (*owned == 42) called.Notify();
  }),
              IsOk());
  called.WaitForNotification();
}

TEST_F(FutureTest, SeveralCallbacksOfOneFuture) {
  test::Notification first, second;
  VoidFuture pending = Pending("a");
  ASSERT_THAT(pending.OnReady([&first] { first.Notify(); }), IsOk());
  ASSERT_THAT(pending.OnReady([&second] { second.Notify(); }), IsOk());
  Put("a", "1");
  first.WaitForNotification();
  second.WaitForNotification();
  EXPECT_THAT(pending.Await(), IsOk());
}

TEST_F(FutureTest, CancellingRunsTheCallback) {
  test::Notification called;
  VoidFuture pending = Pending("a");
  ASSERT_THAT(pending.OnReady([&called] { called.Notify(); }), IsOk());
  pending.Cancel();
  called.WaitForNotification();
  EXPECT_THAT(pending.Await(), IsFdbError(error::kOperationCancelled));
}

TEST_F(FutureTest, DestroyingRunsTheCallback) {
  auto called = std::make_shared<test::Notification>();
  {
    VoidFuture pending = Pending("a");
    ASSERT_THAT(pending.OnReady([called] { called->Notify(); }), IsOk());
  }
  called->WaitForNotification();
}

TEST_F(FutureTest, DestroyedBeforeTheyAreReady) {
  OwnedTransaction tr = Begin();
  for (int i = 0; i < 100; ++i) {
    ValueFuture dropped = tr.Get(Key(std::to_string(i)), Isolation::kSnapshot);
  }
  EXPECT_THAT(tr.Get(Key("a"), Isolation::kSnapshot).Await(), IsOk());
}

TEST_F(FutureTest, CancellingAReadyFutureChangesNothing) {
  Put("a", "1");
  OwnedTransaction tr = Begin();
  ValueFuture read = tr.Get(Key("a"), Isolation::kSnapshot);
  ASSERT_THAT(read.AwaitReady(), IsOk());
  read.Cancel();
  EXPECT_THAT(read.Await(), IsOkAnd(Optional(Eq("1"))));
}

TEST_F(FutureTest, FuturesMove) {
  Put("a", "1");
  OwnedTransaction tr = Begin();
  ValueFuture a = tr.Get(Key("a"), Isolation::kSnapshot);
  ValueFuture b = tr.Get(Key("b"), Isolation::kSnapshot);
  b = std::move(a);
  EXPECT_THAT(b.Await(), IsOkAnd(Optional(Eq("1"))));
}

TEST_F(FutureTest, AReadFailsWhenItsTransactionGoes) {
  // Either it was done before, or it fails; it never hangs.
  std::optional<ValueFuture> read;
  {
    OwnedTransaction tr = Begin();
    read = tr.Get(Key("a"), Isolation::kSnapshot);
  }
  const absl::Status status = read->AwaitReady();
  if (!status.ok()) {
    EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
  }
}

TEST_F(FutureTest, BlockingOnTheNetworkThreadIsAnErrorAndNoDeadlock) {
  VoidFuture pending = Pending("a");
  test::Notification called;
  absl::Status seen;
  VoidFuture trigger = Pending("b");
  ASSERT_THAT(trigger.OnReady([&] {
    seen = pending.AwaitReady();
    called.Notify();
  }),
              IsOk());
  Put("b", "1");
  called.WaitForNotification();
  EXPECT_THAT(seen, IsFdbError(error::kBlockedFromNetworkThread));
}

}  // namespace
}  // namespace fdbjobs::fdb
