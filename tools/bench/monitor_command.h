// `fdbjobs-bench monitor`: the activity monitor, with many idle types and with a large backlog.
//
// Thread safety: once, at start.
#ifndef FDBJOBS_TOOLS_BENCH_MONITOR_COMMAND_H_
#define FDBJOBS_TOOLS_BENCH_MONITOR_COMMAND_H_

#include "CLI/CLI.hpp"

namespace fdbjobs::bench {

void AddMonitorCommand(CLI::App& app);

}  // namespace fdbjobs::bench

#endif  // FDBJOBS_TOOLS_BENCH_MONITOR_COMMAND_H_
