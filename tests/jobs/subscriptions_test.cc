// Subscriptions: one job or several, any change or one state, nothing missed between subscribe and wait.
#include "fdbjobs/subscriptions.h"

#include <atomic>
#include <chrono>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "tests/jobs/jobs_fixture.h"
#include "tests/support/test_seed.h"

namespace fdbjobs::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

absl::Time Far() { return absl::Now() + absl::Minutes(1); }

class SubscriptionsTest : public JobsTest {
 protected:
  void Subscribe(const JobId& id, std::optional<JobState> until = std::nullopt) {
    Do([&](fdb::Transaction& tr) { return subscriptions_.Subscribe(tr, type(), id, until); });
  }
  std::vector<JobChange> Wait(absl::Time deadline = Far()) {
    const absl::StatusOr<std::vector<JobChange>> changes = subscriptions_.Wait(deadline);
    EXPECT_THAT(changes, IsOk());
    return changes.value_or(std::vector<JobChange>());
  }
  // What has changed by now.
  std::vector<JobChange> WaitNot() { return Wait(absl::InfinitePast()); }
  void SetPriority(const JobId& id, int priority) {
    Do([&](fdb::Transaction& tr) { return jobs().SetPriority(tr, type(), id, priority).status(); });
  }

  Subscriptions subscriptions_{db(), jobs()};
};

TEST_F(SubscriptionsTest, ReportsEachChangeOfAJob) {
  AddJob(1);
  Subscribe(1);
  EXPECT_THAT(WaitNot(), IsEmpty());
  const ClaimedJob job = ClaimOne();
  std::vector<JobChange> changes = Wait();
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes[0].type, type());
  EXPECT_EQ(changes[0].id, JobId(1));
  EXPECT_EQ(changes[0].job->state, JobState::kRunning);
  EXPECT_EQ(changes[0].damage, "");
  EXPECT_THAT(WaitNot(), IsEmpty());
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Update(tr, job, "1"); }), Outcome::kOk);
  EXPECT_EQ(Wait().at(0).job->data, "1");
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Finish(tr, job, "2"); }), Outcome::kOk);
  EXPECT_EQ(Wait().at(0).job->state, JobState::kFinished);
  EXPECT_EQ(subscriptions_.size(), 1u);
}

TEST_F(SubscriptionsTest, ReturnsNothingWhenTheDeadlineHasPassed) {
  AddJob(1);
  Subscribe(1);
  const absl::Time deadline = absl::Now() + absl::Milliseconds(50);
  EXPECT_THAT(Wait(deadline), IsEmpty());
  EXPECT_GE(absl::Now(), deadline);
}

TEST_F(SubscriptionsTest, WaitsForOneState) {
  AddJob(1);
  Subscribe(1, JobState::kFinished);
  const ClaimedJob job = ClaimOne();
  EXPECT_THAT(WaitNot(), IsEmpty());
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Update(tr, job, "1"); }), Outcome::kOk);
  EXPECT_THAT(WaitNot(), IsEmpty());
  std::thread worker([&] { Do([&](fdb::Transaction& tr) { return jobs().Finish(tr, job, "2").status(); }); });
  const std::vector<JobChange> changes = Wait();
  worker.join();
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes[0].job->data, "2");
  // That was all that was asked for.
  EXPECT_EQ(subscriptions_.size(), 0u);
}

TEST_F(SubscriptionsTest, AStateThatIsThereAlreadyIsReportedAtOnce) {
  AddJob(1);
  Subscribe(1, JobState::kPending);
  EXPECT_THAT(Wait(), SizeIs(1));
}

TEST_F(SubscriptionsTest, ARemovedJobIsReportedAndNoLongerSubscribed) {
  AddJobs(2);
  Subscribe(0);
  Subscribe(1, JobState::kFinished);
  EXPECT_THAT(WaitNot(), IsEmpty());
  for (const int id : {0, 1}) {
    Do([&](fdb::Transaction& tr) { return jobs().Remove(tr, type(), id).status(); });
    const std::vector<JobChange> changes = Wait();
    ASSERT_THAT(changes, SizeIs(1));
    EXPECT_EQ(changes[0].id, JobId(id));
    EXPECT_EQ(changes[0].job, std::nullopt);
    EXPECT_EQ(changes[0].damage, "");
  }
  EXPECT_EQ(subscriptions_.size(), 0u);
}

TEST_F(SubscriptionsTest, AJobThatIsNotThereYetIsReportedWhenItComes) {
  Subscribe(1);
  EXPECT_THAT(WaitNot(), IsEmpty());
  AddJob(1);
  EXPECT_EQ(Wait().at(0).job->state, JobState::kPending);
}

TEST_F(SubscriptionsTest, OfSeveralJobsThoseThatChangedAreReported) {
  AddJobs(50);
  for (int id = 0; id < 50; ++id) Subscribe(id);
  EXPECT_THAT(WaitNot(), IsEmpty());
  Do([&](fdb::Transaction& tr) -> absl::Status {
    if (absl::Status status = jobs().Cancel(tr, type(), 7).status(); !status.ok()) return status;
    return jobs().Cancel(tr, type(), 31).status();
  });
  std::vector<JobId> changed;
  while (changed.size() < 2) {
    for (const JobChange& change : Wait()) changed.push_back(change.id);
  }
  EXPECT_THAT(changed, UnorderedElementsAre(7, 31));
  EXPECT_THAT(WaitNot(), IsEmpty());
}

TEST_F(SubscriptionsTest, AChangeBetweenSubscribeAndWaitIsReported) {
  AddJob(1);
  Subscribe(1);
  SetPriority(1, 9);
  EXPECT_EQ(WaitNot().at(0).job->priority, Priority(9));
}

TEST_F(SubscriptionsTest, TheSubscribingTransactionsOwnChangeIsNoChange) {
  Do([&](fdb::Transaction& tr) -> absl::Status {
    if (absl::Status status = jobs().Add(tr, type(), {.id = 1}).status(); !status.ok()) return status;
    return subscriptions_.Subscribe(tr, type(), 1);
  });
  EXPECT_THAT(WaitNot(), IsEmpty());
  // Also when it stamped the row, so that it could not read it.
  const ClaimedJob job = Do([&](fdb::Transaction& tr) -> absl::StatusOr<ClaimedJob> {
    const absl::StatusOr<Claimed> claimed = jobs().Accept(tr, type());
    if (!claimed.ok()) return claimed.status();
    if (absl::Status status = subscriptions_.Subscribe(tr, type(), 1); !status.ok()) return status;
    return claimed->jobs.at(0);
  });
  EXPECT_THAT(WaitNot(), IsEmpty());
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Update(tr, job, "1"); }), Outcome::kOk);
  EXPECT_EQ(Wait().at(0).job->data, "1");
}

TEST_F(SubscriptionsTest, ASecondSubscriptionReplacesTheFirst) {
  AddJob(1);
  Subscribe(1, JobState::kFinished);
  Subscribe(1);
  EXPECT_EQ(subscriptions_.size(), 1u);
  SetPriority(1, 9);
  EXPECT_THAT(Wait(), SizeIs(1));
}

TEST_F(SubscriptionsTest, AnUnsubscribedJobIsNotReported) {
  AddJobs(2);
  Subscribe(0);
  Subscribe(1);
  EXPECT_THAT(WaitNot(), IsEmpty());
  subscriptions_.Unsubscribe(type(), 0);
  SetPriority(0, 9);
  SetPriority(1, 9);
  const std::vector<JobChange> changes = Wait();
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes[0].id, JobId(1));
}

// A writer beside: the last state of each job is always seen in the end, whatever the moment of the change.
TEST_F(SubscriptionsTest, NothingIsMissedWhileAWriterIsAtWork) {
  std::mt19937_64 random(TestSeed());
  constexpr int kJobs = 10;
  constexpr int kChanges = 300;
  AddJobs(kJobs);
  for (int id = 0; id < kJobs; ++id) Subscribe(id);
  std::thread writer([&] {
    for (int i = 1; i <= kChanges; ++i) {
      if (random() % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 2000));
      SetPriority(static_cast<int>(random() % kJobs), i);
    }
    for (int id = 0; id < kJobs; ++id) SetPriority(id, -1);
  });
  std::map<JobId, Priority> last;
  const auto done = [&] {
    return last.size() == kJobs &&
           std::all_of(last.begin(), last.end(), [](const auto& one) { return one.second == Priority(-1); });
  };
  while (!done()) {
    const std::vector<JobChange> changes = Wait();
    if (changes.empty()) break;
    for (const JobChange& change : changes) last[change.id] = change.job->priority;
  }
  writer.join();
  EXPECT_TRUE(done());
  EXPECT_THAT(WaitNot(), IsEmpty());
}

// Whatever the pace of the writers, a wait tells each job once and comes to an end.
TEST_F(SubscriptionsTest, AWaitEndsWhileJobsChangeWithoutEnd) {
  constexpr int kWriters = 3;
  constexpr int kJobs = 60;
  AddJobs(kJobs);
  for (int id = 0; id < kJobs; ++id) Subscribe(id);
  std::atomic<bool> stop = false;
  std::vector<std::thread> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&, w] {
      for (int i = 1; !stop; ++i) {
        Do([&](fdb::Transaction& tr) -> absl::Status {
          if (absl::Status risky = tr.SetOption(fdb::TransactionFlag::kDurabilityRisky); !risky.ok()) return risky;
          for (int id = w; id < kJobs; id += kWriters) {
            if (absl::Status status = jobs().SetPriority(tr, type(), id, i).status(); !status.ok()) return status;
          }
          return absl::OkStatus();
        });
      }
    });
  }
  for (int round = 0; round < 20; ++round) {
    const std::vector<JobChange> changes = Wait();
    std::set<JobId> told;
    for (const JobChange& change : changes) EXPECT_TRUE(told.insert(change.id).second) << change.id.ToString();
    EXPECT_THAT(changes, ::testing::Not(IsEmpty()));
  }
  stop = true;
  for (std::thread& writer : writers) writer.join();
}

// The same for one state: jobs are finished at any moment around subscribe and wait.
TEST_F(SubscriptionsTest, AnEndAtAnyMomentIsReported) {
  std::mt19937_64 random(TestSeed());
  for (int round = 0; round < 60; ++round) {
    AddJob(round);
    const auto pause = std::chrono::microseconds(random() % 2 == 0 ? 0 : random() % 3000);
    std::thread other([&, pause] {
      std::this_thread::sleep_for(pause);
      Do([&](fdb::Transaction& tr) { return jobs().Cancel(tr, type(), round).status(); });
    });
    Subscribe(round, JobState::kFinished);
    const std::vector<JobChange> changes = Wait();
    other.join();
    ASSERT_THAT(changes, SizeIs(1));
    EXPECT_TRUE(changes[0].job->cancel);
  }
}

}  // namespace
}  // namespace fdbjobs::test
