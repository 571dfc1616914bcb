// The examples of docs/guide.md, run. examples_test.cc sees to it that the page has them as they are here.
#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "fdbjobs/claimer.h"
#include "fdbjobs/fdb/transact.h"
#include "fdbjobs/jobs.h"
#include "fdbjobs/listing.h"
#include "fdbjobs/subscriptions.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_database.h"

namespace {

namespace fdb = fdbjobs::fdb;
using fdbjobs::AddResult;
using fdbjobs::Claimed;
using fdbjobs::ClaimedJob;
using fdbjobs::Claimer;
using fdbjobs::Counts;
using fdbjobs::FinishRequest;
using fdbjobs::Job;
using fdbjobs::JobChange;
using fdbjobs::JobPage;
using fdbjobs::Jobs;
using fdbjobs::JobState;
using fdbjobs::NewJob;
using fdbjobs::Outcome;
using fdbjobs::Priority;
using fdbjobs::RescueResult;
using fdbjobs::Sequence;
using fdbjobs::Subscriptions;
using fdbjobs::UpdateRequest;
using fdbjobs::test::IsOk;
using fdbjobs::test::IsOkAnd;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::SizeIs;

// What the examples take for granted: keys of the shop's own, and work that is outside of the database.
std::string shop_prefix;
std::string OrderKey(int64_t order) { return absl::StrCat(shop_prefix, "order/", order); }
std::string SentKey() { return shop_prefix + "sent"; }
std::vector<int> rendered;
void RenderPage(const ClaimedJob& /*job*/, int page) { rendered.push_back(page); }
void Report(const absl::Status& status) { ADD_FAILURE() << status; }

// --- Adding jobs

absl::Status DeclareTypes(const fdb::Database& db, const Jobs& jobs) {
  return fdb::Transact(db,
                       [&](fdb::Transaction& tr) { return jobs.SetActivityTimeout(tr, "invoice", absl::Seconds(30)); });
}

// Works in the caller's transaction: the order and its job are there together, or neither is.
absl::Status PlaceOrder(fdb::Transaction& tr, const Jobs& jobs, int64_t order, const std::string& json) {
  tr.Set(OrderKey(order), json);
  return jobs.Add(tr, "invoice", {.id = order, .data = json}).status();
}

absl::StatusOr<AddResult> PublishOnce(fdb::Transaction& tr, const Jobs& jobs, int64_t order) {
  return jobs.Add(tr, "invoice", {.id = order}, fdbjobs::IfExists::kKeep);
}

absl::StatusOr<std::vector<AddResult>> AddReminders(fdb::Transaction& tr, const Jobs& jobs, int count) {
  std::vector<NewJob> reminders;
  for (int i = 0; i < count; ++i) reminders.push_back({.data = absl::StrCat(i)});
  return jobs.AddMany(tr, "invoice", reminders);
}

// --- A worker

absl::StatusOr<Outcome> SendInvoice(const fdb::Database& db, const Jobs& jobs, const ClaimedJob& job) {
  for (int page = 1; page <= 3; ++page) {
    RenderPage(job, page);  // the long part, outside of any transaction
    const absl::StatusOr<Outcome> alive = fdb::Transact(
        db, [&](fdb::Transaction& tr) { return jobs.Update(tr, job, absl::StrCat("{\"page\":", page, "}")); });
    if (!alive.ok() || *alive != Outcome::kOk) return alive;  // canceled, or no longer ours: stop here
  }
  return fdb::Transact(db, [&](fdb::Transaction& tr) -> absl::StatusOr<Outcome> {
    const absl::StatusOr<Outcome> outcome = jobs.Finish(tr, job, R"({"sent":true})");
    if (!outcome.ok() || *outcome != Outcome::kOk) return outcome;
    tr.Add(SentKey(), 1);  // in the same transaction: exactly once
    return outcome;
  });
}

void RunWorker(const fdb::Database& db, const Jobs& jobs, Claimer& claimer) {
  while (!claimer.stopped()) {
    const absl::StatusOr<Claimed> claimed = claimer.Accept(absl::Now() + absl::Seconds(30));
    if (!claimed.ok()) {
      Report(claimed.status());
      absl::SleepFor(absl::Seconds(1));
      continue;
    }
    for (const ClaimedJob& job : claimed->jobs) {
      const absl::StatusOr<Outcome> outcome = SendInvoice(db, jobs, job);
      if (!outcome.ok()) Report(outcome.status());  // the monitor puts the job back
    }
  }
}

// A sign of life for all jobs that this process holds. Those that it has lost are in the answer.
absl::StatusOr<std::vector<Outcome>> Heartbeat(const fdb::Database& db, const Jobs& jobs,
                                               const std::vector<ClaimedJob>& held) {
  std::vector<UpdateRequest> signs;
  for (const ClaimedJob& job : held) signs.push_back({.type = job.type, .id = job.id, .lock = job.lock});
  return fdb::Transact(db, [&](fdb::Transaction& tr) { return jobs.UpdateMany(tr, signs); });
}

// --- Whole jobs in one transaction

absl::StatusOr<Claimed> CountOrders(Claimer& claimer, const Jobs& jobs) {
  return claimer.AcceptAndFinish(absl::Now() + absl::Seconds(30), [&](fdb::Transaction& tr, const Claimed& claimed) {
    std::vector<FinishRequest> finishes;
    for (const ClaimedJob& job : claimed.jobs) {
      tr.Add(SentKey(), 1);
      finishes.push_back({.type = job.type, .id = job.id, .lock = job.lock, .remove = true});
    }
    return jobs.FinishMany(tr, finishes).status();
  });
}

// --- Priorities as a schedule

absl::Status AddAt(fdb::Transaction& tr, const Jobs& jobs, int64_t order, absl::Time due) {
  return jobs.Add(tr, "invoice", {.id = order, .priority = absl::ToUnixMillis(due)}).status();
}

absl::StatusOr<Claimed> AcceptDue(const fdb::Database& db, const Jobs& jobs, absl::Time deadline) {
  Claimer claimer(db, jobs, "invoice",
                  {.max_priority = [] { return Priority(absl::ToUnixMillis(absl::Now())); },
                   .look_again = absl::Milliseconds(200)});
  return claimer.Accept(deadline);
}

// The work failed: the job is pending again, and due in a minute.
absl::StatusOr<Outcome> TryAgainInAMinute(fdb::Transaction& tr, const Jobs& jobs, const ClaimedJob& job) {
  const int64_t due = absl::ToUnixMillis(absl::Now() + absl::Minutes(1));
  const absl::StatusOr<Outcome> outcome = jobs.ResubmitByWorker(tr, job, Priority(due));
  if (!outcome.ok() || *outcome != Outcome::kOk) return outcome;
  return jobs.Finish(tr, job);
}

// --- Waiting

absl::StatusOr<std::vector<JobChange>> PlaceOrderAndWait(const fdb::Database& db, const Jobs& jobs, int64_t order) {
  Subscriptions subscriptions(db, jobs);
  const absl::Status placed = fdb::Transact(db, [&](fdb::Transaction& tr) -> absl::Status {
    if (absl::Status status = PlaceOrder(tr, jobs, order, "{}"); !status.ok()) return status;
    return subscriptions.Subscribe(tr, "invoice", order, JobState::kFinished);
  });
  if (!placed.ok()) return placed;
  return subscriptions.Wait(absl::Now() + absl::Minutes(1));
}

// --- Looking

absl::StatusOr<int64_t> Backlog(const fdb::Database& db, const Jobs& jobs) {
  const absl::StatusOr<Counts> counts =
      fdb::Transact(db, [&](fdb::Transaction& tr) { return jobs.CountJobs(tr, "invoice"); });
  if (!counts.ok()) return counts.status();
  return counts->pending + counts->running;
}

absl::Status CancelAllPending(const fdb::Database& db, const Jobs& jobs) {
  absl::Status result;
  const absl::Status listed = fdbjobs::ForEachJob(jobs, db, "invoice", JobState::kPending, [&](const Job& job) {
    result = fdb::Transact(db, [&](fdb::Transaction& tr) { return jobs.Cancel(tr, job.type, job.id).status(); });
    return result.ok();  // go on
  });
  return listed.ok() ? result : listed;
}

// --- Tests

class GuideTest : public fdbjobs::test::DatabaseTest {
 protected:
  GuideTest() : jobs_({.prefix = prefix()}) {
    shop_prefix = prefix();
    rendered.clear();
  }
  void SetUp() override { ASSERT_THAT(DeclareTypes(db(), jobs_), IsOk()); }

  absl::Status Place(int64_t order) {
    return fdb::Transact(db(), [&](fdb::Transaction& tr) { return PlaceOrder(tr, jobs_, order, R"({"n":1})"); });
  }
  std::optional<Job> Find(int64_t order) {
    const absl::StatusOr<std::optional<Job>> job =
        fdb::Transact(db(), [&](fdb::Transaction& tr) { return jobs_.GetJob(tr, "invoice", order); });
    EXPECT_THAT(job, IsOk());
    return job.ok() ? *job : std::nullopt;
  }
  ClaimedJob ClaimOne() {
    const absl::StatusOr<Claimed> claimed =
        fdb::Transact(db(), [&](fdb::Transaction& tr) { return jobs_.Accept(tr, "invoice"); });
    EXPECT_THAT(claimed, IsOk());
    EXPECT_THAT(claimed->jobs, SizeIs(1));
    return claimed->jobs.at(0);
  }
  int64_t Sent() {
    const std::optional<std::string> value = Read("sent");
    return value.has_value() ? *fdbjobs::keyspace::JobKeys::DecodeCount(*value) : 0;
  }

  const Jobs jobs_;
};

TEST_F(GuideTest, AnOrderBringsItsJob) {
  ASSERT_THAT(Place(7), IsOk());
  EXPECT_EQ(Read("order/7"), R"({"n":1})");
  EXPECT_EQ(Find(7)->data, R"({"n":1})");
  EXPECT_EQ(Place(7).code(), absl::StatusCode::kAlreadyExists);
}

TEST_F(GuideTest, PublishingTwiceIsPublishingOnce) {
  const auto publish = [&](fdb::Transaction& tr) { return PublishOnce(tr, jobs_, 7); };
  EXPECT_THAT(fdb::Transact(db(), publish), IsOkAnd(AddResult::kAdded));
  EXPECT_THAT(fdb::Transact(db(), publish), IsOkAnd(AddResult::kExists));
}

TEST_F(GuideTest, AddsManyWithIdsOfTheirOwn) {
  EXPECT_THAT(fdb::Transact(db(), [&](fdb::Transaction& tr) { return AddReminders(tr, jobs_, 5); }),
              IsOkAnd(SizeIs(5)));
  EXPECT_THAT(Backlog(db(), jobs_), IsOkAnd(5));
}

TEST_F(GuideTest, AWorkerRunsUntilItIsStopped) {
  Claimer claimer(db(), jobs_, "invoice");
  std::thread worker([&] { RunWorker(db(), jobs_, claimer); });
  const absl::StatusOr<std::vector<JobChange>> changes = PlaceOrderAndWait(db(), jobs_, 7);
  claimer.Stop();
  worker.join();
  ASSERT_THAT(changes, IsOkAnd(SizeIs(1)));
  EXPECT_EQ(changes->front().job->data, R"({"sent":true})");
  EXPECT_THAT(rendered, ElementsAre(1, 2, 3));
  EXPECT_EQ(Sent(), 1);
}

TEST_F(GuideTest, AWorkerStopsWhenItsJobIsCanceled) {
  ASSERT_THAT(Place(7), IsOk());
  const ClaimedJob job = ClaimOne();
  ASSERT_THAT(fdb::Transact(db(), [&](fdb::Transaction& tr) { return jobs_.Cancel(tr, "invoice", 7).status(); }),
              IsOk());
  EXPECT_THAT(SendInvoice(db(), jobs_, job), IsOkAnd(Outcome::kCanceled));
  EXPECT_THAT(rendered, ElementsAre(1));
  EXPECT_EQ(Sent(), 0);
}

TEST_F(GuideTest, HeartbeatsTellWhatIsLost) {
  ASSERT_THAT(Place(1), IsOk());
  const ClaimedJob mine = ClaimOne();
  ClaimedJob lost = mine;
  lost.id = 2;
  EXPECT_THAT(Heartbeat(db(), jobs_, {mine, lost}), IsOkAnd(ElementsAre(Outcome::kOk, Outcome::kWorkerConflict)));
}

TEST_F(GuideTest, WholeJobsInOneTransaction) {
  for (int64_t order = 0; order < 5; ++order) ASSERT_THAT(Place(order), IsOk());
  Claimer claimer(db(), jobs_, "invoice", {.limit = 10});
  EXPECT_THAT(CountOrders(claimer, jobs_), IsOkAnd(Field(&Claimed::jobs, SizeIs(5))));
  EXPECT_EQ(Sent(), 5);
  EXPECT_EQ(Find(0), std::nullopt);
}

TEST_F(GuideTest, JobsWaitUntilTheyAreDue) {
  const absl::Time now = absl::Now();
  ASSERT_THAT(fdb::Transact(db(),
                            [&](fdb::Transaction& tr) -> absl::Status {
                              absl::Status status = AddAt(tr, jobs_, 1, now + absl::Hours(1));
                              status.Update(AddAt(tr, jobs_, 2, now + absl::Milliseconds(300)));
                              return status;
                            }),
              IsOk());
  const absl::StatusOr<Claimed> due = AcceptDue(db(), jobs_, now + absl::Minutes(1));
  ASSERT_THAT(due, IsOkAnd(Field(&Claimed::jobs, SizeIs(1))));
  EXPECT_EQ(due->jobs[0].id, fdbjobs::JobId(2));
  EXPECT_GE(absl::Now(), now + absl::Milliseconds(300));
}

TEST_F(GuideTest, AJobIsTriedAgainLater) {
  ASSERT_THAT(Place(7), IsOk());
  const ClaimedJob job = ClaimOne();
  EXPECT_THAT(fdb::Transact(db(), [&](fdb::Transaction& tr) { return TryAgainInAMinute(tr, jobs_, job); }),
              IsOkAnd(Outcome::kOk));
  EXPECT_EQ(Find(7)->state, JobState::kPending);
  EXPECT_GT(Find(7)->priority, Priority(absl::ToUnixMillis(absl::Now())));
}

TEST_F(GuideTest, CancelsWhatIsPending) {
  for (int64_t order = 0; order < 3; ++order) ASSERT_THAT(Place(order), IsOk());
  ASSERT_THAT(CancelAllPending(db(), jobs_), IsOk());
  EXPECT_THAT(Backlog(db(), jobs_), IsOkAnd(0));
}

// The test that the guide shows. It opens a folder, so it is of the embedded engine alone.
TEST(EmbeddedGuideTest, AnInvoiceSurvivesItsWorker) {
  const fdbjobs::test::TempFolder folder;
  const absl::StatusOr<fdb::Database> db = fdb::Database::Open("embedded:" + folder.path());
  ASSERT_TRUE(db.ok()) << db.status();
  const Jobs jobs;
  ASSERT_TRUE(DeclareTypes(*db, jobs).ok());
  const auto place = [&](fdb::Transaction& tr) { return PlaceOrder(tr, jobs, 7, "{}"); };
  ASSERT_TRUE(fdb::Transact(*db, place).ok());

  // A worker claims the job and is never heard of again.
  const auto accept = [&](fdb::Transaction& tr) { return jobs.Accept(tr, "invoice"); };
  ASSERT_EQ(fdb::Transact(*db, accept)->jobs.size(), 1u);

  // What the monitor does after an activity timeout, without the wait.
  const auto rescue = [&](fdb::Transaction& tr) -> absl::StatusOr<RescueResult> {
    const absl::StatusOr<std::optional<Sequence>> now = jobs.GetWatch(tr, "invoice");
    if (!now.ok()) return now.status();
    return jobs.Rescue(tr, "invoice", **now, 100);
  };
  EXPECT_EQ(fdb::Transact(*db, rescue)->reenqueued, 1);
  EXPECT_EQ(fdb::Transact(*db, accept)->jobs.size(), 1u);
}

}  // namespace
