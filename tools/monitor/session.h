// Session: an open database with the monitor that runs on it.
//
// Thread safety: any thread, after it was made. Lifetime: stops the monitor when it goes.
#ifndef FDBJOBS_TOOLS_MONITOR_SESSION_H_
#define FDBJOBS_TOOLS_MONITOR_SESSION_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/jobs.h"
#include "fdbjobs/monitor/supervisor.h"
#include "tools/monitor/settings.h"

namespace fdbjobs::monitor_tool {

struct Session {
  Session(fdb::Database opened, const Settings& settings, const MonitorOptions& options)
      : db(std::move(opened)), jobs({.prefix = settings.prefix}), supervisor(db, jobs, options) {}

  const fdb::Database db;
  const Jobs jobs;
  MonitorSupervisor supervisor;
};

// kUnavailable when what the name says is not there: a monitor waits for a database, and never makes one.
absl::Status CheckDatabaseIsThere(const std::string& db);
absl::StatusOr<std::shared_ptr<Session>> OpenSession(const Settings& settings);

}  // namespace fdbjobs::monitor_tool

#endif  // FDBJOBS_TOOLS_MONITOR_SESSION_H_
