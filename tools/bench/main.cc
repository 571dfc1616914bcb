// fdbjobs-bench: measures fdbjobs on the machine at hand. Each subcommand is one layer.
//
//   fdbjobs-bench engine --json
//   fdbjobs-bench jobs --json
//   fdbjobs-bench monitor --json
#include <cstdio>
#include <exception>

#include "CLI/CLI.hpp"
#include "tools/bench/engine_command.h"
#include "tools/bench/jobs_command.h"
#include "tools/bench/monitor_command.h"

int main(int argc, char** argv) {
  CLI::App app("Measures fdbjobs on the machine at hand.", "fdbjobs-bench");
  app.require_subcommand(1);
  app.set_version_flag("--version", FDBJOBS_VERSION);
  fdbjobs::bench::AddEngineCommand(app);
  fdbjobs::bench::AddJobsCommand(app);
  fdbjobs::bench::AddMonitorCommand(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fdbjobs-bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
