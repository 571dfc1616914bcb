// Context: what every command gets: the global options, the database once it is opened, and the answer's way out.
//
// Thread safety: one thread. Lifetime: the program.
//
//   if (absl::Status status = context.Open(); !status.ok()) return status;
//   absl::StatusOr<Counts> counts = context.Transact([&](fdb::Transaction& tr) {
//     return context.jobs().CountJobs(tr, type);
//   });
#ifndef FDBJOBS_TOOLS_CLI_CONTEXT_H_
#define FDBJOBS_TOOLS_CLI_CONTEXT_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/fdb/transact.h"
#include "fdbjobs/jobs.h"
#include "tools/common/json.h"

namespace fdbjobs::cli {

using tools::Json;

struct Settings {
  std::string database;
  std::string prefix;  // text; \xHH stands for a byte, \\ for a backslash
  bool json = false;
  bool no_color = false;
  double timeout_seconds = 10;
};

// What Open does when the path of the database is not there.
enum class IfMissing { kError, kCreate };

class Context {
 public:
  Settings settings;

  // Before the calls below. A command that only looks must not make a new, empty database where a path was mistyped.
  absl::Status Open(IfMissing if_missing = IfMissing::kError);
  const fdb::Database& db() const { return *db_; }
  const Jobs& jobs() const { return *jobs_; }

  fdb::TransactOptions transact() const { return {.timeout = absl::Seconds(settings.timeout_seconds)}; }
  template <typename Body>
  auto Transact(Body&& body) const {
    return fdb::Transact(db(), transact(), std::forward<Body>(body));
  }

  // kNotFound unless the type has an activity timeout or counters.
  absl::Status CheckTypeIsKnown(const JobType& type) const;

  bool json() const { return settings.json; }
  // Whether standard output is a terminal, and whether colors are wanted there.
  bool terminal() const;
  bool color() const;

  // Writes to standard output.
  void Print(std::string_view text) const;
  void Print(const char* text) const { Print(std::string_view(text)); }
  void Print(const std::string& text) const { Print(std::string_view(text)); }
  void Print(const Json& answer) const { Print(answer.ToString() + "\n"); }

 private:
  std::optional<fdb::Database> db_;
  std::unique_ptr<Jobs> jobs_;
};

}  // namespace fdbjobs::cli

#endif  // FDBJOBS_TOOLS_CLI_CONTEXT_H_
