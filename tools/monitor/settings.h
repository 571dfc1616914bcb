// Settings of fdbjobs-monitor: what the command line and the configuration file say, checked.
//
// Thread safety: a plain value. Lifetime: owns what it holds.
#ifndef FDBJOBS_TOOLS_MONITOR_SETTINGS_H_
#define FDBJOBS_TOOLS_MONITOR_SETTINGS_H_

#include <optional>
#include <set>
#include <string>

#include "absl/time/time.h"
#include "fdbjobs/job.h"

namespace fdbjobs::monitor_tool {

struct Settings {
  std::string db;           // as fdb::Database::Open takes it
  std::string library;      // of the client; empty: the usual one
  std::string prefix;       // bytes
  std::set<JobType> types;  // empty: all
  std::string metrics;      // "address:port"; empty: none
  int metrics_max_types = 1000;
  std::string log_level = "info";
  bool log_json = false;
  bool once = false;
  absl::Duration once_wait;  // for the database, with --once
  absl::Duration transaction_timeout;
  absl::Duration ping_every;
  int max_batch = 1000;
};

// None when the program is to end at once, with `*exit`: after --help, --version, or settings that are not understood,
// of which it has told.
std::optional<Settings> ReadSettings(int argc, char** argv, int* exit);

}  // namespace fdbjobs::monitor_tool

#endif  // FDBJOBS_TOOLS_MONITOR_SETTINGS_H_
