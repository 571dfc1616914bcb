// get and get_key: values, snapshots, read-your-writes, and selectors that walk over written and cleared keys.
#include <optional>
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

using ReadTest = ::fdbjobs::test::DatabaseTest;

TEST_F(ReadTest, GetTellsPresentFromEmptyFromMissing) {
  Put("value", "v");
  Put("empty", "");
  OwnedTransaction tr = Begin();
  EXPECT_THAT(tr.Get(Key("value"), Isolation::kSerializable).Await(), IsOkAnd(Optional(Eq("v"))));
  EXPECT_THAT(tr.Get(Key("empty"), Isolation::kSerializable).Await(), IsOkAnd(Optional(Eq(""))));
  EXPECT_THAT(tr.Get(Key("missing"), Isolation::kSerializable).Await(), IsOkAnd(Eq(std::nullopt)));
}

TEST_F(ReadTest, KeysAndValuesHoldAnyBytes) {
  const std::string key("\0\x01\xfe zero\0", 9), value("\xff\0\xff", 3);
  Put(key, value);
  EXPECT_EQ(Read(key), value);
  EXPECT_EQ(Read(key.substr(0, 8)), std::nullopt);
}

TEST_F(ReadTest, ViewsLiveAsLongAsTheFuture) {
  Put("k", std::string(5000, 'v'));
  OwnedTransaction tr = Begin();
  const ValueFuture future = tr.Get(Key("k"), Isolation::kSnapshot);
  const auto view = future.AwaitView();
  ASSERT_THAT(view, IsOk());
  const auto again = future.AwaitView();
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ((*view)->data(), (*again)->data());
  EXPECT_EQ(**view, std::string(5000, 'v'));
}

TEST_F(ReadTest, SeesItsOwnWritesAlsoInSnapshotReads) {
  Put("old", "1");
  OwnedTransaction tr = Begin();
  tr.Set(Key("new"), "2");
  tr.Clear(Key("old"));
  for (Isolation isolation : {Isolation::kSerializable, Isolation::kSnapshot}) {
    EXPECT_THAT(tr.Get(Key("new"), isolation).Await(), IsOkAnd(Optional(Eq("2"))));
    EXPECT_THAT(tr.Get(Key("old"), isolation).Await(), IsOkAnd(Eq(std::nullopt)));
  }
}

TEST_F(ReadTest, ReadsOneVersionWhateverOthersCommit) {
  Put("a", "before");
  OwnedTransaction tr = Begin();
  ASSERT_THAT(tr.GetReadVersion().Await(), IsOk());
  Put("a", "after");
  EXPECT_THAT(tr.Get(Key("a"), Isolation::kSnapshot).Await(), IsOkAnd(Optional(Eq("before"))));
  EXPECT_EQ(Read("a"), "after");
}

TEST_F(ReadTest, ReadVersionsGrowAndAreRepeatedInATransaction) {
  OwnedTransaction first = Begin();
  const absl::StatusOr<int64_t> version = first.GetReadVersion().Await();
  ASSERT_THAT(version, IsOk());
  EXPECT_GT(*version, 0);
  EXPECT_THAT(first.GetReadVersion().Await(), IsOkAnd(*version));
  Put("a", "1");
  OwnedTransaction second = Begin();
  EXPECT_THAT(second.GetReadVersion().Await(), IsOkAnd(::testing::Gt(*version)));
}

TEST_F(ReadTest, ASetReadVersionDecidesWhatIsSeen) {
  Put("a", "before");
  OwnedTransaction probe = Begin();
  const absl::StatusOr<int64_t> version = probe.GetReadVersion().Await();
  ASSERT_THAT(version, IsOk());
  Put("a", "after");
  OwnedTransaction tr = Begin();
  tr.SetReadVersion(*version);
  EXPECT_THAT(tr.GetReadVersion().Await(), IsOkAnd(*version));
  EXPECT_THAT(tr.Get(Key("a"), Isolation::kSnapshot).Await(), IsOkAnd(Optional(Eq("before"))));
}

TEST_F(ReadTest, AVersionLongGoneIsTooOld) {
  // A database that was made just now has not got past the five seconds in which version 1 can be read.
  OwnedTransaction waiting = Begin();
  VoidFuture never = waiting.Watch(Key("never"));
  ASSERT_THAT(waiting.Commit().Await(), IsOk());
  while (*Begin().GetReadVersion().Await() < 8'000'000) never.WaitFor(absl::Milliseconds(50));

  OwnedTransaction tr = Begin();
  tr.SetReadVersion(1);
  const absl::StatusOr<std::optional<std::string>> value = tr.Get(Key("a"), Isolation::kSnapshot).Await();
  EXPECT_THAT(value, IsFdbError(error::kTransactionTooOld));
  EXPECT_TRUE(IsRetryable(value.status()));
}

TEST_F(ReadTest, SystemKeysNeedAnOption) {
  OwnedTransaction tr = Begin();
  EXPECT_THAT(tr.Get("\xff/conf/x", Isolation::kSnapshot).Await(), IsFdbError(error::kKeyOutsideLegalRange));
  OwnedTransaction allowed = Begin();
  ASSERT_THAT(allowed.SetOption(TransactionFlag::kReadSystemKeys), IsOk());
  EXPECT_THAT(allowed.Get("\xff/conf/x", Isolation::kSnapshot).Await(), IsOk());
}

class SelectorTest : public ReadTest {
 protected:
  // b, d, f, h are there; all others not.
  SelectorTest() {
    Commit([this](Transaction& tr) {
      for (const char* key : {"b", "d", "f", "h"}) tr.Set(Key(key), "");
    });
  }

  std::string Find(Transaction& tr, const KeySelectorView& selector) {
    const absl::StatusOr<std::string> key = tr.GetKey(selector, Isolation::kSerializable).Await();
    EXPECT_THAT(key, IsOk());
    if (!key.ok() || !key->starts_with(prefix())) return "outside";
    return key->substr(prefix().size());
  }
};

TEST_F(SelectorTest, TheFourKinds) {
  OwnedTransaction tr = Begin();
  EXPECT_EQ(Find(tr, KeySelectorView::LastLessThan(Key("d"))), "b");
  EXPECT_EQ(Find(tr, KeySelectorView::LastLessOrEqual(Key("d"))), "d");
  EXPECT_EQ(Find(tr, KeySelectorView::FirstGreaterThan(Key("d"))), "f");
  EXPECT_EQ(Find(tr, KeySelectorView::FirstGreaterOrEqual(Key("d"))), "d");
  EXPECT_EQ(Find(tr, KeySelectorView::LastLessThan(Key("e"))), "d");
  EXPECT_EQ(Find(tr, KeySelectorView::LastLessOrEqual(Key("e"))), "d");
  EXPECT_EQ(Find(tr, KeySelectorView::FirstGreaterThan(Key("e"))), "f");
  EXPECT_EQ(Find(tr, KeySelectorView::FirstGreaterOrEqual(Key("e"))), "f");
}

TEST_F(SelectorTest, OffsetsCountKeys) {
  OwnedTransaction tr = Begin();
  EXPECT_EQ(Find(tr, KeySelectorView::FirstGreaterOrEqual(Key("b")) + 3), "h");
  EXPECT_EQ(Find(tr, KeySelectorView::FirstGreaterOrEqual(Key("h")) - 3), "b");
  EXPECT_EQ(Find(tr, KeySelectorView::LastLessThan(Key("h")) + 1), "h");
  EXPECT_EQ(Find(tr, KeySelectorView::LastLessThan(Key("b")) + 2), "d");
}

TEST_F(SelectorTest, WalksOverKeysWrittenAndClearedInTheTransaction) {
  OwnedTransaction tr = Begin();
  tr.Set(Key("c"), "");
  tr.ClearRange(Key("d"), Key("g"));
  EXPECT_EQ(Find(tr, KeySelectorView::FirstGreaterThan(Key("b"))), "c");
  EXPECT_EQ(Find(tr, KeySelectorView::FirstGreaterThan(Key("c"))), "h");
  EXPECT_EQ(Find(tr, KeySelectorView::FirstGreaterThan(Key("b")) + 1), "h");
  EXPECT_EQ(Find(tr, KeySelectorView::LastLessThan(Key("h")) - 1), "b");
}

TEST_F(SelectorTest, EndsOfTheDatabase) {
  OwnedTransaction tr = Begin();
  EXPECT_THAT(tr.GetKey(KeySelectorView::LastLessThan(""), Isolation::kSnapshot).Await(), IsOkAnd(Eq("")));
  EXPECT_THAT(tr.GetKey(KeySelectorView::FirstGreaterOrEqual("\xff"), Isolation::kSnapshot).Await(),
              IsOkAnd(Eq("\xff")));
}

TEST_F(ReadTest, AddressesOfAKey) {
  Put("a", "1");
  OwnedTransaction tr = Begin();
  const absl::StatusOr<std::vector<std::string>> addresses = tr.GetAddressesForKey(Key("a")).Await();
  ASSERT_THAT(addresses, IsOk());
  EXPECT_FALSE(addresses->empty());
}

TEST_F(ReadTest, EstimatedSizeOfARange) {
  OwnedTransaction tr = Begin();
  EXPECT_THAT(tr.GetEstimatedRangeSizeBytes(prefix(), PrefixEnd()).Await(), IsOkAnd(::testing::Ge(0)));
}

TEST_F(ReadTest, SplitPointsBeginAndEndWithTheRange) {
  Put("a", "1");
  OwnedTransaction tr = Begin();
  const absl::StatusOr<std::vector<std::string>> points =
      tr.GetRangeSplitPoints(prefix(), PrefixEnd(), 1'000'000).Await();
  if (db().client().api().transaction_get_range_split_points == nullptr) {
    EXPECT_THAT(points, IsFdbError(error::kUnsupportedOperation));  // FoundationDB's clients before 7.0
    return;
  }
  ASSERT_THAT(points, IsOk());
  ASSERT_GE(points->size(), 2u);
  EXPECT_EQ(points->front(), prefix());
  EXPECT_EQ(points->back(), PrefixEnd());
}

}  // namespace
}  // namespace fdbjobs::fdb
