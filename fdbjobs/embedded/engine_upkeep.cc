#include "fdbjobs/embedded/engine_impl.h"
#include "fdbjobs/embedded/fold.h"
#include "fdbjobs/embedded/last_error.h"

namespace fdbjobs::embedded {

namespace {
constexpr Version kLeaseVersions = 600'000'000;
}  // namespace

void EngineImpl::RunUpkeep() {
  while (!stopping_) {
    {
      MutexLock lock(&upkeep_mutex_);
      if (!stopping_) upkeep_wanted_.WaitFor(&upkeep_mutex_, std::chrono::microseconds(tuning_.tick_us));
    }
    if (stopping_) return;
    FinishWhatOthersLeft();
    (void)EnsureFollowed();
    window_.Prune(control_->base_version.load());
    readers_->RestIdle();
    std::string why;
    if (has_committed_ && log_->PrepareSpare(&why) != 0) SetEngineError(why);
    if (control_->version_lease.load() - clock_->Now() < kLeaseVersions / 2) ExtendLease();
    FoldOldCommits();
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
    window_.Prune(control_->base_version.load());
    readers_->RestIdle();
    writer_->Checkpoint();
    // Readers that begin now need nothing of SQLite's log, so that it can start anew.
    control_->base_epoch.fetch_add(1);
  } while (outcome.more && !stopping_);
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
