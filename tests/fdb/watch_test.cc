// watch: fires for a change of the value, not for a rewrite, and outlives its transaction.
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "fdbjobs/fdb/transaction.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_database.h"

namespace fdbjobs::fdb {
namespace {

using ::fdbjobs::test::IsFdbError;
using ::fdbjobs::test::IsOk;

// Long enough for any machine; a test that passes does not wait for it.
constexpr absl::Duration kLong = absl::Seconds(60);

class WatchTest : public ::fdbjobs::test::DatabaseTest {
 protected:
  VoidFuture Watch(std::string_view suffix) {
    OwnedTransaction tr = Begin();
    VoidFuture watch = tr.Watch(Key(suffix));
    EXPECT_THAT(tr.Commit().Await(), IsOk());
    return watch;
  }
};

TEST_F(WatchTest, FiresWhenTheValueChanges) {
  Put("a", "1");
  VoidFuture watch = Watch("a");
  EXPECT_FALSE(watch.IsReady());
  Put("a", "2");
  ASSERT_TRUE(watch.WaitFor(kLong));
  EXPECT_THAT(watch.Await(), IsOk());
}

TEST_F(WatchTest, FiresWhenTheKeyAppearsAndWhenItGoes) {
  VoidFuture appears = Watch("a");
  Put("a", "1");
  ASSERT_TRUE(appears.WaitFor(kLong));
  VoidFuture goes = Watch("a");
  Commit([this](Transaction& tr) { tr.Clear(Key("a")); });
  ASSERT_TRUE(goes.WaitFor(kLong));
  EXPECT_THAT(AwaitAll(appears, goes), IsOk());
}

TEST_F(WatchTest, DoesNotFireForARewriteOrForOtherKeys) {
  Put("a", "1");
  VoidFuture watch = Watch("a");
  VoidFuture other = Watch("b");
  Put("a", "1");
  Put("aa", "1");
  // The other watch, set later, fires for a later commit: by then the first one would have fired, too.
  Put("b", "1");
  ASSERT_TRUE(other.WaitFor(kLong));
  EXPECT_FALSE(watch.IsReady());
  Put("a", "2");
  EXPECT_TRUE(watch.WaitFor(kLong));
}

TEST_F(WatchTest, FiresForAChangeBetweenReadAndCommit) {
  Put("a", "1");
  OwnedTransaction tr = Begin();
  ASSERT_THAT(tr.GetReadVersion().Await(), IsOk());
  VoidFuture watch = tr.Watch(Key("a"));
  Put("a", "2");
  ASSERT_THAT(tr.Commit().Await(), IsOk());
  EXPECT_TRUE(watch.WaitFor(kLong));
  EXPECT_THAT(watch.Await(), IsOk());
}

TEST_F(WatchTest, FiresForACommitThatIsUnderWayWhenItIsSet) {
  for (int round = 0; round < 20; ++round) {
    const std::string before = absl::StrCat(round);
    Put("a", before);
    OwnedTransaction writer = Begin();
    writer.Set(Key("a"), absl::StrCat(round + 1));
    VoidFuture commit = writer.Commit();
    // One watch after the other while the commit is on its way, each by a transaction that does not see it yet.
    std::vector<VoidFuture> watches;
    while (watches.size() < 100 && !commit.IsReady()) {
      OwnedTransaction tr = Begin();
      const absl::StatusOr<std::optional<std::string>> value = tr.Get(Key("a"), Isolation::kSnapshot).Await();
      ASSERT_THAT(value, IsOk());
      if (*value != before) break;
      watches.push_back(tr.Watch(Key("a")));
      ASSERT_THAT(tr.Commit().Await(), IsOk());
    }
    ASSERT_THAT(commit.Await(), IsOk());
    for (VoidFuture& watch : watches) ASSERT_TRUE(watch.WaitFor(kLong)) << "round " << round;
  }
}

TEST_F(WatchTest, WatchesTheValueThatItsTransactionWrites) {
  Put("a", "1");
  OwnedTransaction tr = Begin();
  tr.Set(Key("a"), "2");
  VoidFuture watch = tr.Watch(Key("a"));
  ASSERT_THAT(tr.Commit().Await(), IsOk());
  Put("a", "3");
  EXPECT_TRUE(watch.WaitFor(kLong));
}

TEST_F(WatchTest, SeveralOfOneKeyAllFire) {
  std::vector<VoidFuture> watches;
  for (int i = 0; i < 5; ++i) watches.push_back(Watch("a"));
  Put("a", "1");
  EXPECT_THAT(AwaitAll(watches), IsOk());
}

TEST_F(WatchTest, EndsWithATransactionThatIsNotCommitted) {
  OwnedTransaction tr = Begin();
  VoidFuture reset = tr.Watch(Key("a"));
  tr.Reset();
  EXPECT_THAT(reset.Await(), IsFdbError(error::kTransactionCancelled));
  VoidFuture cancelled = tr.Watch(Key("a"));
  tr.Cancel();
  EXPECT_THAT(cancelled.Await(), IsFdbError(error::kTransactionCancelled));
}

// The change is on its way while the watch is set, and may be acknowledged before, within or after that.
TEST_F(WatchTest, FiresForAChangeThatComesWhileItIsSet) {
  for (int round = 0; round < 300; ++round) {
    Put("a", "before");
    OwnedTransaction tr = Begin();
    ASSERT_THAT(tr.Get(Key("a"), Isolation::kSnapshot).Await(), IsOk());
    OwnedTransaction writer = Begin();
    writer.Set(Key("a"), "after");
    const VoidFuture written = writer.Commit();
    VoidFuture watch = tr.Watch(Key("a"));
    ASSERT_THAT(tr.Commit().Await(), IsOk());
    ASSERT_THAT(written.Await(), IsOk());
    ASSERT_TRUE(watch.WaitFor(kLong)) << "round " << round;
  }
}

TEST_F(WatchTest, CanBeCancelled) {
  VoidFuture watch = Watch("a");
  watch.Cancel();
  EXPECT_THAT(watch.Await(), IsFdbError(error::kOperationCancelled));
}

TEST_F(WatchTest, AreDisabledWithReadYourWrites) {
  OwnedTransaction tr = Begin();
  ASSERT_THAT(tr.SetOption(TransactionFlag::kReadYourWritesDisable), IsOk());
  EXPECT_THAT(tr.Watch(Key("a")).Await(), IsFdbError(error::kWatchesDisabled));
}

TEST_F(WatchTest, ADatabaseHoldsAsManyAsItsOptionAllows) {
  absl::StatusOr<Database> own = Database::Open(test::TestDatabaseName());
  ASSERT_THAT(own, IsOk());
  ASSERT_THAT(own->SetOption(DatabaseInt::kMaxWatches, 1), IsOk());
  absl::StatusOr<OwnedTransaction> tr = own->CreateTransaction();
  ASSERT_THAT(tr, IsOk());
  VoidFuture first = tr->Watch(Key("a"));
  ASSERT_THAT(tr->Commit().Await(), IsOk());
  tr->Reset();
  EXPECT_THAT(tr->Watch(Key("b")).Await(), IsFdbError(error::kTooManyWatches));
  EXPECT_FALSE(first.IsReady());
}

}  // namespace
}  // namespace fdbjobs::fdb
