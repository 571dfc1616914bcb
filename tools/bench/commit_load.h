// CommitLoad: many threads, each of which commits one small transaction after the other and waits for it.
//
// Thread safety: one call at a time per process.
//
//   CommitLoadResult result = RunCommitLoad(database, data, {.threads = 64, .seconds = 5});
//   double rate = result.PerSecond();
#ifndef FDBJOBS_TOOLS_BENCH_COMMIT_LOAD_H_
#define FDBJOBS_TOOLS_BENCH_COMMIT_LOAD_H_

#include <cstdint>
#include <functional>

#include "fdbjobs/fdb/database.h"
#include "tools/bench/data_set.h"
#include "tools/bench/json.h"
#include "tools/bench/latency.h"

namespace fdbjobs::bench {

struct CommitLoadOptions {
  int threads = 1;
  double seconds = 1;
  // Ask for DURABILITY_RISKY: acknowledged when others can see it, not when it is on the disk.
  bool risky = false;
  // Called on the calling thread every 20 ms while the load runs, if given.
  std::function<void()> meanwhile;
};

struct CommitLoadResult {
  uint64_t commits = 0;
  double seconds = 0;
  LatencySummary latency;
  // Commits before the measured time, to warm up.
  uint64_t unmeasured = 0;
  // Processors that this process kept busy on average, warm-up included.
  double busy_cores = 0;

  double PerSecond() const { return seconds > 0 ? static_cast<double>(commits) / seconds : 0; }
  Json ToJson() const;
};

// Each transaction sets one random row of `data`. The latency is that of the whole transaction, its making included.
CommitLoadResult RunCommitLoad(const fdb::Database& database, const DataSet& data, const CommitLoadOptions& options);

}  // namespace fdbjobs::bench

#endif  // FDBJOBS_TOOLS_BENCH_COMMIT_LOAD_H_
