// JobsBench: the database, the producers and the worker processes that the workloads of `fdbjobs-bench jobs` share.
//
// Thread safety: one thread, which starts others for the length of a call. Lifetime: one row; its folder, if it made
// one, and its worker processes go with it.
//
//   JobsBench bench(settings, ClaimMode::kDurable);
//   JobsBench::Done filled = bench.Bulk(30000, 20);
//   JobsBench::Drained drained = bench.Drain(1, 30000, 0, 20);
#ifndef FDBJOBS_TOOLS_BENCH_JOBS_BENCH_H_
#define FDBJOBS_TOOLS_BENCH_JOBS_BENCH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fdbjobs/fdb/database.h"
#include "fdbjobs/jobs.h"
#include "tools/bench/child_process.h"
#include "tools/bench/jobs_settings.h"

namespace fdbjobs::bench {

const char* ClaimModeName(ClaimMode mode);

// A database for a benchmark: the one that was asked for, or a folder of our own that is removed at the end. All keys
// are below a prefix, which is cleared at the end.
class BenchDatabase {
 public:
  explicit BenchDatabase(const std::string& asked_for);
  ~BenchDatabase();

  const fdb::Database& db() const { return *db_; }
  const std::string& name() const { return name_; }
  const std::string& prefix() const { return prefix_; }
  bool embedded() const { return db_->client().is_embedded(); }

 private:
  std::string folder_;  // empty: none of our own
  std::string name_;
  std::string prefix_;
  std::unique_ptr<fdb::Database> db_;
};

class JobsBench {
 public:
  static constexpr int kWorkers = 2;

  JobsBench(const JobsSettings& settings, ClaimMode mode);
  ~JobsBench();

  struct Done {
    int64_t jobs = 0;
    int64_t us = 0;
    std::vector<double> took_us;  // of each call, where that is measured
    double PerSecond() const { return us > 0 ? static_cast<double>(jobs) * 1e6 / static_cast<double>(us) : 0; }
  };
  // Enqueues n jobs, ids 0, 1, 2, ..., in bulk, for at most `cap` seconds.
  Done Bulk(int n, double cap);
  // `producers` callers, each adding one job at a time and waiting for the answer.
  Done Single(int producers);
  // One job, at `enqueued_us`.
  void AddOne(int64_t id, int64_t enqueued_us);

  struct Drained {
    int64_t jobs = 0;
    int64_t us = 0;
    int64_t handled = 0;
    int64_t id_sum = 0;
    int64_t tries = 0;  // of claims, where they only claim
    bool complete = false;
    std::vector<int64_t> latencies_us;
  };
  // Works off the queued jobs with `processes` worker processes until `left` are left, or `cap` seconds have passed.
  Drained Drain(int processes, int64_t queued, int64_t left, double cap);
  // What a drain of one single job takes: the start of the workers.
  int64_t Boot(int processes);

  // kWorkers at most.
  void StartWorkers(int processes);
  Drained StopWorkers(int processes);
  Counts CountJobs() const;
  // Pending and running.
  int64_t CountLeft() const;

  const fdb::Database& db() const { return database_.db(); }
  const Jobs& jobs() const { return jobs_; }

 private:
  const JobsSettings settings_;
  const BenchDatabase database_;
  const Jobs jobs_;
  std::vector<std::unique_ptr<ChildProcess>> workers_;
};

}  // namespace fdbjobs::bench

#endif  // FDBJOBS_TOOLS_BENCH_JOBS_BENCH_H_
