#include "fdbjobs/fdb/database_name.h"

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "fdbjobs/fdb/bytes.h"

namespace fdbjobs::fdb {
namespace {

constexpr std::string_view kClusterScheme = "fdb:";
constexpr std::string_view kEmbeddedScheme = "embedded:";

absl::Status NotAName(std::string_view text, std::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("\"", absl::CHexEscape(ToAbsl(text)), "\" does not name a database: ", ToAbsl(why),
                   "; allowed are fdb:/path/to/fdb.cluster, fdb: (default cluster file) and "
                   "embedded:/path/to/folder"));
}

}  // namespace

absl::StatusOr<DatabaseName> DatabaseName::Parse(std::string_view text) {
  DatabaseName name;
  std::string_view path;
  if (text.starts_with(kClusterScheme)) {
    name.engine = Engine::kCluster;
    path = text.substr(kClusterScheme.size());
  } else if (text.starts_with(kEmbeddedScheme)) {
    name.engine = Engine::kEmbedded;
    path = text.substr(kEmbeddedScheme.size());
    if (path.empty()) return NotAName(text, "the folder is missing");
  } else {
    return NotAName(text, "it starts neither with \"fdb:\" nor with \"embedded:\"");
  }
  // It crosses the C ABI as a string that a zero byte ends.
  if (path.find('\0') != std::string_view::npos) return NotAName(text, "there is a zero byte in the path");
  name.path = std::string(path);
  return name;
}

std::string DatabaseName::ToString() const {
  return std::string(engine == Engine::kEmbedded ? kEmbeddedScheme : kClusterScheme) + path;
}

}  // namespace fdbjobs::fdb
