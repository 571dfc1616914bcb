// BankRun: many jobs that move money, worker processes that are stopped, killed and replaced meanwhile, and the look at
// the end whether every step was made exactly once.
//
// Thread safety: one thread. Lifetime: borrows the database; kills the processes that are left at its end.
//
//   BankRun run(db, "embedded:/folder", "prefix/", seed, {});
//   run.Run(4000);
#ifndef FDBJOBS_TESTS_BANK_BANK_RUN_H_
#define FDBJOBS_TESTS_BANK_BANK_RUN_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "fdbjobs/fdb/database.h"
#include "fdbjobs/jobs.h"
#include "tests/bank/bank.h"
#include "tests/bank/rescuer.h"
#include "tests/bank/teller.h"
#include "tests/support/child_process.h"

namespace fdbjobs::test {

class BankRun {
 public:
  // `environment` is that of the worker processes, on top of the test's own.
  BankRun(const fdb::Database& db, std::string db_name, std::string prefix, uint64_t seed,
          std::vector<std::string> environment);
  ~BankRun();

  // At least `jobs` jobs, and as many more as it takes until workers were killed and stopped, have lost jobs, and had
  // `least_errors` errors of the database.
  // Failures are those of GoogleTest.
  void Run(int64_t jobs, int64_t least_errors = 0);
  // What happened, for the reader of the test's output.
  std::string Summary() const;

 private:
  struct Worker {
    explicit Worker(ChildProcess started) : child(std::move(started)) {}
    ChildProcess child;
    std::string unparsed;
    // Stopped until then.
    std::chrono::steady_clock::time_point stopped_until = {};
    bool stopped = false;
  };

  void AddJobs(int64_t jobs);
  void AddUntil(int64_t jobs);
  void RescueUntilEnd();
  ChildProcess StartWorker();
  // One moment: reads reports, stops, kills or goes on with some worker.
  void Disturb();
  void Drain(Worker* worker);
  bool AllIsDone();
  bool EnoughHasHappened() const;
  // SIGTERM to all: they must end well.
  void EndWorkers();
  void Check();

  const fdb::Database& db_;
  const std::string db_name_;
  const std::string prefix_;
  const std::vector<std::string> environment_;
  const Jobs jobs_;
  const Bank bank_;
  std::mt19937_64 random_;
  uint64_t next_worker_seed_;
  std::vector<Worker> workers_;
  TellerReport done_;
  int kills_ = 0;
  int stops_ = 0;
  int64_t least_errors_ = 0;
  double seconds_ = 0;
  std::chrono::steady_clock::time_point next_disturbance_ = {};
  // Shared with the threads of this process.
  std::atomic<bool> end_ = false;
  std::atomic<int64_t> put_back_ = 0;
  std::atomic<int64_t> added_ = 0;
};

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_BANK_BANK_RUN_H_
