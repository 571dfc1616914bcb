// BaseStore: the keys and values of the folder as of some seconds ago, in SQLite.
//
// One writer at a time over all processes (SQLite's own lock) moves the base forward by folding a piece of the commit
// log into it, together with the mark how far it got. Readers hold snapshots: a BaseReader keeps a read transaction
// open and so sees one version of the base until it is refreshed.
//
// Thread safety: BaseReader and BaseWriter have one user at a time; BaseReaders, the pool, may be used by any thread.
// Lifetime: a reader that was borrowed goes back when its Lease ends.
#ifndef FDBJOBS_EMBEDDED_BASE_STORE_H_
#define FDBJOBS_EMBEDDED_BASE_STORE_H_

#include <sqlite3.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "fdbjobs/embedded/control_block.h"
#include "fdbjobs/embedded/mutex.h"
#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

// How far the base has come: everything before `position` is in it.
struct BaseMark {
  Version version = 0;
  LogPosition position;
  uint64_t hash = 0;
  // Versions are given out up to here; see ControlBlock::version_lease.
  Version lease = 0;
};

struct SqliteClose {
  void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
};
struct SqliteFinalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using SqliteHandle = std::unique_ptr<sqlite3, SqliteClose>;
using SqliteStatement = std::unique_ptr<sqlite3_stmt, SqliteFinalize>;

class BaseReader {
 public:
  static ErrorCode Open(const std::string& path, std::unique_ptr<BaseReader>* reader, std::string* why);

  // Takes a new snapshot.
  ErrorCode Refresh();
  // Gives the snapshot up, so that SQLite can start its log anew. Refresh before the next read.
  void Rest();
  const BaseMark& mark() const { return mark_; }
  uint64_t epoch = 0;  // of the ControlBlock, when the snapshot was taken; ~0: none is held

  ErrorCode Get(std::string_view key, std::optional<std::string>* value);

  // A scan over [begin, end) of the snapshot. At most one at a time.
  ErrorCode StartScan(std::string_view begin, std::string_view end, bool reverse);
  // Moves to the next row. False at the end, or on an error, which `*error` tells.
  bool NextRow(ErrorCode* error);
  std::string_view row_key() const;
  std::string_view row_value() const;
  void EndScan();

  // Sum of the sampled sizes in [begin, end), and the keys where the sum passes multiples of `chunk` (if not 0).
  ErrorCode SumSample(std::string_view begin, std::string_view end, int64_t chunk, int64_t* sum,
                      std::vector<std::string>* keys);

 private:
  BaseReader() = default;

  SqliteHandle db_;
  SqliteStatement begin_, rollback_, mark_query_, get_, forward_, backward_, sample_;
  sqlite3_stmt* scan_ = nullptr;
  BaseMark mark_;
};

class BaseWriter {
 public:
  // With `create`, makes the file and its tables when they are missing.
  static ErrorCode Open(const std::string& path, bool create, std::unique_ptr<BaseWriter>* writer, std::string* why);

  // Starts a write transaction and reads the mark. False when another process has one open.
  ErrorCode Begin(bool* begun, BaseMark* mark);
  ErrorCode ClearRange(std::string_view begin, std::string_view end);
  ErrorCode Put(std::string_view key, std::string_view value);
  // Cheap for keys that are not there, if they come in ascending order: most keys of a queue were set and cleared since
  // the last fold.
  ErrorCode Clear(std::string_view key);
  // Durable when it returns.
  ErrorCode Commit(const BaseMark& mark);
  void Rollback();
  // Moves SQLite's own log into its file, as far as readers allow, and lets go of the memory that it took.
  void Checkpoint();
  const std::string& why() const { return why_; }

 private:
  BaseWriter() = default;
  ErrorCode Run(sqlite3_stmt* statement);
  ErrorCode Fail(int result);
  ErrorCode FindGap(std::string_view key);

  SqliteHandle db_;
  SqliteStatement begin_, commit_, rollback_, mark_query_, mark_update_, put_, delete_, delete_range_, next_key_;
  SqliteStatement sample_put_, sample_delete_, sample_delete_range_;
  std::string why_;
  // No key of [begin, end) is there. Empty when nothing is known; good for one write transaction.
  std::string gap_begin_, gap_end_;
};

// A pool of readers that take a new snapshot when the base has moved.
class BaseReaders {
 public:
  // Gives its reader back at the end.
  class Lease {
   public:
    Lease() = default;
    Lease(BaseReaders* pool, std::unique_ptr<BaseReader> reader) : pool_(pool), reader_(std::move(reader)) {}
    Lease(Lease&&) = default;
    Lease& operator=(Lease&& other) noexcept {
      std::swap(pool_, other.pool_);
      std::swap(reader_, other.reader_);
      return *this;
    }
    ~Lease() {
      if (reader_ != nullptr) pool_->Return(std::move(reader_));
    }
    BaseReader* operator->() const { return reader_.get(); }

   private:
    BaseReaders* pool_ = nullptr;
    std::unique_ptr<BaseReader> reader_;
  };

  // `in_place` tells whether `path` is still that of the base, and not of another one that has replaced it.
  BaseReaders(
      std::string path, const ControlBlock* control, size_t most, std::function<bool()> in_place = [] { return true; });

  // A reader with a snapshot that is current, or was a moment ago. Waits while all are in use.
  ErrorCode Borrow(Lease* lease, std::string* why);
  // The same with a snapshot taken now.
  ErrorCode Refresh(Lease* lease);
  // Has idle readers give up snapshots that are no longer current.
  void RestIdle();

 private:
  void Return(std::unique_ptr<BaseReader> reader);
  ErrorCode EnsureCurrent(BaseReader* reader);
  ErrorCode OpenAnother(std::unique_ptr<BaseReader>* reader, std::string* why) const;

  const std::string path_;
  const ControlBlock* const control_;
  const size_t most_;
  const std::function<bool()> in_place_;

  Mutex mutex_;
  CondVar returned_;
  std::vector<std::unique_ptr<BaseReader>> idle_ ABSL_GUARDED_BY(mutex_);
  size_t made_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t waiting_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_BASE_STORE_H_
