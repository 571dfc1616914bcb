// fdbjobs-monitor: puts back the jobs of workers that stopped reporting. See docs/operations.md.
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>

#include "tools/monitor/log.h"
#include "tools/monitor/service.h"
#include "tools/monitor/settings.h"
#include "tools/monitor/signals.h"

int main(int argc, char** argv) {
  using namespace fdbjobs::monitor_tool;
  int exit = 0;
  std::optional<Settings> settings = ReadSettings(argc, argv, &exit);
  if (!settings.has_value()) return exit;
  // Before the first thread is made.
  BlockStopSignals();
  SetUpLog(settings->log_level, settings->log_json);
  const bool once = settings->once;
  Service service(*std::move(settings));
  if (once) return service.RunOnce();
  exit = service.Run();
  // The database is closed. The HTTP server would take up to two seconds to end its threads, which have nothing to
  // lose.
  std::fflush(nullptr);
  std::_Exit(exit);
}
