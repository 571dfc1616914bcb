// BaseMark: how far the embedded engine has moved commits from its log into SQLite.
//
// Commits of the last seconds are kept in memory by the engine, older ones are folded into base.sqlite in the
// background. What is measured depends on where the data lies, so the benchmark looks at the engine's own mark there.
//
// Thread safety: one user at a time. Lifetime: holds the file open.
//
//   BaseMark mark(folder);
//   mark.AwaitVersion(committed_version);
#ifndef FDBJOBS_TOOLS_BENCH_BASE_MARK_H_
#define FDBJOBS_TOOLS_BENCH_BASE_MARK_H_

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>

namespace fdbjobs::bench {

struct SqliteClose {
  void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
};
struct SqliteFinalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using SqliteHandle = std::unique_ptr<sqlite3, SqliteClose>;
using SqliteStatement = std::unique_ptr<sqlite3_stmt, SqliteFinalize>;

// Both throw on errors.
SqliteHandle OpenSqlite(const std::string& path, int flags);
SqliteStatement PrepareSqlite(sqlite3* db, const char* sql);
void ExecuteSqlite(sqlite3* db, const char* sql);

class BaseMark {
 public:
  // `folder` of the embedded engine, which must have been opened once.
  explicit BaseMark(const std::string& folder);

  // Everything up to this version lies in the base.
  int64_t Version();
  // Waits until that is `version` or more. Somebody must have the folder open. Throws after two minutes.
  void AwaitVersion(int64_t version);

 private:
  SqliteHandle db_;
  SqliteStatement query_;
};

}  // namespace fdbjobs::bench

#endif  // FDBJOBS_TOOLS_BENCH_BASE_MARK_H_
