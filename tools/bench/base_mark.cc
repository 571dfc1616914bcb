#include "tools/bench/base_mark.h"

#include <thread>

#include "absl/strings/str_cat.h"
#include "tools/bench/errors.h"
#include "tools/bench/latency.h"

namespace fdbjobs::bench {
namespace {

constexpr std::chrono::milliseconds kPollInterval(10);
constexpr double kPatienceSeconds = 120;

}  // namespace

SqliteHandle OpenSqlite(const std::string& path, int flags) {
  sqlite3* raw = nullptr;
  const int result = sqlite3_open_v2(path.c_str(), &raw, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  SqliteHandle db(raw);
  if (result != SQLITE_OK) throw BenchError(absl::StrCat("open ", path, ": ", sqlite3_errstr(result)));
  sqlite3_busy_timeout(raw, 10'000);
  return db;
}

SqliteStatement PrepareSqlite(sqlite3* db, const char* sql) {
  sqlite3_stmt* raw = nullptr;
  const int result = sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
  if (result != SQLITE_OK) throw BenchError(absl::StrCat("prepare ", sql, ": ", sqlite3_errmsg(db)));
  return SqliteStatement(raw);
}

void ExecuteSqlite(sqlite3* db, const char* sql) {
  if (sqlite3_exec(db, sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
    throw BenchError(absl::StrCat("execute ", sql, ": ", sqlite3_errmsg(db)));
  }
}

BaseMark::BaseMark(const std::string& folder)
    : db_(OpenSqlite(folder + "/base.sqlite", SQLITE_OPEN_READONLY)),
      query_(PrepareSqlite(db_.get(), "SELECT version FROM mark")) {}

int64_t BaseMark::Version() {
  const int result = sqlite3_step(query_.get());
  const int64_t version = result == SQLITE_ROW ? sqlite3_column_int64(query_.get(), 0) : 0;
  sqlite3_reset(query_.get());
  if (result != SQLITE_ROW) throw BenchError(absl::StrCat("read the base's mark: ", sqlite3_errmsg(db_.get())));
  return version;
}

void BaseMark::AwaitVersion(int64_t version) {
  const Clock::time_point start = Clock::now();
  while (Version() < version) {
    if (SecondsSince(start) > kPatienceSeconds) throw BenchError("the engine does not fold its commits into the base");
    std::this_thread::sleep_for(kPollInterval);
  }
}

}  // namespace fdbjobs::bench
