// Types of which nothing runs: processor time, transactions and memory that the monitor takes for them.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "fdbjobs/fdb/transact.h"
#include "fdbjobs/jobs.h"
#include "fdbjobs/monitor/census.h"
#include "fdbjobs/monitor/supervisor.h"
#include "tools/bench/errors.h"
#include "tools/bench/jobs_bench.h"
#include "tools/bench/machine.h"
#include "tools/bench/monitor_settings.h"

namespace fdbjobs::bench {
namespace {

constexpr int kTypesPerTransaction = 1000;
constexpr absl::Duration kTimeout = absl::Minutes(1);

// Of all threads of the process, so the engine's too.
double ProcessorSeconds() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) { return static_cast<double>(time.tv_sec) + time.tv_usec / 1e6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Processor time for each second that passes.
double ProcessorShare(double seconds) {
  const double begin = ProcessorSeconds();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  return (ProcessorSeconds() - begin) / seconds;
}

}  // namespace

Json MeasureIdleTypes(const MonitorSettings& settings) {
  BenchDatabase database(settings.database);
  // A handle of its own, which may have more watches.
  fdb::Database db = Require(fdb::Database::Open(database.name()), "open the database");
  Require(db.SetOption(fdb::DatabaseInt::kMaxWatches, settings.types + 1000), "allow watches");
  const Jobs jobs({.prefix = database.prefix()});
  std::vector<JobType> types;
  for (int i = 0; i < settings.types; ++i) types.push_back(JobType(i));
  for (int begin = 0; begin < settings.types; begin += kTypesPerTransaction) {
    Require(fdb::Transact(db,
                          [&](fdb::Transaction& tr) -> absl::Status {
                            absl::Status status;
                            for (int i = begin; i < std::min(settings.types, begin + kTypesPerTransaction); ++i) {
                              status.Update(jobs.SetActivityTimeout(tr, i, kTimeout));
                            }
                            return status;
                          }),
            "set timeouts");
  }
  // The embedded engine folds what was just written, in the six seconds after it.
  std::this_thread::sleep_for(std::chrono::duration<double>(std::min(8.0, settings.seconds)));
  const double without = ProcessorShare(settings.seconds);
  const int64_t memory = ReadMemory().anonymous;

  MonitorSupervisor supervisor(db, jobs, {.max_watches = settings.types + 500});
  const absl::Time start = absl::Now();
  const double start_processor = ProcessorSeconds();
  absl::Time asleep = start;
  supervisor.RunOnce(SteadyNow());
  asleep = absl::Now();
  Json result = Json::Object();
  result["types"] = settings.types;
  result["timeout_seconds"] = absl::ToDoubleSeconds(kTimeout);
  result["start_seconds"] = absl::ToDoubleSeconds(asleep - start);
  result["start_processor_seconds"] = ProcessorSeconds() - start_processor;
  supervisor.Start();
  const MonitorStats before = supervisor.Summary();
  const double with = ProcessorShare(settings.seconds);
  const MonitorStats after = supervisor.Summary();
  result["seconds"] = settings.seconds;
  result["processor_share_without_monitor"] = without;
  result["processor_share_with_monitor"] = with;
  result["look_transactions"] = static_cast<int64_t>(after.look_transactions - before.look_transactions);
  result["rounds"] = static_cast<int64_t>(after.rounds - before.rounds);
  result["memory_bytes"] = ReadMemory().anonymous - memory;
  const absl::Time census = absl::Now();
  Require(TakeCensus(db, jobs, types, absl::Seconds(10), absl::Now()), "take a census");
  result["census_seconds"] = absl::ToDoubleSeconds(absl::Now() - census);
  supervisor.Stop();
  return result;
}

}  // namespace fdbjobs::bench
