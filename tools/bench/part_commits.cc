#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
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

Json ToJson(int threads, const CommitLoadResult& result) {
  Json json = Json::Object();
  json["threads"] = threads;
  json["result"] = result.ToJson();
  return json;
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
               Times(result.latency));
    if (threads == 1) alone = result.PerSecond();
    if (threads == 64 && bench.embedded()) {
      report.Ratio("threads_64_of_1", "commits/s of 64 threads, of 1 thread", result.PerSecond() / alone, "25 or more");
    }
  }
  Json json = Json::Object();
  json["durable"] = std::move(durable);
  // A cluster takes the option and ignores it.
  if (bench.embedded()) {
    constexpr int kThreads = 64;
    const CommitLoadResult risky = Run(bench, kThreads, /*risky=*/true);
    json["risky"] = ToJson(kThreads, risky);
    report.Row(absl::StrCat(kThreads, " threads, DURABILITY_RISKY"), Rate(risky.PerSecond(), "commits/s"),
               Times(risky.latency));
  }
  report.json()["commits"] = std::move(json);
}

}  // namespace fdbjobs::bench
