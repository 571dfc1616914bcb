#include <malloc.h>

#include <algorithm>

#include "fdbjobs/embedded/engine_impl.h"
#include "fdbjobs/embedded/fold.h"
#include "fdbjobs/embedded/last_error.h"

namespace fdbjobs::embedded {

namespace {
// About a megabyte of window.
constexpr size_t kKeysWorthTrimming = 4096;
constexpr int64_t kQuietUs = 500'000;
constexpr int64_t kLongestUntrimmedUs = 60'000'000;
}  // namespace

void EngineImpl::RunUpkeep() {
  while (!stopping_) {
    {
      MutexLock lock(&upkeep_mutex_);
      if (!stopping_) upkeep_wanted_.WaitFor(&upkeep_mutex_, std::chrono::microseconds(tuning_.tick_us));
    }
    if (stopping_) return;
    in_place_ = folder_.IsInPlace();
    FinishWhatOthersLeft();
    (void)EnsureFollowed();
    ForgetOldCommits();
    readers_->RestIdle();
    if (control_->version_lease.load() - clock_->Now() < tuning_.lease_versions / 2) ExtendLease();
    FoldOldCommits();
  }
}

// On a thread of its own, since a fold may take longer than a segment lasts.
void EngineImpl::RunSpareMaker() {
  for (;;) {
    {
      MutexLock lock(&spare_mutex_);
      while (!wants_spare_ && !stopping_) spare_wanted_.Wait(&spare_mutex_);
      if (stopping_) return;
      wants_spare_ = false;
    }
    std::string why;
    if (log_->PrepareSpare(&why) != 0) SetEngineError(why);
  }
}

// Two ticks in which nothing moved, though a version was given out and not acknowledged.
bool EngineImpl::CommitsStandStill() {
  const Version assigned = control_->assigned_version.load();
  if (assigned > control_->acked_version.load() && unfinished_since_ != assigned) {
    unfinished_since_ = assigned;
    return false;
  }
  return std::exchange(unfinished_since_, 0) != 0 && assigned > control_->acked_version.load();
}

// A process that died between giving out a version and acknowledging the commit leaves it to the others. So does one
// whose sync failed, and one that acknowledged commits without a sync (DURABILITY_RISKY).
void EngineImpl::FinishWhatOthersLeft() {
  std::string why;
  ErrorCode error = 0;
  if (CommitsStandStill() || sync_->InDoubt()) {
    error = FinishPublished(&why);
  } else if (control_->durable_version.load() < control_->acked_version.load()) {
    error = sync_->UpTo(control_->acked_version.load(), &why);
  }
  if (error != 0) SetEngineError(why);
}

void EngineImpl::LookHowMuchIsUnfolded() {
  unfolded_ = log_->BytesBetween(LogPosition::Unpack(control_->base_position.load()),
                                 LogPosition::Unpack(control_->tail.load()));
}

// Seldom while there is little to fold: what is set and cleared between two folds never reaches the disk a second time.
bool EngineImpl::IsTimeToFold() {
  const int64_t now = MonotonicMicros();
  // Whichever process has folded.
  const uint64_t epoch = control_->base_epoch.load();
  if (std::exchange(last_epoch_, epoch) != epoch) last_fold_us_ = now;
  const uint64_t unfolded = unfolded_.load();
  if (unfolded == 0) return false;
  if (now - last_fold_us_ <
      (unfolded < tuning_.little_unfolded ? tuning_.fold_little_every_us : tuning_.fold_every_us)) {
    return false;
  }
  last_fold_us_ = now;
  return true;
}

void EngineImpl::FoldOldCommits() {
  LookHowMuchIsUnfolded();
  if (!IsTimeToFold()) return;
  FoldOutcome outcome;
  do {
    std::string why;
    // What is not acknowledged, because the disk fails, nobody may read yet.
    const Version up_to = std::min(clock_->Now() - tuning_.fold_lag, control_->acked_version.load());
    if (Fold(log_.get(), writer_.get(), &*control_, up_to, tuning_.fold_bytes, stopping_, &outcome, &why) != 0) {
      SetEngineError(why);
      return;
    }
    LookHowMuchIsUnfolded();
    if (outcome.bytes == 0) return;
    // Else these may be names of another folder's segments by now.
    if (folder_.IsInPlace()) log_->DropBefore(outcome.position.segment);
    ForgetOldCommits();
    readers_->RestIdle();
    writer_->Checkpoint();
    // Readers that begin now need nothing of SQLite's log, so that it can start anew.
    control_->base_epoch.fetch_add(1);
  } while (outcome.more && !stopping_);
}

// Also when nobody commits here: the memory of a burst goes back some seconds after it.
void EngineImpl::ForgetOldCommits() {
  window_.Prune(control_->base_version.load());
  {
    MutexLock lock(&state_mutex_);
    history_.DropBefore(clock_->Now() - tuning_.window_versions);
  }
  GiveMemoryBack();
}

// Not after every fold: under a steady load memory is soon used again. And whoever allocates meanwhile is held up for
// some milliseconds: so when nobody commits, if that comes within a minute.
void EngineImpl::GiveMemoryBack() {
  const int64_t now = MonotonicMicros();
  const Version acked = control_->acked_version.load();
  if (std::exchange(last_acked_, acked) != acked) last_commit_us_ = now;
  const size_t keys = window_.keys();
  most_keys_ = std::max(most_keys_, keys);
  if (most_keys_ < kKeysWorthTrimming || keys > most_keys_ / 4) {
    not_worth_trimming_us_ = now;
    return;
  }
  if (now - last_commit_us_ < kQuietUs && now - not_worth_trimming_us_ < kLongestUntrimmedUs) return;
  most_keys_ = keys;
  malloc_trim(0);
}

void EngineImpl::ExtendLease() {
  const Version lease = clock_->Now() + tuning_.lease_versions;
  std::string why;
  // The base needs room on the disk, and its lock. Without a lease nobody could read any more.
  if (WriteLease(lease, &why) != 0 && control_.KeepLease(lease, &why) != 0) return SetEngineError(why);
  RaiseTo(control_->version_lease, lease);
}

ErrorCode EngineImpl::WriteLease(Version lease, std::string* why) {
  bool begun = false;
  BaseMark mark;
  ErrorCode error = writer_->Begin(&begun, &mark);
  if (error == 0 && !begun) error = kIoError;
  if (error == 0) {
    // Not below what others have promised while this process was stopped.
    mark.lease = std::max(mark.lease, lease);
    error = writer_->Commit(mark);
    if (error != 0) writer_->Rollback();
  }
  if (error != 0) *why = writer_->why();
  return error;
}

}  // namespace fdbjobs::embedded
