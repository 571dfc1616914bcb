#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tools/bench/child_process.h"
#include "tools/bench/engine_parts.h"
#include "tools/bench/errors.h"
#include "tools/bench/machine.h"
#include "tools/bench/worker.h"

namespace fdbjobs::bench {
namespace {

struct Stage {
  const char* name;
  const char* what;
};

// In the order in which the worker tells them.
constexpr Stage kStages[] = {
    {"start", "at start"},
    {"open", "database open, at rest"},
    {"load", "most during the load"},
    {"after", "right after the load"},
    {"pruned", "when all is folded into SQLite"},
};

Memory ReadStage(ChildProcess& child, const char* name) {
  const std::string line = child.ReadLine();
  const std::vector<std::string> words = absl::StrSplit(line, ' ');
  Memory memory;
  if (words.size() != 4 || words[0] != name || !absl::SimpleAtoi(words[1], &memory.resident) ||
      !absl::SimpleAtoi(words[2], &memory.anonymous) || !absl::SimpleAtoi(words[3], &memory.file)) {
    throw BenchError("the other process said " + line);
  }
  return memory;
}

}  // namespace

void MeasureMemory(EngineBench& bench, Report& report) {
  constexpr int kThreads = 64;
  { const fdb::Database settled_and_closed = bench.OpenLoaded(); }
  ChildProcess child(WorkerSettings{.role = "memory",
                                    .database = bench.database_name(),
                                    .prefix = bench.data().prefix(),
                                    .rows = bench.data().rows(),
                                    .threads = kThreads,
                                    .seconds = bench.settings().seconds}
                         .ToArguments());
  Json json = Json::Object();
  json["threads"] = kThreads;
  report.Head(
      absl::StrCat("Memory of a process with a load of ", kThreads, " threads: resident, and of these not files"));
  for (const Stage& stage : kStages) {
    const Memory memory = ReadStage(child, stage.name);
    json[stage.name] = memory.ToJson();
    report.Row(stage.what, Megabytes(memory.resident), Megabytes(memory.anonymous));
  }
  const std::vector<std::string> words = absl::StrSplit(child.ReadLine(), ' ');
  uint64_t commits = 0;
  if (words.size() != 2 || !absl::SimpleAtoi(words[1], &commits)) throw BenchError("the other process said too little");
  child.Finish();
  json["commits"] = commits;
  report.json()["memory"] = std::move(json);
}

}  // namespace fdbjobs::bench
