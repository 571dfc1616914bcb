// One type with many running jobs, some of them stale: how fast those are put back, and how steadily. The clock is
// virtual, so nobody waits for the timeout; the work is real.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "fdbjobs/fdb/transact.h"
#include "fdbjobs/jobs.h"
#include "fdbjobs/monitor/supervisor.h"
#include "tools/bench/errors.h"
#include "tools/bench/jobs_bench.h"
#include "tools/bench/monitor_settings.h"

namespace fdbjobs::bench {
namespace {

constexpr int kJobsPerTransaction = 2000;
constexpr absl::Duration kTimeout = absl::Minutes(1);
constexpr char kType[] = "type";

// Adds jobs and claims them.
void MakeRunning(const fdb::Database& db, const Jobs& jobs, int first_id, int count) {
  for (int begin = 0; begin < count; begin += kJobsPerTransaction) {
    const int some = std::min(kJobsPerTransaction, count - begin);
    std::vector<NewJob> added;
    for (int i = 0; i < some; ++i) added.push_back({.id = first_id + begin + i, .data = R"({"n":1})"});
    Require(fdb::Transact(db, [&](fdb::Transaction& tr) { return jobs.AddMany(tr, kType, added).status(); }),
            "add jobs");
    Require(fdb::Transact(db, [&](fdb::Transaction& tr) { return jobs.Accept(tr, kType, {.limit = some}).status(); }),
            "claim jobs");
  }
}

}  // namespace

Json MeasureBacklog(const MonitorSettings& settings) {
  BenchDatabase database(settings.database);
  const fdb::Database& db = database.db();
  const Jobs jobs({.prefix = database.prefix()});
  Require(fdb::Transact(db, [&](fdb::Transaction& tr) { return jobs.SetActivityTimeout(tr, kType, kTimeout); }),
          "set the timeout");
  absl::Time now = SteadyNow();
  MonitorOptions options;
  options.clock = [&] { return now; };
  options.ping_every = absl::InfiniteDuration();
  MonitorSupervisor supervisor(db, jobs, options);
  MakeRunning(db, jobs, 0, settings.stale);
  supervisor.RunOnce(now);  // from here on, what is not renewed gets stale
  MakeRunning(db, jobs, settings.stale, settings.running);
  now += kTimeout;

  std::vector<double> rounds_us;
  const absl::Time start = absl::Now();
  while (true) {
    const absl::Time round = absl::Now();
    supervisor.RunOnce(now);
    rounds_us.push_back(absl::ToDoubleMicroseconds(absl::Now() - round));
    const TypeStats stats = supervisor.Stats().types.at(0);
    if (stats.passes > 0) break;
  }
  const double seconds = absl::ToDoubleSeconds(absl::Now() - start);
  const TypeStats stats = supervisor.Stats().types.at(0);
  std::sort(rounds_us.begin(), rounds_us.end());
  // Nothing is stale now: what one look at so many running jobs takes.
  const absl::Time look = absl::Now();
  constexpr int kLooks = 100;
  for (int i = 0; i < kLooks; ++i) {
    now += kTimeout / (2 * kLooks);
    supervisor.RunOnce(now);
  }
  const uint64_t looks = std::max<uint64_t>(1, supervisor.Stats().types.at(0).looks - stats.looks);
  const double look_us = absl::ToDoubleMicroseconds(absl::Now() - look) / static_cast<double>(looks);
  Json result = Json::Object();
  result["running"] = settings.running;
  result["stale"] = settings.stale;
  result["reenqueued"] = static_cast<int64_t>(stats.reenqueued);
  result["seconds"] = seconds;
  result["reenqueued_per_second"] = static_cast<double>(stats.reenqueued) / seconds;
  result["batches"] = static_cast<int64_t>(stats.batches);
  result["batch_size_at_end"] = stats.batch_limit;
  result["round_median_ms"] = rounds_us[rounds_us.size() / 2] / 1000;
  result["round_max_ms"] = rounds_us.back() / 1000;
  result["look_us"] = look_us;
  return result;
}

}  // namespace fdbjobs::bench
