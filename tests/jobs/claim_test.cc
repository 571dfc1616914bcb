// Claims: their order, their limits, and that no two claimers ever get the same job.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <thread>

#include "tests/jobs/jobs_fixture.h"
#include "tests/support/test_seed.h"

namespace fdbjobs::test {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using ClaimTest = JobsTest;

// In the order of tuples: null, bytes, text, nested, integers, floats, doubles, bools, UUIDs, versionstamps.
std::vector<Priority> PrioritiesOfAllTypes() {
  tuple::Uuid uuid;
  uuid.bytes[0] = 7;
  tuple::Versionstamp stamp;
  stamp.transaction[0] = 1;
  return {Priority(),
          tuple::Bytes{""},
          tuple::Bytes{std::string("\x00\xff", 2)},
          tuple::Bytes{"b"},
          "",
          "a",
          std::string("a\0b", 3),
          "ab",
          tuple::Tuple{},
          tuple::Tuple{1},
          tuple::Tuple{1, "x"},
          tuple::Tuple{2},
          std::numeric_limits<int64_t>::min(),
          -70000,
          -1,
          0,
          1,
          255,
          256,
          std::numeric_limits<int64_t>::max(),
          std::numeric_limits<uint64_t>::max(),
          -1.5f,
          0.25f,
          -std::numeric_limits<double>::infinity(),
          -0.0,
          0.0,
          1e300,
          std::numeric_limits<double>::infinity(),
          false,
          true,
          uuid,
          stamp};
}

TEST_F(ClaimTest, TakesJobsByPriorityOverAllTupleTypes) {
  const std::vector<Priority> priorities = PrioritiesOfAllTypes();
  ASSERT_TRUE(std::is_sorted(priorities.begin(), priorities.end()));
  std::vector<NewJob> jobs_to_add;
  for (size_t i = 0; i < priorities.size(); ++i) {
    jobs_to_add.push_back({.id = static_cast<int64_t>(i), .priority = priorities[i]});
  }
  std::shuffle(jobs_to_add.begin(), jobs_to_add.end(), std::mt19937_64(TestSeed()));
  Do([&](fdb::Transaction& tr) { return jobs().AddMany(tr, type(), jobs_to_add); });
  for (size_t i = 0; i < priorities.size(); ++i) {
    const ClaimedJob job = ClaimOne();
    EXPECT_EQ(job.id, JobId(static_cast<int64_t>(i)));
    EXPECT_EQ(job.priority, priorities[i]);
  }
  EXPECT_THAT(Claim().jobs, IsEmpty());
}

TEST_F(ClaimTest, TakesJobsOfOnePriorityByIdOverAllTupleTypes) {
  const std::vector<JobId> ids = PrioritiesOfAllTypes();
  std::vector<NewJob> jobs_to_add;
  for (const JobId& id : ids) jobs_to_add.push_back({.id = id, .priority = "same"});
  std::shuffle(jobs_to_add.begin(), jobs_to_add.end(), std::mt19937_64(TestSeed()));
  Do([&](fdb::Transaction& tr) { return jobs().AddMany(tr, type(), jobs_to_add); });
  EXPECT_THAT(Ids(Claim({.limit = 10000}).jobs), ElementsAreArray(ids));
}

TEST_F(ClaimTest, IdsThatFdbjobsMakesComeInTheOrderInWhichTheyWereMade) {
  std::vector<NewJob> added(50);
  Do([&](fdb::Transaction& tr) { return jobs().AddMany(tr, type(), added); });
  EXPECT_THAT(Ids(Claim({.limit = 50}).jobs), ElementsAreArray(Ids(added)));
}

TEST_F(ClaimTest, LeavesJobsOfAHigherPriorityThanTheHighest) {
  for (int id = 0; id < 6; ++id) AddJob(id, {.priority = id / 2});
  EXPECT_THAT(Claim({.limit = 10, .max_priority = Priority(-1)}).jobs, IsEmpty());
  EXPECT_THAT(Ids(Claim({.limit = 10, .max_priority = Priority(1)}).jobs), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(Claim({.limit = 10, .max_priority = Priority(1)}).jobs, IsEmpty());
  EXPECT_THAT(Ids(Claim({.limit = 10}).jobs), ElementsAre(4, 5));
}

TEST_F(ClaimTest, TheHighestPriorityMayBeOfAnyTupleType) {
  const std::vector<Priority> priorities = PrioritiesOfAllTypes();
  for (size_t i = 0; i < priorities.size(); ++i) AddJob(static_cast<int64_t>(i), {.priority = priorities[i]});
  for (size_t i = 0; i < priorities.size(); ++i) {
    EXPECT_THAT(Ids(Claim({.limit = 10, .max_priority = priorities[i]}).jobs), ElementsAre(static_cast<int64_t>(i)))
        << priorities[i].ToString();
  }
}

TEST_F(ClaimTest, TakesNoMoreThanTheLimitAndAllWhenThereAreFewer) {
  AddJobs(25);
  EXPECT_THAT(Claim({.limit = 10}).jobs, SizeIs(10));
  EXPECT_THAT(Claim({.limit = 10000}).jobs, SizeIs(15));
  EXPECT_EQ(Count(), (Counts{.pending = 0, .running = 25, .finished = 0}));
}

TEST_F(ClaimTest, ClaimsWithTheLockThatItIsGiven) {
  AddJobs(2);
  Lock lock;
  lock.bytes[15] = 9;
  const Claimed claimed = Claim({.limit = 2, .lock = lock});
  ASSERT_THAT(claimed.jobs, SizeIs(2));
  EXPECT_EQ(claimed.jobs[1].lock, lock);
  EXPECT_EQ(Find(1)->lock, lock);
}

TEST_F(ClaimTest, OtherTypesAreOtherQueues) {
  // Types of which one's bytes begin with the other's.
  const std::vector<JobType> types = {"t", std::string("t\0", 2), "tt", tuple::Tuple{"t"}};
  for (const JobType& other : types) {
    SetTimeout(other);
    Do([&](fdb::Transaction& tr) { return jobs().Add(tr, other, {.id = "x"}).status(); });
  }
  for (const JobType& other : types) {
    const Claimed claimed = Do([&](fdb::Transaction& tr) { return jobs().Accept(tr, other, {.limit = 10}); });
    EXPECT_THAT(claimed.jobs, SizeIs(1)) << other.ToString();
    EXPECT_THAT(claimed.damaged, IsEmpty());
  }
}

TEST_F(ClaimTest, TwoClaimsOfOneJobDoNotBothCommit) {
  AddJob(1);
  fdb::OwnedTransaction one = Begin();
  fdb::OwnedTransaction two = Begin();
  EXPECT_THAT(jobs().Accept(one, type()), IsOk());
  EXPECT_THAT(jobs().Accept(two, type()), IsOk());
  EXPECT_THAT(one.Commit().Await(), IsOk());
  const absl::Status lost = two.Commit().Await();
  EXPECT_THAT(lost, IsFdbError(fdb::error::kNotCommitted));
  EXPECT_TRUE(fdb::IsRetryable(lost));
}

TEST_F(ClaimTest, AClaimDoesNotConflictWithAddsAndWithClaimsOfOtherTypes) {
  AddJob(5);
  SetTimeout("other");
  fdb::OwnedTransaction claim = Begin();
  EXPECT_THAT(jobs().Accept(claim, type(), {.limit = 10}), IsOk());
  AddJob(1);
  AddJob(9);
  EXPECT_THAT(claim.Commit().Await(), IsOk());
  EXPECT_EQ(Count(), (Counts{.pending = 2, .running = 1, .finished = 0}));
}

// Claimers in threads, each job is claimed once; with leases and in whole transactions.
TEST_F(ClaimTest, ConcurrentClaimersNeverGetTheSameJob) {
  constexpr int kJobs = 600;
  constexpr int kThreads = 6;
  AddJobs(kJobs);
  std::vector<std::vector<JobId>> got(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      while (true) {
        const absl::StatusOr<Claimed> claimed =
            fdb::Transact(db(), [&](fdb::Transaction& tr) -> absl::StatusOr<Claimed> {
              if (t % 2 == 0) return jobs().Accept(tr, type(), {.limit = 1 + t});
              absl::StatusOr<Claimed> some = jobs().AcceptToFinish(tr, type(), {.limit = 1 + t});
              if (!some.ok()) return some;
              for (const ClaimedJob& job : some->jobs) {
                if (absl::Status status = jobs().Finish(tr, job).status(); !status.ok()) return status;
              }
              return some;
            });
        if (!claimed.ok() || claimed->jobs.empty()) {
          EXPECT_THAT(claimed, IsOk());
          return;
        }
        for (const ClaimedJob& job : claimed->jobs) got[t].push_back(job.id);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<JobId> all;
  size_t claims = 0;
  for (const std::vector<JobId>& ids : got) {
    claims += ids.size();
    all.insert(ids.begin(), ids.end());
  }
  EXPECT_EQ(claims, static_cast<size_t>(kJobs));
  EXPECT_EQ(all.size(), static_cast<size_t>(kJobs));
  EXPECT_EQ(Count().pending, 0);
}

}  // namespace
}  // namespace fdbjobs::test
