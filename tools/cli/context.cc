#include "tools/cli/context.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "fdbjobs/fdb/database_name.h"
#include "fdbjobs/keyspace/tuple_parse.h"

namespace fdbjobs::cli {
namespace {

absl::StatusOr<std::string> PrefixBytes(const std::string& text) {
  if (text.find('\\') == std::string::npos) return text;
  const absl::StatusOr<tuple::Element> bytes = tuple::ParseElement(absl::StrCat("b\"", text, "\""));
  if (!bytes.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--prefix: \"", text, "\"; allowed is text in which \\xHH is a byte and \\\\ a backslash"));
  }
  return bytes->get_if<tuple::Bytes>()->value;
}

absl::Status CheckPath(const std::string& path) {
  struct stat status;
  if (path.empty() || stat(path.c_str(), &status) == 0) return absl::OkStatus();
  const std::string text = absl::StrCat("no database at ", path, ": ", std::strerror(errno));
  return errno == EACCES ? absl::PermissionDeniedError(text) : absl::UnavailableError(text);
}

}  // namespace

absl::Status Context::Open(IfMissing if_missing) {
  if (settings.database.empty()) {
    return absl::InvalidArgumentError(
        "no database is named; give --db or FDBJOBS_DB: embedded:/folder or fdb:/path/to/fdb.cluster");
  }
  const absl::StatusOr<std::string> prefix = PrefixBytes(settings.prefix);
  if (!prefix.ok()) return prefix.status();
  const absl::StatusOr<fdb::DatabaseName> name = fdb::DatabaseName::Parse(settings.database);
  if (!name.ok()) return fdb::Annotate(name.status(), "--db");
  if (if_missing == IfMissing::kError) {
    if (absl::Status status = CheckPath(name->path); !status.ok()) return status;
  }
  absl::StatusOr<fdb::Database> database = fdb::Database::Open(settings.database);
  if (!database.ok()) {
    // Whatever keeps a client library from being loaded, there is no database without it.
    const bool library = database.status().code() == absl::StatusCode::kNotFound ||
                         database.status().code() == absl::StatusCode::kFailedPrecondition;
    return library ? absl::UnavailableError(database.status().message()) : database.status();
  }
  db_.emplace(*std::move(database));
  jobs_ = std::make_unique<Jobs>(JobsOptions{.prefix = *prefix});
  return absl::OkStatus();
}

absl::Status Context::CheckTypeIsKnown(const JobType& type) const {
  const absl::StatusOr<bool> known = Transact([&](fdb::Transaction& tr) -> absl::StatusOr<bool> {
    const absl::StatusOr<std::optional<absl::Duration>> timeout = jobs().GetActivityTimeout(tr, type);
    if (!timeout.ok()) return timeout.status();
    if (timeout->has_value()) return true;
    const keyspace::KeyRange range = jobs().keys().CountRange(type);
    const fdb::KeyFuture first =
        tr.GetKey(fdb::KeySelectorView::FirstGreaterOrEqual(range.begin), fdb::Isolation::kSnapshot);
    const absl::StatusOr<std::string_view> key = first.AwaitView();
    if (!key.ok()) return key.status();
    return *key < range.end;
  });
  if (!known.ok()) return known.status();
  if (*known) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat("type ", tuple::PrintArgument(type.element()),
                                          " is not known: it has no activity timeout and never had jobs"));
}

bool Context::terminal() const { return isatty(STDOUT_FILENO) == 1; }

bool Context::color() const {
  const char* const no_color = std::getenv("NO_COLOR");
  return terminal() && !settings.no_color && (no_color == nullptr || *no_color == '\0');
}

void Context::Print(std::string_view text) const { std::fwrite(text.data(), 1, text.size(), stdout); }

}  // namespace fdbjobs::cli
