// The subcommand `engine`: how fast the engine below the fdb_c ABI is on this machine.
//
// Thread safety: called once, from main.
#ifndef FDBJOBS_TOOLS_BENCH_ENGINE_COMMAND_H_
#define FDBJOBS_TOOLS_BENCH_ENGINE_COMMAND_H_

#include "CLI/CLI.hpp"

namespace fdbjobs::bench {

// Adds `engine`, and the hidden command of its second processes. They run when the command line is parsed.
void AddEngineCommand(CLI::App& app);

}  // namespace fdbjobs::bench

#endif  // FDBJOBS_TOOLS_BENCH_ENGINE_COMMAND_H_
