// The incarnation: raised when data has moved to another cluster, so that sequences stay monotonic.
#include "tests/jobs/jobs_fixture.h"

namespace fdbjobs::test {
namespace {

using ::testing::HasSubstr;

class IncarnationTest : public JobsTest {
 protected:
  int Raise() {
    return Do([&](fdb::Transaction& tr) { return jobs().RaiseIncarnation(tr); });
  }
};

TEST_F(IncarnationTest, IsZeroUntilItIsRaised) {
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().GetIncarnation(tr); }), 0);
  EXPECT_EQ(Raise(), 1);
  EXPECT_EQ(Raise(), 2);
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().GetIncarnation(tr); }), 2);
}

TEST_F(IncarnationTest, SequencesStayMonotonicWhenVersionsGoBack) {
  AddJob(1);
  const ClaimedJob job = ClaimOne();
  // What the other cluster's versions were: far ahead of this one's.
  Sequence ahead = *Find(1)->sequence;
  ahead.stamp.transaction[0] = 0x7F;
  EXPECT_EQ(Raise(), 1);
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Update(tr, job); }), Outcome::kOk);
  EXPECT_GT(*Find(1)->sequence, ahead);
  EXPECT_GT(*Do([&](fdb::Transaction& tr) { return jobs().GetWatch(tr, type()); }), ahead);
  EXPECT_EQ(Find(1)->sequence->incarnation, 1);
  // The entry before is gone, so nobody rescues the job by it.
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Rescue(tr, type(), ahead, 10); }).reenqueued, 0);
}

TEST_F(IncarnationTest, AClaimAndARaiseThatMeetDoNotBothCommit) {
  AddJob(1);
  fdb::OwnedTransaction claim = Begin();
  EXPECT_THAT(jobs().Accept(claim, type()), IsOk());
  Raise();
  EXPECT_THAT(claim.Commit().Await(), IsFdbError(fdb::error::kNotCommitted));

  const ClaimedJob job = ClaimOne();
  fdb::OwnedTransaction heartbeat = Begin();
  EXPECT_THAT(jobs().Update(heartbeat, job), IsOk());
  Raise();
  EXPECT_THAT(heartbeat.Commit().Await(), IsFdbError(fdb::error::kNotCommitted));
}

TEST_F(IncarnationTest, CantBeRaisedAfterAClaimOfTheTransaction) {
  AddJob(1);
  fdb::OwnedTransaction tr = Begin();
  EXPECT_THAT(jobs().Accept(tr, type()), IsOk());
  EXPECT_THAT(jobs().RaiseIncarnation(tr),
              HasStatus(absl::StatusCode::kFailedPrecondition, HasSubstr("has claimed or updated jobs")));
  fdb::OwnedTransaction before = Begin();
  EXPECT_THAT(jobs().RaiseIncarnation(before), IsOkAnd(1));
  EXPECT_THAT(jobs().Accept(before, type()), IsOk());
  EXPECT_THAT(before.Commit().Await(), IsOk());
  EXPECT_EQ(Find(1)->sequence->incarnation, 1);
}

TEST_F(IncarnationTest, EndsAt255) {
  Commit([&](fdb::Transaction& tr) { tr.Set(keys().Incarnation(), keyspace::JobKeys::EncodeNumber(254)); });
  EXPECT_EQ(Raise(), 255);
  EXPECT_THAT(fdb::Transact(db(), [&](fdb::Transaction& tr) { return jobs().RaiseIncarnation(tr); }),
              HasStatus(absl::StatusCode::kOutOfRange, HasSubstr("255")));
  AddJob(1);
  ClaimOne();
  EXPECT_EQ(Find(1)->sequence->incarnation, 255);
}

}  // namespace
}  // namespace fdbjobs::test
