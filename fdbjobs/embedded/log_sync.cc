#include "fdbjobs/embedded/log_sync.h"

#include <climits>

#include "absl/strings/str_cat.h"
#include "fdbjobs/embedded/error_codes.h"
#include "fdbjobs/embedded/futex.h"

namespace fdbjobs::embedded {

namespace {
// After this long the one who syncs is taken for dead or stopped.
constexpr int64_t kPatienceUs = 50'000;
}  // namespace

ErrorCode LogSync::FindLast(std::shared_ptr<Segment>* segment, LogPosition* tail, Version* version, std::string* why) {
  // The version first: every record up to it lies before the tail that is read next, and in the same segment or in
  // earlier ones, which were synced when the log moved on.
  *version = control_->published_version.load();
  *tail = LogPosition::Unpack(control_->tail.load());
  return log_->Find(tail->segment, segment, why);
}

ErrorCode LogSync::SyncLocked(const Segment& segment, std::string* why) {
  const ErrorCode error = segment.Sync(why);
  if (error != 0) control_->failed_syncs.fetch_add(1);
  return error;
}

ErrorCode LogSync::SyncSegment(const Segment& segment, std::string* why) {
  MutexLock lock(&mutex_);
  if (ErrorCode error = SyncLocked(segment, why)) return error;
  // Afterwards, since another process may have been told of a failure meanwhile.
  if (!InDoubt()) return 0;
  *why = "an earlier sync of the commit log failed, and the log was not written again since";
  return kIoError;
}

ErrorCode LogSync::SyncNow(std::string* why) {
  std::shared_ptr<Segment> segment;
  LogPosition tail;
  Version version;
  if (ErrorCode error = FindLast(&segment, &tail, &version, why)) return error;
  if (ErrorCode error = SyncSegment(*segment, why)) return error;
  RaiseTo(control_->durable_version, version);
  return 0;
}

ErrorCode LogSync::WriteAgain(std::string* why) {
  // Before the records are written: a failure that comes later may be about these.
  const uint32_t failed = control_->failed_syncs.load();
  std::shared_ptr<Segment> segment;
  LogPosition tail;
  Version version;
  if (ErrorCode error = FindLast(&segment, &tail, &version, why)) return error;
  // What the kernel dropped, it may also have forgotten.
  LogCursor cursor(log_);
  cursor.Place({tail.segment, kSegmentHeaderSize}, segment->header().previous_hash, segment->header().previous_version);
  LogCursor::Outcome read;
  RecordView record;
  while ((read = cursor.Next(tail, &record)) == LogCursor::Outcome::kRecord) {
  }
  if (read != LogCursor::Outcome::kEnd) {
    *why = absl::StrCat("a sync of the commit log failed, and what it was for is gone (", cursor.why(),
                        "); close the folder in all processes: it opens without that");
    return kIoError;
  }
  MutexLock lock(&mutex_);
  if (ErrorCode error = segment->WriteAgain(kSegmentHeaderSize, tail.offset, why)) return error;
  if (ErrorCode error = SyncLocked(*segment, why)) return error;
  RaiseTo(control_->durable_version, version);
  // Before the doubt ends: what was in doubt can be read then.
  Acknowledge(version);
  RaiseTo(control_->mended_syncs, failed);
  return 0;
}

ErrorCode LogSync::UpTo(Version version, std::string* why) {
  const uint32_t mine = uint32_t{slot_} + 1;
  int64_t waiting_since = 0;
  while (control_->durable_version.load() < version) {
    const uint32_t count = control_->sync_count.load();
    uint32_t holder = 0;
    bool taken = control_->syncing.compare_exchange_strong(holder, mine);
    if (!taken) {
      const int64_t now = MonotonicMicros();
      if (waiting_since == 0) waiting_since = now;
      taken = now - waiting_since > kPatienceUs && control_->syncing.compare_exchange_strong(holder, mine);
    }
    if (!taken) {
      control_->sync_waiters.fetch_add(1);
      FutexWait(control_->sync_count, count, std::chrono::milliseconds(10));
      control_->sync_waiters.fetch_sub(1);
      continue;
    }
    const ErrorCode error = SyncNow(why);
    control_->syncing.store(0);
    control_->sync_count.fetch_add(1);
    if (control_->sync_waiters.load() != 0) FutexWake(control_->sync_count, INT_MAX);
    if (error != 0) return error;
    waiting_since = 0;
  }
  Acknowledge(version);
  return 0;
}

void LogSync::Acknowledge(Version version) {
  if (control_->acked_version.load() >= version) return;
  RaiseTo(control_->acked_version, version);
  control_->acked_count.fetch_add(1);
  if (control_->acked_waiters.load() != 0) FutexWakeBits(control_->acked_count, INT_MAX, ControlBlock::kAckedBit);
}

}  // namespace fdbjobs::embedded
