#include "tools/bench/monitor_command.h"

#include <cstdio>
#include <memory>

#include "tools/bench/machine.h"
#include "tools/bench/monitor_settings.h"
#include "tools/bench/positive.h"

namespace fdbjobs::bench {
namespace {

void RunMonitor(const MonitorSettings& settings) {
  Json result = Json::Object();
  result["benchmark"] = "monitor";
  result["machine"] = DescribeMachine("");
  std::fprintf(stderr, "measuring idle types\n");
  result["idle_types"] = MeasureIdleTypes(settings);
  std::fprintf(stderr, "measuring a backlog\n");
  result["backlog"] = MeasureBacklog(settings);
  std::puts(result.ToString().c_str());
}

}  // namespace

void AddMonitorCommand(CLI::App& app) {
  CLI::App* const command =
      app.add_subcommand("monitor", "The activity monitor: what idle types cost, how fast stale jobs are put back");
  const auto settings = std::make_shared<MonitorSettings>();
  command->add_flag("--json", settings->json, "JSON is what it prints; accepted so that all commands look alike");
  command->add_option("--db", settings->database,
                      "embedded:/folder or fdb:/cluster/file (default: folders in TMPDIR, removed at the end)");
  const auto number = [&](const char* name, auto& value, const char* help) {
    command->add_option(name, value, help)->check(Positive(value))->capture_default_str();
  };
  number("--types", settings->types, "Types of which nothing runs");
  number("--seconds", settings->seconds, "Seconds of each measurement of idle types");
  number("--running", settings->running, "Running jobs of one type whose workers report");
  number("--stale", settings->stale, "Jobs of the same type whose workers do not");
  command->callback([settings] { RunMonitor(*settings); });
}

}  // namespace fdbjobs::bench
