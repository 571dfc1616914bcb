// set, clear, clear_range and commit: what is written is there afterwards, all of it or nothing.
#include <string>

#include "fdbjobs/fdb/range.h"
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
using ::testing::Gt;

using WriteTest = ::fdbjobs::test::DatabaseTest;

TEST_F(WriteTest, TheLastWriteOfAKeyCounts) {
  Commit([this](Transaction& tr) {
    tr.Set(Key("a"), "1");
    tr.Set(Key("a"), "2");
    tr.Set(Key("b"), "1");
    tr.Clear(Key("b"));
    tr.Clear(Key("c"));
    tr.Set(Key("c"), "3");
  });
  EXPECT_EQ(Read("a"), "2");
  EXPECT_EQ(Read("b"), std::nullopt);
  EXPECT_EQ(Read("c"), "3");
}

TEST_F(WriteTest, ClearRangeLeavesItsEnd) {
  Commit([this](Transaction& tr) {
    for (const char* key : {"a", "b", "c", "d"}) tr.Set(Key(key), key);
  });
  Commit([this](Transaction& tr) { tr.ClearRange(Key("b"), Key("d")); });
  EXPECT_EQ(Read("a"), "a");
  EXPECT_EQ(Read("b"), std::nullopt);
  EXPECT_EQ(Read("c"), std::nullopt);
  EXPECT_EQ(Read("d"), "d");
}

TEST_F(WriteTest, AnEmptyRangeClearsNothing) {
  Put("a", "1");
  Commit([this](Transaction& tr) { tr.ClearRange(Key("a"), Key("a")); });
  EXPECT_EQ(Read("a"), "1");
}

TEST_F(WriteTest, AnInvertedRangeFailsTheCommit) {
  OwnedTransaction tr = Begin();
  tr.ClearRange(Key("b"), Key("a"));
  EXPECT_THAT(tr.Commit().Await(), IsFdbError(error::kInvertedRange));
}

TEST_F(WriteTest, WithoutACommitNothingIsWritten) {
  {
    OwnedTransaction tr = Begin();
    tr.Set(Key("a"), "1");
  }
  EXPECT_EQ(Read("a"), std::nullopt);
}

TEST_F(WriteTest, AWriteThatFailsTakesTheWholeTransactionAlong) {
  OwnedTransaction tr = Begin();
  tr.Set(Key("a"), "1");
  tr.Set("\xff/fdbjobs", "1");
  EXPECT_THAT(tr.Commit().Await(), IsFdbError(error::kKeyOutsideLegalRange));
  EXPECT_EQ(Read("a"), std::nullopt);
}

TEST_F(WriteTest, CommittedVersionIsAboveTheReadVersion) {
  OwnedTransaction tr = Begin();
  const absl::StatusOr<int64_t> read_version = tr.GetReadVersion().Await();
  ASSERT_THAT(read_version, IsOk());
  tr.Set(Key("a"), "1");
  ASSERT_THAT(tr.Commit().Await(), IsOk());
  const absl::StatusOr<int64_t> version = tr.GetCommittedVersion();
  EXPECT_THAT(version, IsOkAnd(Gt(*read_version)));
  OwnedTransaction later = Begin();
  EXPECT_THAT(later.GetReadVersion().Await(), IsOkAnd(::testing::Ge(*version)));
}

TEST_F(WriteTest, ATransactionThatOnlyReadHasNoCommittedVersion) {
  OwnedTransaction tr = Begin();
  ASSERT_THAT(tr.Get(Key("a"), Isolation::kSerializable).Await(), IsOk());
  ASSERT_THAT(tr.Commit().Await(), IsOk());
  EXPECT_THAT(tr.GetCommittedVersion(), IsOkAnd(-1));
}

TEST_F(WriteTest, ApproximateSizeGrowsWithEachWrite) {
  OwnedTransaction tr = Begin();
  const absl::StatusOr<int64_t> before = tr.GetApproximateSize().Await();
  ASSERT_THAT(before, IsOk());
  tr.Set(Key("a"), std::string(1000, 'v'));
  const absl::StatusOr<int64_t> after = tr.GetApproximateSize().Await();
  EXPECT_THAT(after, IsOkAnd(::testing::Ge(*before + 1000)));
  tr.Reset();
  EXPECT_THAT(tr.GetApproximateSize().Await(), IsOkAnd(*before));
}

TEST_F(WriteTest, ManyRowsInOneTransaction) {
  constexpr int kRows = 5000;
  Commit([this](Transaction& tr) {
    for (int i = 0; i < kRows; ++i) tr.Set(Key("row" + std::to_string(100000 + i)), "v");
  });
  OwnedTransaction tr = Begin();
  const std::string end = PrefixEnd();
  const auto rows = ReadRange(tr, {.begin = KeySelectorView::FirstGreaterOrEqual(prefix()),
                                   .end = KeySelectorView::FirstGreaterOrEqual(end),
                                   .isolation = Isolation::kSnapshot,
                                   .mode = StreamingMode::kWantAll});
  ASSERT_THAT(rows, IsOk());
  EXPECT_EQ(rows->size(), static_cast<size_t>(kRows));
}

}  // namespace
}  // namespace fdbjobs::fdb
