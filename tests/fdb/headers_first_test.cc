// Our headers before FoundationDB's, in the form of 6.3. That it compiles is the test; the rest shows that both mean
// the same types.
#include <type_traits>

#include "fdbjobs/fdb/abi.h"
#include "fdbjobs/fdb/client.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/fdb/range.h"
#include "fdbjobs/fdb/transact.h"
#include "gtest/gtest.h"
#define FDB_API_VERSION 630
#include "tests/fdb/fixture/fdb_c.h"

namespace fdbjobs::fdb {
namespace {

static_assert(std::is_same_v<::FDBTransaction, abi::Transaction>);
static_assert(std::is_same_v<::FDBFuture, abi::Future>);
static_assert(std::is_same_v<::FDBDatabase, abi::Database>);

TEST(HeadersFirst, LayoutOfRowsIsTheSame) {
  EXPECT_EQ(sizeof(::FDBKeyValue), sizeof(KeyValueView));
  EXPECT_EQ(offsetof(::FDBKeyValue, key_length), offsetof(KeyValueView, key_length));
  EXPECT_EQ(offsetof(::FDBKeyValue, value), offsetof(KeyValueView, value_data));
  EXPECT_EQ(offsetof(::FDBKeyValue, value_length), offsetof(KeyValueView, value_length));
}

}  // namespace
}  // namespace fdbjobs::fdb
