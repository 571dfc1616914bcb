// BorrowedTransaction: fdbjobs inside the transaction of a caller who uses fdb_c directly.
#include <string>

#include "fdbjobs/fdb/range.h"
#include "fdbjobs/fdb/transaction.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_database.h"

namespace fdbjobs::fdb {
namespace {

using ::fdbjobs::test::IsOk;
using ::fdbjobs::test::IsOkAnd;
using ::testing::Eq;
using ::testing::Optional;

const uint8_t* U8(const std::string& s) { return reinterpret_cast<const uint8_t*>(s.data()); }
int Size(const std::string& s) { return static_cast<int>(s.size()); }

// The caller: raw handles, made and destroyed with the functions of the ABI.
class BorrowedTest : public ::fdbjobs::test::DatabaseTest {
 protected:
  void SetUp() override {
    const DatabaseName& name = db().name();
    const std::string target = name.engine == Engine::kEmbedded ? name.ToString() : name.path;
    ASSERT_EQ(api().create_database(target.c_str(), &database_), 0);
    ASSERT_EQ(api().database_create_transaction(database_, &raw_), 0);
  }
  void TearDown() override {
    api().transaction_destroy(raw_);
    api().database_destroy(database_);
  }

  const abi::Api& api() { return db().client().api(); }
  int RawCommit() {
    abi::Future* const future = api().transaction_commit(raw_);
    EXPECT_EQ(api().future_block_until_ready(future), 0);
    const int code = api().future_get_error(future);
    api().future_destroy(future);
    return code;
  }

  abi::Database* database_ = nullptr;
  FDBTransaction* raw_ = nullptr;
};

TEST_F(BorrowedTest, WritesCommitWithTheCallersOwn) {
  const std::string mine = Key("callers");
  api().transaction_set(raw_, U8(mine), Size(mine), U8("1"), 1);
  {
    BorrowedTransaction borrowed(db().client(), raw_);
    EXPECT_EQ(borrowed.raw(), raw_);
    EXPECT_THAT(borrowed.Get(mine, Isolation::kSerializable).Await(), IsOkAnd(Optional(Eq("1"))));
    borrowed.Set(Key("ours"), "2");
  }
  EXPECT_EQ(Read("ours"), std::nullopt);
  ASSERT_EQ(RawCommit(), 0);
  EXPECT_EQ(Read("callers"), "1");
  EXPECT_EQ(Read("ours"), "2");
}

TEST_F(BorrowedTest, NothingIsWrittenWhenTheCallerDoesNotCommit) {
  BorrowedTransaction(db().client(), raw_).Set(Key("ours"), "2");
  api().transaction_reset(raw_);
  ASSERT_EQ(RawCommit(), 0);
  EXPECT_EQ(Read("ours"), std::nullopt);
}

TEST_F(BorrowedTest, ReadsConflictInTheCallersCommit) {
  BorrowedTransaction borrowed(db().client(), raw_);
  ASSERT_THAT(borrowed.Get(Key("a"), Isolation::kSerializable).Await(), IsOk());
  Put("a", "changed");
  borrowed.Set(Key("b"), "1");
  EXPECT_EQ(RawCommit(), error::kNotCommitted);
}

TEST_F(BorrowedTest, CallersUserVersionsAreLeftAlone) {
  BorrowedTransaction borrowed(db().client(), raw_, 3);
  EXPECT_THAT(borrowed.NextUserVersion(), IsOkAnd(3));
  EXPECT_EQ(borrowed.user_versions_used(), 4u);
}

TEST_F(BorrowedTest, RangesAndTheRestWorkAsOnOwnedOnes) {
  Put("a", "1");
  BorrowedTransaction borrowed(db().client(), raw_);
  const std::string end = PrefixEnd();
  const auto rows = ReadRange(borrowed, {.begin = KeySelectorView::FirstGreaterOrEqual(prefix()),
                                         .end = KeySelectorView::FirstGreaterOrEqual(end)});
  ASSERT_THAT(rows, IsOk());
  EXPECT_EQ(rows->size(), 1u);
  borrowed.Reset();
  EXPECT_THAT(borrowed.GetReadVersion().Await(), IsOk());
}

TEST_F(BorrowedTest, TheLoadedClientIsFoundWithoutNamingIt) {
  EXPECT_THAT(Client::Load(db().name().engine), IsOkAnd(&db().client()));
}

}  // namespace
}  // namespace fdbjobs::fdb
