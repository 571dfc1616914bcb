// The supervisor, with a virtual clock: types that come, change and go, several monitors, damage, large backlogs.
#include <memory>
#include <thread>

#include "tests/monitor/monitor_fixture.h"

namespace fdbjobs::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using Kind = MonitorEvent::Kind;

constexpr absl::Duration kTimeout = absl::Minutes(1);  // what JobsTest sets

class SupervisorTest : public MonitorTest {
 protected:
  // Claims all jobs, as a worker that never reports.
  void ClaimAll(int count) {
    for (int left = count; left > 0;) {
      const Claimed claimed = Claim({.limit = std::min(left, 1000)});
      ASSERT_FALSE(claimed.jobs.empty());
      left -= static_cast<int>(claimed.jobs.size());
    }
  }
  TypeStats StatsOf(const MonitorSupervisor& supervisor, const JobType& type) {
    for (const TypeStats& stats : supervisor.Stats().types) {
      if (stats.type == type) return stats;
    }
    return {};
  }
};

TEST_F(SupervisorTest, PutsBackWhatWasNotRenewed) {
  AddJobs(3);
  ClaimAll(3);
  MonitorSupervisor supervisor(db(), jobs(), Options());
  RunUntil(supervisor, now() + 0.99 * kTimeout);
  EXPECT_EQ(Count().running, 3);
  RunUntil(supervisor, now() + 0.02 * kTimeout);
  EXPECT_EQ(Count(), (Counts{.pending = 3}));
  EXPECT_EQ(StatsOf(supervisor, type()).reenqueued, 3u);
  EXPECT_EQ(CountEvents(Kind::kRescued), 1);
}

TEST_F(SupervisorTest, KeepsThePriorityAndFinishesWhatWasCanceled) {
  AddJob("kept", {.priority = 7});
  AddJob("canceled");
  ClaimAll(2);
  ASSERT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Cancel(tr, type(), "canceled"); }), ChangeResult::kChanged);
  MonitorSupervisor supervisor(db(), jobs(), Options());
  RunUntil(supervisor, now() + 1.3 * kTimeout);
  EXPECT_EQ(Look("kept"), "pending");
  EXPECT_EQ(Find("kept")->priority, Priority(7));
  EXPECT_EQ(Look("canceled"), "finished+cancel");
  EXPECT_EQ(StatsOf(supervisor, type()).reenqueued, 1u);
  EXPECT_EQ(StatsOf(supervisor, type()).finished, 1u);
}

TEST_F(SupervisorTest, AMonitorThatHasJustStartedWaitsOneTimeout) {
  AddJobs(1);
  ClaimAll(1);
  Advance(10 * kTimeout);
  MonitorSupervisor supervisor(db(), jobs(), Options());
  RunUntil(supervisor, now() + 0.99 * kTimeout);
  EXPECT_EQ(Count().running, 1);
}

TEST_F(SupervisorTest, ATypeThatComesLaterIsFoundByAWatch) {
  MonitorSupervisor supervisor(db(), jobs(), Options());
  supervisor.RunOnce(now());
  EXPECT_THAT(supervisor.Stats().types, SizeIs(1));
  SetTimeout("later", absl::Seconds(5));
  Advance(absl::Seconds(1));
  RunUntilTrue(supervisor, [&] { return supervisor.Stats().types.size() == 2; });
  EXPECT_EQ(StatsOf(supervisor, "later").timeout, absl::Seconds(5));
  EXPECT_EQ(CountEvents(Kind::kTypeFound), 2);
}

TEST_F(SupervisorTest, AListThatChangesAllTheTimeIsReadAtItsPaceOnly) {
  MonitorSupervisor supervisor(db(), jobs(), Options());
  supervisor.RunOnce(now());
  for (int i = 0; i < 20; ++i) {
    SetTimeout(i);
    supervisor.Wait(absl::Milliseconds(10));
    supervisor.RunOnce(now());
  }
  EXPECT_EQ(supervisor.Stats().type_lists, 1u);
  Advance(absl::Seconds(1));
  RunUntilTrue(supervisor, [&] { return supervisor.Stats().types.size() == 21; });
  EXPECT_EQ(supervisor.Stats().type_lists, 2u);
}

TEST_F(SupervisorTest, ALongerTimeoutForgetsOldSamples) {
  AddJobs(1);
  ClaimAll(1);
  MonitorSupervisor supervisor(db(), jobs(), Options());
  RunUntil(supervisor, now() + 0.9 * kTimeout);
  SetTimeout(type(), 3 * kTimeout);
  RunUntilTrue(supervisor, [&] { return CountEvents(Kind::kTypeChanged) == 1; });
  RunUntil(supervisor, now() + 2.99 * kTimeout);
  EXPECT_EQ(Count().running, 1);
  RunUntil(supervisor, now() + 0.5 * kTimeout);
  EXPECT_EQ(Count().running, 0);
}

TEST_F(SupervisorTest, AShorterTimeoutCountsFromWhenItWasSeen) {
  AddJobs(1);
  ClaimAll(1);
  MonitorSupervisor supervisor(db(), jobs(), Options());
  RunUntil(supervisor, now() + 0.9 * kTimeout);
  SetTimeout(type(), 0.5 * kTimeout);
  RunUntilTrue(supervisor, [&] { return CountEvents(Kind::kTypeChanged) == 1; });
  RunUntil(supervisor, now() + 0.49 * kTimeout);
  EXPECT_EQ(Count().running, 1);
  RunUntil(supervisor, now() + 0.15 * kTimeout);
  EXPECT_EQ(Count().running, 0);
}

// The watch on the types may be late. The batch looks for itself.
TEST_F(SupervisorTest, NobodyLosesAJobByATimeoutThatIsNoLongerTrue) {
  AddJobs(1);
  ClaimAll(1);
  MonitorOptions options = Options();
  StopSignal stop;
  ActivityMonitor monitor(db(), jobs(), type(), kTimeout, options, stop, 1);
  ASSERT_THAT(monitor.RunOnce(now()), IsOk());
  SetTimeout(type(), 2 * kTimeout);
  Advance(1.1 * kTimeout);
  ASSERT_THAT(monitor.RunOnce(now()), IsOk());
  EXPECT_EQ(Count().running, 1);
}

TEST_F(SupervisorTest, AClearedTimeoutEndsTheWatchOverTheType) {
  AddJobs(1);
  ClaimAll(1);
  MonitorSupervisor supervisor(db(), jobs(), Options());
  supervisor.RunOnce(now());
  Do([&](fdb::Transaction& tr) { return jobs().ClearActivityTimeout(tr, type()); });
  Advance(absl::Seconds(1));
  RunUntilTrue(supervisor, [&] { return supervisor.Stats().types.empty(); });
  EXPECT_EQ(CountEvents(Kind::kTypeGone), 1);
  RunUntil(supervisor, now() + 5 * kTimeout);
  EXPECT_EQ(Count().running, 1);
}

TEST_F(SupervisorTest, OnlyTypesThatAreWanted) {
  SetTimeout("other");
  MonitorOptions options = Options();
  options.wants = [](const JobType& type) { return type == JobType("other"); };
  MonitorSupervisor supervisor(db(), jobs(), options);
  supervisor.RunOnce(now());
  ASSERT_THAT(supervisor.Stats().types, SizeIs(1));
  EXPECT_EQ(supervisor.Stats().types[0].type, JobType("other"));
}

TEST_F(SupervisorTest, ARaisedIncarnationForgetsSamples) {
  AddJobs(2);
  const ClaimedJob job = ClaimOne();
  MonitorSupervisor supervisor(db(), jobs(), Options());
  RunUntil(supervisor, now() + 0.8 * kTimeout);
  Do([&](fdb::Transaction& tr) { return jobs().RaiseIncarnation(tr).status(); });
  ClaimOne();  // the watches row has the new incarnation now
  RunUntil(supervisor, now() + 0.99 * kTimeout);
  EXPECT_EQ(Count().running, 2);
  RunUntil(supervisor, now() + 0.3 * kTimeout);
  EXPECT_EQ(Count().running, 0);
}

TEST_F(SupervisorTest, AClockThatGoesBackForgetsSamples) {
  AddJobs(1);
  ClaimAll(1);
  MonitorOptions options = Options();
  StopSignal stop;
  ActivityMonitor monitor(db(), jobs(), type(), kTimeout, options, stop, 1);
  ASSERT_THAT(monitor.RunOnce(now()), IsOk());
  Advance(-absl::Hours(1));
  ASSERT_THAT(monitor.RunOnce(now()), IsOk());
  Advance(0.99 * kTimeout);
  ASSERT_THAT(monitor.RunOnce(now()), IsOk());
  EXPECT_EQ(Count().running, 1);
  Advance(0.01 * kTimeout);
  ASSERT_THAT(monitor.RunOnce(now()), IsOk());
  EXPECT_EQ(Count().running, 0);
}

TEST_F(SupervisorTest, ATypeOfWhichNothingRunsSleepsUntilAClaim) {
  AddJobs(1);
  MonitorSupervisor supervisor(db(), jobs(), Options());
  supervisor.RunOnce(now());
  EXPECT_TRUE(StatsOf(supervisor, type()).asleep);
  const uint64_t looks = StatsOf(supervisor, type()).looks;
  RunUntil(supervisor, now() + 5 * kTimeout);
  EXPECT_EQ(StatsOf(supervisor, type()).looks, looks);
  ClaimAll(1);
  RunUntilTrue(supervisor, [&] { return StatsOf(supervisor, type()).looks > looks; });
  EXPECT_FALSE(StatsOf(supervisor, type()).asleep);
}

TEST_F(SupervisorTest, WithoutRoomForWatchesItLooksByTheClock) {
  AddJobs(1);
  MonitorOptions options = Options();
  options.max_watches = 0;
  MonitorSupervisor supervisor(db(), jobs(), options);
  supervisor.RunOnce(now());
  EXPECT_FALSE(StatsOf(supervisor, type()).asleep);
  ClaimAll(1);
  RunUntil(supervisor, now() + 1.25 * kTimeout);
  EXPECT_EQ(Count().running, 0);
}

TEST_F(SupervisorTest, ALargeBacklogIsWorkedOffWhileOtherTypesHaveTheirTurn) {
  constexpr int kJobs = 3000;
  AddJobs(kJobs);
  ClaimAll(kJobs);
  SetTimeout("other");
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Add(tr, "other", {.id = 1}); }), AddResult::kAdded);
  Do([&](fdb::Transaction& tr) { return jobs().Accept(tr, "other").status(); });
  MonitorOptions options = Options();
  options.first_batch = options.largest_batch = 50;
  options.batches_per_run = 4;
  MonitorSupervisor supervisor(db(), jobs(), options);
  supervisor.RunOnce(now());
  Advance(kTimeout);
  supervisor.RunOnce(now());
  // One turn of the large type, and one of the other.
  EXPECT_EQ(StatsOf(supervisor, type()).reenqueued, 200u);
  EXPECT_EQ(StatsOf(supervisor, "other").reenqueued, 1u);
  EXPECT_EQ(StatsOf(supervisor, type()).stale_backlog, kJobs - 200);
  int rounds = 0;
  while (Count().running > 0 && rounds++ < 100) supervisor.RunOnce(now());
  EXPECT_EQ(rounds, kJobs / 200 - 1);
  supervisor.RunOnce(now());  // which finds that nothing is left
  EXPECT_EQ(StatsOf(supervisor, type()).passes, 1u);
  EXPECT_EQ(StatsOf(supervisor, type()).stale_backlog, 0);
}

TEST_F(SupervisorTest, DamagedEntriesAreToldOnceAndDoNotBlockTheScan) {
  KeepDamage();
  AddJobs(5);
  ClaimAll(5);
  Sequence old;
  old.stamp.transaction[7] = 1;
  Commit([&](fdb::Transaction& tr) {
    tr.Set(keys().Activity(type(), old), "no id");
    tr.Set(keys().Data(type(), 2), "no row");
  });
  MonitorSupervisor supervisor(db(), jobs(), Options());
  RunUntil(supervisor, now() + absl::Hours(1));
  EXPECT_EQ(Count().pending, 4);
  EXPECT_EQ(CountEvents(Kind::kDamage), 2);
  EXPECT_EQ(StatsOf(supervisor, type()).damaged, 2u);
  // Set aside: they do not keep the type awake.
  EXPECT_TRUE(StatsOf(supervisor, type()).asleep);
  // Repaired, the job is found again.
  keyspace::JobRow row;
  row.state = JobState::kFinished;
  row.options = "{}";
  Commit([&](fdb::Transaction& tr) { tr.Set(keys().Data(type(), 2), row.Encode()); });
  RunUntil(supervisor, now() + absl::Hours(1));
  EXPECT_EQ(StatsOf(supervisor, type()).dropped, 1u);
}

TEST_F(SupervisorTest, TextsOfEventsHaveNoControlCharacters) {
  KeepDamage();
  const JobType type("evil\n\x1b[31mtype");
  SetTimeout(type);
  Sequence old;
  old.stamp.transaction[7] = 1;
  Commit([&](fdb::Transaction& tr) {
    tr.Set(keys().Activity(type, old), "id\nthat is none\x07");
    tr.Set(keys().Watch(type), keyspace::JobKeys::EncodeSequence(old));
    tr.Set(keys().ActivityTimeout("bad\ntimeout"), "no number\n");
  });
  MonitorSupervisor supervisor(db(), jobs(), Options());
  RunUntil(supervisor, now() + 2 * kTimeout);
  EXPECT_EQ(CountEvents(Kind::kDamage), 2);
  for (const MonitorEvent& event : events()) {
    for (const char c : event.text + event.type.ToString()) {
      EXPECT_GE(static_cast<unsigned char>(c), 0x20) << event.text;
    }
  }
}

TEST_F(SupervisorTest, TwoMonitorsShareABacklogAndPutNothingBackTwice) {
  constexpr int kJobs = 2000;
  AddJobs(kJobs);
  ClaimAll(kJobs);
  std::vector<std::unique_ptr<MonitorSupervisor>> supervisors;
  const absl::Time end = now() + kTimeout;
  for (int i = 0; i < 2; ++i) {
    MonitorOptions options = Options();
    options.seed = 1 + i;
    options.first_batch = options.largest_batch = 20;
    options.on_event = nullptr;
    supervisors.push_back(std::make_unique<MonitorSupervisor>(db(), jobs(), options));
    supervisors.back()->RunOnce(now());
  }
  Advance(end - now());
  std::vector<std::thread> threads;
  for (const auto& supervisor : supervisors) {
    threads.emplace_back([&, monitor = supervisor.get()] {
      for (int i = 0; i < 1000 && Count().running > 0; ++i) monitor->RunOnce(end);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Count(), (Counts{.pending = kJobs}));
  EXPECT_EQ(StatsOf(*supervisors[0], type()).reenqueued + StatsOf(*supervisors[1], type()).reenqueued,
            static_cast<uint64_t>(kJobs));
}

TEST_F(SupervisorTest, IsSettledWhenWhatRanWasRenewedOrPutBack) {
  AddJobs(2);
  const ClaimedJob alive = ClaimOne();
  ClaimOne();
  MonitorSupervisor supervisor(db(), jobs(), Options());
  EXPECT_FALSE(supervisor.settled());
  supervisor.RunOnce(now());
  EXPECT_FALSE(supervisor.settled());
  RunUntil(supervisor, now() + 0.5 * kTimeout);
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Update(tr, alive); }), Outcome::kOk);
  RunUntil(supervisor, now() + 0.45 * kTimeout);
  EXPECT_FALSE(supervisor.settled());
  RunUntil(supervisor, now() + 0.1 * kTimeout);
  EXPECT_TRUE(supervisor.settled());
  EXPECT_EQ(Count().running, 1);
}

TEST_F(SupervisorTest, RemovesReceiptsOfEndedProcesses) {
  const absl::Time today = absl::Now();
  Commit([&](fdb::Transaction& tr) {
    for (uint64_t slot = 0; slot < 2500; ++slot) {
      const absl::Time age = today - (slot % 2 == 0 ? absl::Hours(48) : absl::Hours(2));
      tr.Set(keys().Receipt({}, slot), keyspace::JobKeys::EncodeReceipt(slot, absl::ToUnixMillis(age)));
    }
  });
  MonitorOptions options = Options();
  options.prune_every = absl::Minutes(10);
  MonitorSupervisor supervisor(db(), jobs(), options);
  RunUntil(supervisor, now() + absl::Minutes(1));
  EXPECT_EQ(supervisor.Stats().receipts_pruned, 1250u);
}

TEST_F(SupervisorTest, StopIsSafeBeforeStartAndTwice) {
  MonitorSupervisor never(db(), jobs(), {});
  never.Stop();
  never.Start();
  never.Stop();
  MonitorSupervisor supervisor(db(), jobs(), {});
  supervisor.Start();
  supervisor.Start();
  supervisor.Stop();
  supervisor.Stop();
}

TEST_F(SupervisorTest, RunsOnAThreadOfItsOwn) {
  SetTimeout(type(), absl::Milliseconds(200));
  MonitorSupervisor supervisor(db(), jobs(), {});
  supervisor.Start();
  AddJobs(10);
  ClaimAll(10);
  const absl::Time deadline = absl::Now() + absl::Seconds(30);
  while (Count().running > 0 && absl::Now() < deadline) absl::SleepFor(absl::Milliseconds(10));
  supervisor.Stop();
  const MonitorStats stats = supervisor.Stats();
  EXPECT_EQ(Count().pending, 10) << "asleep " << stats.types.at(0).asleep << ", looks " << stats.types.at(0).looks
                                 << ", rounds " << stats.rounds << ", lists " << stats.type_lists << ", timeout "
                                 << stats.types.at(0).timeout << ", contact " << stats.contact;
  EXPECT_EQ(stats.types.at(0).reenqueued, 10u);
  EXPECT_TRUE(supervisor.Stats().contact);
}

}  // namespace
}  // namespace fdbjobs::test
