#include "tools/bench/jobs_bench.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <thread>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "fdbjobs/fdb/transact.h"
#include "fdbjobs/uuid.h"
#include "tools/bench/errors.h"
#include "tools/bench/in_threads.h"
#include "tools/bench/jobs_payload.h"
#include "tools/bench/jobs_worker.h"
#include "tools/bench/latency.h"

namespace fdbjobs::bench {
namespace {

std::string MakeFolder() {
  std::string path = (std::filesystem::temp_directory_path() / "fdbjobs-bench-XXXXXX").string();
  RequireSystem(mkdtemp(path.data()) != nullptr, "make a folder in " + path);
  return path;
}

}  // namespace

const char* ClaimModeName(ClaimMode mode) {
  switch (mode) {
    case ClaimMode::kDurable:
      return "durable";
    case ClaimMode::kRisky:
      return "risky";
    case ClaimMode::kWhole:
      return "whole";
    case ClaimMode::kOnlyClaim:
      return "only-claim";
  }
  return "unknown";
}

BenchDatabase::BenchDatabase(const std::string& asked_for) : name_(asked_for) {
  if (name_.empty()) {
    folder_ = MakeFolder();
    name_ = "embedded:" + folder_;
  }
  prefix_ = absl::StrCat("fdbjobs-bench/", UuidToString(RandomUuid()), "/");
  db_ = std::make_unique<fdb::Database>(Require(fdb::Database::Open(name_), "open the database"));
}

BenchDatabase::~BenchDatabase() {
  if (folder_.empty()) {
    const std::string end = prefix_.substr(0, prefix_.size() - 1) + '0';  // '0' follows '/'
    fdb::Transact(*db_, {.timeout = absl::Seconds(10)}, [&](fdb::Transaction& tr) {
      tr.ClearRange(prefix_, end);
      return absl::OkStatus();
    }).IgnoreError();
  }
  db_.reset();
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

JobsBench::JobsBench(const JobsSettings& settings, ClaimMode mode)
    : settings_(settings), database_(settings.database), jobs_({.prefix = database_.prefix()}) {
  Require(fdb::Transact(
              db(), [&](fdb::Transaction& tr) { return jobs_.SetActivityTimeout(tr, kBenchType, absl::Minutes(10)); }),
          "set the activity timeout");
  const JobsWorkerSettings worker{.database = database_.name(),
                                  .prefix = database_.prefix(),
                                  .mode = ClaimModeName(mode),
                                  .batch = settings.batch,
                                  .in_flight = settings.in_flight};
  for (int i = 0; i < kWorkers; ++i) workers_.push_back(std::make_unique<ChildProcess>(worker.ToArguments()));
  if (mode == ClaimMode::kOnlyClaim) return;
  // Warm up, as the peers do.
  for (int i = 0; i < 200; ++i) AddOne(i, 0);
  Bulk(1500, settings.cap);
  Drain(kWorkers, 1700, 0, settings.cap);
}

JobsBench::~JobsBench() = default;

JobsBench::Done JobsBench::Bulk(int n, double cap) {
  const Clock::time_point start = Clock::now();
  std::atomic<int> next = 0;
  std::atomic<int64_t> added = 0;
  InThreads(settings_.bulk_in_flight, [&] {
    while (SecondsSince(start) < cap) {
      const int from = next.fetch_add(settings_.bulk_chunk);
      if (from >= n) return;
      const int to = std::min(n, from + settings_.bulk_chunk);
      std::vector<NewJob> batch;
      batch.reserve(to - from);
      for (int id = from; id < to; ++id) batch.push_back({.id = Jobs::MakeId(), .data = MakePayload({.id = id})});
      Require(fdb::Transact(db(), [&](fdb::Transaction& tr) { return jobs_.AddMany(tr, kBenchType, batch); }).status(),
              "add jobs");
      added += to - from;
    }
  });
  return {.jobs = added, .us = static_cast<int64_t>(SecondsSince(start) * 1e6), .took_us = {}};
}

void JobsBench::AddOne(int64_t id, int64_t enqueued_us) {
  const NewJob job{.id = Jobs::MakeId(), .data = MakePayload({.id = id, .enqueued_us = enqueued_us})};
  Require(fdb::Transact(db(), [&](fdb::Transaction& tr) { return jobs_.Add(tr, kBenchType, job); }).status(),
          "add a job");
}

JobsBench::Done JobsBench::Single(int producers) {
  const Clock::time_point start = Clock::now();
  std::atomic<int64_t> next = 0;
  std::mutex mutex;
  std::vector<double> all;  // guarded by mutex
  InThreads(producers, [&] {
    std::vector<double> took;
    while (SecondsSince(start) < settings_.single) {
      const int64_t id = next++;
      if (id >= settings_.jobs) break;
      const Clock::time_point call = Clock::now();
      AddOne(id, 0);
      took.push_back(SecondsSince(call) * 1e6);
    }
    const std::lock_guard lock(mutex);
    all.insert(all.end(), took.begin(), took.end());
  });
  const auto us = static_cast<int64_t>(SecondsSince(start) * 1e6);
  return {.jobs = static_cast<int64_t>(all.size()), .us = us, .took_us = std::move(all)};
}

Counts JobsBench::CountJobs() const {
  return Require(fdb::Transact(db(), [&](fdb::Transaction& tr) { return jobs_.CountJobs(tr, kBenchType); }),
                 "count the jobs");
}

int64_t JobsBench::CountLeft() const {
  const Counts counts = CountJobs();
  return counts.pending + counts.running;
}

void JobsBench::StartWorkers(int processes) {
  for (int i = 0; i < processes; ++i) workers_[i]->Send("start");
  for (int i = 0; i < processes; ++i) workers_[i]->Expect("started");
}

JobsBench::Drained JobsBench::StopWorkers(int processes) {
  for (int i = 0; i < processes; ++i) workers_[i]->Send("stop");
  Drained drained;
  for (int i = 0; i < processes; ++i) {
    const std::string line = workers_[i]->ReadLine();
    std::vector<int64_t> numbers;
    for (const auto word : absl::StrSplit(line, ' ')) {
      int64_t number = 0;
      if (!absl::SimpleAtoi(word, &number)) throw BenchError("a worker said " + line);
      numbers.push_back(number);
    }
    if (numbers.size() < 3) throw BenchError("a worker said " + line);
    drained.handled += numbers[0];
    drained.id_sum += numbers[1];
    drained.tries += numbers[2];
    drained.latencies_us.insert(drained.latencies_us.end(), numbers.begin() + 3, numbers.end());
  }
  return drained;
}

JobsBench::Drained JobsBench::Drain(int processes, int64_t queued, int64_t left, double cap) {
  const Clock::time_point start = Clock::now();
  StartWorkers(processes);
  int64_t now_left = CountLeft();
  while (now_left > left && SecondsSince(start) < cap) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // as often as the peers are asked
    now_left = CountLeft();
  }
  const auto us = static_cast<int64_t>(SecondsSince(start) * 1e6);
  Drained drained = StopWorkers(processes);
  drained.us = us;
  drained.jobs = queued - now_left;
  drained.complete = now_left <= left;
  return drained;
}

int64_t JobsBench::Boot(int processes) {
  AddOne(0, 0);
  return Drain(processes, 1, 0, settings_.cap).us;
}

}  // namespace fdbjobs::bench
