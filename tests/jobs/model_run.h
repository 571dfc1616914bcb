// ModelRun: one random run of the model beside the database: step after step a transaction of random calls, owned,
// borrowed, dropped or a Claimer's, and after each the whole keyspace compared.
//
// With faults, each transaction goes on until it has committed, and must have its effect once: the calls', and that of
// a counter of the run's own which is raised in every transaction that changes jobs.
//
// Thread safety: one thread. Lifetime: borrows the database; leaves its rows below the prefix.
//
//   ModelRun run(db, "prefix/", seed, /*faults=*/false);
//   run.Run(100);
//   EXPECT_EQ(run.failure(), "");
#ifndef FDBJOBS_TESTS_JOBS_MODEL_RUN_H_
#define FDBJOBS_TESTS_JOBS_MODEL_RUN_H_

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "fdbjobs/claimer.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/jobs.h"
#include "tests/jobs/model.h"
#include "tests/jobs/random_calls.h"

namespace fdbjobs::test {

class ModelRun {
 public:
  ModelRun(const fdb::Database& db, const std::string& prefix, uint64_t seed, bool faults);

  // Stops at the first failure.
  void Run(int steps);

  // What went wrong, with the calls of the step; empty: nothing.
  const std::string& failure() const { return failure_; }
  // Tries that failed and were made again, because of faults.
  int64_t retries() const { return retries_; }

 private:
  // What is known of the last try of the step's transaction.
  struct Try {
    Model model;
    std::optional<fdb::Receipt> receipt = {};
    std::vector<std::string> log = {};
  };

  void Step();
  // One try: random calls, and the run's own effect.
  absl::Status Body(fdb::Transaction& tr, const std::optional<fdb::Receipt>& receipt);
  absl::Status RunOwned();
  absl::Status RunBorrowed();
  absl::Status RunDropped();
  absl::Status RunClaimer();
  // After an error that leaves it open: whether the last try has committed.
  absl::StatusOr<bool> HasCommitted();
  // An error that another try cures. Counts them.
  bool MayTryAgain(const absl::Status& status);
  void SetFaults(bool on);
  void CompareWithDatabase();
  void Fail(const std::string& what);

  const fdb::Database& db_;
  const Jobs jobs_;
  const std::string effect_key_;
  const bool faults_;
  std::mt19937_64 random_;
  uint64_t step_seed_ = 0;
  Model model_;  // as the database is
  Try try_;
  int tries_ = 0;  // of the step's transaction
  int64_t effects_ = 0;
  int64_t retries_ = 0;
  std::string failure_;
};

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_JOBS_MODEL_RUN_H_
