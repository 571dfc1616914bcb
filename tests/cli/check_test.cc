// check and check --repair on keyspaces that were damaged in every way that we know.
#include "absl/strings/str_cat.h"
#include "fdbjobs/keyspace/job_row.h"
#include "tests/cli/cli_fixture.h"

namespace fdbjobs::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

using keyspace::JobKeys;
using keyspace::JobRow;

class CliCheckTest : public CliTest {
 protected:
  // One job of each state: "pending", "running", "finished".
  void SetUp() override {
    CliTest::SetUp();
    AddJob("finished");
    const ClaimedJob job = ClaimOne();
    EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Finish(tr, job); }), Outcome::kOk);
    AddJob("running");
    ClaimOne();
    AddJob("pending", {.data = "1", .priority = 5});
    EXPECT_EQ(Cli({"check"}).exit_code, 0);
  }

  void Damage(const std::function<void(fdb::Transaction&)>& body) { Commit(body); }
  void Rewrite(const JobId& id, const std::function<void(JobRow*)>& change) {
    const std::string key = keys().Data(type(), id);
    Commit([&](fdb::Transaction& tr) {
      JobRow row = *JobRow::Decode(**tr.Get(key, fdb::Isolation::kSerializable).Await());
      change(&row);
      tr.Set(key, row.Encode());
    });
  }
  Sequence RunningSequence() { return *Find("running")->sequence; }

  // check finds `problem` and changes nothing; --repair mends it, and then both checks find nothing.
  void ExpectMended(const std::string& problem, const std::vector<std::string>& flags = {}) {
    const std::string before = Cli({"dump"}).output;
    const Ran found = Cli({"check"});
    EXPECT_EQ(found.exit_code, 4) << found.output << found.errors;
    EXPECT_THAT(found.output, HasSubstr(problem + ": "));
    EXPECT_EQ(Cli({"dump"}).output, before);
    std::vector<std::string> command = {"check", "--repair"};
    command.insert(command.end(), flags.begin(), flags.end());
    const Ran mended = Cli(command);
    EXPECT_EQ(mended.exit_code, 0) << mended.output << mended.errors;
    EXPECT_THAT(mended.output, HasSubstr("; mended: "));
    EXPECT_EQ(Cli({"check"}).exit_code, 0);
    EXPECT_THAT(CheckKeyspace(Contents()), IsEmpty());
  }
};

TEST_F(CliCheckTest, MendsAPendingJobThatIsNotInTheQueue) {
  Damage([&](fdb::Transaction& tr) { tr.Clear(keys().Pending(type(), 5, "pending")); });
  ExpectMended("not-queued");
  EXPECT_EQ(ClaimOne().id, JobId("pending"));
}

TEST_F(CliCheckTest, MendsQueueRowsOfNoPendingJob) {
  Damage([&](fdb::Transaction& tr) {
    tr.Set(keys().Pending(type(), 0, "absent"), "");
    tr.Set(keys().Pending(type(), 0, "running"), "");
    tr.Set(keys().Pending(type(), 7, "pending"), "");
  });
  EXPECT_THAT(Cli({"check"}).output, HasSubstr("3 violations"));
  ExpectMended("stray-queue-row");
}

TEST_F(CliCheckTest, MendsQueueRowsThatCannotBeRead) {
  Damage([&](fdb::Transaction& tr) {
    tr.Set(keys().Pending(type(), 5, "pending"), "x");
    tr.Set(keys().PendingRange(type()).begin + "\x99", "");
  });
  EXPECT_THAT(Cli({"check"}).output, HasSubstr("unreadable-queue-row"));
  ExpectMended("queue-row-value");
}

TEST_F(CliCheckTest, MendsARunningJobWithoutActivityEntry) {
  const Lock lock = *Find("running")->lock;
  Damage([&](fdb::Transaction& tr) { tr.Clear(keys().Activity(type(), RunningSequence())); });
  ExpectMended("no-activity");
  EXPECT_EQ(Find("running")->lock, lock);
}

TEST_F(CliCheckTest, MendsAnActivityEntryOfAnotherJob) {
  const std::string key = keys().Activity(type(), RunningSequence());
  Damage([&](fdb::Transaction& tr) { tr.Set(key, JobKeys::EncodeId("pending")); });
  ExpectMended("no-activity");
}

TEST_F(CliCheckTest, MendsTwoJobsOfOneSequence) {
  const Sequence sequence = RunningSequence();
  const Lock lock = *Find("running")->lock;
  Commit([&](fdb::Transaction& tr) {
    tr.Clear(keys().Pending(type(), 5, "pending"));
    tr.Add(keys().Count(type(), JobState::kPending), -1);
    tr.Add(keys().Count(type(), JobState::kRunning), 1);
  });
  Rewrite("pending", [&](JobRow* row) {
    row->state = JobState::kRunning;
    row->sequence = sequence;
    row->lock = lock;
  });
  ExpectMended("no-activity");
  EXPECT_EQ(RunningSequence(), sequence);
}

TEST_F(CliCheckTest, MendsActivityEntriesThatCannotBe) {
  Sequence later = RunningSequence();
  later.incarnation = 3;
  Sequence incomplete = RunningSequence();
  incomplete.stamp = tuple::Versionstamp::Incomplete(1);
  Sequence tomorrow = RunningSequence();
  tomorrow.stamp.transaction[0] = 0x70;
  Damage([&](fdb::Transaction& tr) {
    for (const Sequence& sequence : {later, incomplete, tomorrow}) {
      tr.Set(keys().Activity(type(), sequence), JobKeys::EncodeId("absent"));
    }
    tr.Set(keys().ActivityRange(type()).begin + "\x99", JobKeys::EncodeId("absent"));
    tr.Set(keys().Activity(type(), {0, {}}), "\xff");
  });
  EXPECT_THAT(Cli({"check"}).output, HasSubstr("unreadable-activity"));
  ExpectMended("activity-in-future");
}

TEST_F(CliCheckTest, MendsARunningJobOfASequenceThatCannotBe) {
  Sequence tomorrow = RunningSequence();
  tomorrow.stamp.transaction[0] = 0x70;
  Damage([&](fdb::Transaction& tr) {
    tr.Clear(keys().Activity(type(), RunningSequence()));
    tr.Set(keys().Activity(type(), tomorrow), JobKeys::EncodeId("running"));
  });
  Rewrite("running", [&](JobRow* row) { row->sequence = tomorrow; });
  ExpectMended("no-activity");
}

TEST_F(CliCheckTest, MendsMarksOfARunThatIsOver) {
  Rewrite("pending", [](JobRow* row) { row->options = R"({"priority":5,"cancel":true,"resubmit":true,"data":1})"; });
  Rewrite("finished", [](JobRow* row) { row->options = R"({"cancel":true,"resubmit":true})"; });
  ExpectMended("stray-mark");
  EXPECT_EQ(Look("pending"), "pending");
  EXPECT_EQ(Look("finished"), "finished+cancel");
}

TEST_F(CliCheckTest, MendsCounters) {
  Damage([&](fdb::Transaction& tr) {
    tr.Add(keys().Count(type(), JobState::kPending), 7);
    tr.Clear(keys().Count(type(), JobState::kRunning));
    tr.Set(keys().Count(type(), JobState::kFinished), "abc");
  });
  EXPECT_THAT(Cli({"check"}).output, HasSubstr("the counter says 8 pending, there are 1"));
  ExpectMended("wrong-count");
  EXPECT_EQ(Count(), (Counts{.pending = 1, .running = 1, .finished = 1}));
}

TEST_F(CliCheckTest, MendsWatchRows) {
  Damage([&](fdb::Transaction& tr) {
    tr.Clear(keys().Watch(type()));
    tr.Clear(keys().PendingWatch(type()));
    tr.Set(keys().TypesWatch(), "x");
  });
  EXPECT_THAT(Cli({"check"}).output, HasSubstr("pending-watch-missing"));
  ExpectMended("watch-behind");
  Damage([&](fdb::Transaction& tr) {
    tr.Set(keys().Watch(type()), "x");
    tr.Set(keys().PendingWatch(type()), "x");
  });
  ExpectMended("watch-behind");
}

TEST_F(CliCheckTest, MendsTheIncarnationAboveWhatIsInUse) {
  Damage([&](fdb::Transaction& tr) { tr.Set(keys().Incarnation(), "x"); });
  ExpectMended("unreadable-incarnation");
  EXPECT_EQ(Contents().incarnation, 1);
}

TEST_F(CliCheckTest, RemovesUnreadableReceipts) {
  Damage([&](fdb::Transaction& tr) { tr.Set(keys().Receipt({}, 7), "x"); });
  ExpectMended("unreadable-receipt");
}

TEST_F(CliCheckTest, LeavesUnreadableJobsUntilItIsToldToRemoveThem) {
  Damage([&](fdb::Transaction& tr) {
    tr.Set(keys().Data(type(), "pending"), "x");
    std::string unknown = keys().Incarnation();
    tr.Set(unknown.substr(0, unknown.size() - 3) + std::string("xx\0", 3), "");
  });
  const Ran left = Cli({"check", "--repair", "--json"});
  EXPECT_EQ(left.exit_code, 4);
  EXPECT_THAT(left.output, HasSubstr("\"problem\": \"unreadable-job\""));
  EXPECT_THAT(left.output, HasSubstr("\"problem\": \"unknown-row\""));
  EXPECT_THAT(left.output, HasSubstr("\"mended\": false"));
  ExpectMended("unreadable-job", {"--remove-unreadable"});
  EXPECT_EQ(Look("pending"), "absent");
}

TEST_F(CliCheckTest, RemovesAJobWhosePriorityFitsIntoNoKey) {
  Damage([&](fdb::Transaction& tr) {
    keyspace::JobRow row;
    row.options = "{\"priority\":\"" + std::string(12000, 'x') + "\"}";
    tr.Set(keys().Data(type(), "pending"), row.Encode());
  });
  ExpectMended("unreadable-job", {"--remove-unreadable"});
  EXPECT_EQ(Look("pending"), "absent");
}

TEST_F(CliCheckTest, ReportsWhatOnlyAPersonCanDecide) {
  KeepDamage();
  Damage([&](fdb::Transaction& tr) { tr.Set(keys().ActivityTimeout(type()), JobKeys::EncodeNumber(0)); });
  Rewrite("finished", [](JobRow* row) { row->options = R"({"data":[1,]})"; });
  const Ran ran = Cli({"check", "--repair"});
  EXPECT_EQ(ran.exit_code, 4);
  EXPECT_THAT(ran.output, HasSubstr("unreadable-timeout: type type: activity timeout: 0 ms; not mended"));
  EXPECT_THAT(ran.output, HasSubstr("data-not-json: type type, job finished: "));
}

TEST_F(CliCheckTest, LeftOverActivityEntriesAreNoViolation) {
  Damage([&](fdb::Transaction& tr) { tr.Set(keys().Activity(type(), {0, {}}), JobKeys::EncodeId("absent")); });
  EXPECT_EQ(Cli({"check"}).exit_code, 0);
}

}  // namespace
}  // namespace fdbjobs::test
