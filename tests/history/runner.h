// Runner: runs random transactions on a database, one after the other, and records them.
//
// Thread safety: one thread at a time; make one for each thread. Lifetime: borrows the database.
//
//   Runner runner(database, "prefix/", seed, first_id);
//   for (int i = 0; i < 500; ++i) runner.RunOne();
//   Send(Encode(runner.attempts()));
#ifndef FDBJOBS_TESTS_HISTORY_RUNNER_H_
#define FDBJOBS_TESTS_HISTORY_RUNNER_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/fdb/transaction.h"
#include "tests/history/generator.h"
#include "tests/history/history.h"

namespace fdbjobs::test {

class Runner {
 public:
  Runner(const fdb::Database& database, const std::string& prefix, uint64_t seed, uint64_t first_id)
      : database_(database), generator_(prefix, seed), random_(~seed), next_id_(first_id) {}

  // Ends the program on an error that no transaction of ours should get.
  void RunOne();

  const std::vector<Attempt>& attempts() const { return attempts_; }

 private:
  absl::Status Try(const Program& program, Attempt* attempt);
  absl::Status SetUp(const Program& program, Attempt* attempt);
  absl::Status RunOperations(const Program& program, Attempt* attempt);
  absl::Status Commit(Attempt* attempt);
  // Makes the handle ready for another transaction.
  void Recover(const absl::Status& error);
  void Remember(const Attempt& attempt);

  const fdb::Database& database_;
  Generator generator_;
  std::mt19937_64 random_;
  uint64_t next_id_;
  std::optional<fdb::OwnedTransaction> transaction_;
  // Versions that this thread knows to be readable, oldest first.
  std::deque<int64_t> past_versions_;
  std::vector<Attempt> attempts_;
};

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_HISTORY_RUNNER_H_
