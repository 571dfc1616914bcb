// Engine only. The monitor under errors on demand, and without its database: nothing is put back twice or early,
// nothing is forgotten, and the counters agree.
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

#include "fdbjobs/fdb/client.h"
#include "tests/monitor/monitor_fixture.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_seed.h"

namespace fdbjobs::test {
namespace {

using Kind = MonitorEvent::Kind;

constexpr absl::Duration kTimeout = absl::Minutes(1);

void SetFaults(const fdb::Database& db, const std::string& specification) {
  void* library = dlopen(db.client().library_path().c_str(), RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(library, nullptr);
  const auto set = reinterpret_cast<int (*)(const char*)>(dlsym(library, "fdb_embedded_set_faults"));
  ASSERT_NE(set, nullptr);
  ASSERT_EQ(set(specification.c_str()), 0);
  dlclose(library);
}

// On a folder of its own, whatever FDBJOBS_TEST_DB names.
class MonitorFaultsTest : public ::testing::Test {
 protected:
  MonitorFaultsTest() : db_(fdb::Database::Open("embedded:" + folder_.path())) {
    options_.clock = [this] { return now_; };
  }
  ~MonitorFaultsTest() override { SetFaults(*db_, ""); }

  void SetUp() override {
    ASSERT_THAT(db_, IsOk());
    options_.seed = TestSeed();
    options_.on_event = [this](const MonitorEvent& event) { events_.push_back(event); };
    options_.transaction_timeout = absl::Seconds(2);
    Do([&](fdb::Transaction& tr) { return jobs_.SetActivityTimeout(tr, "type", kTimeout); });
  }
  template <typename Body>
  void Do(const Body& body) {
    ASSERT_THAT(fdb::Transact(*db_, body), IsOk());
  }
  void AddAndClaim(int count) {
    for (int begin = 0; begin < count; begin += 500) {
      Do([&](fdb::Transaction& tr) -> absl::Status {
        std::vector<NewJob> some;
        for (int i = begin; i < std::min(count, begin + 500); ++i) some.push_back({.id = i, .priority = i % 3});
        return jobs_.AddMany(tr, "type", some).status();
      });
    }
    for (int begin = 0; begin < count; begin += 500) {
      Do([&](fdb::Transaction& tr) { return jobs_.Accept(tr, "type", {.limit = 500}).status(); });
    }
  }
  Counts Count() {
    const absl::StatusOr<Counts> counts =
        fdb::Transact(*db_, [&](fdb::Transaction& tr) { return jobs_.CountJobs(tr, "type"); });
    EXPECT_THAT(counts, IsOk());
    return counts.value_or(Counts());
  }
  int CountEvents(Kind kind) const {
    return static_cast<int>(
        std::count_if(events_.begin(), events_.end(), [&](const MonitorEvent& event) { return event.kind == kind; }));
  }
  void ExpectKeyspaceIsWhole() {
    const absl::StatusOr<KeyspaceContents> contents = ReadKeyspace(*db_, jobs_.keys());
    ASSERT_THAT(contents, IsOk());
    EXPECT_THAT(CheckKeyspace(*contents), ::testing::IsEmpty());
  }

  // 1500 jobs of dead workers.
  void ExpectAllArePutBackOnceUnder(const std::string& faults) {
    constexpr int kJobs = 1500;
    AddAndClaim(kJobs);
    options_.first_batch = options_.largest_batch = 20;
    MonitorSupervisor supervisor(*db_, jobs_, options_);
    const auto reenqueued = [&] {
      const MonitorStats stats = supervisor.Stats();
      return stats.types.empty() ? 0 : stats.types[0].reenqueued;
    };
    SetFaults(*db_, absl::StrCat("seed=", TestSeed() % 100000, ",", faults));
    const absl::Time begin = now_;
    const absl::Time deadline = absl::Now() + absl::Seconds(60);
    while (absl::Now() < deadline && reenqueued() < kJobs) {
      const absl::Time next = supervisor.RunOnce(now_);
      if (now_ < begin + kTimeout) {
        ASSERT_EQ(reenqueued(), 0u);
      }
      now_ = std::max(now_, std::min(next, now_ + absl::Seconds(10)));
    }
    SetFaults(*db_, "");
    EXPECT_EQ(Count(), (Counts{.pending = kJobs}));
    EXPECT_EQ(reenqueued(), static_cast<uint64_t>(kJobs));
    EXPECT_FALSE(supervisor.Stats().types.at(0).unsettled);
    EXPECT_GT(supervisor.Stats().types.at(0).conflicts, 0u);
    ExpectKeyspaceIsWhole();
  }

  TempFolder folder_;
  absl::StatusOr<fdb::Database> db_;
  const Jobs jobs_;
  MonitorOptions options_;
  absl::Time now_ = absl::FromUnixSeconds(1'000'000);
  std::vector<MonitorEvent> events_;
};

TEST_F(MonitorFaultsTest, EveryJobIsPutBackOnceAndTheCountersAgree) {
  ExpectAllArePutBackOnceUnder(
      "too_old=0.01,future_version=0.01,timed_out=0.005,not_committed=0.1,unknown_before=0.1,unknown_after=0.1,"
      "watch_early=0.2");
}

// Questions for what became of a batch fail as well, now and then, so they must be asked again.
TEST_F(MonitorFaultsTest, TheCountersAgreeThoughUnknownResultsStayUnknownForLong) {
  ExpectAllArePutBackOnceUnder("timed_out=0.03,not_committed=0.05,unknown_before=0.2,unknown_after=0.3");
}

TEST_F(MonitorFaultsTest, BatchesShrinkWhenTheyAreTooMuchAndGrowAgain) {
  AddAndClaim(2000);
  options_.first_batch = options_.largest_batch = 64;
  options_.batches_per_run = 1;
  MonitorSupervisor supervisor(*db_, jobs_, options_);
  supervisor.RunOnce(now_);
  now_ += kTimeout;
  SetFaults(*db_, "seed=3,timed_out=0.5");
  const absl::Time deadline = absl::Now() + absl::Seconds(60);
  while (supervisor.Stats().types.at(0).batch_limit > 16 && absl::Now() < deadline) {
    now_ = std::max(now_ + absl::Milliseconds(1), supervisor.RunOnce(now_));
  }
  EXPECT_LE(supervisor.Stats().types.at(0).batch_limit, 16);
  SetFaults(*db_, "");
  while (Count().running > 0 && absl::Now() < deadline) now_ = std::max(now_, supervisor.RunOnce(now_));
  EXPECT_EQ(Count().running, 0);
  EXPECT_EQ(supervisor.Stats().types.at(0).batch_limit, 64);
}

TEST_F(MonitorFaultsTest, LosesAndRegainsItsDatabaseAndSaysSoOnce) {
  AddAndClaim(1);
  MonitorSupervisor supervisor(*db_, jobs_, options_);
  supervisor.RunOnce(now_);
  EXPECT_TRUE(supervisor.Stats().contact);
  const std::string elsewhere = folder_.path() + "-elsewhere";
  std::filesystem::rename(folder_.path(), elsewhere);
  const absl::Time deadline = absl::Now() + absl::Seconds(30);
  const auto run_until = [&](bool contact) {
    while (supervisor.Stats().contact != contact && absl::Now() < deadline) {
      supervisor.RunOnce(now_);
      now_ += absl::Seconds(1);
      absl::SleepFor(absl::Milliseconds(5));
    }
    ASSERT_EQ(supervisor.Stats().contact, contact);
  };
  run_until(false);
  for (int i = 0; i < 50; ++i) now_ = supervisor.RunOnce(now_);
  EXPECT_EQ(CountEvents(Kind::kContactLost), 1);
  EXPECT_FALSE(supervisor.Stats().contact_error.empty());
  EXPECT_FALSE(std::filesystem::exists(folder_.path()));
  now_ += 5 * kTimeout;
  std::filesystem::rename(elsewhere, folder_.path());
  run_until(true);
  EXPECT_EQ(CountEvents(Kind::kContactRegained), 1);
  EXPECT_TRUE(supervisor.Stats().contact_error.empty());
  // The worker could not report either: it has one timeout from now on.
  const absl::Time back = now_;
  while (Count().running > 0 && now_ < back + 2 * kTimeout) now_ = std::max(now_, supervisor.RunOnce(now_));
  EXPECT_EQ(Count().running, 0);
  EXPECT_GE(now_ - back, 0.95 * kTimeout);
}

TEST_F(MonitorFaultsTest, StopCutsOffWhatDoesNotEnd) {
  options_.clock = SteadyNow;
  options_.transaction_timeout = absl::Seconds(60);
  MonitorSupervisor supervisor(*db_, jobs_, options_);
  SetFaults(*db_, "seed=1,commit_delay=1,commit_delay_ms=5000");
  supervisor.Start();
  const absl::Time begin = absl::Now();
  while (absl::Now() < begin + absl::Milliseconds(50)) absl::SleepFor(absl::Milliseconds(5));
  supervisor.Stop();
  SetFaults(*db_, "");
}

}  // namespace
}  // namespace fdbjobs::test
