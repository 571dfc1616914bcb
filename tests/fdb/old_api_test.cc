// A program that has selected the oldest API version that fdbjobs works with, and fdbjobs beside it. Of the embedded
// engine alone.
#include <string>

#include "fdbjobs/fdb/database.h"
#include "fdbjobs/fdb/transact.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#define FDB_API_VERSION 520
#include "tests/fdb/fixture/fdb_c.h"
#include "tests/fdb/fixture/own_network.h"

namespace fdbjobs::fdb {
namespace {

using ::fdbjobs::test::IsFdbError;
using ::fdbjobs::test::IsOk;

[[maybe_unused]] ::testing::Environment* const own_network = ::testing::AddGlobalTestEnvironment(new test::OwnNetwork);

// Before 610 a retry forgets the options of the transaction, the timeout among them.
TEST(OldApi, TheDeadlineOfTransactHoldsOverAllTries) {
  const test::TempFolder folder;
  const absl::StatusOr<Database> database = Database::Open("embedded:" + folder.path());
  ASSERT_THAT(database, IsOk());
  int tries = 0;
  const absl::Status status =
      Transact(*database, {.timeout = absl::Milliseconds(500), .max_retry_delay = absl::Milliseconds(1)},
               [&](Transaction& tr) -> absl::Status {
                 if (++tries <= 2) return StatusFromCode(tr.client().api(), error::kNotCommitted, "body");
                 absl::Status read;
                 while (read.ok()) read = tr.Get("a", Isolation::kSnapshot).Await().status();
                 // Not retried, so that the test ends.
                 return FdbCode(read) == error::kTransactionTimedOut ? read : absl::DataLossError(read.message());
               });
  EXPECT_THAT(status, IsFdbError(error::kTransactionTimedOut)) << status;
  EXPECT_EQ(tries, 3);
}

}  // namespace
}  // namespace fdbjobs::fdb
