#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "fdbjobs/fdb/transact.h"
#include "tools/bench/child_process.h"
#include "tools/bench/engine_parts.h"
#include "tools/bench/errors.h"
#include "tools/bench/latency.h"
#include "tools/bench/worker.h"

namespace fdbjobs::bench {
namespace {

Clock::time_point ReadTime(ChildProcess& child) {
  const std::string line = child.ReadLine();
  int64_t nanoseconds = 0;
  if (!absl::SimpleAtoi(line, &nanoseconds)) throw BenchError("the other process said " + line);
  return Clock::time_point(std::chrono::nanoseconds(nanoseconds));
}

}  // namespace

void MeasureWatch(EngineBench& bench, Report& report) {
  const fdb::Database database = bench.Open();
  const DataSet watched(bench.prefix() + "watch/", 1);
  ChildProcess child(WorkerSettings{
      .role = "watch", .database = bench.database_name(), .prefix = watched.prefix(), .rows = watched.rows()}
                         .ToArguments());
  std::vector<std::chrono::nanoseconds> since_call, since_answer;
  for (int round = 0; round < bench.settings().watch_rounds; ++round) {
    child.Send("arm");
    child.Expect("armed");
    const Clock::time_point called = Clock::now();
    Require(fdb::Transact(database,
                          [&](fdb::Transaction& tr) {
                            tr.Set(watched.Key(0), absl::StrCat(round));
                            return absl::OkStatus();
                          }),
            "commit");
    const Clock::time_point answered = Clock::now();
    const Clock::time_point fired = ReadTime(child);
    since_call.push_back(fired - called);
    since_answer.push_back(fired - answered);
  }
  child.Finish();
  const LatencySummary call = Summarize(std::move(since_call));
  const LatencySummary answer = Summarize(std::move(since_answer));

  Json json = Json::Object();
  json["since_commit_was_called_us"] = call.ToJson();
  json["since_commit_was_answered_us"] = answer.ToJson();
  report.json()["watch"] = std::move(json);
  report.Head("A watch in another process");
  report.Row("from the call of commit", Time(call.median_us), Times(call));
  report.Row("from the answer to it (may be before)", Time(answer.median_us), Times(answer));
  if (!bench.embedded()) return;
  report.Ratio("watch_median_ms", "median from call to firing, in ms", call.median_us / 1000, "5 or less");
}

}  // namespace fdbjobs::bench
