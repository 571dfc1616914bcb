#include <algorithm>
#include <chrono>
#include <thread>

#include "tools/bench/jobs_bench.h"
#include "tools/bench/jobs_workloads.h"
#include "tools/bench/latency.h"

namespace fdbjobs::bench {
namespace {

Json Compete(const JobsSettings& settings, int claimers) {
  const int processes = std::min(claimers, JobsBench::kWorkers);
  JobsSettings own = settings;
  own.in_flight = claimers / processes;
  JobsBench bench(own, ClaimMode::kOnlyClaim);
  const JobsBench::Done added = bench.Bulk(settings.jobs, settings.cap);
  const Clock::time_point start = Clock::now();
  bench.StartWorkers(processes);
  while (SecondsSince(start) < settings.single && bench.CountJobs().pending > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  const JobsBench::Drained claimed = bench.StopWorkers(processes);
  const double seconds = SecondsSince(start);
  const Counts counts = bench.CountJobs();
  // Each process sees once for each claimer that there is nothing left, if it comes to that.
  const int64_t lost = std::max<int64_t>(0, claimed.tries - claimed.handled - (counts.pending == 0 ? claimers : 0));
  Json json = Json::Object();
  json["claimers"] = claimers;
  json["processes"] = processes;
  json["claims"] = claimed.handled;
  json["claimsPerSecond"] = static_cast<double>(claimed.handled) / seconds;
  json["conflictsPerClaim"] = static_cast<double>(lost) / static_cast<double>(std::max<int64_t>(1, claimed.handled));
  // Nobody got a job that another has, and none is lost.
  json["exact"] = counts.running == claimed.handled && counts.pending == added.jobs - claimed.handled;
  return json;
}

}  // namespace

Json MeasureCompetition(const JobsSettings& settings) {
  Json all = Json::Array();
  for (const int claimers : {1, 4, 16, 64}) all.Add(Compete(settings, claimers));
  return all;
}

}  // namespace fdbjobs::bench
