// FoundationDB's header before ours, in the form of 7.3.
#define FDB_API_VERSION 730
#define FIXTURE_FDB_C_73
#include "tests/fdb/fixture/fdb_c.h"
//
#include "fdbjobs/fdb/abi.h"
#include "fdbjobs/fdb/client.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/fdb/range.h"
#include "fdbjobs/fdb/transact.h"
#include "gtest/gtest.h"

namespace fdbjobs::fdb {
namespace {

// The signature that a caller of fdb_c writes.
BorrowedTransaction Borrow(Client& client, ::FDBTransaction* tr) { return BorrowedTransaction(client, tr); }

TEST(HeadersLast, CallersTypesAreOurs) {
  EXPECT_NE(&Borrow, nullptr);
  EXPECT_EQ(sizeof(::FDBKey), sizeof(abi::Key));
  EXPECT_EQ(offsetof(::FDBKey, key_length), offsetof(abi::Key, length));
}

}  // namespace
}  // namespace fdbjobs::fdb
