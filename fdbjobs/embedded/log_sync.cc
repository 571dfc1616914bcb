#include "fdbjobs/embedded/log_sync.h"

#include <climits>

#include "fdbjobs/embedded/futex.h"

namespace fdbjobs::embedded {

namespace {
// After this long the one who syncs is taken for dead or stopped.
constexpr int64_t kPatienceUs = 50'000;
}  // namespace

ErrorCode LogSync::SyncNow(std::string* why) {
  // The version first: every record up to it lies before the tail that is read next, and in the same segment or in
  // earlier ones, which were synced when the log moved on.
  const Version version = control_->published_version.load();
  const LogPosition tail = LogPosition::Unpack(control_->tail.load());
  std::shared_ptr<Segment> segment;
  if (ErrorCode error = log_->Find(tail.segment, &segment, why)) return error;
  if (ErrorCode error = segment->Sync(why)) return error;
  RaiseTo(control_->durable_version, version);
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
  if (control_->acked_waiters.load() != 0) FutexWake(control_->acked_count, INT_MAX);
}

}  // namespace fdbjobs::embedded
