#include <utility>
#include <vector>

#include "fdbjobs/fdb/transact.h"
#include "tools/bench/engine_parts.h"
#include "tools/bench/errors.h"
#include "tools/bench/latency.h"
#include "tools/bench/sync_probe.h"

namespace fdbjobs::bench {
namespace {

std::chrono::nanoseconds CommitOne(const fdb::Database& database, std::string_view key, std::string_view value) {
  const Clock::time_point start = Clock::now();
  Require(fdb::Transact(database,
                        [&](fdb::Transaction& tr) {
                          tr.Set(key, value);
                          return absl::OkStatus();
                        }),
          "commit");
  return Clock::now() - start;
}

}  // namespace

void MeasureLatency(EngineBench& bench, Report& report) {
  // By turns, so that a busy moment of the disk hits all alike; several in a row, as they come in real life.
  constexpr int kInARow = 20;
  const fdb::Database database = bench.OpenLoaded();
  SyncProbe probe(bench.ScratchPath("sync-"));
  RowKey key(bench.data());
  std::vector<std::chrono::nanoseconds> commits, overwrites, appends;
  const Clock::time_point start = Clock::now();
  for (uint64_t row = 0; commits.empty() || SecondsSince(start) < bench.settings().seconds;) {
    for (int i = 0; i < kInARow; ++i, ++row) {
      commits.push_back(CommitOne(database, key.At(row % bench.data().rows()), DataSet::Value(row)));
    }
    for (int i = 0; i < kInARow; ++i) overwrites.push_back(probe.Overwrite());
    for (int i = 0; i < kInARow; ++i) appends.push_back(probe.Append());
  }
  bench.NoteCommits(commits.size());
  const LatencySummary commit = Summarize(std::move(commits));
  const LatencySummary overwrite = Summarize(std::move(overwrites));
  const LatencySummary append = Summarize(std::move(appends));

  Json json = Json::Object();
  json["commit_us"] = commit.ToJson();
  json["sync_of_overwrite_us"] = overwrite.ToJson();
  json["sync_of_append_us"] = append.ToJson();
  report.json()["latency"] = std::move(json);
  report.Head("One durable commit at a time, beside one fdatasync of 4 KB in the same folder");
  report.Row("commit", Time(commit.median_us), Times(commit));
  report.Row("sync of 4 KB overwritten", Time(overwrite.median_us), Times(overwrite));
  report.Row("sync of 4 KB appended", Time(append.median_us), Times(append));
  report.Ratio("commit_of_sync", "lone commit, of one sync (overwriting)", commit.median_us / overwrite.median_us,
               "1.5 or less");
}

}  // namespace fdbjobs::bench
