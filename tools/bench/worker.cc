#include "tools/bench/worker.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <iostream>
#include <thread>

#include "absl/strings/str_cat.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/fdb/transact.h"
#include "tools/bench/base_mark.h"
#include "tools/bench/commit_load.h"
#include "tools/bench/data_set.h"
#include "tools/bench/errors.h"
#include "tools/bench/latency.h"
#include "tools/bench/machine.h"

namespace fdbjobs::bench {
namespace {

void Say(const std::string& line) {
  std::puts(line.c_str());
  std::fflush(stdout);
}

bool Hear(std::string_view expected) {
  std::string line;
  return std::getline(std::cin, line) && line == expected;
}

fdb::Database Open(const WorkerSettings& settings) {
  return Require(fdb::Database::Open(settings.database), "open the database");
}

void RunLoad(const WorkerSettings& settings) {
  const fdb::Database database = Open(settings);
  const DataSet data(settings.prefix, settings.rows);
  Say("ready");
  if (!Hear("go")) return;
  const CommitLoadResult result = RunCommitLoad(
      database, data, {.threads = settings.threads, .seconds = settings.seconds, .risky = false, .meanwhile = {}});
  Say(absl::StrCat(result.commits, " ", result.seconds, " ", result.unmeasured));
}

void RunWatch(const WorkerSettings& settings) {
  const fdb::Database database = Open(settings);
  const std::string key = DataSet(settings.prefix, settings.rows).Key(0);
  while (Hear("arm")) {
    fdb::OwnedTransaction tr = Require(database.CreateTransaction(), "create a transaction");
    const fdb::VoidFuture watch = tr.Watch(key);
    Require(tr.Commit().Await(), "commit the watch");
    Say("armed");
    Require(watch.Await(), "watch");
    Say(absl::StrCat(std::chrono::nanoseconds(Clock::now().time_since_epoch()).count()));
  }
}

void SayMemory(const char* stage, const Memory& memory) {
  Say(absl::StrCat(stage, " ", memory.resident, " ", memory.anonymous, " ", memory.file));
}

// When everything was folded, what was freed shows within some ticks of the engine. Waits until the memory stays.
Memory AwaitQuietMemory() {
  constexpr int kQuietLooks = 10;
  constexpr int kMostLooks = 100;
  Memory memory = ReadMemory();
  for (int quiet = 0, looks = 0; quiet < kQuietLooks && looks < kMostLooks; ++looks) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const Memory now = ReadMemory();
    quiet = now.resident < memory.resident ? 0 : quiet + 1;
    memory = now;
  }
  return memory;
}

void RunMemory(const WorkerSettings& settings) {
  SayMemory("start", ReadMemory());
  const fdb::Database database = Open(settings);
  SayMemory("open", ReadMemory());
  const DataSet data(settings.prefix, settings.rows);
  Memory most;
  const auto look = [&most] {
    const Memory now = ReadMemory();
    if (now.resident > most.resident) most = now;
  };
  const CommitLoadResult result = RunCommitLoad(
      database, data, {.threads = settings.threads, .seconds = settings.seconds, .risky = false, .meanwhile = look});
  SayMemory("load", most);
  SayMemory("after", ReadMemory());
  fdb::OwnedTransaction tr = Require(database.CreateTransaction(), "create a transaction");
  tr.Set(data.Key(0), DataSet::Value(0));
  Require(tr.Commit().Await(), "commit");
  BaseMark(database.name().path).AwaitVersion(Require(tr.GetCommittedVersion(), "committed version"));
  SayMemory("pruned", AwaitQuietMemory());
  Say(absl::StrCat("commits ", result.commits));
}

}  // namespace

std::vector<std::string> WorkerSettings::ToArguments() const {
  return {kWorkerCommand, role,
          "--db",         database,
          "--prefix",     prefix,
          "--rows",       absl::StrCat(rows),
          "--threads",    absl::StrCat(threads),
          "--seconds",    absl::StrCat(seconds)};
}

void RunWorker(const WorkerSettings& settings) {
  if (settings.role == "load") return RunLoad(settings);
  if (settings.role == "watch") return RunWatch(settings);
  if (settings.role == "memory") return RunMemory(settings);
  throw BenchError(absl::StrCat("there is no role ", settings.role));
}

}  // namespace fdbjobs::bench
