// The examples of the headers of the monitor, compiled. As header_examples.cc.
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "absl/types/span.h"
#include "fdbjobs/fdb/status.h"
#include "fdbjobs/monitor/activity_monitor.h"
#include "fdbjobs/monitor/batch_limit.h"
#include "fdbjobs/monitor/census.h"
#include "fdbjobs/monitor/clock.h"
#include "fdbjobs/monitor/look.h"
#include "fdbjobs/monitor/rescue_pass.h"
#include "fdbjobs/monitor/samples.h"
#include "fdbjobs/monitor/stop_signal.h"
#include "fdbjobs/monitor/supervisor.h"
#include "fdbjobs/monitor/type_watches.h"

namespace fdbjobs::monitor_examples {

void Report(const absl::Status& status) { std::cerr << status << "\n"; }
void Print(const MonitorEvent& /*event*/) { std::cerr << "event\n"; }
void LookAgain(const std::string& name) { std::cerr << name << "\n"; }

void ActivityMonitorExample(const fdb::Database& db, const Jobs& jobs, StopSignal& stop) {
  const MonitorOptions options;
  ActivityMonitor monitor(db, jobs, "index", absl::Seconds(30), options, stop, /*seed=*/1);
  while (!stop.stopped()) {
    if (absl::Status status = monitor.RunOnce(SteadyNow()); !status.ok()) Report(status);
    absl::SleepFor(monitor.next_run() - SteadyNow());
  }
}

void BatchLimitExample(const absl::Status& status, BatchLimit& limit) {
  if (BatchLimit::IsTooMuch(fdb::FdbCode(status))) limit.Shrink();
}

absl::Status CensusExample(const fdb::Database& db, const Jobs& jobs, absl::Span<const JobType> types) {
  absl::StatusOr<std::vector<TypeCensus>> census = TakeCensus(db, jobs, types, absl::Seconds(5), absl::Now());
  return census.status();
}

absl::Status LookExample(const Jobs& jobs, fdb::Transaction& tr, const JobType& type, const std::string& from) {
  Look look(jobs, tr, type, from);  // the reads are on the way
  absl::StatusOr<Seen> seen = look.Await();
  return seen.status();
}

absl::Status RescuePassExample(RescuePass& pass, const Sequence& stale, absl::Duration timeout) {
  absl::StatusOr<RescuePass::Batch> batch = pass.RunBatch(stale, timeout);
  return batch.status();
}

std::optional<Sequence> SamplesExample(Samples& samples, absl::Time now, const Sequence& watch,
                                       absl::Duration timeout) {
  samples.Add(now, watch);
  std::optional<Sequence> stale = samples.Stale(now, timeout);
  return stale;
}

absl::Status StopSignalExample(StopSignal& stop, const fdb::Database& db) {
  const auto body = [](fdb::Transaction& /*tr*/) -> absl::StatusOr<int> { return 0; };
  absl::StatusOr<int> count = TransactUnder(stop, db, {.timeout = absl::Seconds(5)}, body);
  return count.status();
}

void SupervisorExample(const fdb::Database& db, const Jobs& jobs, absl::Duration time) {
  MonitorSupervisor supervisor(db, jobs, {.on_event = Print});
  supervisor.Start();
  absl::SleepFor(time);
  supervisor.Stop();
}

void TypeWatchesExample(TypeWatches& watches, fdb::Transaction& tr, const std::string& key) {
  bool refused = false;
  watches.Set("name", tr.Watch(key));  // after the transaction has committed
  for (const std::string& name : watches.TakeFired(&refused)) LookAgain(name);
}

}  // namespace fdbjobs::monitor_examples
