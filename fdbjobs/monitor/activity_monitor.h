// ActivityMonitor: finds the jobs of one type whose worker stopped reporting, and puts them back.
//
// It looks at the type several times per timeout. A look reads the type's watches row, which every claim, heartbeat and
// finish writes, and the oldest activity entry. The first gives a sample (samples.h), the second tells whether anything
// runs and whether it is stale. One timeout after a sample, what was not renewed since then is rescued, in batches
// (rescue_pass.h). So a job whose worker died is pending again between 1 and 1 + `look_every` timeouts after its last
// update, plus the time that the work takes; never earlier, also when
//   - the monitor has just started: it has no samples, so nothing is stale for one timeout;
//   - the timeout was changed, the incarnation was raised, or the watches row went back: samples are forgotten, and
//     each batch makes sure of it in its own transaction;
//   - the clock goes back: samples are forgotten. (It can't go ahead: the default is a steady clock.)
//
// A look that finds no entry ends the looking: the type sleeps, until its watches row changes. MonitorSupervisor sets a
// watch on it and looks at many types in one transaction; RunOnce does all of it for this type alone.
//
// Thread safety: stats and settled from any thread, the rest from one thread at a time. Lifetime: borrows the database,
// Jobs and the stop signal.
//
//   const MonitorOptions options;
//   ActivityMonitor monitor(db, jobs, "index", absl::Seconds(30), options, stop, /*seed=*/1);
//   while (!stop.stopped()) {
//     if (absl::Status status = monitor.RunOnce(SteadyNow()); !status.ok()) Report(status);
//     absl::SleepFor(monitor.next_run() - SteadyNow());
//   }
#ifndef FDBJOBS_MONITOR_ACTIVITY_MONITOR_H_
#define FDBJOBS_MONITOR_ACTIVITY_MONITOR_H_

#include <cstdint>
#include <mutex>
#include <optional>
#include <random>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/jobs.h"
#include "fdbjobs/monitor/look.h"
#include "fdbjobs/monitor/options.h"
#include "fdbjobs/monitor/rescue_pass.h"
#include "fdbjobs/monitor/samples.h"
#include "fdbjobs/monitor/stats.h"
#include "fdbjobs/monitor/stop_signal.h"

namespace fdbjobs {

class ActivityMonitor {
 public:
  // `options` must outlive it.
  ActivityMonitor(const fdb::Database& db, const Jobs& jobs, JobType type, absl::Duration timeout,
                  const MonitorOptions& options, StopSignal& stop, uint64_t seed);

  // A look, and up to `batches_per_run` batches. An error leaves the monitor as it is: call again.
  absl::Status RunOnce(absl::Time now);
  // When it is to be run next, at the latest. InfinitePast before the first run.
  absl::Time next_run() const { return next_run_; }

  // The parts of RunOnce, for looks at many types together. StartLook in a transaction; when that has committed, See
  // what was found, with a time that is not before the read; then Rescue.
  Look StartLook(absl::Time now, fdb::Transaction& tr);
  void See(const absl::StatusOr<Seen>& seen, int64_t read_version, absl::Time now);
  // Whether Rescue has something to do.
  bool has_work(absl::Time now) const;
  absl::Status Rescue(absl::Time now);

  // The last look found no entry.
  bool idle() const { return idle_; }
  // The watches row is watched: no look is needed before it changes, but for `look_again`.
  void Sleep(absl::Time now);
  // It has changed: the next look is at its ordinary time after the last one.
  void WakeUp();
  bool asleep() const { return asleep_; }

  void SetTimeout(absl::Duration timeout);
  // Nothing is stale before one more timeout has passed.
  void ForgetSamples();
  // Whether all entries that the first look found were renewed or dealt with.
  bool settled() const;

  const JobType& type() const { return type_; }
  absl::Duration timeout() const { return timeout_; }
  TypeStats stats() const;

 private:
  // The time to the next look, with jitter.
  absl::Duration Interval();
  void Tell(const RescuePass::Batch& batch, absl::Time now);
  void PassIsDone(const Sequence& stale, absl::Time now);
  void CountBacklog(const Sequence& stale);
  void Settle();
  void PlanNext(absl::Time now, bool more);
  bool has_stale(absl::Time now) const;
  absl::Status RunBatches(absl::Time now);
  // Finds out what became of the last batch, if that is not known, so that its jobs are counted.
  absl::Status SettleBatch(absl::Time now);
  absl::Status RunBatch(const Sequence& stale, absl::Time now, bool* done);

  // Constant.
  const fdb::Database& db_;
  const Jobs& jobs_;
  const JobType type_;
  const MonitorOptions& options_;
  StopSignal& stop_;

  absl::Duration timeout_;
  std::minstd_rand random_;
  Samples samples_;
  RescuePass pass_;
  bool idle_ = false;
  bool asleep_ = false;
  std::optional<Sequence> first_sequence_;  // of the first look
  std::optional<Sequence> oldest_;          // the oldest entry at the last look
  bool unreadable_ = false;                 // the oldest entry's key can't be read
  absl::Time last_look_ = absl::InfinitePast();
  absl::Time last_full_ = absl::InfinitePast();  // when entries set aside were looked at
  absl::Time next_run_ = absl::InfinitePast();
  std::optional<absl::Time> scan_began_;

  mutable std::mutex mutex_;
  TypeStats stats_;  // guarded by mutex_
};

}  // namespace fdbjobs

#endif  // FDBJOBS_MONITOR_ACTIVITY_MONITOR_H_
