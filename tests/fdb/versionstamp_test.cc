// Versionstamps: in keys, in values, unreadable before the commit, and the user versions that tell them apart.
#include <string>
#include <vector>

#include "fdbjobs/fdb/range.h"
#include "fdbjobs/fdb/transaction.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_database.h"

namespace fdbjobs::fdb {
namespace {

using ::fdbjobs::test::HasStatus;
using ::fdbjobs::test::IsFdbError;
using ::fdbjobs::test::IsOk;
using ::fdbjobs::test::IsOkAnd;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::Optional;

using VersionstampTest = ::fdbjobs::test::DatabaseTest;

const std::string kPlaceholder(10, '\xff');

int64_t VersionOf(std::string_view stamp) {
  uint64_t version = 0;
  for (size_t i = 0; i < 8; ++i) version = version << 8 | static_cast<uint8_t>(stamp[i]);
  return static_cast<int64_t>(version);
}

TEST_F(VersionstampTest, ReplacesThePlaceholderInAValue) {
  OwnedTransaction tr = Begin();
  tr.SetVersionstampedValue(Key("v"), "<" + kPlaceholder + ">", 1);
  const KeyFuture stamp_future = tr.GetVersionstamp();
  ASSERT_THAT(tr.Commit().Await(), IsOk());
  const absl::StatusOr<std::string> stamp = stamp_future.Await();
  ASSERT_THAT(stamp, IsOk());
  ASSERT_EQ(stamp->size(), 10u);
  EXPECT_THAT(tr.GetCommittedVersion(), IsOkAnd(VersionOf(*stamp)));
  EXPECT_EQ(Read("v"), "<" + *stamp + ">");
}

TEST_F(VersionstampTest, ReplacesThePlaceholderInAKey) {
  OwnedTransaction tr = Begin();
  tr.SetVersionstampedKey(Key("k/") + kPlaceholder + "/end", static_cast<uint32_t>(Key("k/").size()), "value");
  const KeyFuture stamp_future = tr.GetVersionstamp();
  ASSERT_THAT(tr.Commit().Await(), IsOk());
  const absl::StatusOr<std::string> stamp = stamp_future.Await();
  ASSERT_THAT(stamp, IsOk());
  EXPECT_EQ(Read("k/" + *stamp + "/end"), "value");
}

TEST_F(VersionstampTest, WriteConflictsTellTheKeysThatAStampedKeyMayBecome) {
  const std::string module = "\xff\xff/transaction/write_conflict_range/";
  const std::string module_end = module + "\xff";
  OwnedTransaction tr = Begin();
  tr.SetVersionstampedKey(Key("k/") + kPlaceholder, static_cast<uint32_t>(Key("k/").size()), "value");
  const absl::StatusOr<std::vector<KeyValue>> rows = ReadRange(
      tr,
      {.begin = KeySelectorView::FirstGreaterOrEqual(module), .end = KeySelectorView::FirstGreaterOrEqual(module_end)});
  ASSERT_THAT(rows, IsOk());
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[0].key, module + Key("k/") + std::string(10, '\0'));
  EXPECT_EQ((*rows)[0].value, "1");
  EXPECT_EQ((*rows)[1].key, module + Key("k/") + std::string(10, '\xff') + std::string(1, '\0'));
  EXPECT_EQ((*rows)[1].value, "0");
}

TEST_F(VersionstampTest, GrowWithEachCommit) {
  std::string last;
  for (int i = 0; i < 5; ++i) {
    OwnedTransaction tr = Begin();
    tr.Set(Key("a"), std::to_string(i));
    const KeyFuture future = tr.GetVersionstamp();
    ASSERT_THAT(tr.Commit().Await(), IsOk());
    const absl::StatusOr<std::string> stamp = future.Await();
    ASSERT_THAT(stamp, IsOk());
    EXPECT_GT(*stamp, last);
    last = *stamp;
  }
}

TEST_F(VersionstampTest, ATransactionThatOnlyReadHasNone) {
  OwnedTransaction tr = Begin();
  ASSERT_THAT(tr.Get(Key("a"), Isolation::kSnapshot).Await(), IsOk());
  const KeyFuture stamp = tr.GetVersionstamp();
  ASSERT_THAT(tr.Commit().Await(), IsOk());
  EXPECT_THAT(stamp.Await(), IsFdbError(error::kNoCommitVersion));
}

TEST_F(VersionstampTest, AStampedValueIsUnreadableBeforeTheCommit) {
  OwnedTransaction tr = Begin();
  tr.SetVersionstampedValue(Key("v"), kPlaceholder, 0);
  EXPECT_THAT(tr.Get(Key("v"), Isolation::kSerializable).Await(), IsFdbError(error::kAccessedUnreadable));
}

TEST_F(VersionstampTest, TheBypassShowsThePlaceholder) {
  OwnedTransaction tr = Begin();
  ASSERT_THAT(tr.SetOption(TransactionFlag::kBypassUnreadable), IsOk());
  tr.SetVersionstampedValue(Key("v"), kPlaceholder, 0);
  EXPECT_THAT(tr.Get(Key("v"), Isolation::kSerializable).Await(), IsOk());
}

TEST_F(VersionstampTest, AnOffsetBehindTheEndFailsTheTransaction) {
  OwnedTransaction value = Begin();
  value.SetVersionstampedValue(Key("v"), "short", 0);
  EXPECT_THAT(value.Commit().Await(), IsFdbError(error::kClientInvalidOperation));
  OwnedTransaction key = Begin();
  key.SetVersionstampedKey(Key("k") + kPlaceholder, static_cast<uint32_t>(Key("k").size() + 1), "");
  EXPECT_THAT(key.Commit().Await(), IsFdbError(error::kClientInvalidOperation));
}

TEST_F(VersionstampTest, UserVersionsTellEntriesOfOneTransactionApart) {
  constexpr int kEntries = 300;
  Commit([this](Transaction& tr) {
    for (int i = 0; i < kEntries; ++i) {
      const absl::StatusOr<uint16_t> user = tr.NextUserVersion();
      ASSERT_THAT(user, IsOkAnd(i));
      const char bytes[] = {static_cast<char>(*user >> 8), static_cast<char>(*user & 0xff)};
      tr.SetVersionstampedKey(prefix() + kPlaceholder + std::string(bytes, 2), static_cast<uint32_t>(prefix().size()),
                              std::to_string(i));
    }
  });
  OwnedTransaction tr = Begin();
  const std::string end = PrefixEnd();
  const auto rows = ReadRange(
      tr, {.begin = KeySelectorView::FirstGreaterOrEqual(prefix()), .end = KeySelectorView::FirstGreaterOrEqual(end)});
  ASSERT_THAT(rows, IsOk());
  ASSERT_EQ(rows->size(), static_cast<size_t>(kEntries));
  for (int i = 0; i < kEntries; ++i) EXPECT_EQ((*rows)[static_cast<size_t>(i)].value, std::to_string(i));
}

TEST_F(VersionstampTest, UserVersionsEndWithAnErrorAndDoNotWrap) {
  OwnedTransaction tr = Begin();
  for (int i = 0; i < 65536; ++i) ASSERT_EQ(*tr.NextUserVersion(), i);
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(tr.NextUserVersion(),
                HasStatus(absl::StatusCode::kResourceExhausted, HasSubstr("65536 user versions")));
  }
}

TEST_F(VersionstampTest, UserVersionsBeginAgainWithEachTry) {
  OwnedTransaction tr = Begin();
  EXPECT_THAT(tr.NextUserVersion(), IsOkAnd(0));
  EXPECT_THAT(tr.NextUserVersion(), IsOkAnd(1));
  EXPECT_EQ(tr.user_versions_used(), 2u);
  tr.Reset();
  EXPECT_THAT(tr.NextUserVersion(), IsOkAnd(0));
  ASSERT_THAT(tr.OnError(error::kNotCommitted).Await(), IsOk());
  EXPECT_THAT(tr.NextUserVersion(), IsOkAnd(0));
  OwnedTransaction moved = std::move(tr);
  EXPECT_THAT(moved.NextUserVersion(), IsOkAnd(1));
}

}  // namespace
}  // namespace fdbjobs::fdb
