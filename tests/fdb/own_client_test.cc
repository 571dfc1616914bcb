// A program that is linked to a libfdb_c and uses it itself, network thread included, and fdbjobs beside it: both work
// on one and the same client. The libfdb_c is the embedded engine; this test is of that engine alone.
#include <string>

#include "fdbjobs/fdb/client.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/fdb/transact.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#define FDB_API_VERSION 730
#define FIXTURE_FDB_C_73
#include "tests/fdb/fixture/fdb_c.h"
#include "tests/fdb/fixture/own_network.h"

namespace fdbjobs::fdb {
namespace {

using ::fdbjobs::test::IsOk;
using ::fdbjobs::test::IsOkAnd;
using ::testing::Eq;
using ::testing::Optional;

const uint8_t* U8(const char* text) { return reinterpret_cast<const uint8_t*>(text); }

[[maybe_unused]] ::testing::Environment* const own_network = ::testing::AddGlobalTestEnvironment(new test::OwnNetwork);

TEST(OwnClient, FdbjobsFindsItForBothKindsOfNames) {
  const absl::StatusOr<Client*> cluster = Client::Load(Engine::kCluster);
  ASSERT_THAT(cluster, IsOk());
  EXPECT_EQ(reinterpret_cast<void*>((*cluster)->api().get_error), reinterpret_cast<void*>(&fdb_get_error));
  EXPECT_THAT(Client::Load(Engine::kEmbedded), IsOkAnd(*cluster));
}

TEST(OwnClient, ItsNetworkIsUsedAndLeftAlone) {
  const test::TempFolder folder;
  const absl::StatusOr<Database> database = Database::Open("embedded:" + folder.path());
  ASSERT_THAT(database, IsOk());
  EXPECT_TRUE(database->client().uses_callers_network());
  EXPECT_THAT(database->client().Shutdown(), IsOk());
  const absl::StatusOr<OwnedTransaction> tr = database->CreateTransaction();
  ASSERT_THAT(tr, IsOk());
  EXPECT_THAT(Transact(*database, [](Transaction& t) { return t.GetReadVersion().Await(); }), IsOk())
      << "it still runs";
}

TEST(OwnClient, OneTransactionHoldsTheProgramsWritesAndOurs) {
  const test::TempFolder folder;
  const std::string name = "embedded:" + folder.path();
  FDBDatabase* raw_database = nullptr;
  ASSERT_EQ(fdb_create_database(name.c_str(), &raw_database), 0);
  FDBTransaction* raw = nullptr;
  ASSERT_EQ(fdb_database_create_transaction(raw_database, &raw), 0);
  fdb_transaction_set(raw, U8("program"), 7, U8("1"), 1);
  const absl::StatusOr<Client*> client = Client::Load(Engine::kEmbedded);
  ASSERT_THAT(client, IsOk());
  BorrowedTransaction(**client, raw).Set("fdbjobs", "2");
  FDBFuture* const commit = fdb_transaction_commit(raw);
  ASSERT_EQ(fdb_future_block_until_ready(commit), 0);
  EXPECT_EQ(fdb_future_get_error(commit), 0);
  fdb_future_destroy(commit);
  fdb_transaction_destroy(raw);

  {
    const absl::StatusOr<Database> database = Database::Open(name);
    ASSERT_THAT(database, IsOk());
    const auto get = [&](const char* key) {
      return Transact(*database, [key](Transaction& tr) { return tr.Get(key, Isolation::kSerializable).Await(); });
    };
    EXPECT_THAT(get("program"), IsOkAnd(Optional(Eq("1"))));
    EXPECT_THAT(get("fdbjobs"), IsOkAnd(Optional(Eq("2"))));
  }
  fdb_database_destroy(raw_database);
}

}  // namespace
}  // namespace fdbjobs::fdb
