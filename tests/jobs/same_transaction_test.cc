// Several calls for one job, and calls for many jobs, in one transaction.
#include <set>

#include "tests/jobs/jobs_fixture.h"

namespace fdbjobs::test {
namespace {

using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class SameTransactionTest : public JobsTest {
 protected:
  // The monitor rescues all that is running, and drops what was left behind.
  RescueResult RescueAll() {
    return Do([&](fdb::Transaction& tr) -> absl::StatusOr<RescueResult> {
      const absl::StatusOr<std::optional<Sequence>> watch = jobs().GetWatch(tr, type());
      if (!watch.ok()) return watch.status();
      return jobs().Rescue(tr, type(), watch->value_or(Sequence()), 10000);
    });
  }
};

TEST_F(SameTransactionTest, ManyClaimedJobsHaveUserVersionsOfTheirOwn) {
  constexpr int kJobs = 1000;
  AddJobs(kJobs);
  EXPECT_THAT(Claim({.limit = kJobs}).jobs, SizeIs(kJobs));
  EXPECT_THAT(Rows().activity, SizeIs(kJobs));
  std::set<uint16_t> versions;
  for (const auto& [sequence, id] : Rows().activity) versions.insert(sequence.stamp.user_version);
  EXPECT_THAT(versions, SizeIs(kJobs));
  EXPECT_EQ(RescueAll().reenqueued, kJobs);
  EXPECT_EQ(Count().pending, kJobs);
}

TEST_F(SameTransactionTest, AThousandUpdatesOfDifferentJobs) {
  constexpr int kJobs = 1000;
  AddJobs(kJobs);
  const Claimed claimed = Claim({.limit = kJobs});
  std::vector<UpdateRequest> updates;
  for (const ClaimedJob& job : claimed.jobs) updates.push_back({type(), job.id, job.lock, "{\"step\":1}"});
  EXPECT_THAT(Do([&](fdb::Transaction& tr) { return jobs().UpdateMany(tr, updates); }), Each(Outcome::kOk));
  EXPECT_THAT(Rows().activity, SizeIs(kJobs));
  EXPECT_THAT(Rows().StaleActivity(), IsEmpty());
  EXPECT_EQ(Find(999)->data, "{\"step\":1}");
  // One by one in one transaction too.
  Do([&](fdb::Transaction& tr) -> absl::Status {
    for (const ClaimedJob& job : claimed.jobs) {
      const absl::StatusOr<Outcome> outcome = jobs().Update(tr, job);
      if (!outcome.ok()) return outcome.status();
      EXPECT_EQ(*outcome, Outcome::kOk);
    }
    return absl::OkStatus();
  });
  EXPECT_THAT(Rows().activity, SizeIs(kJobs));
}

TEST_F(SameTransactionTest, UserVersionsThatRunOutAreAnError) {
  AddJobs(10);
  fdb::OwnedTransaction callers = Begin();
  {
    // A caller who has used all but six.
    fdb::BorrowedTransaction tr(db().client(), callers.raw(), 65530);
    EXPECT_THAT(jobs().Accept(tr, type(), {.limit = 10}),
                HasStatus(absl::StatusCode::kResourceExhausted, ::testing::HasSubstr("65")));
  }
  callers.Reset();
  {
    fdb::BorrowedTransaction tr(db().client(), callers.raw(), 65530);
    EXPECT_THAT(jobs().Accept(tr, type(), {.limit = 6}), IsOk());
  }
  EXPECT_THAT(callers.Commit().Await(), IsOk());
  EXPECT_THAT(Rows().activity, SizeIs(6));
  EXPECT_EQ(Rows().activity.rbegin()->first.stamp.user_version, 65535);
  EXPECT_EQ(RescueAll().reenqueued, 6);
}

TEST_F(SameTransactionTest, AddAndAccept) {
  const Claimed claimed = Do([&](fdb::Transaction& tr) -> absl::StatusOr<Claimed> {
    EXPECT_THAT(jobs().Add(tr, type(), {.id = 1, .data = "1"}), IsOkAnd(AddResult::kAdded));
    return jobs().Accept(tr, type());
  });
  ASSERT_THAT(claimed.jobs, SizeIs(1));
  EXPECT_EQ(Look(1), "running");
  EXPECT_EQ(Find(1)->lock, claimed.jobs[0].lock);
}

TEST_F(SameTransactionTest, AcceptUpdateAndFinish) {
  AddJob(1);
  Do([&](fdb::Transaction& tr) -> absl::Status {
    const absl::StatusOr<Claimed> claimed = jobs().Accept(tr, type());
    if (!claimed.ok()) return claimed.status();
    EXPECT_THAT(claimed->jobs, SizeIs(1));
    EXPECT_THAT(jobs().Update(tr, claimed->jobs[0], "1"), IsOkAnd(Outcome::kOk));
    EXPECT_EQ(jobs().GetJob(tr, type(), 1).value()->data, "1");
    EXPECT_THAT(jobs().Finish(tr, claimed->jobs[0], "2"), IsOkAnd(Outcome::kOk));
    EXPECT_THAT(jobs().Finish(tr, claimed->jobs[0], "3"), IsOkAnd(Outcome::kWorkerConflict));
    return absl::OkStatus();
  });
  EXPECT_EQ(Look(1), "finished");
  EXPECT_EQ(Find(1)->data, "2");
  EXPECT_EQ(Count(), (Counts{.pending = 0, .running = 0, .finished = 1}));
  // The entry that could not be cleared is harmless, and goes.
  EXPECT_EQ(RescueAll().dropped, 1);
  EXPECT_EQ(Look(1), "finished");
  EXPECT_THAT(Rows().activity, IsEmpty());
}

TEST_F(SameTransactionTest, TwoUpdatesOfOneJob) {
  AddJob(1);
  const ClaimedJob job = ClaimOne();
  Do([&](fdb::Transaction& tr) -> absl::Status {
    EXPECT_THAT(jobs().Update(tr, job, "1"), IsOkAnd(Outcome::kOk));
    EXPECT_THAT(jobs().Update(tr, job, "2"), IsOkAnd(Outcome::kOk));
    return jobs().Update(tr, job).status();
  });
  EXPECT_EQ(Find(1)->data, "2");
  EXPECT_THAT(Rows().activity, SizeIs(1));
  EXPECT_EQ(RescueAll().reenqueued, 1);
}

TEST_F(SameTransactionTest, TwoUpdatesOfOneJobInOneCall) {
  AddJob(1);
  const ClaimedJob job = ClaimOne();
  const UpdateRequest updates[] = {{type(), job.id, job.lock, "1"}, {type(), job.id, job.lock, std::nullopt}};
  EXPECT_THAT(Do([&](fdb::Transaction& tr) { return jobs().UpdateMany(tr, updates); }), Each(Outcome::kOk));
  EXPECT_EQ(Find(1)->data, "1");
  EXPECT_THAT(Rows().activity, SizeIs(1));
}

TEST_F(SameTransactionTest, UpdateThenFinish) {
  AddJob(1);
  const ClaimedJob job = ClaimOne();
  Do([&](fdb::Transaction& tr) -> absl::Status {
    EXPECT_THAT(jobs().Update(tr, job, "1"), IsOkAnd(Outcome::kOk));
    return jobs().Finish(tr, job).status();
  });
  EXPECT_EQ(Look(1), "finished");
  EXPECT_EQ(Find(1)->data, "1");
}

TEST_F(SameTransactionTest, FinishAddAgainAndAcceptAgain) {
  AddJob(1);
  Do([&](fdb::Transaction& tr) -> absl::Status {
    const absl::StatusOr<Claimed> first = jobs().Accept(tr, type());
    const FinishRequest finish{type(), 1, first->jobs.at(0).lock, std::nullopt, /*remove=*/true};
    EXPECT_THAT(jobs().FinishMany(tr, {&finish, 1}), IsOk());
    EXPECT_THAT(jobs().GetJob(tr, type(), 1), IsOkAnd(::testing::Eq(std::nullopt)));
    EXPECT_THAT(jobs().Add(tr, type(), {.id = 1, .data = "2"}), IsOkAnd(AddResult::kAdded));
    const absl::StatusOr<Claimed> second = jobs().Accept(tr, type());
    EXPECT_THAT(second->jobs, SizeIs(1));
    return second.status();
  });
  EXPECT_EQ(Look(1), "running");
  EXPECT_EQ(Find(1)->data, "2");
  EXPECT_EQ(RescueAll().reenqueued, 1);
}

TEST_F(SameTransactionTest, WholeJobs) {
  constexpr int kJobs = 100;
  AddJobs(kJobs);
  Do([&](fdb::Transaction& tr) -> absl::Status {
    const absl::StatusOr<Claimed> claimed = jobs().AcceptToFinish(tr, type(), {.limit = kJobs});
    if (!claimed.ok()) return claimed.status();
    EXPECT_THAT(claimed->jobs, SizeIs(kJobs));
    // They are nobody else's in this transaction.
    EXPECT_THAT(jobs().Accept(tr, type())->jobs, IsEmpty());
    std::vector<FinishRequest> finishes;
    for (const ClaimedJob& job : claimed->jobs) finishes.push_back({type(), job.id, job.lock, "1"});
    tr.Add(Key("effects"), kJobs);
    return jobs().FinishMany(tr, finishes).status();
  });
  EXPECT_EQ(Count(), (Counts{.pending = 0, .running = 0, .finished = kJobs}));
  // No lease was there, so nothing is left for a monitor.
  EXPECT_THAT(Rows().activity, IsEmpty());
}

TEST_F(SameTransactionTest, AWholeJobThatIsNotFinishedStaysPending) {
  AddJob(1);
  Do([&](fdb::Transaction& tr) { return jobs().AcceptToFinish(tr, type()).status(); });
  EXPECT_EQ(Look(1), "pending");
  EXPECT_THAT(Claim().jobs, SizeIs(1));
}

TEST_F(SameTransactionTest, UpdateTurnsAWholeJobIntoAnOrdinaryClaim) {
  AddJob(1);
  const ClaimedJob job = Do([&](fdb::Transaction& tr) -> absl::StatusOr<ClaimedJob> {
    const absl::StatusOr<Claimed> claimed = jobs().AcceptToFinish(tr, type());
    EXPECT_THAT(jobs().Update(tr, claimed->jobs.at(0), "1"), IsOkAnd(Outcome::kOk));
    return claimed->jobs.at(0);
  });
  EXPECT_EQ(Look(1), "running");
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Finish(tr, job); }), Outcome::kOk);
}

TEST_F(SameTransactionTest, ACanceledWorkerCanCommitNothingElseTogetherWithAnOk) {
  AddJob(1);
  const ClaimedJob job = ClaimOne();
  Do([&](fdb::Transaction& tr) -> absl::Status {
    EXPECT_THAT(jobs().Cancel(tr, type(), 1), IsOkAnd(ChangeResult::kChanged));
    EXPECT_THAT(jobs().Update(tr, job), IsOkAnd(Outcome::kCanceled));
    EXPECT_THAT(jobs().Finish(tr, job), IsOkAnd(Outcome::kWorkerConflict));
    return absl::OkStatus();
  });
  EXPECT_EQ(Look(1), "finished+cancel");
}

// The whole API on the caller's raw transaction.
TEST_F(SameTransactionTest, EveryCallWorksInABorrowedTransaction) {
  fdb::OwnedTransaction callers = Begin();
  ClaimedJob job;
  {
    fdb::BorrowedTransaction tr(db().client(), callers.raw());
    EXPECT_THAT(jobs().SetActivityTimeout(tr, "raw", absl::Seconds(5)), IsOk());
    EXPECT_THAT(jobs().GetActivityTimeout(tr, "raw"), IsOkAnd(::testing::Optional(absl::Seconds(5))));
    EXPECT_THAT(jobs().AddMany(tr, "raw", {{.id = 1}, {.id = 2}, {.id = 3}}), IsOkAnd(SizeIs(3)));
    EXPECT_THAT(jobs().SetPriority(tr, "raw", 2, -1), IsOkAnd(ChangeResult::kChanged));
    EXPECT_THAT(jobs().Cancel(tr, "raw", 1), IsOkAnd(ChangeResult::kChanged));
    EXPECT_THAT(jobs().Resubmit(tr, "raw", 1), IsOkAnd(ChangeResult::kChanged));
    EXPECT_THAT(jobs().Remove(tr, "raw", 3), IsOkAnd(ChangeResult::kChanged));
    const absl::StatusOr<Claimed> claimed = jobs().Accept(tr, "raw");
    EXPECT_THAT(Ids(claimed->jobs), ::testing::ElementsAre(2));
    job = claimed->jobs.at(0);
    EXPECT_THAT(jobs().CountJobs(tr, "raw"), IsOkAnd(Counts{.pending = 1, .running = 1, .finished = 0}));
    EXPECT_THAT(jobs().GetIncarnation(tr), IsOkAnd(0));
  }
  EXPECT_THAT(callers.Commit().Await(), IsOk());
  callers.Reset();
  {
    fdb::BorrowedTransaction tr(db().client(), callers.raw());
    EXPECT_THAT(jobs().Update(tr, job, "1"), IsOkAnd(Outcome::kOk));
    EXPECT_THAT(jobs().ResubmitByWorker(tr, job), IsOkAnd(Outcome::kOk));
    EXPECT_THAT(jobs().Finish(tr, job), IsOkAnd(Outcome::kOk));
    EXPECT_THAT(jobs().AcceptToFinish(tr, "raw", {.limit = 5}), IsOk());
  }
  EXPECT_THAT(callers.Commit().Await(), IsOk());
  callers.Reset();
  {
    fdb::BorrowedTransaction tr(db().client(), callers.raw());
    const absl::StatusOr<std::optional<Sequence>> watch = jobs().GetWatch(tr, "raw");
    EXPECT_THAT(jobs().Rescue(tr, "raw", **watch, 10), IsOk());
    EXPECT_THAT(jobs().ClearActivityTimeout(tr, "raw"), IsOk());
  }
  EXPECT_THAT(callers.Commit().Await(), IsOk());
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().CountJobs(tr, "raw"); }).pending, 2);
}

}  // namespace
}  // namespace fdbjobs::test
