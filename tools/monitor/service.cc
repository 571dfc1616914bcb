#include "tools/monitor/service.h"

#include <sys/stat.h>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "fdbjobs/fdb/database_name.h"
#include "fdbjobs/monitor/clock.h"
#include "tools/monitor/exit_code.h"
#include "tools/monitor/log.h"
#include "tools/monitor/metrics.h"
#include "tools/monitor/signals.h"
#include "tools/monitor/systemd.h"

namespace fdbjobs::monitor_tool {
namespace {

constexpr absl::Duration kTick = absl::Milliseconds(200);
// How long the database may be silent before another one is looked for in its place.
constexpr absl::Duration kLookElsewhere = absl::Seconds(2);
// Without a sign of life for so long, the monitor is not well, whatever it thinks itself.
constexpr absl::Duration kSilence = absl::Seconds(30);
// Of a transaction of the census. A scraper does not wait long, and neither does the end of the program.
constexpr absl::Duration kCensusTimeout = absl::Milliseconds(400);

// What the file or folder of a database is, not what it is called.
std::pair<uint64_t, uint64_t> FileId(const std::string& db) {
  const absl::StatusOr<fdb::DatabaseName> name = fdb::DatabaseName::Parse(db);
  struct stat status;
  if (!name.ok() || stat(name->path.c_str(), &status) != 0) return {0, 0};
  return {status.st_dev, status.st_ino};
}

}  // namespace

Service::Service(Settings settings) : settings_(std::move(settings)), watchdog_interval_(WatchdogInterval()) {}

std::shared_ptr<Session> Service::session() const {
  const std::lock_guard lock(mutex_);
  return session_;
}

int Service::Run() {
  if (!settings_.metrics.empty()) {
    absl::StatusOr<std::unique_ptr<HttpServer>> started = HttpServer::Start(
        settings_.metrics, {.metrics = [this] { return Metrics(); }, .health = [this] { return Health(); }});
    if (!started.ok()) {
      Log(Level::kError, std::string(started.status().message()));
      return kFailed;
    }
    server_ = *std::move(started);
    Log(Level::kInfo, "serving /metrics and /healthz",
        {{"address", settings_.metrics}, {"port", absl::StrCat(server_->port())}});
  }
  NotifySystemd("READY=1");
  int signal = 0;
  while (signal == 0) {
    if (session() == nullptr) TryToOpen();
    if (session() != nullptr) LookAfterSession();
    TellSystemd();
    signal = WaitForStopSignal(kTick);
  }
  NotifySystemd("STOPPING=1");
  Close();
  Log(Level::kInfo, "stopped", {{"signal", absl::StrCat(signal)}});
  return kDone;
}

void Service::TryToOpen() {
  absl::StatusOr<std::shared_ptr<Session>> opened = OpenSession(settings_);
  if (!opened.ok()) {
    const std::string why(opened.status().message());
    if (why != told_) Log(Level::kWarning, "waiting for the database", {{"db", settings_.db}, {"error", why}});
    told_ = why;
    const std::lock_guard lock(mutex_);
    why_not_ = why;
    return;
  }
  told_.clear();
  id_ = FileId(settings_.db);
  lost_at_.reset();
  (*opened)->supervisor.Start();
  Log(Level::kInfo, "watching over the database", {{"db", settings_.db}});
  const std::lock_guard lock(mutex_);
  session_ = *std::move(opened);
}

void Service::Close() {
  const std::shared_ptr<Session> session = this->session();
  if (session == nullptr) return;
  session->supervisor.Stop();
  const std::lock_guard lock(mutex_);
  session_.reset();
}

void Service::LookAfterSession() {
  if (session()->supervisor.Summary().contact_error.empty()) {
    lost_at_.reset();
    return;
  }
  const absl::Time now = SteadyNow();
  if (!lost_at_.has_value()) lost_at_ = now;
  if (now - *lost_at_ < kLookElsewhere || FileId(settings_.db) == id_) return;
  if (!CheckDatabaseIsThere(settings_.db).ok()) return;
  Log(Level::kWarning, "another database is in the place of the one that was lost; opening it", {{"db", settings_.db}});
  Close();
}

void Service::TellSystemd() {
  const std::shared_ptr<Session> session = this->session();
  const absl::Time now = SteadyNow();
  std::string status = "waiting for the database";
  bool moves = true;
  if (session != nullptr) {
    const MonitorStats stats = session->supervisor.Summary();
    if (stats.rounds != rounds_) round_at_ = now;
    rounds_ = stats.rounds;
    moves = now - round_at_ < kSilence + settings_.ping_every;
    status = stats.contact ? "watching" : "the database does not answer";
  }
  if (status != status_) NotifySystemd(absl::StrCat("STATUS=", status));
  status_ = status;
  // Silence lets systemd start a program anew that hangs.
  if (watchdog_interval_ == absl::InfiniteDuration() || now < next_watchdog_ || !moves) return;
  next_watchdog_ = now + watchdog_interval_;
  NotifySystemd("WATCHDOG=1");
}

int Service::RunOnce() {
  const absl::Time begin = SteadyNow();
  absl::Time last_contact = begin;
  while (true) {
    if (session() == nullptr) TryToOpen();
    const std::shared_ptr<Session> session = this->session();
    if (session != nullptr) {
      if (session->supervisor.settled()) return EndPass();
      const MonitorStats stats = session->supervisor.Summary();
      if (stats.contact) last_contact = SteadyNow();
    }
    if (SteadyNow() - last_contact > settings_.once_wait) {
      Log(Level::kError, "the database does not answer; the pass was given up", {{"db", settings_.db}});
      Close();
      return kFailed;
    }
    if (const int signal = WaitForStopSignal(absl::Milliseconds(20)); signal != 0) {
      Log(Level::kWarning, "the pass was cut short", {{"signal", absl::StrCat(signal)}});
      Close();
      return kFailed;
    }
  }
}

int Service::EndPass() {
  const std::shared_ptr<Session> session = this->session();
  session->supervisor.Stop();
  const MonitorStats stats = session->supervisor.Stats();
  uint64_t reenqueued = 0;
  uint64_t finished = 0;
  uint64_t damaged = stats.damaged_types;
  for (const TypeStats& type : stats.types) {
    reenqueued += type.reenqueued;
    finished += type.finished;
    damaged += type.damaged;
  }
  Close();
  Log(Level::kInfo, "the pass is done",
      {{"types", absl::StrCat(stats.types.size())},
       {"reenqueued", absl::StrCat(reenqueued)},
       {"finished", absl::StrCat(finished)},
       {"damaged", absl::StrCat(damaged)}});
  return damaged > 0 ? kDamageFound : kDone;
}

HttpReply Service::Health() const {
  const std::shared_ptr<Session> session = this->session();
  if (session == nullptr) {
    const std::lock_guard lock(mutex_);
    return {503, absl::StrCat("waiting for the database: ", why_not_, "\n")};
  }
  const MonitorStats stats = session->supervisor.Summary();
  if (!stats.contact) return {503, absl::StrCat("the database does not answer: ", stats.contact_error, "\n")};
  if (!stats.types_known) return {503, "the types are not known yet\n"};
  const absl::Duration silence = SteadyNow() - *stats.last_contact;
  if (silence > kSilence + settings_.transaction_timeout + settings_.ping_every) {
    return {503, absl::StrCat("nothing was heard from the database for ", absl::FormatDuration(silence), "\n")};
  }
  return {200, "ok\n"};
}

HttpReply Service::Metrics() {
  World world;
  world.monitor_now = SteadyNow();
  world.wall_now = absl::Now();
  world.max_types = settings_.metrics_max_types;
  if (const std::shared_ptr<Session> session = this->session(); session != nullptr) {
    world.stats = session->supervisor.Stats();
    world.census = Census(*session, world.stats);
  }
  return {200, MetricsText(world)};
}

std::optional<std::vector<TypeCensus>> Service::Census(const Session& session, const MonitorStats& stats) {
  if (!stats.contact) return std::nullopt;
  std::vector<JobType> types;
  types.reserve(stats.types.size());
  for (const TypeStats& type : stats.types) types.push_back(type.type);
  const std::lock_guard lock(census_mutex_);
  absl::StatusOr<std::vector<TypeCensus>> census =
      TakeCensus(session.db, session.jobs, types, kCensusTimeout, absl::Now());
  if (!census.ok()) return std::nullopt;
  return *std::move(census);
}

}  // namespace fdbjobs::monitor_tool
