// The monitor's table of docs/lifecycle.md: a test for each line.
#include "tests/jobs/lifecycle_fixture.h"

namespace fdbjobs::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class MonitorTest : public LifecycleTest {
 protected:
  // All entries that there are now.
  RescueResult Rescue(int limit = 100) {
    return Do([&](fdb::Transaction& tr) -> absl::StatusOr<RescueResult> {
      const absl::StatusOr<std::optional<Sequence>> watch = jobs().GetWatch(tr, type());
      if (!watch.ok()) return watch.status();
      return jobs().Rescue(tr, type(), watch->value_or(Sequence()), limit);
    });
  }
  // An entry of the job as a claim and its end in one transaction leave it behind.
  void LeaveEntryBehind() {
    Sequence old;
    old.stamp.transaction[7] = 1;
    Commit([&](fdb::Transaction& tr) { tr.Set(keys().Activity(type(), old), keyspace::JobKeys::EncodeId(kId)); });
    EXPECT_THAT(Rows().StaleActivity(), SizeIs(1));
  }
  void ExpectDropped(const char* state) {
    const RescueResult result = Rescue();
    EXPECT_EQ(result.dropped, 1);
    EXPECT_EQ(result.reenqueued + result.finished, 0);
    ExpectJob(state, kData, kPriority);
  }
  // That the worker has lost it.
  void ExpectWorkerConflict(const ClaimedJob& held) {
    EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Update(tr, held); }), Outcome::kWorkerConflict);
  }
};

TEST_F(MonitorTest, Rescue_running) {
  const ClaimedJob held = Bring("running");
  EXPECT_EQ(Rescue().reenqueued, 1);
  ExpectJob("pending", kData, kPriority);
  ExpectWorkerConflict(held);
}

TEST_F(MonitorTest, Rescue_running_resubmit) {
  const ClaimedJob held = Bring("running+resubmit");
  EXPECT_EQ(Rescue().reenqueued, 1);
  ExpectJob("pending", kData, kPriority);
  ExpectWorkerConflict(held);
}

TEST_F(MonitorTest, Rescue_running_cancel) {
  const ClaimedJob held = Bring("running+cancel");
  EXPECT_EQ(Rescue().finished, 1);
  ExpectJob("finished+cancel", kData, kPriority);
  ExpectWorkerConflict(held);
}

TEST_F(MonitorTest, Rescue_running_cancel_resubmit) {
  const ClaimedJob held = Bring("running+cancel+resubmit");
  EXPECT_EQ(Rescue().reenqueued, 1);
  ExpectJob("pending", kData, kPriority);
  ExpectWorkerConflict(held);
}

TEST_F(MonitorTest, Rescue_running_with_another_sequence) {
  Bring("running");
  LeaveEntryBehind();
  // Only the old entry is not renewed since then.
  Sequence old;
  old.stamp.transaction[7] = 2;
  const RescueResult result = Do([&](fdb::Transaction& tr) { return jobs().Rescue(tr, type(), old, 100); });
  EXPECT_EQ(result.dropped, 1);
  ExpectJob("running", kData, kPriority);
}

TEST_F(MonitorTest, Rescue_pending) {
  Bring("pending");
  EXPECT_EQ(Rescue().dropped, 0);
  // There is no watch row yet, so make one.
  const ClaimedJob held = ClaimOne();
  EXPECT_EQ(Rescue().reenqueued, 1);
  ExpectWorkerConflict(held);
  LeaveEntryBehind();
  ExpectDropped("pending");
}

TEST_F(MonitorTest, Rescue_finished) {
  Bring("finished");
  LeaveEntryBehind();
  ExpectDropped("finished");
}

TEST_F(MonitorTest, Rescue_absent) {
  Bring("running");
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Remove(tr, type(), kId); }), ChangeResult::kChanged);
  LeaveEntryBehind();
  ExpectDropped("absent");
}

TEST_F(MonitorTest, Rescue_data_row_that_cant_be_read) {
  KeepDamage();
  Bring("running");
  AddJob(8);
  const ClaimedJob other = ClaimOne();
  Commit([&](fdb::Transaction& tr) { tr.Set(keys().Data(type(), kId), "damaged"); });
  const size_t entries = Rows().activity.size();
  const RescueResult result = Rescue();
  EXPECT_EQ(result.reenqueued, 1);
  ASSERT_THAT(result.damaged, SizeIs(1));
  EXPECT_THAT(result.damaged[0].what, HasSubstr(R"(("couch_jobs", "data", "type", 7))"));
  EXPECT_EQ(Rows().activity.size(), entries - 1);
  EXPECT_EQ(Look(8), "pending");
}

TEST_F(MonitorTest, Rescue_entry_that_cant_be_read) {
  KeepDamage();
  Bring("running");
  const std::string odd = keys().ActivityRange(type()).begin + "odd";
  Commit([&](fdb::Transaction& tr) { tr.Set(odd, "damaged"); });
  Sequence old;
  const std::string no_id = keys().Activity(type(), old);
  Commit([&](fdb::Transaction& tr) { tr.Set(no_id, "\x99"); });
  const RescueResult result = Rescue();
  EXPECT_EQ(result.reenqueued, 1);
  ASSERT_THAT(result.damaged, SizeIs(2));
  EXPECT_EQ(result.damaged[0].key, odd);
  EXPECT_EQ(result.damaged[1].key, no_id);
  EXPECT_EQ(Look(kId), "pending");
  // They stay.
  EXPECT_THAT(Rescue().damaged, SizeIs(2));
}

TEST_F(MonitorTest, ARenewedJobIsLeftAlone) {
  const ClaimedJob held = Bring("running");
  const std::optional<Sequence> then = Do([&](fdb::Transaction& tr) { return jobs().GetWatch(tr, type()); });
  ASSERT_TRUE(then.has_value());
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Update(tr, held); }), Outcome::kOk);
  const RescueResult result = Do([&](fdb::Transaction& tr) { return jobs().Rescue(tr, type(), *then, 100); });
  EXPECT_EQ(result.reenqueued + result.finished + result.dropped, 0);
  ExpectJob("running", kData, kPriority);
}

TEST_F(MonitorTest, ContinuesBehindWhatItHasLookedAt) {
  KeepDamage();
  constexpr int kJobs = 25;
  AddJobs(kJobs);
  EXPECT_THAT(Claim({.limit = kJobs}).jobs, SizeIs(kJobs));
  Commit([&](fdb::Transaction& tr) { tr.Set(keys().Data(type(), 3), "damaged"); });
  const Sequence watch = *Do([&](fdb::Transaction& tr) { return jobs().GetWatch(tr, type()); });
  int reenqueued = 0;
  int rounds = 0;
  std::optional<std::string> continuation;
  do {
    const RescueResult result =
        Do([&](fdb::Transaction& tr) { return jobs().Rescue(tr, type(), watch, 10, continuation); });
    reenqueued += result.reenqueued;
    continuation = result.continuation;
    ++rounds;
  } while (continuation.has_value());
  EXPECT_EQ(reenqueued, kJobs - 1);
  EXPECT_EQ(rounds, 3);
}

TEST_F(MonitorTest, TwoMonitorsRescueAJobOnce) {
  Bring("running");
  const Sequence watch = *Do([&](fdb::Transaction& tr) { return jobs().GetWatch(tr, type()); });
  fdb::OwnedTransaction one = Begin();
  fdb::OwnedTransaction two = Begin();
  EXPECT_THAT(jobs().Rescue(one, type(), watch, 10), IsOk());
  EXPECT_THAT(jobs().Rescue(two, type(), watch, 10), IsOk());
  EXPECT_THAT(one.Commit().Await(), IsOk());
  EXPECT_THAT(two.Commit().Await(), IsFdbError(fdb::error::kNotCommitted));
  ExpectJob("pending", kData, kPriority);
}

TEST_F(MonitorTest, AnUpdateAndARescueThatMeetDoNotBothCommit) {
  const ClaimedJob held = Bring("running");
  const Sequence watch = *Do([&](fdb::Transaction& tr) { return jobs().GetWatch(tr, type()); });
  fdb::OwnedTransaction worker = Begin();
  fdb::OwnedTransaction monitor = Begin();
  EXPECT_THAT(jobs().Update(worker, held), IsOkAnd(Outcome::kOk));
  EXPECT_THAT(jobs().Rescue(monitor, type(), watch, 10), IsOk());
  EXPECT_THAT(monitor.Commit().Await(), IsOk());
  EXPECT_THAT(worker.Commit().Await(), IsFdbError(fdb::error::kNotCommitted));
  ExpectJob("pending", kData, kPriority);
}

}  // namespace
}  // namespace fdbjobs::test
