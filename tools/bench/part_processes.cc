#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tools/bench/child_process.h"
#include "tools/bench/engine_parts.h"
#include "tools/bench/errors.h"
#include "tools/bench/worker.h"

namespace fdbjobs::bench {
namespace {

constexpr int kThreads = 64;

// Commits per second of `processes` processes together, with kThreads threads in all.
double RunProcesses(EngineBench& bench, int processes) {
  { const fdb::Database settled_and_closed = bench.OpenLoaded(); }
  const WorkerSettings settings{.role = "load",
                                .database = bench.database_name(),
                                .prefix = bench.data().prefix(),
                                .rows = bench.data().rows(),
                                .threads = kThreads / processes,
                                .seconds = bench.settings().seconds};
  std::vector<std::unique_ptr<ChildProcess>> children;
  for (int i = 0; i < processes; ++i) children.push_back(std::make_unique<ChildProcess>(settings.ToArguments()));
  for (const auto& child : children) child->Expect("ready");
  for (const auto& child : children) child->Send("go");
  double per_second = 0;
  for (const auto& child : children) {
    const std::string line = child->ReadLine();
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    uint64_t commits = 0;
    uint64_t unmeasured = 0;
    double seconds = 0;
    if (words.size() != 3 || !absl::SimpleAtoi(words[0], &commits) || !absl::SimpleAtod(words[1], &seconds) ||
        !absl::SimpleAtoi(words[2], &unmeasured)) {
      throw BenchError("the other process said " + line);
    }
    per_second += static_cast<double>(commits) / seconds;
    bench.NoteCommits(commits + unmeasured);
    child->Finish();
  }
  return per_second;
}

}  // namespace

void MeasureProcesses(EngineBench& bench, Report& report) {
  // By turns, so that one bad moment of the machine does not decide.
  constexpr int kRounds = 2;
  double one = 0;
  double two = 0;
  for (int i = 0; i < kRounds; ++i) {
    one += RunProcesses(bench, 1) / kRounds;
    two += RunProcesses(bench, 2) / kRounds;
  }
  Json json = Json::Object();
  json["threads"] = kThreads;
  json["one_process_commits_per_second"] = one;
  json["two_processes_commits_per_second"] = two;
  report.json()["processes"] = std::move(json);
  report.Head(absl::StrCat("Commits, ", kThreads, " threads in all"));
  report.Row("one process", Rate(one, "commits/s"));
  report.Row("two processes", Rate(two, "commits/s"));
  report.Ratio("two_processes_of_one", "commits/s of two processes, of one", two / one, "0.8 or more");
}

}  // namespace fdbjobs::bench
