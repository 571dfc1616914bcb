// Claimer: waits for jobs, misses none, and wakes no more threads than there is work for.
#include "fdbjobs/claimer.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "absl/time/clock.h"
#include "tests/jobs/jobs_fixture.h"
#include "tests/support/notification.h"
#include "tests/support/test_seed.h"

namespace fdbjobs::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Long enough for any machine; nobody waits so long unless something is lost.
absl::Time Far() { return absl::Now() + absl::Minutes(1); }

class ClaimerTest : public JobsTest {
 protected:
  // Waits until `ready` holds, with a generous deadline.
  static bool Eventually(const std::function<bool()>& ready) {
    const absl::Time deadline = Far();
    while (!ready()) {
      if (absl::Now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }
};

TEST_F(ClaimerTest, TakesWhatIsThereAtOnce) {
  AddJobs(5);
  Claimer claimer(db(), jobs(), type(), {.limit = 3});
  EXPECT_THAT(Ids(claimer.Accept(Far())->jobs), ElementsAre(0, 1, 2));
  EXPECT_THAT(Ids(claimer.Accept(Far())->jobs), ElementsAre(3, 4));
}

TEST_F(ClaimerTest, ReturnsNothingWhenTheDeadlineHasPassed) {
  Claimer claimer(db(), jobs(), type());
  EXPECT_THAT(claimer.Accept(absl::InfinitePast())->jobs, IsEmpty());
  const absl::Time deadline = absl::Now() + absl::Milliseconds(50);
  EXPECT_THAT(claimer.Accept(deadline)->jobs, IsEmpty());
  EXPECT_GE(absl::Now(), deadline);
}

TEST_F(ClaimerTest, ADeadlineInThePastLooksOnce) {
  AddJob(1);
  Claimer claimer(db(), jobs(), type());
  EXPECT_THAT(claimer.Accept(absl::InfinitePast())->jobs, SizeIs(1));
}

TEST_F(ClaimerTest, StopWakesAllThreadsAndLaterCallsReturnAtOnce) {
  Claimer claimer(db(), jobs(), type());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { EXPECT_THAT(claimer.Accept(absl::InfiniteFuture())->jobs, IsEmpty()); });
  }
  claimer.Stop();
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(claimer.stopped());
  claimer.Stop();
  AddJob(1);
  EXPECT_THAT(claimer.Accept(absl::InfiniteFuture())->jobs, IsEmpty());
  EXPECT_EQ(Look(1), "pending");
}

// An add at any moment of the accept: before, while it looks, while it sets its watch, while it waits.
TEST_F(ClaimerTest, WakesForAJobThatIsAddedAtAnyMoment) {
  std::mt19937_64 random(TestSeed());
  Claimer claimer(db(), jobs(), type());
  for (int round = 0; round < 150; ++round) {
    const auto pause = std::chrono::microseconds(random() % 3 == 0 ? 0 : random() % 4000);
    std::thread adder([&, pause] {
      std::this_thread::sleep_for(pause);
      AddJob(round);
    });
    const absl::StatusOr<Claimed> claimed = claimer.Accept(Far());
    adder.join();
    ASSERT_THAT(claimed, IsOk());
    ASSERT_THAT(Ids(claimed->jobs), ElementsAre(round));
  }
}

// Jobs get pending in every way there is.
TEST_F(ClaimerTest, WakesForAJobThatComesBack) {
  Claimer claimer(db(), jobs(), type());
  AddJob(1);
  ClaimedJob job = claimer.Accept(Far())->jobs.at(0);
  const std::vector<std::function<absl::Status(fdb::Transaction&)>> ways = {
      [&](fdb::Transaction& tr) -> absl::Status {  // the monitor
        const absl::StatusOr<std::optional<Sequence>> watch = jobs().GetWatch(tr, type());
        if (!watch.ok()) return watch.status();
        return jobs().Rescue(tr, type(), **watch, 10).status();
      },
      [&](fdb::Transaction& tr) -> absl::Status {  // its own worker, in a transaction after the one that marks it
        return jobs().ResubmitByWorker(tr, job).status();
      },
      [&](fdb::Transaction& tr) { return jobs().Finish(tr, job).status(); },
      [&](fdb::Transaction& tr) -> absl::Status {
        if (absl::Status status = jobs().Finish(tr, job).status(); !status.ok()) return status;
        return jobs().Resubmit(tr, type(), 1).status();
      },
      [&](fdb::Transaction& tr) -> absl::Status {
        if (absl::Status status = jobs().Remove(tr, type(), 1).status(); !status.ok()) return status;
        return jobs().Add(tr, type(), {.id = 1}).status();
      },
  };
  for (size_t i = 0; i < ways.size(); ++i) {
    std::thread other([&] { EXPECT_THAT(fdb::Transact(db(), ways[i]), IsOk()); });
    if (i == 1) {
      other.join();
      continue;
    }
    const absl::StatusOr<Claimed> claimed = claimer.Accept(Far());
    other.join();
    ASSERT_THAT(claimed, IsOkAnd(::testing::Field(&Claimed::jobs, SizeIs(1)))) << i;
    job = claimed->jobs[0];
  }
}

// One that waits in another process, or with another Claimer, is woken too.
TEST_F(ClaimerTest, TwoClaimersShareTheJobsBetweenThem) {
  Claimer one(db(), jobs(), type());
  Claimer two(db(), jobs(), type());
  std::vector<JobId> got;
  std::mutex mutex;
  const auto work = [&](Claimer& claimer) {
    const absl::StatusOr<Claimed> claimed = claimer.Accept(Far());
    ASSERT_THAT(claimed, IsOk());
    const std::lock_guard lock(mutex);
    for (const ClaimedJob& job : claimed->jobs) got.push_back(job.id);
  };
  std::thread first([&] { work(one); });
  std::thread second([&] { work(two); });
  AddJob(1);
  AddJob(2);
  first.join();
  second.join();
  EXPECT_THAT(got, ::testing::UnorderedElementsAre(1, 2));
}

// Threads of one Claimer: each job to one of them, all jobs to somebody, at random paces.
TEST_F(ClaimerTest, ManyThreadsGetAllJobsOnce) {
  constexpr int kThreads = 8;
  constexpr int kJobs = 300;
  std::mt19937_64 random(TestSeed());
  Claimer claimer(db(), jobs(), type(), {.limit = 2});
  std::mutex mutex;
  std::multiset<JobId> got;
  std::atomic<int> count = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      while (true) {
        const absl::StatusOr<Claimed> claimed = claimer.Accept(Far());
        EXPECT_THAT(claimed, IsOk());
        if (!claimed.ok() || claimed->jobs.empty()) return;
        const std::lock_guard lock(mutex);
        for (const ClaimedJob& job : claimed->jobs) got.insert(job.id);
        count += static_cast<int>(claimed->jobs.size());
      }
    });
  }
  int added = 0;
  while (added < kJobs) {
    std::vector<NewJob> some;
    for (uint64_t i = 1 + random() % 5; i > 0 && added < kJobs; --i) some.push_back({.id = added++});
    Do([&](fdb::Transaction& tr) { return jobs().AddMany(tr, type(), some); });
    if (random() % 4 != 0) continue;
    EXPECT_TRUE(Eventually([&] { return count == added; })) << "of " << added << ": " << count;
  }
  EXPECT_TRUE(Eventually([&] { return count == kJobs; })) << count;
  claimer.Stop();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(got.size(), static_cast<size_t>(kJobs));
  EXPECT_EQ(std::set<JobId>(got.begin(), got.end()).size(), static_cast<size_t>(kJobs));
}

// Each look at the queue asks for the highest priority, so the looks can be counted.
TEST_F(ClaimerTest, OneAddWakesOneThreadAndNotAll) {
  constexpr int kThreads = 8;
  constexpr int kJobs = 20;
  std::atomic<int> looks = 0;
  std::atomic<int> claims = 0;
  Claimer claimer(db(), jobs(), type(), {.max_priority = [&] {
                    ++looks;
                    return Priority(1000);
                  }});
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      while (!claimer.Accept(Far())->jobs.empty()) ++claims;
    });
  }
  EXPECT_TRUE(Eventually([&] { return looks >= kThreads; }));
  for (int id = 0; id < kJobs; ++id) {
    AddJob(id);
    EXPECT_TRUE(Eventually([&] { return claims == id + 1; }));
  }
  claimer.Stop();
  for (std::thread& thread : threads) thread.join();
  // For each job: the one that takes it, the one that it wakes, and its own next look; and what the start took. All
  // threads for each job would be 160.
  EXPECT_LE(looks, 4 * kThreads + 4 * kJobs);
}

TEST_F(ClaimerTest, FindsAJobThatBecomesDue) {
  std::atomic<int64_t> now = 0;
  Claimer claimer(db(), jobs(), type(),
                  {.max_priority = [&] { return Priority(now.load()); }, .look_again = absl::Milliseconds(5)});
  AddJob(1, {.priority = 100});
  EXPECT_THAT(claimer.Accept(absl::Now() + absl::Milliseconds(30))->jobs, IsEmpty());
  std::thread clock([&] { now = 100; });
  EXPECT_THAT(Ids(claimer.Accept(Far())->jobs), ElementsAre(1));
  clock.join();
}

TEST_F(ClaimerTest, ThreadsThatFollowFindJobsThatBecomeDueToo) {
  constexpr int kThreads = 4;
  std::atomic<int64_t> now = 0;
  Claimer claimer(db(), jobs(), type(),
                  {.max_priority = [&] { return Priority(now.load()); }, .look_again = absl::Milliseconds(5)});
  for (int id = 0; id < kThreads; ++id) AddJob(id, {.priority = 100});
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] { EXPECT_THAT(claimer.Accept(Far())->jobs, SizeIs(1)); });
  }
  now = 100;
  for (std::thread& thread : threads) thread.join();
}

// When the thread that watches leaves at its deadline, another one takes its place.
TEST_F(ClaimerTest, AThreadThatLeavesHandsTheWatchOn) {
  Claimer claimer(db(), jobs(), type());
  for (int round = 0; round < 20; ++round) {
    std::thread hurried([&] { EXPECT_THAT(claimer.Accept(absl::Now() + absl::Milliseconds(2)), IsOk()); });
    std::thread patient([&] {
      const absl::StatusOr<Claimed> claimed = claimer.Accept(Far());
      EXPECT_THAT(claimed, IsOk());
    });
    hurried.join();
    // Two, since the hurried one may have taken one.
    AddJob(2 * round);
    AddJob(2 * round + 1);
    patient.join();
  }
}

TEST_F(ClaimerTest, WholeJobsAreFinishedInTheTransactionThatTakesThem) {
  Claimer claimer(db(), jobs(), type(), {.limit = 10});
  std::thread adder([&] { AddJobs(3); });
  int done = 0;
  while (done < 3) {
    const absl::StatusOr<Claimed> claimed =
        claimer.AcceptAndFinish(Far(), [&](fdb::Transaction& tr, const Claimed& some) -> absl::Status {
          for (const ClaimedJob& job : some.jobs) {
            tr.Add(Key("effects"), 1);
            if (absl::Status status = jobs().Finish(tr, job, "1").status(); !status.ok()) return status;
          }
          return absl::OkStatus();
        });
    ASSERT_THAT(claimed, IsOk());
    done += static_cast<int>(claimed->jobs.size());
  }
  adder.join();
  EXPECT_EQ(Count(), (Counts{.pending = 0, .running = 0, .finished = 3}));
  EXPECT_THAT(Rows().activity, IsEmpty());
  EXPECT_THAT(keyspace::JobKeys::DecodeCount(*Read("effects")), IsOkAnd(3));
}

TEST_F(ClaimerTest, AnErrorOfTheBodyIsReturnedAndTheJobStaysPending) {
  AddJob(1);
  Claimer claimer(db(), jobs(), type());
  EXPECT_THAT(claimer.AcceptAndFinish(
                  Far(), [](fdb::Transaction&, const Claimed&) { return absl::InternalError("the job's own"); }),
              HasStatus(absl::StatusCode::kInternal, "the job's own"));
  EXPECT_EQ(Look(1), "pending");
  EXPECT_THAT(claimer.Accept(Far())->jobs, SizeIs(1));
}

TEST_F(ClaimerTest, WrongOptionsAreAnErrorAtOnce) {
  Claimer claimer(db(), jobs(), type(), {.limit = 0});
  EXPECT_THAT(claimer.Accept(Far()), HasStatus(absl::StatusCode::kInvalidArgument, ::testing::HasSubstr("limit: 0")));
  Claimer empty(db(), jobs(), "");
  EXPECT_THAT(empty.Accept(Far()), HasStatus(absl::StatusCode::kInvalidArgument, ::testing::HasSubstr("empty")));
}

// More than one transaction can hold.
TEST_F(ClaimerTest, ClaimsFewerWhenTheTransactionGetsTooLarge) {
  const std::string data = "\"" + std::string(90000, 'x') + "\"";
  constexpr int kJobs = 150;
  for (int id = 0; id < kJobs; id += 50) {
    std::vector<NewJob> some;
    for (int i = 0; i < 50; ++i) some.push_back({.id = id + i, .data = data});
    Do([&](fdb::Transaction& tr) { return jobs().AddMany(tr, type(), some); });
  }
  Claimer claimer(db(), jobs(), type(), {.limit = kJobs});
  size_t claimed = 0;
  while (claimed < kJobs) {
    const absl::StatusOr<Claimed> some = claimer.Accept(Far());
    ASSERT_THAT(some, IsOk());
    ASSERT_FALSE(some->jobs.empty());
    claimed += some->jobs.size();
  }
  EXPECT_EQ(claimed, static_cast<size_t>(kJobs));
}

}  // namespace
}  // namespace fdbjobs::test
