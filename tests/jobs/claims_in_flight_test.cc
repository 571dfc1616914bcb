// Claims of one process at the same time: they keep out of each other's way, and nothing gets lost by that.
#include "fdbjobs/claims_in_flight.h"

#include <map>
#include <random>
#include <set>

#include "fdbjobs/fdb/error_codes.h"
#include "tests/jobs/jobs_fixture.h"
#include "tests/support/test_seed.h"

namespace fdbjobs::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Place = ClaimsInFlight::Place;

class PlacesTest : public ::testing::Test {
 protected:
  // The owner is the place itself, so each is of another one.
  std::unique_ptr<Place> Look(int wanted, const std::string& queue = "queue") {
    return std::make_unique<Place>(claims_, queue, &owners_.emplace_back(), wanted);
  }
  std::unique_ptr<Place> Holding(std::string_view first, std::string_view last) {
    std::unique_ptr<Place> place = Look(1);
    place->Hold(first, last);
    return place;
  }

  ClaimsInFlight::Clock::time_point now_;
  const std::shared_ptr<ClaimsInFlight> claims_ = std::make_shared<ClaimsInFlight>([this] { return now_; });
  std::list<int> owners_;
  const std::vector<std::string_view> keys_ = {"a", "b", "c", "d", "e", "f"};
};

TEST_F(PlacesTest, WhoIsAloneMayTakeAll) {
  const auto place = Look(3);
  EXPECT_THAT(place->Free(keys_), SizeIs(6));
  EXPECT_EQ(place->RowsOfOthers(), 0);
}

TEST_F(PlacesTest, WhatOthersHoldIsPassedOverUntilTheyAreGone) {
  auto held = Holding("b", "d");
  const auto place = Look(3);
  EXPECT_THAT(place->Free(keys_), ElementsAre(0, 4, 5));
  held.reset();
  EXPECT_THAT(place->Free(keys_), SizeIs(6));
}

TEST_F(PlacesTest, HoldingMoreAddsToWhatIsHeld) {
  const auto held = Holding("c", "c");
  held->Hold("d", "e");
  EXPECT_THAT(Look(1)->Free(keys_), ElementsAre(0, 1, 5));
  held->Hold("a", "a");
  EXPECT_THAT(Look(1)->Free(keys_), ElementsAre(5));
}

TEST_F(PlacesTest, ThoseWhoCameBeforeAndStillLookComeFirst) {
  const auto first = Look(2);
  const auto second = Look(1);
  const auto third = Look(1);
  EXPECT_THAT(first->Free(keys_), SizeIs(6));
  EXPECT_THAT(second->Free(keys_), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(third->Free(keys_), ElementsAre(3, 4, 5));
  EXPECT_EQ(third->RowsOfOthers(), 3);
  second->Hold("c", "c");
  EXPECT_THAT(first->Free(keys_), ElementsAre(0, 1, 3, 4, 5));
  EXPECT_THAT(third->Free(keys_), ElementsAre(3, 4, 5));
}

TEST_F(PlacesTest, AQueueOrAnOwnerOfItsOwnIsInNobodysWay) {
  const auto elsewhere = Look(5, "another queue");
  elsewhere->Hold("a", "f");
  int owner = 0;
  Place one(claims_, "queue", &owner, 1);
  one.Hold("a", "c");
  const Place other(claims_, "queue", &owner, 1);
  EXPECT_THAT(other.Free(keys_), SizeIs(6));
  EXPECT_EQ(other.RowsOfOthers(), 0);
}

TEST_F(PlacesTest, NothingIsHeldForLongerThanATransactionLasts) {
  const auto held = Holding("a", "e");
  const auto looking = Look(5);
  now_ += ClaimsInFlight::kLongest;
  EXPECT_THAT(Look(1)->Free(keys_), IsEmpty());
  now_ += std::chrono::milliseconds(1);
  EXPECT_THAT(Look(1)->Free(keys_), SizeIs(6));
}

// Whatever the order in which they come, look, hold and go: what is free for one, no other holds or has a right to.
TEST_F(PlacesTest, RandomPlacesNeverHoldTheSame) {
  std::mt19937_64 random(TestSeed());
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back(absl::StrCat("key", 10 + i));
  const std::vector<std::string_view> keys(names.begin(), names.end());
  struct Claimer {
    std::unique_ptr<Place> place;
    size_t wanted;
    std::set<size_t> held;
  };
  std::list<Claimer> claimers;  // in the order of coming
  for (int step = 0; step < 20000; ++step) {
    const size_t at = random() % 8;
    if (at >= claimers.size()) {
      const size_t wanted = 1 + random() % 5;
      claimers.push_back({Look(static_cast<int>(wanted)), wanted, {}});
      continue;
    }
    const auto one = std::next(claimers.begin(), static_cast<ptrdiff_t>(at));
    if (!one->held.empty() || random() % 4 == 0) {
      claimers.erase(one);
      continue;
    }
    std::vector<size_t> expected;
    size_t left_to_others = 0;
    for (auto before = claimers.begin(); before != one; ++before) {
      if (before->held.empty()) left_to_others += before->wanted;
    }
    for (size_t key = 0; key < keys.size(); ++key) {
      const bool held =
          std::any_of(claimers.begin(), claimers.end(), [&](const Claimer& other) { return other.held.contains(key); });
      if (!held && left_to_others > 0) {
        --left_to_others;
      } else if (!held) {
        expected.push_back(key);
      }
    }
    ASSERT_EQ(one->place->Free(keys), expected) << "step " << step;
    // What is held has no holes, so a claimer takes neighbours.
    size_t end = 0;
    while (end < expected.size() && end < one->wanted && expected[end] == expected[0] + end) ++end;
    if (end == 0) continue;
    one->place->Hold(keys[expected[0]], keys[expected[end - 1]]);
    one->held.insert(expected.begin(), expected.begin() + static_cast<ptrdiff_t>(end));
  }
}

class ClaimsInFlightTest : public JobsTest {
 protected:
  fdb::OwnedTransaction Begin() {
    absl::StatusOr<fdb::OwnedTransaction> tr = db().CreateTransaction();
    EXPECT_THAT(tr, IsOk());
    return *std::move(tr);
  }
  std::vector<JobId> Accept(fdb::Transaction& tr, const AcceptOptions& options = {}) {
    const absl::StatusOr<Claimed> claimed = jobs().Accept(tr, type(), options);
    EXPECT_THAT(claimed, IsOk());
    return claimed.ok() ? Ids(claimed->jobs) : std::vector<JobId>();
  }
};

TEST_F(ClaimsInFlightTest, TransactionsOfOneProcessClaimDifferentJobsAndAllCommit) {
  AddJobs(10);
  fdb::OwnedTransaction one = Begin();
  fdb::OwnedTransaction two = Begin();
  fdb::OwnedTransaction three = Begin();
  EXPECT_THAT(Accept(one, {.limit = 3}), ElementsAre(0, 1, 2));
  EXPECT_THAT(Accept(two), ElementsAre(3));
  EXPECT_THAT(Accept(three, {.limit = 2}), ElementsAre(4, 5));
  EXPECT_THAT(two.Commit().Await(), IsOk());
  EXPECT_THAT(three.Commit().Await(), IsOk());
  EXPECT_THAT(one.Commit().Await(), IsOk());
  EXPECT_EQ(Count().running, 6);
}

TEST_F(ClaimsInFlightTest, JobsOfATransactionThatWasGivenUpComeFirstAgain) {
  AddJobs(3);
  {
    fdb::OwnedTransaction given_up = Begin();
    EXPECT_THAT(Accept(given_up), ElementsAre(0));
    EXPECT_THAT(Ids(Claim().jobs), ElementsAre(1));
  }
  EXPECT_THAT(Ids(Claim().jobs), ElementsAre(0));
}

TEST_F(ClaimsInFlightTest, JobsOfATryThatFailedAreFreeWhenItIsTriedAgain) {
  AddJobs(2);
  fdb::OwnedTransaction tr = Begin();
  EXPECT_THAT(Accept(tr), ElementsAre(0));
  EXPECT_THAT(tr.OnError(fdb::error::kNotCommitted).Await(), IsOk());
  EXPECT_THAT(Ids(Claim().jobs), ElementsAre(0));
}

// Else a claimer would wait for jobs to come while there is one that nobody takes.
TEST_F(ClaimsInFlightTest, TheQueueIsNotEmptyWhileTheLastJobIsBeingClaimed) {
  AddJobs(1);
  fdb::OwnedTransaction one = Begin();
  fdb::OwnedTransaction two = Begin();
  EXPECT_THAT(Accept(one), ElementsAre(0));
  EXPECT_THAT(Accept(two), ElementsAre(0));
  EXPECT_THAT(two.Commit().Await(), IsOk());
  EXPECT_THAT(one.Commit().Await(), IsFdbError(fdb::error::kNotCommitted));
}

TEST_F(ClaimsInFlightTest, OneTransactionMayClaimSeveralTimes) {
  AddJobs(4);
  fdb::OwnedTransaction other = Begin();
  EXPECT_THAT(Accept(other), ElementsAre(0));
  fdb::OwnedTransaction tr = Begin();
  EXPECT_THAT(Accept(tr), ElementsAre(1));
  EXPECT_THAT(Accept(tr, {.limit = 2}), ElementsAre(2, 3));
  EXPECT_THAT(tr.Commit().Await(), IsOk());
}

TEST_F(ClaimsInFlightTest, JobsThatAreToBeFinishedInTheirTransactionAreLeftToItToo) {
  AddJobs(2);
  fdb::OwnedTransaction tr = Begin();
  const absl::StatusOr<Claimed> claimed = jobs().AcceptToFinish(tr, type());
  ASSERT_THAT(claimed, IsOk());
  EXPECT_THAT(Ids(Claim().jobs), ElementsAre(1));
  EXPECT_THAT(jobs().Finish(tr, claimed->jobs.at(0)), IsOkAnd(Outcome::kOk));
  EXPECT_THAT(tr.Commit().Await(), IsOk());
}

TEST_F(ClaimsInFlightTest, BorrowedTransactionsKeepOutOfEachOthersWayAsWell) {
  AddJobs(2);
  fdb::OwnedTransaction one = Begin();
  fdb::OwnedTransaction two = Begin();
  fdb::BorrowedTransaction lent_one(db().client(), one.raw());
  fdb::BorrowedTransaction lent_two(db().client(), two.raw());
  EXPECT_THAT(Accept(lent_one), ElementsAre(0));
  EXPECT_THAT(Accept(lent_two), ElementsAre(1));
  EXPECT_THAT(one.Commit().Await(), IsOk());
  EXPECT_THAT(two.Commit().Await(), IsOk());
}

TEST_F(ClaimsInFlightTest, PlacesMayOutliveTheJobsLayerTheyAreOf) {
  AddJobs(1);
  fdb::OwnedTransaction tr = Begin();
  {
    const Jobs gone({.prefix = prefix()});
    EXPECT_THAT(gone.Accept(tr, type()), IsOk());
  }
  EXPECT_THAT(tr.Commit().Await(), IsOk());
}

}  // namespace
}  // namespace fdbjobs::test
