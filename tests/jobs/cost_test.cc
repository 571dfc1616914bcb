// What calls cost: engine calls, counted below the C ABI by a client library that hands them on. Of the embedded engine
// alone, since it is the one that this library is linked to; what is counted is the jobs layer's.
#include <dlfcn.h>

#include <algorithm>
#include <optional>

#include "absl/time/clock.h"
#include "fdbjobs/claimer.h"
#include "fdbjobs/fdb/transact.h"
#include "fdbjobs/jobs.h"
#include "fdbjobs/subscriptions.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/jobs/fixture/counting_calls.h"
#include "tests/support/notification.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace fdbjobs::test {
namespace {

using ::testing::SizeIs;

class CostTest : public ::testing::Test {
 protected:
  template <typename Body>
  auto Do(Body&& body) {
    auto result = fdb::Transact(*db_, std::forward<Body>(body));
    EXPECT_THAT(result, IsOk());
    if constexpr (!std::is_same_v<decltype(result), absl::Status>) return *std::move(result);
  }

  void SetUp() override {
    absl::StatusOr<fdb::Database> db = fdb::Database::Open("embedded:" + folder_.path(), FDBJOBS_TEST_COUNTING_CLIENT);
    ASSERT_THAT(db, IsOk());
    db_.emplace(*std::move(db));
    void* const library = dlopen(FDBJOBS_TEST_COUNTING_CLIENT, RTLD_NOW | RTLD_NOLOAD);
    ASSERT_NE(library, nullptr);
    take_ = reinterpret_cast<EngineCalls (*)()>(dlsym(library, "fdbjobs_test_take_calls"));
    ASSERT_NE(take_, nullptr);
    Do([&](fdb::Transaction& tr) { return jobs_.SetActivityTimeout(tr, "type", absl::Minutes(1)); });
  }

  // What one transaction costs.
  template <typename Body>
  EngineCalls CostOf(Body&& body) {
    take_();
    Do(std::forward<Body>(body));
    return take_();
  }
  void AddJobs(int begin, int end) {
    for (; begin < end; begin += 1000) {
      std::vector<NewJob> some;
      for (int id = begin; id < std::min(end, begin + 1000); ++id) some.push_back({.id = id});
      Do([&](fdb::Transaction& tr) { return jobs_.AddMany(tr, "type", some); });
    }
  }

  TempFolder folder_;
  std::optional<fdb::Database> db_;
  const Jobs jobs_;
  EngineCalls (*take_)() = nullptr;
};

TEST_F(CostTest, AClaimTakesTwoRoundsOfReadsAndOneCommitWhateverItsSizeAndTheBacklog) {
  int added = 0;
  for (const int backlog : {2000, 20000}) {
    AddJobs(added, backlog);
    added = backlog;
    for (const int n : {1, 10, 300}) {
      const EngineCalls cost = CostOf([&](fdb::Transaction& tr) -> absl::Status {
        const absl::StatusOr<Claimed> claimed = jobs_.Accept(tr, "type", {.limit = n});
        EXPECT_THAT(claimed->jobs, SizeIs(n));
        return claimed.status();
      });
      EXPECT_EQ(cost.rounds, 2);
      EXPECT_EQ(cost.ranges, 1);
      EXPECT_EQ(cost.gets, n + 1);  // data rows and the incarnation
      // Data row, activity row and pending row of each job; two counters, the watch, the receipt.
      EXPECT_EQ(cost.writes, 3 * n + 4);
      EXPECT_EQ(cost.commits, 1);
    }
  }
}

TEST_F(CostTest, AClaimBesideOthersOfItsProcessTakesTwoRoundsAsWell) {
  AddJobs(0, 1000);
  std::vector<fdb::OwnedTransaction> open;
  for (int i = 0; i < 8; ++i) {
    absl::StatusOr<fdb::OwnedTransaction> tr = db_->CreateTransaction();
    ASSERT_THAT(tr, IsOk());
    open.push_back(*std::move(tr));
    take_();
    EXPECT_THAT(jobs_.Accept(open.back(), "type", {.limit = 100})->jobs, SizeIs(100));
    const EngineCalls cost = take_();
    EXPECT_EQ(cost.rounds, 2);
    // What stands behind the jobs that others are claiming, and what may have come before their priority meanwhile.
    EXPECT_EQ(cost.ranges, i == 0 ? 1 : 2);
    EXPECT_EQ(cost.gets, 101);
  }
  for (fdb::OwnedTransaction& tr : open) EXPECT_THAT(tr.Commit().Await(), IsOk());
}

TEST_F(CostTest, UpdateAndFinishTakeOneRoundOfReads) {
  AddJobs(0, 300);
  for (const int n : {1, 100}) {
    const Claimed claimed = Do([&](fdb::Transaction& tr) { return jobs_.Accept(tr, "type", {.limit = n}); });
    std::vector<UpdateRequest> updates;
    std::vector<FinishRequest> finishes;
    for (const ClaimedJob& job : claimed.jobs) updates.push_back({"type", job.id, job.lock, "1"});
    for (const ClaimedJob& job : claimed.jobs) finishes.push_back({"type", job.id, job.lock, "2"});
    const EngineCalls update = CostOf([&](fdb::Transaction& tr) { return jobs_.UpdateMany(tr, updates).status(); });
    EXPECT_EQ(update.rounds, 1);
    EXPECT_EQ(update.gets, n + 1);
    EXPECT_EQ(update.writes, 3 * n + 2);  // data row, old and new activity row; watch, receipt
    EXPECT_EQ(update.commits, 1);
    const EngineCalls finish = CostOf([&](fdb::Transaction& tr) { return jobs_.FinishMany(tr, finishes).status(); });
    EXPECT_EQ(finish.rounds, 1);
    EXPECT_EQ(finish.gets, n + 1);
    EXPECT_EQ(finish.writes, 2 * n + 4);  // data row, activity row; two counters, watch, receipt
    EXPECT_EQ(finish.commits, 1);
  }
}

TEST_F(CostTest, AddTakesOneRoundOfReadsAndForManyNewJobsOneRead) {
  int id = 0;
  for (const int n : {1, 7, 8, 500}) {
    std::vector<NewJob> some;
    for (int i = 0; i < n; ++i) some.push_back({.id = id++});
    const EngineCalls cost = CostOf([&](fdb::Transaction& tr) { return jobs_.AddMany(tr, "type", some).status(); });
    EXPECT_EQ(cost.rounds, 1);
    EXPECT_EQ(cost.gets, 1 + (n < 8 ? n : 0));  // the timeout, data rows
    EXPECT_EQ(cost.ranges, n < 8 ? 0 : 1);
    EXPECT_EQ(cost.writes, 2 * n + 3);  // data row, pending row; counter, pending watch, receipt
    EXPECT_EQ(cost.commits, 1);
  }
}

TEST_F(CostTest, IdsThatLieAmongOthersAreLookedForInVainOnlyNowAndThen) {
  AddJobs(0, 1);
  int rounds = 0;
  int ranges = 0;
  constexpr int kCalls = 34;
  for (int call = 1; call <= kCalls; ++call) {
    std::vector<NewJob> some;
    for (int i = 0; i < 10; ++i) some.push_back({.id = i % 2 == 0 ? -10 * call - i : 10 * call + i});
    const EngineCalls cost = CostOf([&](fdb::Transaction& tr) { return jobs_.AddMany(tr, "type", some).status(); });
    EXPECT_EQ(cost.gets, 11);
    rounds += cost.rounds;
    ranges += cost.ranges;
  }
  EXPECT_EQ(ranges, 2);
  EXPECT_EQ(rounds, kCalls + 2);
}

TEST_F(CostTest, WholeJobsTakeTwoRoundsAndOneCommitForClaimAndFinish) {
  AddJobs(0, 300);
  for (const int n : {1, 100}) {
    const EngineCalls cost = CostOf([&](fdb::Transaction& tr) -> absl::Status {
      const absl::StatusOr<Claimed> claimed = jobs_.AcceptToFinish(tr, "type", {.limit = n});
      std::vector<FinishRequest> finishes;
      for (const ClaimedJob& job : claimed->jobs) finishes.push_back({"type", job.id, job.lock, "1"});
      return jobs_.FinishMany(tr, finishes).status();
    });
    EXPECT_EQ(cost.rounds, 2);
    EXPECT_EQ(cost.ranges, 1);
    EXPECT_EQ(cost.gets, n);
    EXPECT_EQ(cost.writes, 2 * n + 3);  // data row, pending row; two counters, receipt
    EXPECT_EQ(cost.commits, 1);
  }
}

TEST_F(CostTest, CountsTakeOneRoundOfThreeReads) {
  AddJobs(0, 5000);
  const EngineCalls cost = CostOf([&](fdb::Transaction& tr) -> absl::Status {
    EXPECT_EQ(jobs_.CountJobs(tr, "type")->pending, 5000);
    return absl::OkStatus();
  });
  EXPECT_EQ(cost.rounds, 1);
  EXPECT_EQ(cost.gets, 3);
  EXPECT_EQ(cost.ranges, 0);
}

TEST_F(CostTest, ARescueTakesTwoRoundsOfReads) {
  AddJobs(0, 200);
  Do([&](fdb::Transaction& tr) { return jobs_.Accept(tr, "type", {.limit = 200}); });
  const std::optional<Sequence> watch = Do([&](fdb::Transaction& tr) { return jobs_.GetWatch(tr, "type"); });
  const EngineCalls cost = CostOf([&](fdb::Transaction& tr) { return jobs_.Rescue(tr, "type", *watch, 100).status(); });
  EXPECT_EQ(cost.rounds, 2);
  EXPECT_EQ(cost.ranges, 1);
  EXPECT_EQ(cost.gets, 101);
  EXPECT_EQ(cost.commits, 1);
}

TEST_F(CostTest, TheBlockingAcceptCostsNoMoreThanAClaim) {
  AddJobs(0, 10);
  Claimer claimer(*db_, jobs_, "type", {.limit = 10});
  take_();
  EXPECT_THAT(claimer.Accept(absl::Now() + absl::Minutes(1))->jobs, SizeIs(10));
  const EngineCalls cost = take_();
  EXPECT_EQ(cost.rounds, 2);
  EXPECT_EQ(cost.commits, 1);
  EXPECT_EQ(cost.watches, 0);
  // On an empty queue one look, with its watch; nothing while it waits.
  EXPECT_THAT(claimer.Accept(absl::InfinitePast())->jobs, SizeIs(0));
  const EngineCalls empty = take_();
  EXPECT_EQ(empty.ranges, 1);
  EXPECT_EQ(empty.watches, 1);
}

// The watch of the first subscription is given up by the second, and tells so late, when the second has its own.
TEST_F(CostTest, AWaitForAJobThatWasSubscribedAgainDoesNotLookAtItAgainAndAgain) {
  AddJobs(0, 1);
  Subscriptions subscriptions(*db_, jobs_);
  const auto subscribe = [&](fdb::Transaction& tr) { return subscriptions.Subscribe(tr, "type", 0); };
  Do(subscribe);
  EXPECT_THAT(subscriptions.Wait(absl::InfinitePast()), IsOkAnd(SizeIs(0)));
  const auto watch = [&] {
    return Do([](fdb::Transaction& tr) { return absl::StatusOr<fdb::VoidFuture>(tr.Watch("nobody writes it")); });
  };
  // Holds up the thread that runs callbacks.
  Notification go_on;
  fdb::VoidFuture first = watch();
  ASSERT_THAT(first.OnReady([&] { go_on.WaitForNotification(); }), IsOk());
  first.Cancel();
  Do(subscribe);
  EXPECT_THAT(subscriptions.Wait(absl::InfinitePast()), IsOkAnd(SizeIs(0)));
  Notification all_told;
  fdb::VoidFuture last = watch();
  ASSERT_THAT(last.OnReady([&] { all_told.Notify(); }), IsOk());
  last.Cancel();
  go_on.Notify();
  all_told.WaitForNotification();

  take_();
  EXPECT_THAT(subscriptions.Wait(absl::Now() + absl::Milliseconds(100)), IsOkAnd(SizeIs(0)));
  EXPECT_EQ(take_().watches, 0);
  Do([&](fdb::Transaction& tr) { return jobs_.Cancel(tr, "type", 0).status(); });
  EXPECT_THAT(subscriptions.Wait(absl::Now() + absl::Minutes(1)), IsOkAnd(SizeIs(1)));
}

TEST_F(CostTest, AWaitCostsInProportionToWhatChanged) {
  constexpr int kJobs = 1000;
  AddJobs(0, kJobs);
  Subscriptions subscriptions(*db_, jobs_);
  Do([&](fdb::Transaction& tr) -> absl::Status {
    for (int id = 0; id < kJobs; ++id) {
      if (absl::Status status = subscriptions.Subscribe(tr, "type", id); !status.ok()) return status;
    }
    return absl::OkStatus();
  });
  // The first look compares all of them.
  EXPECT_THAT(subscriptions.Wait(absl::InfinitePast()), IsOkAnd(SizeIs(0)));
  for (const int id : {7, 700}) {
    Do([&](fdb::Transaction& tr) { return jobs_.Cancel(tr, "type", id).status(); });
    take_();
    EXPECT_THAT(subscriptions.Wait(absl::Now() + absl::Minutes(1)), IsOkAnd(SizeIs(1)));
    const EngineCalls cost = take_();
    EXPECT_EQ(cost.gets, 1);
    EXPECT_EQ(cost.watches, 1);
    EXPECT_EQ(cost.commits, 1);
  }
}

}  // namespace
}  // namespace fdbjobs::test
