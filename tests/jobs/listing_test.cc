// Lists in pages, over several transactions, and counts.
#include "fdbjobs/listing.h"

#include <map>
#include <random>

#include "tests/jobs/jobs_fixture.h"
#include "tests/support/test_seed.h"

namespace fdbjobs::test {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

class ListingTest : public JobsTest {
 protected:
  // All pages, each in a transaction of its own.
  std::vector<Job> ListAll(std::optional<JobState> state, int limit) {
    std::vector<Job> all;
    ListOptions options{.state = state, .limit = limit};
    do {
      const JobPage page = Do([&](fdb::Transaction& tr) { return ListJobs(jobs(), tr, type(), options); });
      EXPECT_LE(page.jobs.size(), static_cast<size_t>(limit));
      EXPECT_THAT(page.damaged, IsEmpty());
      all.insert(all.end(), page.jobs.begin(), page.jobs.end());
      options.continuation = page.continuation;
    } while (!options.continuation.empty());
    return all;
  }
  std::vector<JobId> VisitAll(std::optional<JobState> state) {
    std::vector<JobId> ids;
    EXPECT_THAT(ForEachJob(jobs(), db(), type(), state,
                           [&](const Job& job) {
                             ids.push_back(job.id);
                             return true;
                           }),
                IsOk());
    return ids;
  }
};

TEST_F(ListingTest, PagesOfEverySizeAreTheJobsInTheirOrder) {
  std::mt19937_64 random(TestSeed());
  constexpr int kJobs = 120;
  std::map<std::pair<Priority, JobId>, JobId> pending;
  std::vector<JobId> running;  // by heartbeat
  std::vector<JobId> finished;
  std::vector<JobId> all;
  for (int id = 0; id < kJobs; ++id) {
    const Priority priority = static_cast<int>(random() % 5);
    all.push_back(id);
    AddJob(id, {.data = absl::StrCat(id), .priority = priority});
    const uint64_t kind = random() % 3;
    if (kind == 0) {
      pending[{priority, id}] = id;
      continue;
    }
    // It alone is moved to the head.
    Do([&](fdb::Transaction& tr) { return jobs().SetPriority(tr, type(), id, -1).status(); });
    const ClaimedJob job = ClaimOne();
    ASSERT_EQ(job.id, JobId(id));
    if (kind == 1) {
      running.push_back(id);
    } else {
      Do([&](fdb::Transaction& tr) { return jobs().Finish(tr, job).status(); });
      finished.push_back(id);
    }
  }
  // Heartbeats change the order.
  for (int i = 0; i < 10 && !running.empty(); ++i) {
    const auto at = running.begin() + static_cast<ptrdiff_t>(random() % running.size());
    const JobId id = *at;
    const ClaimedJob job{.type = type(), .id = id, .lock = *Find(id)->lock};
    EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Update(tr, job); }), Outcome::kOk);
    running.erase(at);
    running.push_back(id);
  }
  std::vector<JobId> queue;
  for (const auto& [place, id] : pending) queue.push_back(id);
  for (const int limit : {1, 2, 7, 1000}) {
    EXPECT_THAT(Ids(ListAll(std::nullopt, limit)), ElementsAreArray(all));
    EXPECT_THAT(Ids(ListAll(JobState::kPending, limit)), ElementsAreArray(queue));
    EXPECT_THAT(Ids(ListAll(JobState::kRunning, limit)), ElementsAreArray(running));
    EXPECT_THAT(Ids(ListAll(JobState::kFinished, limit)), ElementsAreArray(finished));
  }
  EXPECT_THAT(VisitAll(std::nullopt), ElementsAreArray(all));
  EXPECT_THAT(VisitAll(JobState::kPending), ElementsAreArray(queue));
  EXPECT_THAT(VisitAll(JobState::kRunning), ElementsAreArray(running));
  EXPECT_THAT(VisitAll(JobState::kFinished), ElementsAreArray(finished));
  EXPECT_EQ(Count(), (Counts{.pending = static_cast<int64_t>(queue.size()),
                             .running = static_cast<int64_t>(running.size()),
                             .finished = static_cast<int64_t>(finished.size())}));
}

TEST_F(ListingTest, AJobIsListedAsGetJobGivesIt) {
  AddJob("x", {.data = "{\"a\":1}", .priority = 3});
  ClaimOne();
  Do([&](fdb::Transaction& tr) { return jobs().Cancel(tr, type(), "x").status(); });
  for (const std::optional<JobState> state : {std::optional<JobState>(), std::optional(JobState::kRunning)}) {
    const std::vector<Job> listed = ListAll(state, 10);
    ASSERT_THAT(Ids(listed), ElementsAre("x"));
    const Job job = *Find("x");
    EXPECT_EQ(listed[0].state, JobState::kRunning);
    EXPECT_EQ(listed[0].priority, Priority(3));
    EXPECT_EQ(listed[0].data, job.data);
    EXPECT_TRUE(listed[0].cancel);
    EXPECT_EQ(listed[0].lock, job.lock);
    EXPECT_EQ(listed[0].sequence, job.sequence);
    EXPECT_EQ(listed[0].added, job.added);
  }
}

TEST_F(ListingTest, EntriesThatWereLeftBehindAreNotListed) {
  AddJobs(3);
  Do([&](fdb::Transaction& tr) -> absl::Status {
    const absl::StatusOr<Claimed> claimed = jobs().Accept(tr, type(), {.limit = 2});
    return jobs().Finish(tr, claimed->jobs.at(0)).status();
  });
  EXPECT_THAT(Ids(ListAll(JobState::kRunning, 10)), ElementsAre(1));
}

TEST_F(ListingTest, StopsWhenTheVisitorHasSeenEnough) {
  AddJobs(20);
  int seen = 0;
  EXPECT_THAT(ForEachJob(jobs(), db(), type(), std::nullopt, [&](const Job&) { return ++seen < 7; }), IsOk());
  EXPECT_EQ(seen, 7);
}

TEST_F(ListingTest, MoreJobsThanAPageOfForEachJob) {
  constexpr int kJobs = 1700;
  AddJobs(kJobs);
  const std::vector<JobId> ids = VisitAll(JobState::kPending);
  ASSERT_EQ(ids.size(), static_cast<size_t>(kJobs));
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
}

TEST_F(ListingTest, AListConflictsWithNobody) {
  AddJobs(5);
  fdb::OwnedTransaction tr = Begin();
  EXPECT_THAT(ListJobs(jobs(), tr, type(), {.state = JobState::kPending}), IsOk());
  EXPECT_THAT(ListTypes(jobs(), tr), IsOk());
  EXPECT_THAT(jobs().CountJobs(tr, type()), IsOk());
  tr.Set(Key("mine"), "");
  EXPECT_THAT(Claim({.limit = 5}).jobs, ::testing::SizeIs(5));
  EXPECT_THAT(tr.Commit().Await(), IsOk());
}

TEST_F(ListingTest, TypesInPagesInTheirOrderWithTheirTimeouts) {
  const std::vector<JobType> types = {JobType(), tuple::Bytes{"b"}, "a", "type", tuple::Tuple{"t", 1}, 7, true};
  for (const JobType& other : types) SetTimeout(other, absl::Seconds(9));
  for (const int limit : {1, 3, 100}) {
    std::vector<JobType> listed;
    std::string continuation;
    do {
      const TypePage page = Do([&](fdb::Transaction& tr) { return ListTypes(jobs(), tr, limit, continuation); });
      for (const TypeTimeout& one : page.types) {
        listed.push_back(one.type);
        EXPECT_EQ(one.timeout, absl::Seconds(9));
      }
      continuation = page.continuation;
    } while (!continuation.empty());
    EXPECT_THAT(listed, ElementsAreArray(types));
  }
  Do([&](fdb::Transaction& tr) { return jobs().ClearActivityTimeout(tr, 7); });
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return ListTypes(jobs(), tr); }).types.size(), types.size() - 1);
}

TEST_F(ListingTest, ATypeWithoutJobsIsAnEmptyList) {
  for (const std::optional<JobState> state :
       {std::optional<JobState>(), std::optional(JobState::kPending), std::optional(JobState::kRunning)}) {
    EXPECT_THAT(ListAll(state, 10), IsEmpty());
  }
  EXPECT_EQ(Count(), Counts());
}

// A transaction sees its own changes in the counts.
TEST_F(ListingTest, CountsHoldWithinTheTransactionToo) {
  AddJobs(4);
  Do([&](fdb::Transaction& tr) -> absl::Status {
    EXPECT_THAT(jobs().Accept(tr, type(), {.limit = 3}), IsOk());
    EXPECT_THAT(jobs().CountJobs(tr, type()), IsOkAnd(Counts{.pending = 1, .running = 3, .finished = 0}));
    return absl::OkStatus();
  });
}

}  // namespace
}  // namespace fdbjobs::test
