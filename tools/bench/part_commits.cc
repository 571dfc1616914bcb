#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/bench/bare_groups.h"
#include "tools/bench/commit_load.h"
#include "tools/bench/engine_parts.h"

namespace fdbjobs::bench {
namespace {

CommitLoadResult Run(EngineBench& bench, int threads, bool risky) {
  const fdb::Database database = bench.OpenLoaded();
  CommitLoadResult result =
      RunCommitLoad(database, bench.data(),
                    {.threads = threads, .seconds = bench.settings().seconds, .risky = risky, .meanwhile = {}});
  bench.NoteCommits(result.commits + result.unmeasured);
  return result;
}

std::string Beside(const CommitLoadResult& result) {
  return absl::StrFormat("%s, %.1f cores busy", Times(result.latency), result.busy_cores);
}

Json ToJson(int threads, const CommitLoadResult& result) {
  Json json = Json::Object();
  json["threads"] = threads;
  json["result"] = result.ToJson();
  return json;
}

// What the machine gives when nothing is done but to write, sync and wake.
Json MeasureBare(EngineBench& bench, Report& report) {
  BareGroups bare(bench.ScratchPath("bare-groups"));
  Json json = Json::Array();
  double alone = 0;
  for (const int threads : {1, 64}) {
    const double rate = bare.Run(threads, bench.settings().seconds);
    Json entry = Json::Object();
    entry["threads"] = threads;
    entry["commits_per_second"] = rate;
    json.Add(std::move(entry));
    std::string beside = "write, sync and wake, no engine";
    if (threads == 1) {
      alone = rate;
    } else {
      absl::StrAppendFormat(&beside, ": %.1f times one thread", rate / alone);
    }
    report.Row(absl::StrCat("bare groups of ", threads, threads == 1 ? " thread" : " threads"), Rate(rate, "commits/s"),
               beside);
  }
  return json;
}

Json MeasureRisky(EngineBench& bench, Report& report) {
  constexpr int kThreads = 64;
  const CommitLoadResult risky = Run(bench, kThreads, /*risky=*/true);
  report.Row(absl::StrCat(kThreads, " threads, DURABILITY_RISKY"), Rate(risky.PerSecond(), "commits/s"), Beside(risky));
  return ToJson(kThreads, risky);
}

}  // namespace

void MeasureCommits(EngineBench& bench, Report& report) {
  report.Head("Commits, one process; each sets one random row");
  Json durable = Json::Array();
  double alone = 0;
  for (const int threads : {1, 16, 64, 256}) {
    const CommitLoadResult result = Run(bench, threads, /*risky=*/false);
    durable.Add(ToJson(threads, result));
    report.Row(absl::StrCat(threads, threads == 1 ? " thread" : " threads"), Rate(result.PerSecond(), "commits/s"),
               Beside(result));
    if (threads == 1) alone = result.PerSecond();
    if (threads == 64 && bench.embedded()) {
      report.Ratio("threads_64_of_1", "commits/s of 64 threads, of 1 thread", result.PerSecond() / alone, "25 or more");
    }
  }
  Json json = Json::Object();
  json["durable"] = std::move(durable);
  // A cluster takes the option and ignores it, and has its disk elsewhere.
  if (bench.embedded()) {
    json["risky"] = MeasureRisky(bench, report);
    json["bare_groups"] = MeasureBare(bench, report);
  }
  report.json()["commits"] = std::move(json);
}

}  // namespace fdbjobs::bench
