// JobsSettings: what `fdbjobs-bench jobs` was asked for. The names and defaults are those of the peers' harness.
//
// Thread safety: a plain value.
#ifndef FDBJOBS_TOOLS_BENCH_JOBS_SETTINGS_H_
#define FDBJOBS_TOOLS_BENCH_JOBS_SETTINGS_H_

#include <string>
#include <vector>

namespace fdbjobs::bench {

struct JobsSettings {
  bool json = false;
  // As fdb::Database::Open takes it. Empty: an embedded folder of our own, removed at the end.
  std::string database;
  int jobs = 30'000;       // of the bulk enqueue and the drains
  int reps = 3;            // of those and of the single enqueues; medians are reported
  int deep = 100'000;      // the deep backlog
  int shallow = 1'000;     // the shallow one
  double cap = 20;         // most seconds of one timed drain or bulk enqueue
  double fill = 90;        // most seconds for filling the deep backlog
  double single = 3;       // seconds of each single-enqueue run
  double end_to_end = 5;   // seconds of the run that measures latency
  int bulk_chunk = 500;    // jobs of one bulk transaction
  int bulk_in_flight = 2;  // bulk transactions at once
  int batch = 500;         // jobs of one claim
  int in_flight = 2;       // claims at once in each worker process
  // Names of rows and parts. Empty: all.
  std::vector<std::string> only;
};

// How a worker process takes jobs: one row of the table each; and one that only claims, for competing claimers.
enum class ClaimMode { kDurable, kRisky, kWhole, kOnlyClaim };

}  // namespace fdbjobs::bench

#endif  // FDBJOBS_TOOLS_BENCH_JOBS_SETTINGS_H_
