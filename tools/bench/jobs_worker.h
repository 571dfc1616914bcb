// JobsWorker: a worker process of `fdbjobs-bench jobs`. Started by the first process, never by hand.
//
// It is told over standard input and answers over standard output, in lines:
//
//   start   begins to take jobs and says "started"
//   stop    ends that and says "<jobs> <sum of their ids> <tries of claims> <latency>...": the tries only in mode
//           only-claim, latencies are microseconds from enqueue to start
//
// Thread safety: one per process.
#ifndef FDBJOBS_TOOLS_BENCH_JOBS_WORKER_H_
#define FDBJOBS_TOOLS_BENCH_JOBS_WORKER_H_

#include <string>
#include <vector>

#include "tools/bench/jobs_settings.h"

namespace fdbjobs::bench {

inline constexpr char kJobsWorkerCommand[] = "jobs-worker";

struct JobsWorkerSettings {
  std::string database;
  std::string prefix;
  std::string mode;  // durable, risky, whole, only-claim
  int batch = 1;
  int in_flight = 1;

  // The command line that main parses back.
  std::vector<std::string> ToArguments() const;
};

void RunJobsWorker(const JobsWorkerSettings& settings);

}  // namespace fdbjobs::bench

#endif  // FDBJOBS_TOOLS_BENCH_JOBS_WORKER_H_
