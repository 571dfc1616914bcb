// DatabaseName: the one string that names a database.
//
//   fdb:/etc/foundationdb/fdb.cluster     the cluster of that cluster file
//   fdb:                                  the cluster of FoundationDB's default cluster file
//   embedded:/var/lib/jobs                the embedded engine in that folder
//
// Thread safety: a plain value. Lifetime: owns its bytes.
//
//   absl::StatusOr<DatabaseName> name = DatabaseName::Parse("embedded:/var/lib/jobs");
#ifndef FDBJOBS_FDB_DATABASE_NAME_H_
#define FDBJOBS_FDB_DATABASE_NAME_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace fdbjobs::fdb {

enum class Engine { kCluster, kEmbedded };

struct DatabaseName {
  Engine engine = Engine::kCluster;
  // The cluster file (empty: FoundationDB's default), or the folder of the embedded engine (never empty).
  std::string path;

  // kInvalidArgument, naming the text and what is allowed, when `text` is none of the three forms above.
  static absl::StatusOr<DatabaseName> Parse(std::string_view text);

  std::string ToString() const;

  friend bool operator==(const DatabaseName&, const DatabaseName&) = default;
};

}  // namespace fdbjobs::fdb

#endif  // FDBJOBS_FDB_DATABASE_NAME_H_
