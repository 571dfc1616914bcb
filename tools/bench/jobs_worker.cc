#include "tools/bench/jobs_worker.h"

#include <atomic>
#include <cstdio>
#include <iostream>
#include <memory>
#include <mutex>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "fdbjobs/claimer.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/fdb/transact.h"
#include "fdbjobs/jobs.h"
#include "tools/bench/errors.h"
#include "tools/bench/jobs_payload.h"

namespace fdbjobs::bench {
namespace {

// What one thread has handled. The handler does nothing but note it.
struct Handled {
  int64_t jobs = 0;
  int64_t id_sum = 0;
  int64_t tries = 0;
  std::vector<int64_t> latencies_us;

  void Handle(const ClaimedJob& job) {
    const Payload payload = ReadPayload(job.data);
    if (payload.enqueued_us != 0) latencies_us.push_back(NowMicros() - payload.enqueued_us);
    ++jobs;
    id_sum += payload.id;
  }

  void Add(const Handled& other) {
    jobs += other.jobs;
    id_sum += other.id_sum;
    tries += other.tries;
    latencies_us.insert(latencies_us.end(), other.latencies_us.begin(), other.latencies_us.end());
  }
};

// The threads between "start" and "stop".
class Drain {
 public:
  Drain(const fdb::Database& db, const Jobs& jobs, const JobsWorkerSettings& settings)
      : db_(db),
        jobs_(jobs),
        settings_(settings),
        claimer_(db, jobs, kBenchType, {.limit = settings.batch, .risky = settings.mode == "risky"}),
        handled_(settings.in_flight) {
    for (int i = 0; i < settings.in_flight; ++i) threads_.emplace_back([this, i] { Run(handled_[i]); });
  }

  Handled Stop() {
    claimer_.Stop();
    for (std::thread& thread : threads_) thread.join();
    Handled all;
    for (const Handled& one : handled_) all.Add(one);
    return all;
  }

 private:
  void Run(Handled& handled) {
    if (settings_.mode == "only-claim") return OnlyClaim(handled);
    while (!claimer_.stopped()) {
      if (settings_.mode == "whole") {
        Whole(handled);
      } else {
        ClaimAndFinish(handled);
      }
    }
  }

  void ClaimAndFinish(Handled& handled) {
    const Claimed claimed = Require(claimer_.Accept(absl::InfiniteFuture()), "accept");
    if (claimed.jobs.empty()) return;
    std::vector<FinishRequest> finishes;
    finishes.reserve(claimed.jobs.size());
    for (const ClaimedJob& job : claimed.jobs) {
      handled.Handle(job);
      finishes.push_back({.type = job.type, .id = job.id, .lock = job.lock, .remove = true});
    }
    const std::vector<Outcome> outcomes =
        Require(fdb::Transact(db_, [&](fdb::Transaction& tr) { return jobs_.FinishMany(tr, finishes); }), "finish");
    for (const Outcome outcome : outcomes) {
      if (outcome != Outcome::kOk) throw BenchError(absl::StrCat("finish: ", OutcomeName(outcome)));
    }
  }

  void Whole(Handled& handled) {
    Handled added;
    const absl::StatusOr<Claimed> done = claimer_.AcceptAndFinish(
        absl::InfiniteFuture(), [&](fdb::Transaction& tr, const Claimed& claimed) -> absl::Status {
          added = Handled();
          std::vector<FinishRequest> finishes;
          for (const ClaimedJob& job : claimed.jobs) {
            added.Handle(job);
            finishes.push_back({.type = job.type, .id = job.id, .lock = job.lock, .remove = true});
          }
          return jobs_.FinishMany(tr, finishes).status();
        });
    // A try that lost a conflict may have been followed by one that found nothing: then its jobs are another's.
    if (!Require(done, "accept and finish").jobs.empty()) handled.Add(added);
  }

  // One job at a time, and nothing else. Whoever finds none is done.
  void OnlyClaim(Handled& handled) {
    while (!claimer_.stopped()) {
      const Claimed claimed = Require(fdb::Transact(db_,
                                                    [&](fdb::Transaction& tr) {
                                                      ++handled.tries;
                                                      return jobs_.Accept(tr, kBenchType);
                                                    }),
                                      "accept");
      if (claimed.jobs.empty()) return;
      for (const ClaimedJob& job : claimed.jobs) handled.Handle(job);
    }
  }

  const fdb::Database& db_;
  const Jobs& jobs_;
  const JobsWorkerSettings& settings_;
  Claimer claimer_;
  std::vector<Handled> handled_;  // one for each thread
  std::vector<std::thread> threads_;
};

}  // namespace

std::vector<std::string> JobsWorkerSettings::ToArguments() const {
  return {kJobsWorkerCommand,
          "--db",
          database,
          "--prefix",
          prefix,
          "--mode",
          mode,
          "--batch",
          absl::StrCat(batch),
          "--in-flight",
          absl::StrCat(in_flight)};
}

void RunJobsWorker(const JobsWorkerSettings& settings) {
  const fdb::Database db = Require(fdb::Database::Open(settings.database), "open the database");
  const Jobs jobs({.prefix = settings.prefix});
  std::unique_ptr<Drain> drain;
  std::string line;
  while (std::getline(std::cin, line)) {
    if (line == "start") {
      drain = std::make_unique<Drain>(db, jobs, settings);
      std::cout << "started" << std::endl;
    } else if (line == "stop" && drain != nullptr) {
      const Handled handled = drain->Stop();
      drain.reset();
      std::cout << handled.jobs << ' ' << handled.id_sum << ' ' << handled.tries;
      for (const int64_t latency : handled.latencies_us) std::cout << ' ' << latency;
      std::cout << std::endl;
    } else {
      throw BenchError("a worker was told: " + line);
    }
  }
  if (drain != nullptr) drain->Stop();
}

}  // namespace fdbjobs::bench
