#include "tests/bank/bank_run.h"

#include <signal.h>

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "fdbjobs/fdb/transact.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/jobs/check_keyspace.h"
#include "tests/jobs/keyspace_contents.h"
#include "tests/support/status_matchers.h"

namespace fdbjobs::test {
namespace {

using std::chrono::steady_clock;

constexpr int kWorkers = 3;
constexpr int kThreads = 4;
// Far too short: workers lose jobs that they are still working on.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr absl::Duration kTimeout = absl::Milliseconds(60);
#else
constexpr absl::Duration kTimeout = absl::Milliseconds(20);
#endif
// Without a single job finished for so long, something hangs.
constexpr std::chrono::seconds kPatience(60);
// Jobs that are added when those before were done too smoothly.
constexpr int64_t kMore = 200;
constexpr int kAtLeast = 3;

}  // namespace

BankRun::BankRun(const fdb::Database& db, std::string db_name, std::string prefix, uint64_t seed,
                 std::vector<std::string> environment)
    : db_(db),
      db_name_(std::move(db_name)),
      prefix_(std::move(prefix)),
      environment_(std::move(environment)),
      jobs_({.prefix = prefix_ + "jobs/"}),
      bank_(prefix_ + "bank/"),
      random_(seed),
      next_worker_seed_(seed) {}

BankRun::~BankRun() = default;

void BankRun::Run(int64_t jobs, int64_t least_errors) {
  least_errors_ = least_errors;
  const steady_clock::time_point start = steady_clock::now();
  ASSERT_THAT(
      fdb::Transact(db_, [&](fdb::Transaction& tr) { return jobs_.SetActivityTimeout(tr, kMoveType, kTimeout); }),
      IsOk());
  for (int i = 0; i < kWorkers; ++i) workers_.emplace_back(StartWorker());
  std::thread rescuer([this] { RescueUntilEnd(); });
  // Workers take the first jobs while the last are added.
  std::thread adder([this, jobs] { AddUntil(jobs); });
  while (added_ < jobs && !::testing::Test::HasFailure()) Disturb();
  adder.join();
  int64_t last_work = -1;
  steady_clock::time_point last_progress = steady_clock::now();
  while (!::testing::Test::HasFailure()) {
    Disturb();
    if (done_.steps + done_.whole != last_work) {
      last_work = done_.steps + done_.whole;
      last_progress = steady_clock::now();
    }
    if (steady_clock::now() - last_progress > kPatience) ADD_FAILURE() << "no job gets done any more";
    if (!AllIsDone()) continue;
    if (EnoughHasHappened()) break;
    AddUntil(added_ + kMore);
  }
  seconds_ = std::chrono::duration<double>(steady_clock::now() - start).count();
  EndWorkers();
  end_ = true;
  rescuer.join();
  if (!::testing::Test::HasFailure()) Check();
}

void BankRun::AddUntil(int64_t jobs) {
  constexpr int64_t kChunk = 100;
  while (added_ < jobs && !::testing::Test::HasFailure()) AddJobs(std::min(kChunk, jobs - added_));
}

void BankRun::AddJobs(int64_t jobs) {
  std::vector<NewJob> chunk;
  for (int64_t job = added_; job < added_ + jobs; ++job) {
    chunk.push_back({.id = job, .data = Progress{job, 0}.ToJson(), .priority = job % 3});
  }
  ASSERT_THAT(fdb::Transact(db_, [&](fdb::Transaction& tr) { return jobs_.AddMany(tr, kMoveType, chunk); }), IsOk());
  added_ += jobs;
}

void BankRun::RescueUntilEnd() {
  Rescuer rescuer(db_, jobs_, kMoveType, kTimeout);
  while (!end_) {
    const absl::StatusOr<int> put_back = rescuer.RunOnce(absl::Now());
    ASSERT_THAT(put_back, IsOk());
    put_back_ += *put_back;
    absl::SleepFor(kTimeout / 4);
  }
}

ChildProcess BankRun::StartWorker() {
  // Inherited: SIGTERM must wait for the worker also before the worker has come to say so itself.
  sigset_t end;
  sigset_t before;
  sigemptyset(&end);
  sigaddset(&end, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &end, &before);
  ChildProcess worker({FDBJOBS_BANK_WORKER, db_name_, prefix_, absl::StrCat(kThreads),
                       absl::StrCat(next_worker_seed_ += kThreads), absl::StrCat(absl::ToInt64Milliseconds(kTimeout))},
                      environment_);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return worker;
}

void BankRun::Disturb() {
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  const steady_clock::time_point now = steady_clock::now();
  for (Worker& worker : workers_) {
    Drain(&worker);
    if (!worker.stopped || now < worker.stopped_until) continue;
    worker.child.Signal(SIGCONT);
    worker.stopped = false;
  }
  if (now < next_disturbance_) return;
  next_disturbance_ = now + std::chrono::milliseconds(20 + random_() % 200);
  Worker& worker = workers_[random_() % kWorkers];
  if (random_() % 3 == 0) {
    worker.child.Kill();
    Drain(&worker);
    worker = Worker(StartWorker());
    ++kills_;
  } else if (!worker.stopped) {
    worker.child.Signal(SIGSTOP);
    worker.stopped = true;
    worker.stopped_until = now + std::chrono::milliseconds(random_() % 5 * absl::ToInt64Milliseconds(kTimeout));
    ++stops_;
  }
}

void BankRun::Drain(Worker* worker) {
  const bool open = worker->child.ReadSome(&worker->unparsed);
  size_t taken = 0;
  for (; worker->unparsed.size() - taken >= sizeof(TellerReport); taken += sizeof(TellerReport)) {
    TellerReport report;
    std::memcpy(&report, worker->unparsed.data() + taken, sizeof report);
    done_.steps += report.steps;
    done_.whole += report.whole;
    done_.conflicts += report.conflicts;
    done_.errors += report.errors;
    done_.put_back += report.put_back;
  }
  worker->unparsed.erase(0, taken);
  if (open || worker->child.Ended()) return;
  ADD_FAILURE() << "a worker process has ended by itself: " << worker->child.Wait();
}

bool BankRun::AllIsDone() {
  const absl::StatusOr<Counts> counts =
      fdb::Transact(db_, [&](fdb::Transaction& tr) { return jobs_.CountJobs(tr, kMoveType); });
  EXPECT_THAT(counts, IsOk());
  return counts.ok() && counts->pending == 0 && counts->running == 0;
}

bool BankRun::EnoughHasHappened() const {
  return kills_ >= kAtLeast && stops_ >= kAtLeast && done_.conflicts >= kAtLeast &&
         put_back_ + done_.put_back >= kAtLeast && done_.steps > 0 && done_.whole > 0 && done_.errors >= least_errors_;
}

void BankRun::EndWorkers() {
  for (const Worker& worker : workers_) {
    worker.child.Signal(SIGCONT);
    worker.child.Signal(SIGTERM);
  }
  for (Worker& worker : workers_) {
    worker.unparsed += worker.child.ReadAll();
    EXPECT_EQ(worker.child.Wait(), 0) << "a worker process did not end well";
    Drain(&worker);
  }
}

void BankRun::Check() {
  constexpr size_t kShown = 10;
  const auto show = [&](const char* what, const std::vector<std::string>& problems) {
    for (size_t i = 0; i < std::min(kShown, problems.size()); ++i) {
      ADD_FAILURE() << what << " problem " << i + 1 << " of " << problems.size() << ": " << problems[i];
    }
  };
  const absl::StatusOr<std::vector<std::string>> problems = bank_.Check(db_, added_);
  ASSERT_THAT(problems, IsOk());
  show("bank", *problems);
  const absl::StatusOr<KeyspaceContents> contents = ReadKeyspace(db_, jobs_.keys());
  ASSERT_THAT(contents, IsOk());
  show("keyspace", CheckKeyspace(*contents));
  int64_t kept = 0;
  for (int64_t job = 0; job < added_; ++job) kept += IsRemovedAtEnd(job) ? 0 : 1;
  const auto type = contents->types.find(kMoveType);
  ASSERT_NE(type, contents->types.end());
  EXPECT_EQ(static_cast<int64_t>(type->second.jobs.size()), kept);
}

std::string BankRun::Summary() const {
  return absl::StrFormat(
      "%d jobs in %.1f s: %d steps with a lease and %d whole jobs were reported; %d processes killed, %d stopped; jobs "
      "put back %d times, %d answers worker_conflict, %d database errors",
      added_.load(), seconds_, done_.steps, done_.whole, kills_, stops_, put_back_ + done_.put_back, done_.conflicts,
      done_.errors);
}

}  // namespace fdbjobs::test
