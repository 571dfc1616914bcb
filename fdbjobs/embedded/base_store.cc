#include "fdbjobs/embedded/base_store.h"

#include <xxhash.h>

#include <cstring>

#include "absl/strings/str_cat.h"
#include "fdbjobs/embedded/error_codes.h"
#include "fdbjobs/embedded/limits.h"

namespace fdbjobs::embedded {

namespace {

// One key in this many is sampled, for estimates of sizes.
constexpr int64_t kSampleEvery = 64;

constexpr char kSchema[] = R"sql(
CREATE TABLE IF NOT EXISTS kv (k BLOB PRIMARY KEY NOT NULL, v BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sample (k BLOB PRIMARY KEY NOT NULL, size INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS mark (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL,
  segment INTEGER NOT NULL, offset INTEGER NOT NULL, hash INTEGER NOT NULL, lease INTEGER NOT NULL);
INSERT OR IGNORE INTO mark VALUES (1, 0, 0, 0, 0, 0);
)sql";

bool IsSampled(std::string_view key) { return XXH3_64bits(key.data(), key.size()) % kSampleEvery == 0; }

ErrorCode CodeOf(int result) {
  switch (result & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return kFileCorrupt;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return kFileNotWritable;
    default:
      return kIoError;
  }
}

ErrorCode OpenSqlite(const std::string& path, SqliteHandle* db, std::string* why) {
  sqlite3* raw = nullptr;
  const int result =
      sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  db->reset(raw);
  if (result != SQLITE_OK) {
    *why = absl::StrCat("can't open ", path, ": ", raw != nullptr ? sqlite3_errmsg(raw) : sqlite3_errstr(result));
    return CodeOf(result);
  }
  return 0;
}

ErrorCode Execute(sqlite3* db, const char* sql, std::string* why) {
  const int result = sqlite3_exec(db, sql, nullptr, nullptr, nullptr);
  if (result == SQLITE_OK) return 0;
  *why = absl::StrCat(sqlite3_db_filename(db, "main"), ": ", sqlite3_errmsg(db));
  return CodeOf(result);
}

ErrorCode Prepare(sqlite3* db, const char* sql, SqliteStatement* statement, std::string* why) {
  sqlite3_stmt* raw = nullptr;
  const int result = sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
  statement->reset(raw);
  if (result == SQLITE_OK) return 0;
  *why = absl::StrCat(sqlite3_db_filename(db, "main"), ": ", sqlite3_errmsg(db), " in ", sql);
  return CodeOf(result);
}

struct StatementText {
  SqliteStatement* statement;
  const char* sql;
};

ErrorCode PrepareAll(sqlite3* db, std::initializer_list<StatementText> texts, std::string* why) {
  for (const StatementText& text : texts) {
    if (ErrorCode error = Prepare(db, text.sql, text.statement, why)) return error;
  }
  return 0;
}

// The bytes must stay until the statement is reset. A null pointer would bind NULL, so empty keys need one.
void Bind(sqlite3_stmt* statement, int index, std::string_view bytes) {
  sqlite3_bind_blob64(statement, index, bytes.empty() ? "" : bytes.data(), bytes.size(), SQLITE_STATIC);
}

std::string_view Column(sqlite3_stmt* statement, int index) {
  const void* bytes = sqlite3_column_blob(statement, index);
  const int size = sqlite3_column_bytes(statement, index);
  return bytes == nullptr ? std::string_view() : std::string_view(static_cast<const char*>(bytes), size);
}

constexpr char kMarkQuery[] = "SELECT version, segment, offset, hash, lease FROM mark WHERE id = 1";

bool ReadMark(sqlite3_stmt* query, BaseMark* mark) {
  const bool found = sqlite3_step(query) == SQLITE_ROW;
  if (found) {
    mark->version = sqlite3_column_int64(query, 0);
    mark->position = {static_cast<uint32_t>(sqlite3_column_int64(query, 1)),
                      static_cast<uint32_t>(sqlite3_column_int64(query, 2))};
    mark->hash = static_cast<uint64_t>(sqlite3_column_int64(query, 3));
    mark->lease = sqlite3_column_int64(query, 4);
  }
  sqlite3_reset(query);
  return found;
}

}  // namespace

ErrorCode BaseReader::Open(const std::string& path, std::unique_ptr<BaseReader>* reader, std::string* why) {
  std::unique_ptr<BaseReader> opened(new BaseReader);
  if (ErrorCode error = OpenSqlite(path, &opened->db_, why)) return error;
  sqlite3* const db = opened->db_.get();
  sqlite3_busy_timeout(db, 10'000);
  if (ErrorCode error = Execute(db, "PRAGMA mmap_size = 2147418112; PRAGMA cache_size = -4096;", why)) return error;
  const ErrorCode error =
      PrepareAll(db,
                 {{&opened->begin_, "BEGIN"},
                  {&opened->rollback_, "ROLLBACK"},
                  {&opened->mark_query_, kMarkQuery},
                  {&opened->get_, "SELECT v FROM kv WHERE k = ?1"},
                  {&opened->forward_, "SELECT k, v FROM kv WHERE k >= ?1 AND k < ?2 ORDER BY k"},
                  {&opened->backward_, "SELECT k, v FROM kv WHERE k >= ?1 AND k < ?2 ORDER BY k DESC"},
                  {&opened->sample_, "SELECT k, size FROM sample WHERE k >= ?1 AND k < ?2 ORDER BY k"}},
                 why);
  if (error != 0) return error;
  opened->epoch = ~uint64_t{0};
  *reader = std::move(opened);
  return 0;
}

void BaseReader::Rest() {
  if (sqlite3_get_autocommit(db_.get()) != 0) return;
  sqlite3_step(rollback_.get());
  sqlite3_reset(rollback_.get());
  epoch = ~uint64_t{0};
}

ErrorCode BaseReader::Refresh() {
  Rest();
  const int result = sqlite3_step(begin_.get());
  sqlite3_reset(begin_.get());
  if (result != SQLITE_DONE) return CodeOf(result);
  // The first read takes the snapshot.
  if (!ReadMark(mark_query_.get(), &mark_)) {
    const ErrorCode error = CodeOf(sqlite3_errcode(db_.get()));
    Rest();
    return error;
  }
  return 0;
}

ErrorCode BaseReader::Get(std::string_view key, std::optional<std::string>* value) {
  sqlite3_stmt* const get = get_.get();
  Bind(get, 1, key);
  const int result = sqlite3_step(get);
  if (result == SQLITE_ROW) {
    value->emplace(Column(get, 0));
  } else {
    value->reset();
  }
  sqlite3_reset(get);
  return result == SQLITE_ROW || result == SQLITE_DONE ? 0 : CodeOf(result);
}

ErrorCode BaseReader::StartScan(std::string_view begin, std::string_view end, bool reverse) {
  scan_ = reverse ? backward_.get() : forward_.get();
  // Copied by SQLite: the caller's bytes may change before the scan ends.
  sqlite3_bind_blob64(scan_, 1, begin.empty() ? "" : begin.data(), begin.size(), SQLITE_TRANSIENT);
  sqlite3_bind_blob64(scan_, 2, end.empty() ? "" : end.data(), end.size(), SQLITE_TRANSIENT);
  return 0;
}

bool BaseReader::NextRow(ErrorCode* error) {
  const int result = sqlite3_step(scan_);
  if (result == SQLITE_ROW) return true;
  *error = result == SQLITE_DONE ? 0 : CodeOf(result);
  return false;
}

std::string_view BaseReader::row_key() const { return Column(scan_, 0); }
std::string_view BaseReader::row_value() const { return Column(scan_, 1); }

void BaseReader::EndScan() {
  if (scan_ != nullptr) sqlite3_reset(scan_);
  scan_ = nullptr;
}

ErrorCode BaseReader::SumSample(std::string_view begin, std::string_view end, int64_t chunk, int64_t* sum,
                                std::vector<std::string>* keys) {
  *sum = 0;
  int64_t since_cut = 0;
  Bind(sample_.get(), 1, begin);
  Bind(sample_.get(), 2, end);
  int result;
  while ((result = sqlite3_step(sample_.get())) == SQLITE_ROW) {
    const int64_t size = sqlite3_column_int64(sample_.get(), 1) * kSampleEvery;
    *sum += size;
    since_cut += size;
    if (chunk != 0 && since_cut >= chunk) {
      keys->emplace_back(Column(sample_.get(), 0));
      since_cut = 0;
    }
  }
  sqlite3_reset(sample_.get());
  return result == SQLITE_DONE ? 0 : CodeOf(result);
}

ErrorCode BaseWriter::Open(const std::string& path, bool create, std::unique_ptr<BaseWriter>* writer,
                           std::string* why) {
  std::unique_ptr<BaseWriter> opened(new BaseWriter);
  if (ErrorCode error = OpenSqlite(path, &opened->db_, why)) return error;
  sqlite3* const db = opened->db_.get();
  sqlite3_busy_timeout(db, 10'000);
  if (ErrorCode error =
          Execute(db,
                  "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0;"
                  "PRAGMA secure_delete = OFF; PRAGMA mmap_size = 2147418112; PRAGMA cache_size = -16384;",
                  why)) {
    return error;
  }
  if (create) {
    if (ErrorCode error = Execute(db, kSchema, why)) return error;
  }
  // Another process that writes is no reason to wait: it does the same work.
  sqlite3_busy_timeout(db, 0);
  const ErrorCode error = PrepareAll(
      db,
      {{&opened->begin_, "BEGIN IMMEDIATE"},
       {&opened->commit_, "COMMIT"},
       {&opened->rollback_, "ROLLBACK"},
       {&opened->mark_query_, kMarkQuery},
       {&opened->mark_update_,
        "UPDATE mark SET version = ?1, segment = ?2, offset = ?3, hash = ?4, lease = ?5 WHERE id = 1"},
       {&opened->put_, "INSERT INTO kv VALUES (?1, ?2) ON CONFLICT (k) DO UPDATE SET v = excluded.v"},
       {&opened->delete_, "DELETE FROM kv WHERE k = ?1"},
       {&opened->next_key_, "SELECT k FROM kv WHERE k > ?1 ORDER BY k LIMIT 1"},
       {&opened->delete_range_, "DELETE FROM kv WHERE k >= ?1 AND k < ?2"},
       {&opened->sample_put_, "INSERT INTO sample VALUES (?1, ?2) ON CONFLICT (k) DO UPDATE SET size = excluded.size"},
       {&opened->sample_delete_, "DELETE FROM sample WHERE k = ?1"},
       {&opened->sample_delete_range_, "DELETE FROM sample WHERE k >= ?1 AND k < ?2"}},
      why);
  if (error != 0) return error;
  *writer = std::move(opened);
  return 0;
}

ErrorCode BaseWriter::Fail(int result) {
  why_ = absl::StrCat(sqlite3_db_filename(db_.get(), "main"), ": ", sqlite3_errmsg(db_.get()));
  return CodeOf(result);
}

ErrorCode BaseWriter::Run(sqlite3_stmt* statement) {
  const int result = sqlite3_step(statement);
  if (result == SQLITE_DONE) {
    sqlite3_reset(statement);
    return 0;
  }
  const ErrorCode error = Fail(result);
  sqlite3_reset(statement);
  return error;
}

ErrorCode BaseWriter::Begin(bool* begun, BaseMark* mark) {
  gap_end_.clear();
  const int result = sqlite3_step(begin_.get());
  sqlite3_reset(begin_.get());
  *begun = result == SQLITE_DONE;
  if ((result & 0xff) == SQLITE_BUSY) return 0;
  if (!*begun) return Fail(result);
  if (ReadMark(mark_query_.get(), mark)) return 0;
  const ErrorCode error = Fail(sqlite3_errcode(db_.get()));
  Rollback();
  return error;
}

ErrorCode BaseWriter::ClearRange(std::string_view begin, std::string_view end) {
  for (sqlite3_stmt* statement : {delete_range_.get(), sample_delete_range_.get()}) {
    Bind(statement, 1, begin);
    Bind(statement, 2, end);
    if (ErrorCode error = Run(statement)) return error;
  }
  return 0;
}

ErrorCode BaseWriter::Put(std::string_view key, std::string_view value) {
  if (gap_begin_ <= key && key < gap_end_) gap_begin_ = std::string(key) + '\0';
  Bind(put_.get(), 1, key);
  Bind(put_.get(), 2, value);
  if (ErrorCode error = Run(put_.get())) return error;
  if (!IsSampled(key)) return 0;
  Bind(sample_put_.get(), 1, key);
  sqlite3_bind_int64(sample_put_.get(), 2, static_cast<int64_t>(key.size() + value.size()));
  return Run(sample_put_.get());
}

ErrorCode BaseWriter::Clear(std::string_view key) {
  if (gap_begin_ <= key && key < gap_end_) return 0;
  Bind(delete_.get(), 1, key);
  if (ErrorCode error = Run(delete_.get())) return error;
  if (sqlite3_changes(db_.get()) == 0) return FindGap(key);
  if (!IsSampled(key)) return 0;
  Bind(sample_delete_.get(), 1, key);
  return Run(sample_delete_.get());
}

// From a key that is not there to the next one that is.
ErrorCode BaseWriter::FindGap(std::string_view key) {
  gap_begin_ = key;
  gap_end_.clear();
  Bind(next_key_.get(), 1, key);
  const int result = sqlite3_step(next_key_.get());
  if (result == SQLITE_ROW) gap_end_ = Column(next_key_.get(), 0);
  if (result == SQLITE_DONE) gap_end_ = kSystemEnd;
  const ErrorCode error = result == SQLITE_ROW || result == SQLITE_DONE ? 0 : Fail(result);
  sqlite3_reset(next_key_.get());
  return error;
}

ErrorCode BaseWriter::Commit(const BaseMark& mark) {
  sqlite3_stmt* const update = mark_update_.get();
  sqlite3_bind_int64(update, 1, mark.version);
  sqlite3_bind_int64(update, 2, mark.position.segment);
  sqlite3_bind_int64(update, 3, mark.position.offset);
  sqlite3_bind_int64(update, 4, static_cast<int64_t>(mark.hash));
  sqlite3_bind_int64(update, 5, mark.lease);
  if (ErrorCode error = Run(update)) return error;
  return Run(commit_.get());
}

void BaseWriter::Rollback() {
  if (sqlite3_get_autocommit(db_.get()) != 0) return;
  sqlite3_step(rollback_.get());
  sqlite3_reset(rollback_.get());
}

void BaseWriter::Checkpoint() {
  sqlite3_wal_checkpoint_v2(db_.get(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  // The pages that the fold touched are of little use to the next one.
  sqlite3_db_release_memory(db_.get());
}

BaseReaders::BaseReaders(std::string path, const ControlBlock* control, size_t most, std::function<bool()> in_place)
    : path_(std::move(path)), control_(control), most_(most), in_place_(std::move(in_place)) {}

ErrorCode BaseReaders::OpenAnother(std::unique_ptr<BaseReader>* reader, std::string* why) const {
  if (ErrorCode error = BaseReader::Open(path_, reader, why)) return error;
  // Afterwards, so that what was opened was in place.
  if (in_place_()) return 0;
  reader->reset();
  *why = absl::StrCat(path_, " was moved, removed or replaced while it was open");
  return kFileNotFound;
}

ErrorCode BaseReaders::EnsureCurrent(BaseReader* reader) {
  const uint64_t epoch = control_->base_epoch.load(std::memory_order_acquire);
  if (reader->epoch == epoch) return 0;
  if (ErrorCode error = reader->Refresh()) return error;
  reader->epoch = epoch;
  return 0;
}

ErrorCode BaseReaders::Borrow(Lease* lease, std::string* why) {
  std::unique_ptr<BaseReader> reader;
  {
    MutexLock lock(&mutex_);
    ++waiting_;
    while (idle_.empty() && made_ >= most_) returned_.Wait(&mutex_);
    --waiting_;
    if (!idle_.empty()) {
      reader = std::move(idle_.back());
      idle_.pop_back();
    } else {
      ++made_;
    }
  }
  ErrorCode error = reader != nullptr ? 0 : OpenAnother(&reader, why);
  if (error != 0) {
    MutexLock lock(&mutex_);
    --made_;
    returned_.NotifyOne();
    return error;
  }
  *lease = Lease(this, std::move(reader));
  return EnsureCurrent(lease->operator->());
}

ErrorCode BaseReaders::Refresh(Lease* lease) {
  BaseReader* const reader = lease->operator->();
  const uint64_t epoch = control_->base_epoch.load(std::memory_order_acquire);
  if (ErrorCode error = reader->Refresh()) return error;
  reader->epoch = epoch;
  return 0;
}

void BaseReaders::Return(std::unique_ptr<BaseReader> reader) {
  MutexLock lock(&mutex_);
  idle_.push_back(std::move(reader));
  // One for each reader that comes back: two may do so before the first who waits has got its own.
  if (waiting_ > 0) returned_.NotifyOne();
}

void BaseReaders::RestIdle() {
  const uint64_t epoch = control_->base_epoch.load(std::memory_order_acquire);
  MutexLock lock(&mutex_);
  for (const std::unique_ptr<BaseReader>& reader : idle_) {
    if (reader->epoch != epoch) reader->Rest();
  }
}

}  // namespace fdbjobs::embedded
