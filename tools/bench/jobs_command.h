// `fdbjobs-bench jobs`: the jobs layer, measured as the peers' harness measures other queues.
//
// Thread safety: once, at start.
#ifndef FDBJOBS_TOOLS_BENCH_JOBS_COMMAND_H_
#define FDBJOBS_TOOLS_BENCH_JOBS_COMMAND_H_

#include "CLI/CLI.hpp"

namespace fdbjobs::bench {

void AddJobsCommand(CLI::App& app);

}  // namespace fdbjobs::bench

#endif  // FDBJOBS_TOOLS_BENCH_JOBS_COMMAND_H_
