// CommitLog: the segments of the commit log of a folder, and a cursor that reads records from them.
//
// Segments are made ahead of time and filled with zeros, so that an append overwrites blocks that exist: a sync then
// has only data to write, and a full disk is noticed before a commit depends on it. A segment is never reused: when
// its records are in the base it is unlinked, and whoever still has it mapped can go on reading.
//
// Thread safety: CommitLog's methods may be called from any thread. A LogCursor has one user at a time.
// Lifetime: a Segment lives as long as somebody holds it; views into it as long as the Segment.
#ifndef FDBJOBS_EMBEDDED_COMMIT_LOG_H_
#define FDBJOBS_EMBEDDED_COMMIT_LOG_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "fdbjobs/embedded/control_block.h"
#include "fdbjobs/embedded/file_util.h"
#include "fdbjobs/embedded/log_record.h"
#include "fdbjobs/embedded/mutex.h"

namespace fdbjobs::embedded {

// One segment, open for writing and mapped for reading.
class Segment {
 public:
  static ErrorCode Open(const std::string& path, std::shared_ptr<Segment>* segment, std::string* why);
  ~Segment();

  const SegmentHeader& header() const { return header_; }
  std::string_view bytes() const { return {mapped_, size_}; }
  size_t size() const { return size_; }
  ErrorCode Write(std::string_view bytes, uint32_t offset, std::string* why) const;
  // Waits until all that was written to the segment is on the disk. When that fails, the next one may succeed without
  // it.
  ErrorCode Sync(std::string* why) const;
  // Gives the file another header, durably. This object keeps the old one.
  ErrorCode Rewrite(const SegmentHeader& header, std::string* why) const;
  // Writes the bytes from `begin` to `end` once more as they are.
  ErrorCode WriteAgain(size_t begin, size_t end, std::string* why) const;

 private:
  Segment() = default;

  std::string path_;
  FileDescriptor file_;
  const char* mapped_ = nullptr;
  size_t size_ = 0;
  SegmentHeader header_;
};

class CommitLog {
 public:
  // `spare_name` is the file this process prepares its next segment in.
  CommitLog(std::string folder, const std::string& spare_name)
      : folder_(std::move(folder)), spare_(spare_name), next_spare_(spare_name + "-next") {}

  // kFileNotFound when the segment was dropped (or never was).
  ErrorCode Find(uint32_t number, std::shared_ptr<Segment>* segment, std::string* why);

  // Makes the segment of `header` with room for `room` bytes of records, durable with its name. If it is there
  // already, with the same header, that one serves, whatever its size: another process began to make it and did not
  // go on. So does one that continues a place which the log has passed; it gets this header. Only under the append
  // lock, for the segment after the last: fails if the lock was lost and the log went on elsewhere.
  ErrorCode Create(const SegmentHeader& header, size_t room, std::shared_ptr<Segment>* segment, std::string* why);

  // What Find has opened as `number` may have become another one since.
  void Forget(uint32_t number);

  // Has a segment of the size that the next one should have lie ready. Slow: for one thread in the background. Create
  // makes a small segment of its own meanwhile, and waits for it only if there is no room on the disk for both.
  ErrorCode PrepareSpare(std::string* why);

  // Unlinks the spare that lies ready.
  void DropSpare();
  // Unlinks the segments before `number`.
  void DropBefore(uint32_t number);
  // Unlinks the segments from `number` on: what a crash left behind the last valid record.
  void DropFrom(uint32_t number);
  // Unlinks the spares that processes have left behind which were killed: those of `spare_name`, or, with `all`, of
  // every process. Before the first segment is made.
  void DropSpares(bool all);
  // Bytes of records between two places; fewer if segments there were dropped.
  uint64_t BytesBetween(LogPosition from, LogPosition to);
  // Numbers of the segments in the folder, ascending.
  ErrorCode List(std::vector<uint32_t>* numbers, std::string* why);

  static std::string FileName(uint32_t number);
  static bool ParseFileName(std::string_view name, uint32_t* number);

 private:
  static ErrorCode FillFile(const std::string& path, size_t size, std::string* why);
  // Has a spare of at least `needed` bytes, which stays until NameSpare takes it.
  ErrorCode HaveSpare(size_t needed, std::string* why);
  ErrorCode FillSpare(size_t needed, std::string* why);
  // Gives the spare the header and the name of a segment. True if the name was free.
  ErrorCode NameSpare(const SegmentHeader& header, bool* named, std::string* why)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(spare_mutex_);
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }

  const std::string folder_;
  const std::string spare_;
  // What PrepareSpare fills; it gets the name of the spare when it is whole.
  const std::string next_spare_;

  // Held while PrepareSpare takes room on the disk. Before spare_mutex_.
  Mutex preparing_mutex_;
  Mutex spare_mutex_;
  size_t spare_size_ ABSL_GUARDED_BY(spare_mutex_) = 0;

  Mutex mutex_;
  // The segments that were used last; older ones live as long as their users hold them.
  std::map<uint32_t, std::shared_ptr<Segment>> open_ ABSL_GUARDED_BY(mutex_);
  // Of the last segment that was opened, by number.
  uint32_t last_number_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t last_size_ ABSL_GUARDED_BY(mutex_) = 0;
};

// Reads record after record.
class LogCursor {
 public:
  enum class Outcome { kRecord, kEnd, kGone, kDamaged };

  explicit LogCursor(CommitLog* log) : log_(log) {}

  // Continues at `position`, behind a record with `hash` and `version`.
  void Place(LogPosition position, uint64_t hash, Version version);

  // The records from `begin` to `end` were written by this process, which holds the append lock: they need no check.
  void Trust(LogPosition begin, LogPosition end) { trusted_begin_ = begin, trusted_end_ = end; }

  // The next record before `tail`. kGone: the segment was dropped, start over from the base.
  Outcome Next(LogPosition tail, RecordView* record);
  // The next record of a log whose end is not known: ends at the first that is not valid.
  Outcome NextUnbounded(RecordView* record);

  LogPosition position() const { return position_; }
  uint64_t hash() const { return hash_; }
  Version version() const { return version_; }
  // The segment of the last record; keeps its bytes.
  const std::shared_ptr<Segment>& segment() const { return segment_; }
  const std::string& why() const { return why_; }

 private:
  Outcome Load();
  Outcome Parse(uint32_t limit, RecordView* record);
  ErrorCode LoadNext();
  bool NextSegmentStartsHere();
  // Whether the next segment, which starts here, is the one to go on in.
  bool NextSegmentGoesOn();

  CommitLog* const log_;
  LogPosition position_;
  uint64_t hash_ = 0;
  Version version_ = 0;
  LogPosition trusted_begin_;
  LogPosition trusted_end_;
  std::shared_ptr<Segment> segment_;
  // The one after `segment_`, once it was asked for.
  std::shared_ptr<Segment> next_;
  std::string why_;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_COMMIT_LOG_H_
