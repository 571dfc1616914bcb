// Contention: after conflicts a claim chooses among more jobs, but never past the end of the current priority.
#include "fdbjobs/contention.h"

#include <set>

#include "tests/jobs/jobs_fixture.h"

namespace fdbjobs::test {
namespace {

using ::testing::ElementsAre;

TEST(ContentionWindowTest, IsTheLimitWhileNobodyCompetes) {
  Contention contention;
  EXPECT_EQ(contention.Window("type", 7, false), 7);
}

TEST(ContentionWindowTest, GrowsWithConflictsUpToABoundAndShrinksAgain) {
  Contention contention;
  int before = contention.Window("type", 10, true);
  EXPECT_GT(before, 10);
  for (int i = 0; i < 20; ++i) {
    const int now = contention.Window("type", 10, true);
    EXPECT_GE(now, before);
    before = now;
  }
  EXPECT_LE(before, 2000);
  EXPECT_EQ(contention.Window("other", 10, false), 10);
  for (int i = 0; i < 200; ++i) {
    const int now = contention.Window("type", 10, false);
    EXPECT_LE(now, before);
    before = now;
  }
  EXPECT_EQ(before, 10);
}

TEST(ContentionWindowTest, IsNeverLessThanTheLimit) {
  Contention contention;
  for (int i = 0; i < 20; ++i) EXPECT_GE(contention.Window("type", 10000, true), 10000);
}

class ContentionTest : public JobsTest {
 protected:
  // A claim that comes after `conflicts` tries which lost to somebody.
  Claimed ClaimAfterConflicts(int conflicts, const AcceptOptions& options) {
    return Do([&](fdb::Transaction& tr) -> absl::StatusOr<Claimed> {
      absl::StatusOr<Claimed> claimed = jobs().Accept(tr, type(), options);
      if (!claimed.ok() || conflicts-- <= 0) return claimed;
      // Somebody else writes what this transaction reads.
      EXPECT_THAT(tr.Get(Key("mine"), fdb::Isolation::kSerializable).Await(), IsOk());
      Commit([&](fdb::Transaction& other) { other.Add(Key("mine"), 1); });
      tr.Set(Key("also mine"), "");
      return claimed;
    });
  }
};

TEST_F(ContentionTest, WithoutConflictsClaimsAreInOrder) {
  AddJobs(20);
  for (int id = 0; id < 20; ++id) EXPECT_THAT(Ids(Claim().jobs), ElementsAre(id));
}

TEST_F(ContentionTest, AfterConflictsJobsFromFurtherBehindAreTaken) {
  AddJobs(200);
  std::set<JobId> got;
  for (int i = 0; i < 10; ++i) {
    for (const JobId& id : Ids(ClaimAfterConflicts(4, {}).jobs)) got.insert(id);
  }
  EXPECT_EQ(got.size(), 10u);
  // The first ten in order would be a chance of one in billions.
  EXPECT_GT(*got.rbegin(), JobId(9));
}

TEST_F(ContentionTest, AfterConflictsAClaimStaysWithinTheFirstPriority) {
  for (int id = 0; id < 60; ++id) AddJob(id, {.priority = id / 3});
  for (int priority = 0; priority < 20; ++priority) {
    size_t taken = 0;
    while (taken < 3) {
      const Claimed claimed = ClaimAfterConflicts(3, {.limit = 2});
      ASSERT_FALSE(claimed.jobs.empty());
      for (const ClaimedJob& job : claimed.jobs) EXPECT_EQ(job.priority, Priority(priority));
      taken += claimed.jobs.size();
    }
  }
}

TEST_F(ContentionTest, AfterConflictsAClaimStaysBelowTheHighestPriority) {
  for (int id = 0; id < 10; ++id) AddJob(id, {.priority = id});
  for (int i = 0; i < 3; ++i) {
    const Claimed claimed = ClaimAfterConflicts(3, {.limit = 10, .max_priority = Priority(4)});
    for (const ClaimedJob& job : claimed.jobs) EXPECT_LE(job.priority, Priority(4));
  }
}

}  // namespace
}  // namespace fdbjobs::test
