#include "tools/bench/commit_load.h"

#include <sys/resource.h>

#include <algorithm>
#include <future>
#include <random>
#include <thread>
#include <vector>

#include "fdbjobs/fdb/transact.h"
#include "tools/bench/errors.h"

namespace fdbjobs::bench {
namespace {

// What all threads of this process have used so far.
double ProcessorSeconds() {
  rusage usage{};
  RequireSystem(getrusage(RUSAGE_SELF, &usage) == 0, "ask for the processor time");
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct ThreadResult {
  Histogram latencies;
  uint64_t commits = 0;
  uint64_t unmeasured = 0;
  Clock::time_point end;
};

absl::Status CommitOne(const fdb::Database& database, std::string_view key, std::string_view value, bool risky) {
  return fdb::Transact(database, [&](fdb::Transaction& tr) {
    if (risky) {
      if (absl::Status status = tr.SetOption(fdb::TransactionFlag::kDurabilityRisky); !status.ok()) return status;
    }
    tr.Set(key, value);
    return absl::OkStatus();
  });
}

ThreadResult RunThread(const fdb::Database& database, const DataSet& data, bool risky, uint64_t seed,
                       Clock::time_point measure_from, Clock::time_point stop) {
  ThreadResult result;
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<uint64_t> rows(0, data.rows() - 1);
  RowKey key(data);
  const std::string value = DataSet::Value(seed);
  for (Clock::time_point start = Clock::now(); start < stop;) {
    Require(CommitOne(database, key.At(rows(random)), value, risky), "commit");
    const Clock::time_point end = Clock::now();
    if (start >= measure_from) {
      result.latencies.Add(end - start);
      ++result.commits;
    } else {
      ++result.unmeasured;
    }
    start = end;
  }
  result.end = Clock::now();
  return result;
}

}  // namespace

Json CommitLoadResult::ToJson() const {
  Json json = Json::Object();
  json["commits_per_second"] = PerSecond();
  json["commits"] = commits;
  json["seconds"] = seconds;
  json["busy_cores"] = busy_cores;
  json["latency_us"] = latency.ToJson();
  return json;
}

CommitLoadResult RunCommitLoad(const fdb::Database& database, const DataSet& data, const CommitLoadOptions& options) {
  // Threads need a moment to start; nothing counts before all have.
  constexpr double kMostWarmUp = 0.5;
  const auto seconds = [](double number) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(number));
  };
  const Clock::time_point start = Clock::now();
  const double used_before = ProcessorSeconds();
  const Clock::time_point measure_from = start + seconds(std::min(kMostWarmUp, options.seconds / 2));
  const Clock::time_point stop = measure_from + seconds(options.seconds);
  std::random_device seeds;
  std::vector<std::future<ThreadResult>> threads;
  for (int i = 0; i < options.threads; ++i) {
    threads.push_back(std::async(std::launch::async, RunThread, std::cref(database), std::cref(data), options.risky,
                                 uint64_t{seeds()}, measure_from, stop));
  }
  while (options.meanwhile && Clock::now() < stop) {
    options.meanwhile();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  CommitLoadResult result;
  Histogram latencies;
  Clock::time_point end = stop;
  for (std::future<ThreadResult>& thread : threads) {
    const ThreadResult of_thread = thread.get();
    latencies.Merge(of_thread.latencies);
    result.commits += of_thread.commits;
    result.unmeasured += of_thread.unmeasured;
    end = std::max(end, of_thread.end);
  }
  result.seconds = std::chrono::duration<double>(end - measure_from).count();
  result.busy_cores = (ProcessorSeconds() - used_before) / SecondsSince(start);
  result.latency = latencies.Summarize();
  return result;
}

}  // namespace fdbjobs::bench
