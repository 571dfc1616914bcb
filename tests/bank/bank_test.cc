// Mutual exclusion and exactly once: jobs move money in the transactions that update and finish them, by workers in
// several processes that lose their jobs all the time. At the end each move was made once.
//
// FDBJOBS_BANK_JOBS  how many jobs, for long runs
#include <cstdio>
#include <cstdlib>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/bank/bank_run.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_database.h"
#include "tests/support/test_seed.h"

namespace fdbjobs::test {
namespace {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int64_t kJobs = 1000;
#else
constexpr int64_t kJobs = 12'000;
#endif

int64_t HowManyJobs() {
  const char* const given = std::getenv("FDBJOBS_BANK_JOBS");
  int64_t number = 0;
  return given != nullptr && absl::SimpleAtoi(given, &number) && number > 0 ? number : kJobs;
}

using BankTest = DatabaseTest;

TEST_F(BankTest, EveryStepIsMadeOnceWhateverHappensToWorkers) {
  BankRun run(db(), TestDatabaseName(), prefix(), TestSeed(), {});
  run.Run(HowManyJobs());
  std::printf("%s\n", run.Summary().c_str());
}

// Engine only: FoundationDB has no faults on demand.
TEST(EngineOnlyBankTest, EveryStepIsMadeOnceUnderFaults) {
  TempFolder folder;
  const std::string name = "embedded:" + folder.path();
  absl::StatusOr<fdb::Database> database = fdb::Database::Open(name);
  ASSERT_THAT(database, IsOk());
  const std::string faults = absl::StrCat("FDBJOBS_EMBEDDED_FAULTS=seed=", TestSeed(),
                                          ",too_old=0.002,future_version=0.002,timed_out=0.002,not_committed=0.03,"
                                          "unknown_before=0.03,unknown_after=0.05,commit_delay=0.02,commit_delay_ms=5,"
                                          "watch_early=0.2");
  BankRun run(*database, name, "bank/", TestSeed(), {faults});
  run.Run(HowManyJobs() / 2, /*least_errors=*/1);
  std::printf("%s\n", run.Summary().c_str());
}

}  // namespace
}  // namespace fdbjobs::test
