// Metrics: the state of the world in Prometheus's words. docs/operations.md tells what each means when it moves.
//
// Thread safety: pure functions. Lifetime: none.
#ifndef FDBJOBS_TOOLS_MONITOR_METRICS_H_
#define FDBJOBS_TOOLS_MONITOR_METRICS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "fdbjobs/monitor/census.h"
#include "fdbjobs/monitor/stats.h"

namespace fdbjobs::monitor_tool {

struct World {
  MonitorStats stats;
  std::optional<std::vector<TypeCensus>> census;  // in the order of stats.types; none when it could not be taken
  absl::Time monitor_now;                         // of the monitor's clock
  absl::Time wall_now;
  int max_types = 1000;
};

// In Prometheus's text format.
std::string MetricsText(const World& world);

}  // namespace fdbjobs::monitor_tool

#endif  // FDBJOBS_TOOLS_MONITOR_METRICS_H_
