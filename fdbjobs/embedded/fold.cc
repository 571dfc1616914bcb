#include "fdbjobs/embedded/fold.h"

#include "fdbjobs/embedded/error_codes.h"
#include "fdbjobs/embedded/fold_piece.h"

namespace fdbjobs::embedded {

namespace {

// How many times the limit the log of a piece may have, if most of it comes to nothing.
constexpr size_t kMostLog = 4;

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
  RaiseTo(control->base_position, mark.position.packed());
  const LogPosition tail = LogPosition::Unpack(control->tail.load());
  LogCursor cursor(log);
  cursor.Place(mark.position, mark.hash, mark.version);
  FoldPiece piece;
  Pace pace;
  RecordView record;
  LogCursor::Outcome read;
  while ((read = cursor.Next(tail, &record)) == LogCursor::Outcome::kRecord && record.version <= up_to) {
    pace.MaybeRest();
    piece.Add(record, cursor.segment());
    mark = {record.version, cursor.position(), record.hash, mark.lease};
    outcome->bytes += record.total_size;
    outcome->more = piece.weight() >= max_bytes || outcome->bytes >= kMostLog * max_bytes;
    if (outcome->more) break;
  }
  ErrorCode error = 0;
  if (read == LogCursor::Outcome::kGone || read == LogCursor::Outcome::kDamaged) {
    *why = cursor.why();
    error = kFileCorrupt;
  }
  if (error == 0 && outcome->bytes > 0) {
    error = piece.WriteTo(base, stop, &pace);
    if (error == 0) error = base->Commit(mark);
    if (error != 0) *why = base->why();
  }
  if (error != 0 || outcome->bytes == 0) {
    base->Rollback();
    return error == kOperationCancelled ? 0 : error;
  }
  RaiseTo(control->base_version, mark.version);
  RaiseTo(control->base_position, mark.position.packed());
  control->base_epoch.fetch_add(1);
  outcome->position = mark.position;
  return 0;
}

}  // namespace fdbjobs::embedded
