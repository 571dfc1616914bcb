// Claims of one process at the same time: they keep out of each other's way, and nothing gets lost by that.
#include "fdbjobs/claims_in_flight.h"

#include <list>
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
using Span = ClaimsInFlight::Span;

class PlacesTest : public ::testing::Test {
 protected:
  // The owner is the place itself, so each is of another one.
  std::unique_ptr<Place> Look(int wanted, const std::string& queue = "queue") {
    return std::make_unique<Place>(claims_, queue, &owners_.emplace_back(), wanted);
  }
  std::unique_ptr<Place> Holding(const std::string& begin, const std::string& last) {
    std::unique_ptr<Place> place = Look(1);
    place->Hold({begin, last});
    return place;
  }
  static Span Behind(const std::string& row, const std::string& last) { return {row + '\0', last}; }

  ClaimsInFlight::Clock::time_point now_;
  const std::shared_ptr<ClaimsInFlight> claims_ = std::make_shared<ClaimsInFlight>([this] { return now_; });
  std::list<int> owners_;
  const std::vector<std::string_view> keys_ = {"a", "b", "c", "d", "e", "f"};
};

TEST_F(PlacesTest, WhoIsAloneMayTakeAll) {
  const auto place = Look(3);
  EXPECT_THAT(place->Free(keys_), SizeIs(6));
  EXPECT_THAT(place->HeldByOthers(), IsEmpty());
  EXPECT_EQ(place->WantedBefore(), 0);
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
  held->Hold(Behind("c", "e"));
  EXPECT_THAT(Look(1)->Free(keys_), ElementsAre(0, 1, 5));
  held->Hold({"a", "a"});
  EXPECT_THAT(Look(1)->Free(keys_), ElementsAre(1, 5));
}

TEST_F(PlacesTest, ManySpansOfOneAreWidenedToFew) {
  const auto held = Look(6);
  for (const std::string key : {"f", "e", "d", "c", "a"}) held->Hold({key, key});
  EXPECT_THAT(Look(1)->HeldByOthers(), ElementsAre(Span{"a", "c"}, Span{"d", "d"}, Span{"e", "e"}, Span{"f", "f"}));
  EXPECT_THAT(Look(1)->Free(keys_), IsEmpty());
}

TEST_F(PlacesTest, WhatIsHeldByNeighboursIsOneSpan) {
  const auto place = Look(1);
  const auto third = Holding("d", "e");
  const auto first = Holding("a", "b");
  EXPECT_THAT(place->HeldByOthers(), ElementsAre(Span{"a", "b"}, Span{"d", "e"}));
  auto second = Look(1);
  second->Hold(Behind("b", "c"));
  EXPECT_THAT(place->HeldByOthers(), ElementsAre(Span{"a", "c"}, Span{"d", "e"}));
  EXPECT_THAT(second->HeldByOthers(), ElementsAre(Span{"a", "b"}, Span{"d", "e"}));
  const auto fourth = Look(1);
  fourth->Hold(Behind("c", "d"));
  EXPECT_THAT(place->HeldByOthers(), ElementsAre(Span{"a", "e"}));
  second.reset();
  EXPECT_THAT(place->HeldByOthers(), ElementsAre(Span{"a", "b"}, Behind("c", "e")));
}

TEST_F(PlacesTest, ThoseWhoCameBeforeAndStillLookComeFirst) {
  const auto first = Look(2);
  const auto second = Look(1);
  const auto third = Look(1);
  EXPECT_THAT(first->Free(keys_), SizeIs(6));
  EXPECT_THAT(second->Free(keys_), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(third->Free(keys_), ElementsAre(3, 4, 5));
  EXPECT_EQ(third->WantedBefore(), 3);
  second->Hold({"c", "c"});
  EXPECT_EQ(third->WantedBefore(), 2);
  EXPECT_THAT(first->Free(keys_), ElementsAre(0, 1, 3, 4, 5));
  EXPECT_THAT(third->Free(keys_), ElementsAre(3, 4, 5));
}

TEST_F(PlacesTest, AQueueOrAnOwnerOfItsOwnIsInNobodysWay) {
  const auto elsewhere = Look(5, "another queue");
  elsewhere->Hold({"a", "f"});
  int owner = 0;
  Place one(claims_, "queue", &owner, 1);
  one.Hold({"a", "c"});
  const Place other(claims_, "queue", &owner, 1);
  EXPECT_THAT(other.Free(keys_), SizeIs(6));
  EXPECT_THAT(other.HeldByOthers(), IsEmpty());
  EXPECT_EQ(other.WantedBefore(), 0);
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
    one->place->Hold({names[expected[0]], names[expected[end - 1]]});
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

// More of them than are looked at between what others hold.
TEST_F(ClaimsInFlightTest, AJobThatCameBackBetweenOthersIsFoundInTheEnd) {
  AddJobs(20);
  std::list<fdb::OwnedTransaction> open;
  for (int id = 0; id < 20; ++id) {
    open.push_back(Begin());
    EXPECT_THAT(Accept(open.back()), ElementsAre(id));
  }
  // Every second is given up.
  for (auto tr = open.begin(); tr != open.end(); ++tr) tr = open.erase(tr);
  std::set<JobId> got;
  for (int i = 0; i < 10; ++i) {
    const Claimed claimed = Claim();
    ASSERT_THAT(claimed.jobs, SizeIs(1));
    if (i == 0) {
      EXPECT_THAT(Ids(claimed.jobs), ElementsAre(0));
    }
    got.insert(claimed.jobs[0].id);
  }
  EXPECT_EQ(got, (std::set<JobId>{0, 2, 4, 6, 8, 10, 12, 14, 16, 18}));
  for (fdb::OwnedTransaction& tr : open) EXPECT_THAT(tr.Commit().Await(), IsOk());
}

// Nobody is claiming it, so nobody with a job of a later priority may come before it.
TEST_F(ClaimsInFlightTest, AJobThatComesBeforeThoseBeingClaimedIsTheNext) {
  AddJobs(3);
  fdb::OwnedTransaction tr = Begin();
  EXPECT_THAT(Accept(tr), ElementsAre(0));
  AddJob(9, {.priority = -1});
  EXPECT_THAT(Ids(Claim().jobs), ElementsAre(9));
  EXPECT_THAT(tr.Commit().Await(), IsOk());
}

TEST_F(ClaimsInFlightTest, AJobThatComesBetweenTwoClaimsIsTheNextIfItsPriorityIs) {
  for (const int priority : {0, 5, 7}) AddJob(priority, {.priority = priority});
  fdb::OwnedTransaction one = Begin();
  fdb::OwnedTransaction two = Begin();
  EXPECT_THAT(Accept(one), ElementsAre(0));
  EXPECT_THAT(Accept(two), ElementsAre(5));
  AddJob(3, {.priority = 3});
  EXPECT_THAT(Ids(Claim().jobs), ElementsAre(3));
  AddJob(4, {.priority = 0});
  EXPECT_THAT(Ids(Claim().jobs), ElementsAre(4));
  EXPECT_THAT(one.Commit().Await(), IsOk());
  EXPECT_THAT(two.Commit().Await(), IsOk());
}

TEST_F(ClaimsInFlightTest, AJobThatComesBetweenThoseOfOneClaimIsTheNextIfItsPriorityIs) {
  for (const int priority : {0, 5, 7}) AddJob(priority, {.priority = priority});
  fdb::OwnedTransaction tr = Begin();
  EXPECT_THAT(Accept(tr, {.limit = 2}), ElementsAre(0, 5));
  AddJob(1, {.priority = 0});
  AddJob(3, {.priority = 3});
  EXPECT_THAT(Ids(Claim().jobs), ElementsAre(1));
  EXPECT_THAT(Ids(Claim().jobs), ElementsAre(3));
  EXPECT_THAT(Ids(Claim().jobs), ElementsAre(7));
  EXPECT_THAT(tr.Commit().Await(), IsOk());
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
