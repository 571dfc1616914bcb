// Real processes: workers that are killed and stopped, monitors that are killed and started again. Every job finishes,
// each with its effect once, and the counters agree. On whatever FDBJOBS_TEST_DB names, but for the
// folder that is taken away.
#include <signal.h>

#include <filesystem>
#include <map>
#include <random>

#include "absl/strings/escaping.h"
#include "fdbjobs/fdb/range.h"
#include "tests/jobs/jobs_fixture.h"
#include "tests/monitor/program.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_seed.h"

namespace fdbjobs::test {
namespace {

// Waits for a word of the worker's.
bool Tells(ChildProcess& worker, const std::string& word) {
  std::string told;
  return Eventually([&] {
    worker.ReadSome(&told);
    return told.find(word) != std::string::npos;
  });
}

class ChaosTest : public JobsTest {
 protected:
  MonitorProgram StartMonitor() {
    std::string text;
    for (const char c : prefix()) absl::StrAppend(&text, "\\x", absl::BytesToHexString(std::string(1, c)));
    return MonitorProgram({"--db", TestDatabaseName(), "--prefix", text});
  }
  ChildProcess StartWorker(int jobs, int milliseconds) {
    return ChildProcess(
        {FDBJOBS_CHAOS_WORKER, TestDatabaseName(), prefix(), "type", absl::StrCat(jobs), absl::StrCat(milliseconds)});
  }
  // How many jobs had how many effects.
  std::map<int64_t, int> Effects() {
    const std::string begin = prefix() + "effect/";
    const std::string end = prefix() + "effect0";
    std::map<int64_t, int> effects;
    for (const fdb::KeyValue& row : Do([&](fdb::Transaction& tr) {
           return fdb::ReadRange(tr, {.begin = fdb::KeySelectorView::FirstGreaterOrEqual(begin),
                                      .end = fdb::KeySelectorView::FirstGreaterOrEqual(end),
                                      .isolation = fdb::Isolation::kSnapshot});
         })) {
      ++effects[keyspace::JobKeys::DecodeCount(row.value).value_or(-1)];
    }
    return effects;
  }
};

TEST_F(ChaosTest, EveryJobFinishesAndHasItsEffectOnce) {
  constexpr int kJobs = 3000;
  std::mt19937_64 random(TestSeed());
  SetTimeout(type(), absl::Milliseconds(400));
  AddJobs(kJobs);
  std::vector<MonitorProgram> monitors;
  for (int i = 0; i < 2; ++i) monitors.push_back(StartMonitor());
  std::vector<ChildProcess> workers;
  for (int i = 0; i < 4; ++i) workers.push_back(StartWorker(20, 1));
  std::vector<bool> stopped(workers.size(), false);
  int killed = 0;
  const absl::Time end = absl::Now() + absl::Seconds(5);
  while (absl::Now() < end && Count().finished < kJobs) {
    absl::SleepFor(absl::Milliseconds(random() % 150));
    const size_t i = random() % workers.size();
    switch (random() % 6) {
      case 0:
        monitors[i % 2].process().Kill();
        monitors[i % 2] = StartMonitor();
        break;
      case 1:
      case 2:
        workers[i].Kill();
        workers[i] = StartWorker(20, 1);
        stopped[i] = false;
        ++killed;
        break;
      default:
        // A stopped one goes on later, and must notice that its jobs are not its own any more.
        workers[i].Signal(stopped[i] ? SIGCONT : SIGSTOP);
        stopped[i] = !stopped[i];
    }
  }
  for (size_t i = 0; i < workers.size(); ++i) {
    if (stopped[i]) workers[i].Signal(SIGCONT);
  }
  EXPECT_TRUE(Eventually([&] { return Count().finished == kJobs; })) << monitors[0].log() << monitors[1].log();
  EXPECT_EQ(Count(), (Counts{.finished = kJobs}));
  EXPECT_EQ(Effects(), (std::map<int64_t, int>{{1, kJobs}}));
  EXPECT_GT(killed, 0);
  workers.clear();
}

TEST_F(ChaosTest, TheCountersOfTwoMonitorsAgreeWithWhatDeadWorkersHeld) {
  SetTimeout(type(), absl::Milliseconds(500));
  AddJobs(2000);
  std::vector<MonitorProgram> monitors;
  for (int i = 0; i < 2; ++i) monitors.push_back(StartMonitor());
  for (MonitorProgram& monitor : monitors) {
    ASSERT_TRUE(Eventually([&] { return monitor.Get("/healthz").code == 200; })) << monitor.log();
  }
  {
    std::vector<ChildProcess> workers;
    for (int i = 0; i < 4; ++i) workers.push_back(StartWorker(500, -1));
    for (ChildProcess& worker : workers) {
      ASSERT_TRUE(Tells(worker, "claimed"));
      worker.Kill();
    }
  }
  EXPECT_TRUE(Eventually([&] { return Count().running == 0; }));
  EXPECT_EQ(Count(), (Counts{.pending = 2000}));
  const std::string series = "fdbjobs_monitor_reenqueued_total{type=\"type\"}";
  EXPECT_TRUE(Eventually([&] { return monitors[0].Metric(series) + monitors[1].Metric(series) == 2000; }))
      << monitors[0].Metric(series) << " and " << monitors[1].Metric(series);
  EXPECT_EQ(monitors[0].Metric("fdbjobs_monitor_errors_total{code=\"0\"}"), 0);
}

// Engine only. The folder is taken away and given back while workers and monitors have it open.
TEST(ChaosFolderTest, EveryJobFinishesAndHasItsEffectOnceThoughTheFolderGoesAndComesBack) {
  constexpr int kJobs = 1500;
  TempFolder folder;
  const std::string path = folder.path() + "/db";
  const std::string name = "embedded:" + path;
  const absl::StatusOr<fdb::Database> db = fdb::Database::Open(name);
  ASSERT_THAT(db, IsOk());
  const Jobs jobs({.prefix = "p/"});
  ASSERT_THAT(fdb::Transact(*db,
                            [&](fdb::Transaction& tr) -> absl::Status {
                              std::vector<NewJob> all;
                              for (int i = 0; i < kJobs; ++i) all.push_back({.id = i});
                              absl::Status status = jobs.SetActivityTimeout(tr, "type", absl::Milliseconds(400));
                              if (status.ok()) status = jobs.AddMany(tr, "type", all).status();
                              return status;
                            }),
              IsOk());
  const auto start_worker = [&] { return ChildProcess({FDBJOBS_CHAOS_WORKER, name, "p/", "type", "20", "1"}); };
  std::vector<MonitorProgram> monitors;
  for (int i = 0; i < 2; ++i) monitors.push_back(MonitorProgram({"--db", name, "--prefix", "p/"}));
  for (MonitorProgram& monitor : monitors) ASSERT_TRUE(monitor.WaitForLog("watching over the database"));
  std::vector<ChildProcess> workers;
  for (int i = 0; i < 3; ++i) workers.push_back(start_worker());
  for (ChildProcess& worker : workers) ASSERT_TRUE(Tells(worker, "open"));
  std::mt19937_64 random(TestSeed());
  for (int i = 0; i < 5; ++i) {
    absl::SleepFor(absl::Milliseconds(random() % 200));
    std::filesystem::rename(path, folder.path() + "/elsewhere");
    absl::SleepFor(absl::Milliseconds(random() % 400));
    ASSERT_FALSE(std::filesystem::exists(path));
    std::filesystem::rename(folder.path() + "/elsewhere", path);
    ChildProcess& worker = workers[random() % workers.size()];
    worker.Kill();
    worker = start_worker();
    // One that opens a path without a folder makes one.
    ASSERT_TRUE(Tells(worker, "open"));
  }
  const auto count = [&] {
    return fdb::Transact(*db, [&](fdb::Transaction& tr) { return jobs.CountJobs(tr, "type"); }).value_or(Counts());
  };
  EXPECT_TRUE(Eventually([&] { return count().finished == kJobs; })) << monitors[0].log() << monitors[1].log();
  EXPECT_EQ(count(), (Counts{.finished = kJobs}));
  const auto effects = fdb::Transact(*db, [&](fdb::Transaction& tr) {
    return fdb::ReadRange(tr, {.begin = fdb::KeySelectorView::FirstGreaterOrEqual("p/effect/"),
                               .end = fdb::KeySelectorView::FirstGreaterOrEqual("p/effect0"),
                               .isolation = fdb::Isolation::kSnapshot});
  });
  ASSERT_THAT(effects, IsOk());
  EXPECT_EQ(effects->size(), static_cast<size_t>(kJobs));
  for (const fdb::KeyValue& row : *effects)
    EXPECT_THAT(keyspace::JobKeys::DecodeCount(row.value), IsOkAnd(1)) << row.key;
}

}  // namespace
}  // namespace fdbjobs::test
