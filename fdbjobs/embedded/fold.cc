#include "fdbjobs/embedded/fold.h"

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/btree_map.h"
#include "fdbjobs/embedded/error_codes.h"

namespace fdbjobs::embedded {

namespace {

// What a piece of the log comes to: first the ranges are cleared, then the keys written.
class Piece {
 public:
  void Add(const RecordView& record, const std::shared_ptr<Segment>& segment) {
    if (segments_.empty() || segments_.back() != segment) segments_.push_back(segment);
    record.ForEach([this](const EntryView& entry) {
      switch (entry.kind) {
        case EntryKind::kSet:
          keys_.insert_or_assign(entry.key, entry.value);
          break;
        case EntryKind::kClear:
          keys_.insert_or_assign(entry.key, std::nullopt);
          break;
        case EntryKind::kClearRange:
          keys_.erase(keys_.lower_bound(entry.key), keys_.lower_bound(entry.value));
          ranges_.emplace_back(entry.key, entry.value);
          break;
        case EntryKind::kConflictRange:
          break;
      }
    });
  }

  ErrorCode WriteTo(BaseWriter* base, const std::atomic<bool>& stop) const {
    for (const auto& [begin, end] : ranges_) {
      if (ErrorCode error = base->ClearRange(begin, end)) return error;
    }
    for (const auto& [key, value] : keys_) {
      if (stop.load(std::memory_order_relaxed)) return kOperationCancelled;
      if (ErrorCode error = base->Put(key, value)) return error;
    }
    return 0;
  }

 private:
  // Views into these.
  std::vector<std::shared_ptr<Segment>> segments_;
  absl::btree_map<std::string_view, std::optional<std::string_view>> keys_;
  std::vector<std::pair<std::string_view, std::string_view>> ranges_;
};

}  // namespace

ErrorCode Fold(CommitLog* log, BaseWriter* base, ControlBlock* control, Version up_to, size_t max_bytes,
               const std::atomic<bool>& stop, FoldOutcome* outcome, std::string* why) {
  bool begun = false;
  BaseMark mark;
  *outcome = FoldOutcome();
  if (ErrorCode error = base->Begin(&begun, &mark); error != 0 || !begun) {
    *why = base->why();
    return error;
  }
  const LogPosition tail = LogPosition::Unpack(control->tail.load());
  LogCursor cursor(log);
  cursor.Place(mark.position, mark.hash, mark.version);
  Piece piece;
  RecordView record;
  LogCursor::Outcome read;
  while ((read = cursor.Next(tail, &record)) == LogCursor::Outcome::kRecord && record.version <= up_to) {
    piece.Add(record, cursor.segment());
    mark = {record.version, cursor.position(), record.hash, mark.lease};
    outcome->bytes += record.total_size;
    outcome->more = outcome->bytes >= max_bytes;
    if (outcome->more) break;
  }
  ErrorCode error = 0;
  if (read == LogCursor::Outcome::kGone || read == LogCursor::Outcome::kDamaged) {
    *why = cursor.why();
    error = kFileCorrupt;
  }
  if (error == 0 && outcome->bytes > 0) {
    error = piece.WriteTo(base, stop);
    if (error == 0) error = base->Commit(mark);
    if (error != 0) *why = base->why();
  }
  if (error != 0 || outcome->bytes == 0) {
    base->Rollback();
    return error == kOperationCancelled ? 0 : error;
  }
  RaiseTo(control->base_version, mark.version);
  control->folded_bytes.fetch_add(outcome->bytes);
  control->base_epoch.fetch_add(1);
  log->DropBefore(mark.position.segment);
  return 0;
}

}  // namespace fdbjobs::embedded
