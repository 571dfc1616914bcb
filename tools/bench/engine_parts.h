// The parts of `fdbjobs-bench engine`. Each measures one thing and adds it to the report.
//
// Thread safety: one at a time.
#ifndef FDBJOBS_TOOLS_BENCH_ENGINE_PARTS_H_
#define FDBJOBS_TOOLS_BENCH_ENGINE_PARTS_H_

#include <vector>

#include "tools/bench/engine_bench.h"
#include "tools/bench/report.h"

namespace fdbjobs::bench {

// Point and range reads through the ABI, beside bare SQLite.
void MeasureReads(EngineBench& bench, Report& report);
// Durable commits of 1 to 256 threads, and commits that do not wait for the disk.
void MeasureCommits(EngineBench& bench, Report& report);
// The same number of threads in one process and in two.
void MeasureProcesses(EngineBench& bench, Report& report);
// One commit at a time, beside bare syncs.
void MeasureLatency(EngineBench& bench, Report& report);
// Commits while the engine moves older ones into SQLite.
void MeasureSustained(EngineBench& bench, Report& report);
// From a commit to the watch that fires in another process.
void MeasureWatch(EngineBench& bench, Report& report);
// Memory of a process that opens the database and loads it.
void MeasureMemory(EngineBench& bench, Report& report);

struct EnginePart {
  const char* name;
  void (*measure)(EngineBench&, Report&);
  // Has a meaning on a cluster too.
  bool on_cluster;
};
// In the order in which they run.
const std::vector<EnginePart>& EngineParts();

}  // namespace fdbjobs::bench

#endif  // FDBJOBS_TOOLS_BENCH_ENGINE_PARTS_H_
