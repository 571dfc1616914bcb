#include <malloc.h>

#include <algorithm>

#include "fdbjobs/embedded/engine_impl.h"
#include "fdbjobs/embedded/fold.h"
#include "fdbjobs/embedded/last_error.h"

namespace fdbjobs::embedded {

namespace {
constexpr Version kLeaseVersions = 600'000'000;
// About a megabyte of window.
constexpr size_t kKeysWorthTrimming = 4096;
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
    if (control_->version_lease.load() - clock_->Now() < kLeaseVersions / 2) ExtendLease();
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

// A process that died between giving out a version and acknowledging the commit leaves it to the others. Two ticks in
// which nothing moved are taken for that.
void EngineImpl::FinishWhatOthersLeft() {
  const Version assigned = control_->assigned_version.load();
  if (assigned <= control_->acked_version.load()) {
    unfinished_since_ = 0;
    return;
  }
  if (unfinished_since_ != assigned) {
    unfinished_since_ = assigned;
    return;
  }
  unfinished_since_ = 0;
  {
    MutexLock lock(&batch_mutex_);
    Batch nobody;
    Append(&nobody);
  }
  std::string why;
  if (sync_->UpTo(control_->published_version.load(), &why) != 0) SetEngineError(why);
}

void EngineImpl::FoldOldCommits() {
  if (control_->appended_bytes.load() <= control_->folded_bytes.load()) return;
  const int64_t now = MonotonicMicros();
  if (now - last_fold_us_ < tuning_.fold_every_us) return;
  last_fold_us_ = now;
  FoldOutcome outcome;
  do {
    std::string why;
    if (Fold(log_.get(), writer_.get(), &*control_, clock_->Now() - tuning_.fold_lag, tuning_.fold_bytes, stopping_,
             &outcome, &why) != 0) {
      SetEngineError(why);
      return;
    }
    if (outcome.bytes == 0) return;
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
  const size_t keys = window_.keys();
  most_keys_ = std::max(most_keys_, keys);
  if (most_keys_ < kKeysWorthTrimming || keys > most_keys_ / 4) return;
  // Only now, not after every fold: it looks at all free memory of the process, and under a steady load that is soon
  // used again.
  most_keys_ = keys;
  malloc_trim(0);
}

void EngineImpl::ExtendLease() {
  bool begun = false;
  BaseMark mark;
  if (writer_->Begin(&begun, &mark) != 0 || !begun) return;
  mark.lease = clock_->Now() + kLeaseVersions;
  if (writer_->Commit(mark) != 0) {
    writer_->Rollback();
    return;
  }
  RaiseTo(control_->version_lease, mark.lease);
}

}  // namespace fdbjobs::embedded
