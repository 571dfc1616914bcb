// MonitorTest: a jobs layer of the test's own, and a clock that moves when the test says so.
//
//   MonitorSupervisor supervisor(db(), jobs(), Options());
//   RunUntil(supervisor, now() + absl::Seconds(5));
#ifndef FDBJOBS_TESTS_MONITOR_MONITOR_FIXTURE_H_
#define FDBJOBS_TESTS_MONITOR_MONITOR_FIXTURE_H_

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "fdbjobs/monitor/supervisor.h"
#include "tests/jobs/jobs_fixture.h"

namespace fdbjobs::test {

class MonitorTest : public JobsTest {
 protected:
  absl::Time now() const { return now_; }
  void Advance(absl::Duration by) { now_ += by; }

  MonitorOptions Options() {
    MonitorOptions options;
    options.seed = 1;
    options.clock = [this] { return now_; };
    options.on_event = [this](const MonitorEvent& event) { events_.push_back(event); };
    // Virtual time runs faster than any database answers.
    options.ping_every = absl::Hours(24 * 365);
    options.prune_every = absl::InfiniteDuration();
    return options;
  }

  // Lets the clock run to `end`, and the monitor with it.
  void RunUntil(MonitorSupervisor& supervisor, absl::Time end) {
    while (true) {
      const absl::Time next = std::max(now_, supervisor.RunOnce(now_));
      if (next > end) break;
      // One that is due at once has more to do.
      now_ = next;
    }
    now_ = std::max(now_, end);
  }
  // Runs the monitor, without the clock, until `done`. For what watches tell: they take their own time.
  void RunUntilTrue(MonitorSupervisor& supervisor, const std::function<bool()>& done) {
    const absl::Time deadline = absl::Now() + absl::Seconds(30);
    supervisor.RunOnce(now_);
    while (!done() && absl::Now() < deadline) {
      supervisor.Wait(absl::Milliseconds(100));
      supervisor.RunOnce(now_);
    }
    ASSERT_TRUE(done());
  }

  int CountEvents(MonitorEvent::Kind kind) const {
    return static_cast<int>(
        std::count_if(events_.begin(), events_.end(), [&](const MonitorEvent& event) { return event.kind == kind; }));
  }
  const std::vector<MonitorEvent>& events() const { return events_; }

 private:
  absl::Time now_ = absl::FromUnixSeconds(1'000'000);
  std::vector<MonitorEvent> events_;
};

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_MONITOR_MONITOR_FIXTURE_H_
