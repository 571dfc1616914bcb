// AddMany of so many jobs that one look at all that their ids span takes the place of a read of each.
#include <map>
#include <random>

#include "fdbjobs/fdb/error_codes.h"
#include "tests/jobs/jobs_fixture.h"
#include "tests/support/test_seed.h"

namespace fdbjobs::test {
namespace {

using ::testing::HasSubstr;

class AddManyTest : public JobsTest {
 protected:
  fdb::OwnedTransaction Begin() {
    absl::StatusOr<fdb::OwnedTransaction> tr = db().CreateTransaction();
    EXPECT_THAT(tr, IsOk());
    return *std::move(tr);
  }
  // Ids begin, begin + step, ...
  static std::vector<NewJob> Jobs(int begin, int count, int step = 1) {
    std::vector<NewJob> some;
    for (int i = 0; i < count; ++i) some.push_back({.id = begin + i * step});
    return some;
  }
  absl::Status Add(fdb::Transaction& tr, const std::vector<NewJob>& some, IfExists if_exists = IfExists::kError) {
    return jobs().AddMany(tr, type(), some, if_exists).status();
  }
};

TEST_F(AddManyTest, OneThatIsThereAmongManyIsFound) {
  for (const int there : {0, 7, 19}) {
    SetTimeout(absl::StrCat("type", there));
    const JobType type = absl::StrCat("type", there);
    Do([&](fdb::Transaction& tr) { return jobs().Add(tr, type, {.id = there}).status(); });
    fdb::OwnedTransaction tr = Begin();
    EXPECT_THAT(jobs().AddMany(tr, type, Jobs(0, 20)),
                HasStatus(absl::StatusCode::kAlreadyExists, HasSubstr("is there")));
    const absl::StatusOr<std::vector<AddResult>> kept = jobs().AddMany(tr, type, Jobs(0, 20), IfExists::kKeep);
    ASSERT_THAT(kept, IsOk());
    for (int id = 0; id < 20; ++id) EXPECT_EQ(kept->at(id), id == there ? AddResult::kExists : AddResult::kAdded);
    EXPECT_THAT(tr.Commit().Await(), IsOk());
  }
}

TEST_F(AddManyTest, TwoThatAddTheSameJobConflict) {
  for (const int common : {9, 0}) {
    fdb::OwnedTransaction one = Begin();
    fdb::OwnedTransaction two = Begin();
    const int begin = 100 * common;
    EXPECT_THAT(Add(one, Jobs(begin, 10)), IsOk());
    EXPECT_THAT(Add(two, Jobs(begin + common, 10, 7)), IsOk());
    EXPECT_THAT(one.Commit().Await(), IsOk());
    EXPECT_THAT(two.Commit().Await(), IsFdbError(fdb::error::kNotCommitted));
  }
}

TEST_F(AddManyTest, ThoseWhoseIdsLieAmongEachOtherDoNotConflict) {
  fdb::OwnedTransaction even = Begin();
  fdb::OwnedTransaction odd = Begin();
  EXPECT_THAT(Add(even, Jobs(0, 20, 2)), IsOk());
  EXPECT_THAT(Add(odd, Jobs(1, 20, 2)), IsOk());
  EXPECT_THAT(even.Commit().Await(), IsOk());
  EXPECT_THAT(odd.Commit().Await(), IsOk());
  EXPECT_EQ(Count().pending, 40);
}

TEST_F(AddManyTest, WhatTheTransactionHasAddedItselfIsSeen) {
  for (const bool snapshots_see_it : {true, false}) {
    fdb::OwnedTransaction tr = Begin();
    if (!snapshots_see_it) {
      ASSERT_THAT(tr.SetOption(fdb::TransactionFlag::kSnapshotReadYourWritesDisable), IsOk());
    }
    EXPECT_THAT(Add(tr, Jobs(0, 10)), IsOk());
    EXPECT_THAT(Add(tr, Jobs(9, 10)), HasStatus(absl::StatusCode::kAlreadyExists, HasSubstr("job 9 ")));
    EXPECT_THAT(Add(tr, Jobs(10, 10)), IsOk());
  }
}

TEST_F(AddManyTest, ItGoesTogetherWithClaimsOfTheTransaction) {
  AddJobs(5);
  fdb::OwnedTransaction tr = Begin();
  EXPECT_THAT(jobs().Accept(tr, type(), {.limit = 2}), IsOk());
  EXPECT_THAT(Add(tr, Jobs(0, 10), IfExists::kKeep), IsOk());
  EXPECT_THAT(tr.Commit().Await(), IsOk());
  EXPECT_EQ(Count(), (Counts{.pending = 8, .running = 2, .finished = 0}));
}

TEST_F(AddManyTest, RandomBatchesAddWhatIsNotThere) {
  std::mt19937_64 random(TestSeed());
  std::map<JobId, bool> there;
  for (int batch = 0; batch < 60; ++batch) {
    std::map<JobId, bool> wanted;
    const int begin = static_cast<int>(random() % 3000);
    for (uint64_t n = 1 + random() % 30; n > 0; --n) wanted[JobId(begin + static_cast<int>(random() % 60))] = true;
    std::vector<NewJob> some;
    for (const auto& [id, ignored] : wanted) some.push_back({.id = id});
    std::shuffle(some.begin(), some.end(), random);
    const std::vector<AddResult> results =
        Do([&](fdb::Transaction& tr) { return jobs().AddMany(tr, type(), some, IfExists::kKeep); });
    for (size_t i = 0; i < some.size(); ++i) {
      const bool is_new = there.emplace(some[i].id, true).second;
      EXPECT_EQ(results[i], is_new ? AddResult::kAdded : AddResult::kExists) << some[i].id.ToString();
    }
  }
  EXPECT_EQ(Count().pending, static_cast<int64_t>(there.size()));
}

}  // namespace
}  // namespace fdbjobs::test
