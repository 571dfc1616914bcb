// Service: the program between its settings and its end.
//
// Thread safety: Run from the main thread. Pages of the HTTP server are made on its threads.
// Lifetime: one run.
#ifndef FDBJOBS_TOOLS_MONITOR_SERVICE_H_
#define FDBJOBS_TOOLS_MONITOR_SERVICE_H_

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "fdbjobs/monitor/census.h"
#include "tools/monitor/http_server.h"
#include "tools/monitor/session.h"
#include "tools/monitor/settings.h"

namespace fdbjobs::monitor_tool {

class Service {
 public:
  explicit Service(Settings settings);

  // Until a signal comes. Returns the exit status. The pages are served until the Service goes.
  int Run();
  // One pass.
  int RunOnce();

 private:
  std::shared_ptr<Session> session() const;
  // Opens the database if it is there. Tells once why not.
  void TryToOpen();
  void Close();
  // Opens the database anew if another one is in its place now.
  void LookAfterSession();
  void TellSystemd();
  int EndPass();

  HttpReply Health() const;
  HttpReply Metrics();
  std::optional<std::vector<TypeCensus>> Census(const Session& session, const MonitorStats& stats);

  // Constant.
  const Settings settings_;
  const absl::Duration watchdog_interval_;

  // Of the main thread.
  std::string told_;                   // why the database could not be opened, as it was told
  std::pair<uint64_t, uint64_t> id_;   // of what the database's name named when it was opened
  std::optional<absl::Time> lost_at_;  // since when the database does not answer
  std::string status_;                 // that systemd was told
  absl::Time next_watchdog_ = absl::InfinitePast();
  uint64_t rounds_ = 0;
  absl::Time round_at_ = absl::InfinitePast();

  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::shared_ptr<Session> session_;
  std::string why_not_ = "the database was not opened yet";

  // One census at a time.
  std::mutex census_mutex_;

  // Last: its threads use what stands above.
  std::unique_ptr<HttpServer> server_;
};

}  // namespace fdbjobs::monitor_tool

#endif  // FDBJOBS_TOOLS_MONITOR_SERVICE_H_
