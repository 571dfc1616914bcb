#include "tools/monitor/session.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "fdbjobs/fdb/database_name.h"
#include "tools/monitor/log.h"

namespace fdbjobs::monitor_tool {
namespace {

// FoundationDB lets a client have a million watches. Each type sleeps on one.
constexpr int kMostWatches = 500'000;

std::string TypeText(const MonitorEvent& event) { return event.type.ToString(); }

void LogEvent(const MonitorEvent& event) {
  using Kind = MonitorEvent::Kind;
  switch (event.kind) {
    case Kind::kTypeFound:
      return Log(Level::kDebug, "watching over a type", {{"type", TypeText(event)}, {"timeout", event.text}});
    case Kind::kTypeChanged:
      return Log(Level::kInfo, "a timeout was changed", {{"type", TypeText(event)}, {"timeout", event.text}});
    case Kind::kTypeGone:
      return Log(Level::kInfo, "a timeout was cleared; its type is left alone", {{"type", TypeText(event)}});
    case Kind::kRescued:
      return Log(Level::kInfo, "workers stopped reporting; their jobs were put back",
                 {{"type", TypeText(event)},
                  {"reenqueued", absl::StrCat(event.reenqueued)},
                  {"finished", absl::StrCat(event.finished)},
                  {"dropped", absl::StrCat(event.dropped)}});
    case Kind::kDamage:
      return Log(Level::kError, "a row can't be read; it is set aside",
                 {{"type", TypeText(event)}, {"row", event.text}});
    case Kind::kError:
      return Log(Level::kWarning, "a transaction failed; trying again", {{"error", event.text}});
    case Kind::kContactLost:
      return Log(Level::kError, "the database does not answer; trying until it does", {{"error", event.text}});
    case Kind::kContactRegained:
      return Log(Level::kInfo, "the database answers again", {{"time", event.text}});
  }
}

}  // namespace

absl::Status CheckDatabaseIsThere(const std::string& db) {
  const absl::StatusOr<fdb::DatabaseName> name = fdb::DatabaseName::Parse(db);
  if (!name.ok()) return name.status();
  struct stat status;
  if (name->path.empty()) return absl::OkStatus();
  if (stat(name->path.c_str(), &status) != 0) {
    return absl::UnavailableError(absl::StrCat("no database at ", name->path, ": ", std::strerror(errno)));
  }
  std::error_code ignored;
  // Whoever gives a folder back may have made it before it is filled.
  if (S_ISDIR(status.st_mode) && std::filesystem::is_empty(name->path, ignored)) {
    return absl::UnavailableError(absl::StrCat("no database at ", name->path, ": the folder is empty"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<Session>> OpenSession(const Settings& settings) {
  if (absl::Status status = CheckDatabaseIsThere(settings.db); !status.ok()) return status;
  absl::StatusOr<fdb::Database> db = fdb::Database::Open(settings.db, settings.library);
  if (!db.ok()) return db.status();
  if (absl::Status status = db->SetOption(fdb::DatabaseInt::kMaxWatches, kMostWatches); !status.ok()) return status;
  MonitorOptions options;
  options.max_watches = kMostWatches - 1000;
  options.transaction_timeout = settings.transaction_timeout;
  options.ping_every = settings.ping_every;
  options.largest_batch = settings.max_batch;
  options.on_event = LogEvent;
  if (!settings.types.empty()) {
    options.wants = [types = settings.types](const JobType& type) { return types.contains(type); };
  }
  return std::make_shared<Session>(*std::move(db), settings, options);
}

}  // namespace fdbjobs::monitor_tool
