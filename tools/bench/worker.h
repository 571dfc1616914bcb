// Worker: what a second process of `fdbjobs-bench engine` does. Started by the first one, never by hand.
//
// It is told over standard input and answers over standard output, in lines:
//
//   load    says "ready"; told "go", runs a commit load and says "<commits> <seconds> <unmeasured commits>"
//   watch   told "arm", watches the first row and says "armed"; when the watch fires, says when (nanoseconds of
//           CLOCK_MONOTONIC); and so on until its input ends
//   memory  says "<stage> <resident> <anonymous> <file>" (bytes) at each stage of its life, then "commits <number>"
//
// Thread safety: one per process.
//
//   ChildProcess child(WorkerSettings{.role = "watch", .database = name, .prefix = prefix}.ToArguments());
#ifndef FDBJOBS_TOOLS_BENCH_WORKER_H_
#define FDBJOBS_TOOLS_BENCH_WORKER_H_

#include <cstdint>
#include <string>
#include <vector>

namespace fdbjobs::bench {

inline constexpr char kWorkerCommand[] = "engine-worker";

struct WorkerSettings {
  std::string role;
  std::string database;
  // Of the data set, with its rows.
  std::string prefix;
  uint64_t rows = 1;
  int threads = 1;
  double seconds = 1;

  // The command line that main parses back.
  std::vector<std::string> ToArguments() const;
};

void RunWorker(const WorkerSettings& settings);

}  // namespace fdbjobs::bench

#endif  // FDBJOBS_TOOLS_BENCH_WORKER_H_
