#include "fdbjobs/monitor/activity_monitor.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "fdbjobs/fdb/status.h"

namespace fdbjobs {
namespace {

// How far the stale backlog is counted.
constexpr int kMostBacklog = 10000;
// FoundationDB's versions advance about this fast; so do the embedded engine's.
constexpr double kVersionsPerSecond = 1e6;

}  // namespace

ActivityMonitor::ActivityMonitor(const fdb::Database& db, const Jobs& jobs, JobType type, absl::Duration timeout,
                                 const MonitorOptions& options, StopSignal& stop, uint64_t seed)
    : db_(db),
      jobs_(jobs),
      type_(std::move(type)),
      options_(options),
      stop_(stop),
      timeout_(timeout),
      random_(static_cast<std::minstd_rand::result_type>(seed)),
      pass_(db, jobs, type_, options, stop, seed + 1) {
  stats_.type = type_;
  stats_.timeout = timeout;
  stats_.batch_limit = pass_.limit();
}

absl::Status ActivityMonitor::RunOnce(absl::Time now) {
  struct Looked {
    absl::StatusOr<Seen> seen;
    int64_t read_version;
  };
  const absl::StatusOr<Looked> looked = TransactUnder(
      stop_, db_, {.timeout = options_.transaction_timeout}, [&](fdb::Transaction& tr) -> absl::StatusOr<Looked> {
        const Look look = StartLook(now, tr);
        const absl::StatusOr<int64_t> read_version = tr.GetReadVersion().Await();
        if (!read_version.ok()) return read_version.status();
        absl::StatusOr<Seen> seen = look.Await();
        if (fdb::FdbCode(seen.status()) != 0) return seen.status();
        return Looked{std::move(seen), *read_version};
      });
  if (!looked.ok()) return looked.status();
  See(looked->seen, looked->read_version, std::max(now, options_.clock()));
  return Rescue(now);
}

absl::Duration ActivityMonitor::Interval() {
  const double part = std::uniform_real_distribution<double>(0.8, 1.0)(random_);
  const absl::Duration longest = std::clamp(timeout_ * options_.look_every, options_.shortest_interval,
                                            std::max(options_.shortest_interval, options_.look_again));
  return longest * part;
}

Look ActivityMonitor::StartLook(absl::Time now, fdb::Transaction& tr) {
  if (now < last_look_) ForgetSamples();
  if (!scan_began_.has_value() && now - last_full_ >= options_.look_again) {
    pass_.StartOver();
    last_full_ = now;
  }
  return Look(jobs_, tr, type_, pass_.floor());
}

void ActivityMonitor::See(const absl::StatusOr<Seen>& seen, int64_t read_version, absl::Time now) {
  last_look_ = now;
  asleep_ = false;
  PlanNext(now, /*more=*/false);
  if (!seen.ok()) {
    // The next claim or heartbeat writes the row anew.
    Settle();
    if (options_.on_event) {
      options_.on_event(
          {.kind = MonitorEvent::Kind::kDamage, .type = type_, .text = std::string(seen.status().message())});
    }
    return;
  }
  idle_ = !seen->any_entry;
  oldest_ = seen->first;
  unreadable_ = seen->any_entry && !seen->first.has_value();
  if (idle_) samples_.Forget();
  if (!idle_ && seen->watch.has_value()) samples_.Add(now, *seen->watch);
  if (oldest_.has_value()) samples_.DropBefore(*oldest_);
  // The last batch was full, so the pass could not tell that it was at its end.
  if (idle_ && scan_began_.has_value() && seen->watch.has_value()) PassIsDone(*seen->watch, now);

  if (!first_sequence_.has_value()) first_sequence_ = seen->watch;
  if (idle_ || (oldest_.has_value() && first_sequence_.has_value() && *oldest_ > *first_sequence_)) Settle();
  PlanNext(now, /*more=*/false);

  const std::lock_guard lock(mutex_);
  ++stats_.looks;
  stats_.last_success = now;
  stats_.asleep = false;
  stats_.oldest_heartbeat.reset();
  const bool comparable =
      oldest_.has_value() && seen->watch.has_value() && oldest_->incarnation == seen->watch->incarnation;
  if (comparable) {
    const double versions = static_cast<double>(read_version) - static_cast<double>(oldest_->version());
    stats_.oldest_heartbeat = absl::Seconds(std::max(0.0, versions / kVersionsPerSecond));
  }
  if (idle_) stats_.stale_backlog = 0;
}

bool ActivityMonitor::has_stale(absl::Time now) const {
  const std::optional<Sequence> stale = samples_.Stale(now, timeout_);
  if (!stale.has_value()) return false;
  return scan_began_.has_value() || unreadable_ || (oldest_.has_value() && *oldest_ <= *stale);
}

bool ActivityMonitor::has_work(absl::Time now) const { return pass_.unsettled() || has_stale(now); }

absl::Status ActivityMonitor::Rescue(absl::Time now) {
  absl::Status status = SettleBatch(now);
  if (status.ok() && has_stale(now)) status = RunBatches(now);
  if (!status.ok()) PlanNext(now, /*more=*/true);
  return status;
}

absl::Status ActivityMonitor::RunBatches(absl::Time now) {
  const Sequence stale = *samples_.Stale(now, timeout_);
  if (!scan_began_.has_value()) scan_began_ = options_.clock();
  for (int i = 0; i < options_.batches_per_run && !stop_.stopped(); ++i) {
    bool done = false;
    if (absl::Status status = RunBatch(stale, now, &done); !status.ok()) return status;
    if (done) {
      PlanNext(now, /*more=*/false);
      return absl::OkStatus();
    }
  }
  PlanNext(now, /*more=*/true);
  return absl::OkStatus();
}

absl::Status ActivityMonitor::SettleBatch(absl::Time now) {
  if (!pass_.unsettled()) return absl::OkStatus();
  const absl::StatusOr<std::optional<RescuePass::Batch>> settled = pass_.Settle();
  if (settled.ok() && settled->has_value()) Tell(**settled, now);
  const std::lock_guard lock(mutex_);
  stats_.unsettled = pass_.unsettled();
  if (!settled.ok()) ++stats_.errors[fdb::FdbCode(settled.status())];
  return settled.status();
}

absl::Status ActivityMonitor::RunBatch(const Sequence& stale, absl::Time now, bool* done) {
  absl::StatusOr<RescuePass::Batch> batch = pass_.RunBatch(stale, timeout_);
  if (batch.status().code() == absl::StatusCode::kFailedPrecondition && fdb::FdbCode(batch.status()) == 0) {
    ForgetSamples();
    *done = true;
    return absl::OkStatus();
  }
  if (!batch.ok()) {
    {
      const std::lock_guard lock(mutex_);
      ++stats_.errors[fdb::FdbCode(batch.status())];
      stats_.batch_limit = pass_.limit();
    }
    // If it can't be settled at once, the next run does that first.
    SettleBatch(now).IgnoreError();
    return batch.status();
  }
  Tell(*batch, now);
  *done = batch->done;
  if (batch->done) {
    PassIsDone(stale, now);
  } else {
    CountBacklog(stale);
  }
  return absl::OkStatus();
}

void ActivityMonitor::Tell(const RescuePass::Batch& batch, absl::Time now) {
  {
    const std::lock_guard lock(mutex_);
    stats_.reenqueued += batch.reenqueued;
    stats_.finished += batch.finished;
    stats_.dropped += batch.dropped;
    stats_.damaged = pass_.damaged();
    stats_.batch_limit = pass_.limit();
    ++stats_.batches;
    for (const int code : batch.retries) {
      ++stats_.errors[code];
      if (code == fdb::error::kNotCommitted) ++stats_.conflicts;
    }
    stats_.stale_backlog -= batch.reenqueued + batch.finished + batch.dropped;
    stats_.last_success = now;
  }
  if (!options_.on_event) return;
  for (const Damage& damage : batch.damaged) {
    options_.on_event({.kind = MonitorEvent::Kind::kDamage,
                       .type = type_,
                       .text = absl::StrCat(jobs_.keys().Describe(damage.key), ": ", damage.what)});
  }
  if (batch.reenqueued + batch.finished + batch.dropped > 0) {
    options_.on_event({.kind = MonitorEvent::Kind::kRescued,
                       .type = type_,
                       .reenqueued = batch.reenqueued,
                       .finished = batch.finished,
                       .dropped = batch.dropped});
  }
}

void ActivityMonitor::PassIsDone(const Sequence& stale, absl::Time now) {
  samples_.DropThrough(stale);
  unreadable_ = false;
  if (oldest_.has_value() && *oldest_ <= stale) oldest_.reset();
  if (!first_sequence_.has_value() || stale >= *first_sequence_) Settle();
  const std::lock_guard lock(mutex_);
  ++stats_.passes;
  stats_.last_scan = options_.clock() - scan_began_.value_or(now);
  stats_.all_scans += stats_.last_scan;
  stats_.stale_backlog = 0;
  scan_began_.reset();
}

// Only when it is not known any more: a count reads what it counts.
void ActivityMonitor::CountBacklog(const Sequence& stale) {
  {
    const std::lock_guard lock(mutex_);
    if (stats_.stale_backlog > 0) return;
  }
  const absl::StatusOr<int64_t> count = pass_.CountStale(stale, kMostBacklog);
  if (!count.ok()) return;  // whatever is wrong comes again with the next batch
  const std::lock_guard lock(mutex_);
  stats_.stale_backlog = *count;
}

void ActivityMonitor::PlanNext(absl::Time now, bool more) {
  if (more) {
    next_run_ = now;
    return;
  }
  next_run_ = last_look_ + Interval();
  // An entry may be stale before the next look.
  const std::optional<absl::Time> due = samples_.NextStale(now, timeout_);
  if (!due.has_value()) return;
  // However short the timeout is, looks do not follow one another without a pause.
  next_run_ = std::min(next_run_, std::max(*due, last_look_ + options_.shortest_interval / 10));
}

void ActivityMonitor::Sleep(absl::Time now) {
  asleep_ = true;
  next_run_ = now + options_.look_again * std::uniform_real_distribution<double>(0.8, 1.0)(random_);
  const std::lock_guard lock(mutex_);
  stats_.asleep = true;
}

void ActivityMonitor::WakeUp() {
  if (!asleep_) return;
  asleep_ = false;
  next_run_ = last_look_ + Interval();
  const std::lock_guard lock(mutex_);
  stats_.asleep = false;
}

void ActivityMonitor::SetTimeout(absl::Duration timeout) {
  if (timeout == timeout_) return;
  timeout_ = timeout;
  ForgetSamples();
  next_run_ = absl::InfinitePast();
  const std::lock_guard lock(mutex_);
  stats_.timeout = timeout;
}

void ActivityMonitor::ForgetSamples() {
  samples_.Forget();
  scan_began_.reset();
  pass_.StartOver();
}

void ActivityMonitor::Settle() {
  const std::lock_guard lock(mutex_);
  stats_.settled = true;
}

bool ActivityMonitor::settled() const {
  const std::lock_guard lock(mutex_);
  return stats_.settled;
}

TypeStats ActivityMonitor::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

}  // namespace fdbjobs
