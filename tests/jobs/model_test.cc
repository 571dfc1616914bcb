// Random runs of the whole lifecycle beside a model, without faults on any database and with faults on the embedded
// engine.
//
// FDBJOBS_TEST_SEED    the first seed; each run takes the next one
// FDBJOBS_MODEL_SEEDS  how many runs, for long ones
// FDBJOBS_MODEL_STEPS  transactions of each run
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/jobs/model_run.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_database.h"
#include "tests/support/test_seed.h"

namespace fdbjobs::test {
namespace {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int kSeeds = 12;
#else
constexpr int kSeeds = 30;
#endif
constexpr int kSteps = 60;

int FromEnvironment(const char* name, int otherwise) {
  const char* const given = std::getenv(name);
  int number = 0;
  return given != nullptr && absl::SimpleAtoi(given, &number) ? number : otherwise;
}

// Runs one seed after the other. The retries of all.
int64_t RunSeeds(const fdb::Database& db, const std::string& prefix, bool faults) {
  const int seeds = FromEnvironment("FDBJOBS_MODEL_SEEDS", kSeeds);
  const int steps = FromEnvironment("FDBJOBS_MODEL_STEPS", kSteps);
  int64_t retries = 0;
  for (int i = 0; i < seeds; ++i) {
    const uint64_t seed = TestSeed() + static_cast<uint64_t>(i);
    ModelRun run(db, absl::StrCat(prefix, i, "/"), seed, faults);
    run.Run(steps);
    retries += run.retries();
    EXPECT_EQ(run.failure(), "") << "repeat with FDBJOBS_TEST_SEED=" << seed << " FDBJOBS_MODEL_SEEDS=1";
    if (!run.failure().empty()) break;
  }
  std::printf("%d seeds, %d transactions each, %" PRId64 " failed tries\n", seeds, steps, retries);
  return retries;
}

using ModelTest = DatabaseTest;

TEST_F(ModelTest, RandomCallsDoWhatTheModelDoes) { RunSeeds(db(), prefix(), /*faults=*/false); }

// Of the embedded engine alone, since only it fails on demand: in a folder of its own.
TEST(ModelFaultTest, EachTransactionHasItsEffectOnce) {
  TempFolder folder;
  absl::StatusOr<fdb::Database> db = fdb::Database::Open("embedded:" + folder.path());
  ASSERT_THAT(db, IsOk());
  ASSERT_THAT(db->SetOption(fdb::DatabaseInt::kTransactionMaxRetryDelayMilliseconds, 1), IsOk());
  EXPECT_GT(RunSeeds(*db, "model/", /*faults=*/true), 0);
}

}  // namespace
}  // namespace fdbjobs::test
