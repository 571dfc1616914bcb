// The tables of docs/lifecycle.md: a test for each cell, by its name.
#include <string>

#include "tests/jobs/lifecycle_fixture.h"

namespace fdbjobs::test {
namespace {

// What is in the job after a call: what it had, or what the call brought.
enum Has { kOld, kNew };

// --- What users and operators do ------------------------------------------------------------------------------------

struct UserCell {
  const char* call;
  const char* from;
  const char* answer;
  const char* to;
  Has data = kOld;
  Has priority = kOld;
  // What the worker's Update answers next, where there is one.
  const char* worker = "";
};

class UserTest : public LifecycleTest, public ::testing::WithParamInterface<UserCell> {
 protected:
  std::string Call(std::string_view call) {
    const NewJob job{.id = kId, .data = kOtherData, .priority = kOtherPriority};
    const auto add = [&](IfExists if_exists) {
      return Name(fdb::Transact(db(), [&](fdb::Transaction& tr) { return jobs().Add(tr, type(), job, if_exists); }),
                  absl::StatusCode::kAlreadyExists);
    };
    if (call == "Add") return add(IfExists::kError);
    if (call == "AddKeep") return add(IfExists::kKeep);
    if (call == "AddResubmit") return add(IfExists::kResubmit);
    if (call == "Cancel") return Cancel();
    if (call == "Resubmit") return Resubmit();
    return Name(Do([&](fdb::Transaction& tr) {
      return call == "Remove" ? jobs().Remove(tr, type(), kId)
                              : jobs().SetPriority(tr, type(), kId, Priority(kOtherPriority));
    }));
  }
};

TEST_P(UserTest, Cell) {
  const UserCell& cell = GetParam();
  const ClaimedJob held = Bring(cell.from);
  EXPECT_EQ(Call(cell.call), cell.answer);
  ExpectJob(cell.to, cell.data == kNew ? kOtherData : kData, cell.priority == kNew ? kOtherPriority : kPriority);
  if (*cell.worker == '\0') return;
  EXPECT_EQ(Name(Do([&](fdb::Transaction& tr) { return jobs().Update(tr, held); })), cell.worker);
  EXPECT_THAT(CheckKeyspace(Contents()), ::testing::IsEmpty());
}

constexpr UserCell kUserCells[] = {
    {"Add", "absent", "added", "pending", kNew, kNew},
    {"Add", "pending", "error", "pending"},
    {"Add", "running", "error", "running", kOld, kOld, "ok"},
    {"Add", "running+cancel", "error", "running+cancel", kOld, kOld, "canceled"},
    {"Add", "running+resubmit", "error", "running+resubmit", kOld, kOld, "ok"},
    {"Add", "finished", "error", "finished"},
    {"Add", "running+cancel+resubmit", "error", "running+cancel+resubmit", kOld, kOld, "canceled"},
    {"Add", "finished+cancel", "error", "finished+cancel"},

    {"AddKeep", "absent", "added", "pending", kNew, kNew},
    {"AddKeep", "pending", "exists", "pending"},
    {"AddKeep", "running", "exists", "running", kOld, kOld, "ok"},
    {"AddKeep", "running+cancel", "exists", "running+cancel", kOld, kOld, "canceled"},
    {"AddKeep", "running+resubmit", "exists", "running+resubmit", kOld, kOld, "ok"},
    {"AddKeep", "finished", "exists", "finished"},
    {"AddKeep", "running+cancel+resubmit", "exists", "running+cancel+resubmit", kOld, kOld, "canceled"},
    {"AddKeep", "finished+cancel", "exists", "finished+cancel"},

    {"AddResubmit", "absent", "added", "pending", kNew, kNew},
    {"AddResubmit", "pending", "exists", "pending"},
    {"AddResubmit", "running", "resubmitted", "running+resubmit", kOld, kOld, "ok"},
    {"AddResubmit", "running+cancel", "resubmitted", "running+cancel+resubmit", kOld, kOld, "canceled"},
    {"AddResubmit", "running+resubmit", "exists", "running+resubmit", kOld, kOld, "ok"},
    {"AddResubmit", "finished", "resubmitted", "pending", kNew, kNew},
    {"AddResubmit", "finished+cancel", "resubmitted", "pending", kNew, kNew},
    {"AddResubmit", "running+cancel+resubmit", "exists", "running+cancel+resubmit", kOld, kOld, "canceled"},

    {"Remove", "absent", "not found", "absent"},
    {"Remove", "pending", "changed", "absent"},
    {"Remove", "running", "changed", "absent", kOld, kOld, "worker_conflict"},
    {"Remove", "running+cancel", "changed", "absent", kOld, kOld, "worker_conflict"},
    {"Remove", "running+resubmit", "changed", "absent", kOld, kOld, "worker_conflict"},
    {"Remove", "finished", "changed", "absent"},
    {"Remove", "running+cancel+resubmit", "changed", "absent", kOld, kOld, "worker_conflict"},
    {"Remove", "finished+cancel", "changed", "absent"},

    {"Cancel", "absent", "not found", "absent"},
    {"Cancel", "pending", "changed", "finished+cancel"},
    {"Cancel", "running", "changed", "running+cancel", kOld, kOld, "canceled"},
    {"Cancel", "running+cancel", "unchanged", "running+cancel", kOld, kOld, "canceled"},
    {"Cancel", "running+resubmit", "changed", "running+cancel", kOld, kOld, "canceled"},
    {"Cancel", "running+cancel+resubmit", "changed", "running+cancel", kOld, kOld, "canceled"},
    {"Cancel", "finished", "unchanged", "finished"},
    {"Cancel", "finished+cancel", "unchanged", "finished+cancel"},

    {"Resubmit", "absent", "not found", "absent"},
    {"Resubmit", "pending", "unchanged", "pending"},
    {"Resubmit", "running", "changed", "running+resubmit", kOld, kOld, "ok"},
    {"Resubmit", "running+cancel", "changed", "running+cancel+resubmit", kOld, kOld, "canceled"},
    {"Resubmit", "running+resubmit", "unchanged", "running+resubmit", kOld, kOld, "ok"},
    {"Resubmit", "finished", "changed", "pending"},
    {"Resubmit", "finished+cancel", "changed", "pending"},
    {"Resubmit", "running+cancel+resubmit", "unchanged", "running+cancel+resubmit", kOld, kOld, "canceled"},

    {"SetPriority", "absent", "not found", "absent"},
    {"SetPriority", "pending", "changed", "pending", kOld, kNew},
    {"SetPriority", "running", "changed", "running", kOld, kNew, "ok"},
    {"SetPriority", "running+cancel", "changed", "running+cancel", kOld, kNew, "canceled"},
    {"SetPriority", "running+resubmit", "changed", "running+resubmit", kOld, kNew, "ok"},
    {"SetPriority", "finished", "changed", "finished", kOld, kNew},
    {"SetPriority", "running+cancel+resubmit", "changed", "running+cancel+resubmit", kOld, kNew, "canceled"},
    {"SetPriority", "finished+cancel", "changed", "finished+cancel", kOld, kNew},
};
INSTANTIATE_TEST_SUITE_P(Lifecycle, UserTest, ::testing::ValuesIn(kUserCells),
                         [](const auto& info) { return CaseName(info.param.call, info.param.from); });

// --- What workers do ------------------------------------------------------------------------------------------------

struct WorkerCell {
  const char* call;
  const char* from;  // "stale": running, with another lock than the worker's
  const char* answer;
  const char* to;
  Has data = kOld;
};

class WorkerTest : public LifecycleTest, public ::testing::WithParamInterface<WorkerCell> {
 protected:
  Outcome Call(std::string_view call, const ClaimedJob& job) {
    return Do([&](fdb::Transaction& tr) -> absl::StatusOr<Outcome> {
      if (call == "Update") return jobs().Update(tr, job, kOtherData);
      if (call == "Finish") return jobs().Finish(tr, job, kOtherData);
      if (call == "ResubmitByWorker") return jobs().ResubmitByWorker(tr, job);
      const FinishRequest request{job.type, job.id, job.lock, kOtherData, /*remove=*/true};
      const absl::StatusOr<std::vector<Outcome>> outcomes = jobs().FinishMany(tr, {&request, 1});
      if (!outcomes.ok()) return outcomes.status();
      return outcomes->at(0);
    });
  }
};

TEST_P(WorkerTest, Cell) {
  const WorkerCell& cell = GetParam();
  const bool stale = std::string_view(cell.from) == "stale";
  ClaimedJob held = Bring(stale ? "running" : cell.from);
  if (stale) held.lock.bytes[0] ^= 1;
  const std::optional<Job> before = Find(kId);
  EXPECT_EQ(Name(Call(cell.call, held)), cell.answer);
  ExpectJob(cell.to, cell.data == kNew ? kOtherData : kData, kPriority);
  // A heartbeat is a later sequence; without one the row is as it was.
  const std::optional<Job> after = Find(kId);
  if (!before.has_value() || !after.has_value() || after->state != JobState::kRunning) return;
  EXPECT_EQ(*after->sequence > *before->sequence, std::string_view(cell.answer) == "ok");
  EXPECT_EQ(after->lock, before->lock);
}

constexpr WorkerCell kWorkerCells[] = {
    {"Update", "pending", "worker_conflict", "pending"},
    {"Update", "finished", "worker_conflict", "finished"},
    {"Update", "finished+cancel", "worker_conflict", "finished+cancel"},
    {"Update", "absent", "worker_conflict", "absent"},
    {"Update", "stale", "worker_conflict", "running"},
    {"Update", "running", "ok", "running", kNew},
    {"Update", "running+cancel", "canceled", "finished+cancel"},
    {"Update", "running+cancel+resubmit", "canceled", "pending"},
    {"Update", "running+resubmit", "ok", "running+resubmit", kNew},

    {"Finish", "pending", "worker_conflict", "pending"},
    {"Finish", "finished", "worker_conflict", "finished"},
    {"Finish", "finished+cancel", "worker_conflict", "finished+cancel"},
    {"Finish", "absent", "worker_conflict", "absent"},
    {"Finish", "stale", "worker_conflict", "running"},
    {"Finish", "running", "ok", "finished", kNew},
    {"Finish", "running+cancel", "canceled", "finished+cancel"},
    {"Finish", "running+cancel+resubmit", "canceled", "pending"},
    {"Finish", "running+resubmit", "ok", "pending", kNew},

    {"FinishRemove", "pending", "worker_conflict", "pending"},
    {"FinishRemove", "finished", "worker_conflict", "finished"},
    {"FinishRemove", "finished+cancel", "worker_conflict", "finished+cancel"},
    {"FinishRemove", "absent", "worker_conflict", "absent"},
    {"FinishRemove", "stale", "worker_conflict", "running"},
    {"FinishRemove", "running", "ok", "absent"},
    {"FinishRemove", "running+cancel", "canceled", "finished+cancel"},
    {"FinishRemove", "running+cancel+resubmit", "canceled", "pending"},
    {"FinishRemove", "running+resubmit", "ok", "pending", kNew},

    {"ResubmitByWorker", "pending", "worker_conflict", "pending"},
    {"ResubmitByWorker", "finished", "worker_conflict", "finished"},
    {"ResubmitByWorker", "finished+cancel", "worker_conflict", "finished+cancel"},
    {"ResubmitByWorker", "absent", "worker_conflict", "absent"},
    {"ResubmitByWorker", "stale", "worker_conflict", "running"},
    {"ResubmitByWorker", "running", "ok", "running+resubmit"},
    {"ResubmitByWorker", "running+cancel", "canceled", "finished+cancel"},
    {"ResubmitByWorker", "running+cancel+resubmit", "canceled", "pending"},
    {"ResubmitByWorker", "running+resubmit", "ok", "running+resubmit"},
};
INSTANTIATE_TEST_SUITE_P(Lifecycle, WorkerTest, ::testing::ValuesIn(kWorkerCells),
                         [](const auto& info) { return CaseName(info.param.call, info.param.from); });

struct AcceptCell {
  const char* from;
  const char* to;
  bool claimed;
};

class AcceptCellTest : public LifecycleTest, public ::testing::WithParamInterface<AcceptCell> {};

TEST_P(AcceptCellTest, Cell) {
  const AcceptCell& cell = GetParam();
  Bring(cell.from);
  const Claimed claimed = Claim({.limit = 10});
  EXPECT_EQ(claimed.jobs.size(), cell.claimed ? 1u : 0u);
  EXPECT_THAT(claimed.damaged, ::testing::IsEmpty());
  ExpectJob(cell.to, kData, kPriority);
  if (!cell.claimed) return;
  EXPECT_EQ(claimed.jobs[0].data, kData);
  EXPECT_EQ(claimed.jobs[0].priority, Priority(kPriority));
  EXPECT_EQ(claimed.jobs[0].lock, Find(kId)->lock);
}

constexpr AcceptCell kAcceptCells[] = {
    {"absent", "absent", false},
    {"pending", "running", true},
    {"running", "running", false},
    {"running+cancel", "running+cancel", false},
    {"running+resubmit", "running+resubmit", false},
    {"running+cancel+resubmit", "running+cancel+resubmit", false},
    {"finished", "finished", false},
    {"finished+cancel", "finished+cancel", false},
};
INSTANTIATE_TEST_SUITE_P(Lifecycle, AcceptCellTest, ::testing::ValuesIn(kAcceptCells),
                         [](const auto& info) { return CaseName("Accept", info.param.from); });

// --- The sentences below the tables ---------------------------------------------------------------------------------

TEST_F(LifecycleTest, AHeartbeatIsANewSequenceAndReplacesTheActivityEntry) {
  const ClaimedJob held = Bring("running");
  const Sequence before = *Find(kId)->sequence;
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Update(tr, held); }), Outcome::kOk);
  const Sequence after = *Find(kId)->sequence;
  EXPECT_GT(after, before);
  EXPECT_THAT(Rows().activity, ::testing::ElementsAre(::testing::Pair(after, JobId(kId))));
  EXPECT_GE(*Rows().watch, after);
}

TEST_F(LifecycleTest, WhatOthersDoToARunningJobIsNoHeartbeat) {
  Bring("running");
  const Sequence before = *Find(kId)->sequence;
  EXPECT_EQ(Cancel(), "changed");
  EXPECT_EQ(Resubmit(), "changed");
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().SetPriority(tr, type(), kId, kOtherPriority); }),
            ChangeResult::kChanged);
  EXPECT_EQ(Find(kId)->sequence, before);
}

TEST_F(LifecycleTest, AWorkerConflictWritesNothing) {
  ClaimedJob stale = Bring("running");
  stale.lock.bytes[0] ^= 1;
  const auto before = AllRows();
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Update(tr, stale, kOtherData); }), Outcome::kWorkerConflict);
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Finish(tr, stale, kOtherData); }), Outcome::kWorkerConflict);
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().ResubmitByWorker(tr, stale); }), Outcome::kWorkerConflict);
  EXPECT_EQ(AllRows(), before);
}

TEST_F(LifecycleTest, OfARemovedJobNothingStaysButTheRowsOfItsType) {
  const ClaimedJob held = Bring("running");
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Remove(tr, type(), kId); }), ChangeResult::kChanged);
  Do([&](fdb::Transaction& tr) { return jobs().ClearActivityTimeout(tr, type()); });
  const KeyspaceContents contents = Contents();
  const TypeContents rows = contents.types.at(type());
  EXPECT_THAT(rows.jobs, ::testing::IsEmpty());
  EXPECT_THAT(rows.queue, ::testing::IsEmpty());
  EXPECT_THAT(rows.activity, ::testing::IsEmpty());
  EXPECT_EQ(rows.timeout_ms, std::nullopt);
  // Watch, pending watch and counters; the types watch, and receipts.
  EXPECT_LE(contents.rows - contents.receipts, 2 + 3 + 1);
}

TEST_F(LifecycleTest, AJobThatComesBackStandsWhereItsPriorityAndIdSay) {
  const ClaimedJob held = Bring("running+resubmit");
  AddJob(kId - 1, {.priority = kPriority});
  AddJob(kId + 1, {.priority = kPriority});
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Finish(tr, held); }), Outcome::kOk);
  EXPECT_THAT(Ids(Claim({.limit = 3}).jobs), ::testing::ElementsAre(kId - 1, kId, kId + 1));
}

TEST_F(LifecycleTest, AfterAddOfAnIdThatExistsTheRestCanBeCommitted) {
  Bring("pending");
  Do([&](fdb::Transaction& tr) -> absl::Status {
    tr.Set(Key("mine"), "1");
    EXPECT_THAT(jobs().Add(tr, type(), {.id = kId, .data = "2"}),
                HasStatus(absl::StatusCode::kAlreadyExists, ::testing::HasSubstr("job 7")));
    return absl::OkStatus();
  });
  EXPECT_EQ(Read("mine"), "1");
  ExpectJob("pending", kData, kPriority);
}

TEST_F(LifecycleTest, SetPriorityToThePriorityThatItHasIsUnchanged) {
  Bring("pending");
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().SetPriority(tr, type(), kId, kPriority); }),
            ChangeResult::kUnchanged);
}

TEST_F(LifecycleTest, APriorityThatWasSetWhileRunningCountsWhenItIsPendingAgain) {
  const ClaimedJob held = Bring("running+resubmit");
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().SetPriority(tr, type(), kId, kOtherPriority); }),
            ChangeResult::kChanged);
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Finish(tr, held); }), Outcome::kOk);
  ExpectJob("pending", kData, kOtherPriority);
  EXPECT_THAT(Rows().queue, ::testing::ElementsAre(QueueRow{kOtherPriority, kId}));
}

TEST_F(LifecycleTest, AWorkerMayResubmitAtAnotherPriority) {
  const ClaimedJob held = Bring("running");
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().ResubmitByWorker(tr, held, Priority(kOtherPriority)); }),
            Outcome::kOk);
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Finish(tr, held); }), Outcome::kOk);
  ExpectJob("pending", kData, kOtherPriority);
}

TEST_F(LifecycleTest, ARemovedAndAddedJobIsNotTheOldWorkersJob) {
  const ClaimedJob held = Bring("running");
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Remove(tr, type(), kId); }), ChangeResult::kChanged);
  AddJob(kId, {.data = kData, .priority = kPriority});
  const ClaimedJob other = ClaimOne();
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Finish(tr, held); }), Outcome::kWorkerConflict);
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Finish(tr, other); }), Outcome::kOk);
}

TEST_F(LifecycleTest, ACanceledCallDoesNotWriteTheDataThatItBrought) {
  const ClaimedJob held = Bring("running+cancel");
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Finish(tr, held, kOtherData); }), Outcome::kCanceled);
  ExpectJob("finished+cancel", kData, kPriority);
}

}  // namespace
}  // namespace fdbjobs::test
