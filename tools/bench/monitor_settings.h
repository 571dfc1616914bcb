// MonitorSettings: what `fdbjobs-bench monitor` was asked for.
//
// Thread safety: a plain value.
#ifndef FDBJOBS_TOOLS_BENCH_MONITOR_SETTINGS_H_
#define FDBJOBS_TOOLS_BENCH_MONITOR_SETTINGS_H_

#include <string>

#include "tools/bench/json.h"

namespace fdbjobs::bench {

struct MonitorSettings {
  bool json = false;
  // As fdb::Database::Open takes it. Empty: an embedded folder of our own, removed at the end.
  std::string database;
  int types = 10'000;       // of which nothing runs
  double seconds = 10;      // of each measurement of idle types
  int running = 1'000'000;  // jobs whose workers report
  int stale = 100'000;      // jobs of the same type whose workers do not
};

// What the types cost that do nothing.
Json MeasureIdleTypes(const MonitorSettings& settings);
// How fast stale jobs are put back while many others run.
Json MeasureBacklog(const MonitorSettings& settings);

}  // namespace fdbjobs::bench

#endif  // FDBJOBS_TOOLS_BENCH_MONITOR_SETTINGS_H_
