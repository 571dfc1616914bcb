#include "tools/bench/bare_sqlite.h"

#include "tools/bench/errors.h"

namespace fdbjobs::bench {
namespace {

// The pragmas of fdbjobs/embedded/base_store.cc.
constexpr char kWriterPragmas[] =
    "PRAGMA page_size = 4096; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0;"
    "PRAGMA mmap_size = 2147418112; PRAGMA cache_size = -16384;";
constexpr char kReaderPragmas[] = "PRAGMA mmap_size = 2147418112; PRAGMA cache_size = -4096;";

void Bind(sqlite3_stmt* statement, int index, std::string_view bytes) {
  sqlite3_bind_blob64(statement, index, bytes.data(), bytes.size(), SQLITE_STATIC);
}

// As the engine does: in key order, in transactions of some thousand rows.
void Load(const std::string& path, const DataSet& data) {
  constexpr uint64_t kRowsInTransaction = 40'000;
  const SqliteHandle db = OpenSqlite(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  ExecuteSqlite(db.get(), kWriterPragmas);
  ExecuteSqlite(db.get(), "CREATE TABLE kv (k BLOB PRIMARY KEY NOT NULL, v BLOB NOT NULL) WITHOUT ROWID");
  const SqliteStatement insert = PrepareSqlite(db.get(), "INSERT INTO kv VALUES (?1, ?2)");
  ExecuteSqlite(db.get(), "BEGIN");
  RowKey key(data);
  for (uint64_t row = 0; row < data.rows(); ++row) {
    if (row % kRowsInTransaction == kRowsInTransaction - 1) ExecuteSqlite(db.get(), "COMMIT; BEGIN");
    const std::string value = DataSet::Value(row);
    Bind(insert.get(), 1, key.At(row));
    Bind(insert.get(), 2, value);
    if (sqlite3_step(insert.get()) != SQLITE_DONE) throw BenchError("bare SQLite does not take a row");
    sqlite3_reset(insert.get());
  }
  ExecuteSqlite(db.get(), "COMMIT");
  sqlite3_wal_checkpoint_v2(db.get(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
}

SqliteHandle LoadAndOpen(const std::string& path, const DataSet& data) {
  Load(path, data);
  SqliteHandle db = OpenSqlite(path, SQLITE_OPEN_READWRITE);
  ExecuteSqlite(db.get(), kReaderPragmas);
  ExecuteSqlite(db.get(), "BEGIN");
  return db;
}

}  // namespace

BareSqlite::BareSqlite(const std::string& path, const DataSet& data)
    : db_(LoadAndOpen(path, data)),
      get_(PrepareSqlite(db_.get(), "SELECT v FROM kv WHERE k = ?1")),
      range_(PrepareSqlite(db_.get(), "SELECT k, v FROM kv WHERE k >= ?1 AND k < ?2 ORDER BY k")) {}

size_t BareSqlite::Get(std::string_view key) {
  Bind(get_.get(), 1, key);
  if (sqlite3_step(get_.get()) != SQLITE_ROW) throw BenchError("bare SQLite lacks a row");
  const void* const bytes = sqlite3_column_blob(get_.get(), 0);
  const int size = sqlite3_column_bytes(get_.get(), 0);
  sqlite3_reset(get_.get());
  return bytes == nullptr ? 0 : static_cast<size_t>(size);
}

uint64_t BareSqlite::GetRange(std::string_view begin, std::string_view end, int limit) {
  Bind(range_.get(), 1, begin);
  Bind(range_.get(), 2, end);
  uint64_t rows = 0;
  for (int i = 0; i < limit && sqlite3_step(range_.get()) == SQLITE_ROW; ++i) {
    const void* const key = sqlite3_column_blob(range_.get(), 0);
    const void* const value = sqlite3_column_blob(range_.get(), 1);
    const int bytes = sqlite3_column_bytes(range_.get(), 0) + sqlite3_column_bytes(range_.get(), 1);
    rows += key != nullptr && value != nullptr && bytes > 0 ? 1 : 0;
  }
  sqlite3_reset(range_.get());
  return rows;
}

}  // namespace fdbjobs::bench
