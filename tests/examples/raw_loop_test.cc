// The example of docs/guide.md with a retry loop of the caller's own, on FoundationDB's C functions. The program is
// linked to the embedded engine, so this test is of that engine alone.
#include <string>

#include "absl/strings/str_cat.h"
#include "fdbjobs/fdb/client.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/fdb/transact.h"
#include "fdbjobs/jobs.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#define FDB_API_VERSION 630
#include "tests/fdb/fixture/fdb_c.h"
#include "tests/fdb/fixture/own_network.h"

extern "C" fdb_error_t fdb_embedded_set_faults(const char* specification);

namespace {

namespace fdb = fdbjobs::fdb;
using fdbjobs::Jobs;
using fdbjobs::test::IsOk;
using fdbjobs::test::IsOkAnd;

[[maybe_unused]] ::testing::Environment* const own_network =
    ::testing::AddGlobalTestEnvironment(new fdbjobs::test::OwnNetwork);

std::string OrderKey(int64_t order) { return absl::StrCat("order/", order); }

absl::Status PlaceOrder(fdb::Transaction& tr, const Jobs& jobs, int64_t order, const std::string& json) {
  tr.Set(OrderKey(order), json);
  return jobs.Add(tr, "invoice", {.id = order, .data = json}).status();
}

// Waits for the future and destroys it.
fdb_error_t Settle(FDBFuture* future) {
  fdb_error_t error = fdb_future_block_until_ready(future);
  if (error == 0) error = fdb_future_get_error(future);
  fdb_future_destroy(future);
  return error;
}

// One try on your own transaction. True: an earlier try has committed, so there is nothing to do.
absl::StatusOr<bool> TryToPlaceOrder(fdb::Client& client, FDBTransaction* raw, const Jobs& jobs, int64_t order,
                                     const fdb::Receipt& receipt, bool unknown) {
  fdb::BorrowedTransaction tr(client, raw);  // one for each try
  if (unknown) {
    const absl::StatusOr<bool> committed = Jobs::HasCommitted(tr, receipt);
    if (!committed.ok() || *committed) return committed;
  }
  tr.WriteReceipt(receipt);
  if (absl::Status status = PlaceOrder(tr, jobs, order, "{}"); !status.ok()) return status;
  return false;
}

absl::Status PlaceOrderInALoop(fdb::Client& client, FDBTransaction* raw, const Jobs& jobs, int64_t order) {
  const fdb::Receipt receipt = jobs.NewReceipt();  // before the loop: the same for all tries
  bool unknown = false;                            // whether a try before may have committed
  while (true) {
    const absl::StatusOr<bool> done = TryToPlaceOrder(client, raw, jobs, order, receipt, unknown);
    if (done.ok() && *done) return absl::OkStatus();
    fdb_error_t error = fdb::FdbCode(done.status());
    if (!done.ok() && error == 0) return done.status();  // not of the database: a retry does not help
    if (error == 0) error = Settle(fdb_transaction_commit(raw));
    if (error == 0) return absl::OkStatus();
    unknown |= error == 1021;
    error = Settle(fdb_transaction_on_error(raw, error));
    if (error != 0) return absl::UnavailableError(fdb_get_error(error));
  }
}

TEST(EmbeddedRawLoopTest, AnOrderIsPlacedOnceHoweverOftenTheResultIsUnknown) {
  const fdbjobs::test::TempFolder folder;
  FDBDatabase* database = nullptr;
  ASSERT_EQ(fdb_create_database(folder.path().c_str(), &database), 0);
  const absl::StatusOr<fdb::Client*> client = fdb::Client::Load(fdb::Engine::kCluster);
  ASSERT_THAT(client, IsOk());
  const absl::StatusOr<fdb::Database> db = fdb::Database::Open("embedded:" + folder.path());
  ASSERT_THAT(db, IsOk());
  const Jobs jobs;
  ASSERT_THAT(fdb::Transact(
                  *db, [&](fdb::Transaction& tr) { return jobs.SetActivityTimeout(tr, "invoice", absl::Seconds(30)); }),
              IsOk());
  ASSERT_EQ(fdb_embedded_set_faults("seed=7,unknown_before=0.3,unknown_after=0.4"), 0);
  constexpr int64_t kOrders = 50;
  for (int64_t order = 0; order < kOrders; ++order) {
    FDBTransaction* raw = nullptr;
    ASSERT_EQ(fdb_database_create_transaction(database, &raw), 0);
    EXPECT_THAT(PlaceOrderInALoop(**client, raw, jobs, order), IsOk());
    fdb_transaction_destroy(raw);
  }
  ASSERT_EQ(fdb_embedded_set_faults(""), 0);
  const absl::StatusOr<fdbjobs::Counts> counts =
      fdb::Transact(*db, [&](fdb::Transaction& tr) { return jobs.CountJobs(tr, "invoice"); });
  ASSERT_THAT(counts, IsOk());
  EXPECT_EQ(counts->pending, kOrders);
  fdb_database_destroy(database);
}

}  // namespace
