// The promise of the monitor, with a virtual clock: a dead worker's job is pending again at least one timeout and at
// most 1.25 timeouts after its last update, for any timeout and at whatever times the worker reported.
#include <cmath>
#include <iostream>
#include <random>

#include "tests/monitor/monitor_fixture.h"
#include "tests/support/test_seed.h"

namespace fdbjobs::test {
namespace {

class BoundsTest : public MonitorTest {
 protected:
  // A worker claims the job, reports at random times, each within a timeout of the last, and dies. Returns when its job
  // was pending again after the last report, in timeouts.
  double LiveAndDie(std::mt19937_64& random, absl::Duration timeout, const std::function<absl::Time()>& run_monitors,
                    const std::function<void()>& woken) {
    std::uniform_real_distribution<double> part(0.0, 1.0);
    AddJob(next_id_);
    ++next_id_;
    const auto run_to = [&](absl::Time end) {
      while (true) {
        const absl::Time next = std::max(now(), run_monitors());
        if (next > end) break;
        Advance(next - now());
      }
      Advance(end - now());
    };
    run_to(now() + timeout * part(random));
    const ClaimedJob job = ClaimOne();
    woken();
    absl::Time last = now();
    const int reports = static_cast<int>(random() % 4);
    for (int i = 0; i < reports; ++i) {
      run_to(last + timeout * 0.99 * part(random));
      EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Update(tr, job); }), Outcome::kOk)
          << "lost before its time, after report " << i;
      last = now();
    }
    while (Count().running > 0) {
      if (now() > last + 3 * timeout) return 3;
      const absl::Time next = run_monitors();
      if (Count().running == 0) break;
      Advance(std::max(absl::ZeroDuration(), next - now()));
    }
    const double took = absl::FDivDuration(now() - last, timeout);
    Do([&](fdb::Transaction& tr) { return jobs().Remove(tr, type(), job.id).status(); });
    return took;
  }

 private:
  int next_id_ = 0;
};

TEST_F(BoundsTest, OneTypeAlone) {
  std::mt19937_64 random(TestSeed());
  double least = 9, most = 0;
  for (int round = 0; round < 60; ++round) {
    // From a tenth of a second to an hour, every scale alike.
    const absl::Duration timeout =
        absl::Milliseconds(static_cast<int64_t>(std::exp(std::uniform_real_distribution<double>(4.6, 15.1)(random))));
    SetTimeout(type(), timeout);
    MonitorOptions options = Options();
    StopSignal stop;
    ActivityMonitor monitor(db(), jobs(), type(), timeout, options, stop, random());
    const double took = LiveAndDie(
        random, timeout,
        [&] {
          if (monitor.next_run() <= now()) {
            EXPECT_THAT(monitor.RunOnce(now()), IsOk());
          }
          return monitor.next_run();
        },
        [] {});
    ASSERT_GE(took, 1.0) << "round " << round << ", timeout " << timeout;
    ASSERT_LE(took, 1.25) << "round " << round << ", timeout " << timeout;
    least = std::min(least, took);
    most = std::max(most, took);
  }
  std::cout << "pending again after " << least << " to " << most << " timeouts\n";
}

TEST_F(BoundsTest, SupervisorWhoseTypesSleepAndWakeUp) {
  std::mt19937_64 random(TestSeed());
  for (int round = 0; round < 25; ++round) {
    const absl::Duration timeout = absl::Milliseconds(100 + random() % 3'600'000);
    SetTimeout(type(), timeout);
    MonitorOptions options = Options();
    options.seed = random();
    MonitorSupervisor supervisor(db(), jobs(), options);
    const double took = LiveAndDie(
        random, timeout, [&] { return supervisor.RunOnce(now()); },
        [&] {
          // The claim wakes the type; the watch takes its own time, in which the clock stands still.
          if (supervisor.Stats().types.at(0).asleep) {
            RunUntilTrue(supervisor, [&] { return !supervisor.Stats().types.at(0).asleep; });
          }
        });
    ASSERT_GE(took, 1.0) << "round " << round << ", timeout " << timeout;
    ASSERT_LE(took, 1.25) << "round " << round << ", timeout " << timeout;
  }
}

TEST_F(BoundsTest, ThreeMonitorsAreNotEarlierThanOne) {
  std::mt19937_64 random(TestSeed());
  for (int round = 0; round < 20; ++round) {
    const absl::Duration timeout = absl::Milliseconds(100 + random() % 100'000);
    SetTimeout(type(), timeout);
    MonitorOptions options = Options();
    StopSignal stop;
    std::vector<std::unique_ptr<ActivityMonitor>> monitors;
    for (int i = 0; i < 3; ++i) {
      monitors.push_back(std::make_unique<ActivityMonitor>(db(), jobs(), type(), timeout, options, stop, random()));
    }
    const double took = LiveAndDie(
        random, timeout,
        [&] {
          absl::Time next = absl::InfiniteFuture();
          for (const auto& monitor : monitors) {
            if (monitor->next_run() <= now()) {
              EXPECT_THAT(monitor->RunOnce(now()), IsOk());
            }
            next = std::min(next, monitor->next_run());
          }
          return next;
        },
        [] {});
    ASSERT_GE(took, 1.0) << "round " << round;
    ASSERT_LE(took, 1.25) << "round " << round;
  }
}

}  // namespace
}  // namespace fdbjobs::test
