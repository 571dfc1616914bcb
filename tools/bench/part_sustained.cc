#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/bench/base_mark.h"
#include "tools/bench/commit_load.h"
#include "tools/bench/engine_parts.h"

namespace fdbjobs::bench {

void MeasureSustained(EngineBench& bench, Report& report) {
  constexpr int kTimesAsLong = 4;
  report.Head("Commits under sustained load, while older ones are folded into SQLite");
  Json runs = Json::Array();
  for (const int threads : {16, 64}) {
    const fdb::Database database = bench.OpenLoaded();
    BaseMark mark(bench.folder());
    int64_t last = mark.Version();
    int folds = 0;
    const auto look = [&] {
      const int64_t version = mark.Version();
      if (std::exchange(last, version) != version) ++folds;
    };
    const CommitLoadResult result = RunCommitLoad(
        database, bench.data(),
        {.threads = threads, .seconds = bench.settings().seconds * kTimesAsLong, .risky = false, .meanwhile = look});
    bench.NoteCommits(result.commits + result.unmeasured);
    Json json = Json::Object();
    json["threads"] = threads;
    json["folds_seen"] = folds;
    json["result"] = result.ToJson();
    runs.Add(std::move(json));
    report.Row(absl::StrCat(threads, " threads, ", folds, " folds"), Rate(result.PerSecond(), "commits/s"),
               Times(result.latency));
    report.Ratio(absl::StrCat("sustained_p99_of_median_", threads),
                 absl::StrCat("p99 of median, ", threads, " threads under folds"),
                 result.latency.p99_us / result.latency.median_us, "10 or less");
  }
  report.json()["sustained"] = std::move(runs);
}

}  // namespace fdbjobs::bench
