// Rows that another program has damaged: reported by key, never a crash, never a queue that stands still.
#include <functional>
#include <random>
#include <string>

#include "absl/time/clock.h"
#include "fdbjobs/claimer.h"
#include "fdbjobs/listing.h"
#include "fdbjobs/subscriptions.h"
#include "tests/jobs/jobs_fixture.h"
#include "tests/support/test_seed.h"

namespace fdbjobs::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int kBroken = 5;

class DamageTest : public JobsTest {
 protected:
  void SetUp() override {
    KeepDamage();
    JobsTest::SetUp();
  }
  void Write(const std::string& key, const std::string& value) {
    Commit([&](fdb::Transaction& tr) { tr.Set(key, value); });
  }
  std::string DataKey(int id) { return keys().Data(type(), id); }
  std::string ValueOf(const std::string& key) {
    return Do([&](fdb::Transaction& tr) { return tr.Get(key, fdb::Isolation::kSnapshot).Await(); }).value_or("");
  }
  RescueResult RescueAll() {
    return Do([&](fdb::Transaction& tr) -> absl::StatusOr<RescueResult> {
      const absl::StatusOr<std::optional<Sequence>> watch = jobs().GetWatch(tr, type());
      if (!watch.ok()) return watch.status();
      return jobs().Rescue(tr, type(), watch->value_or(Sequence()), 1000);
    });
  }
  JobPage List(std::optional<JobState> state) {
    return Do([&](fdb::Transaction& tr) { return ListJobs(jobs(), tr, type(), {.state = state, .limit = 1000}); });
  }
};

// --- Data rows ------------------------------------------------------------------------------------------------------

// What may become of a data row. Takes the good value.
struct Damaging {
  const char* name;
  std::function<std::string(const std::string&)> damage;
};

std::string Row(const std::string& options) {
  keyspace::JobRow row;
  row.options = options;
  return row.Encode();
}

std::vector<Damaging> Damagings() {
  return {
      {"empty", [](const std::string&) { return ""; }},
      {"garbage", [](const std::string&) { return "\xfe garbage"; }},
      {"truncated", [](const std::string& good) { return good.substr(0, good.size() / 2); }},
      {"last_byte_missing", [](const std::string& good) { return good.substr(0, good.size() - 1); }},
      {"longer", [](const std::string& good) { return good + std::string("\x15\x01", 2); }},
      {"no_json", [](const std::string&) { return Row("{"); }},
      {"array", [](const std::string&) { return Row("[]"); }},
      {"text_behind", [](const std::string&) { return Row("{} {}"); }},
      {"priority_of_wrong_kind", [](const std::string&) { return Row("{\"priority\":[1]}"); }},
      {"priority_no_hex", [](const std::string&) { return Row("{\"priority\":{\"packed\":\"zz\"}}"); }},
      {"priority_not_packed_properly", [](const std::string&) { return Row("{\"priority\":{\"packed\":\"1500\"}}"); }},
      {"mark_of_wrong_kind", [](const std::string&) { return Row("{\"cancel\":1}"); }},
      {"time_of_wrong_kind", [](const std::string&) { return Row("{\"added\":\"x\"}"); }},
      {"not_utf8", [](const std::string&) { return Row("{\"data\":\"\xff\"}"); }},
      {"nests_too_deep", [](const std::string&) { return Row("{\"data\":" + std::string(50000, '[')); }},
  };
}

class DataRowDamageTest : public DamageTest, public ::testing::WithParamInterface<Damaging> {};

TEST_P(DataRowDamageTest, OfAPendingJobIsReportedAndTheOthersAreClaimedAndListed) {
  AddJobs(10);
  Write(DataKey(kBroken), GetParam().damage(ValueOf(DataKey(kBroken))));
  const std::string described = R"(("couch_jobs", "data", "type", 5))";

  const JobPage listed = List(JobState::kPending);
  EXPECT_THAT(listed.jobs, SizeIs(9));
  EXPECT_THAT(listed.damaged, SizeIs(1));
  const JobPage all = List(std::nullopt);
  EXPECT_THAT(all.jobs, SizeIs(9));
  ASSERT_THAT(all.damaged, SizeIs(1));
  EXPECT_EQ(all.damaged[0].key, DataKey(kBroken));
  EXPECT_THAT(List(JobState::kFinished).damaged, SizeIs(1));

  const auto refused = HasStatus(absl::StatusCode::kDataLoss, HasSubstr(described));
  const auto before = AllRows();
  fdb::OwnedTransaction tr = Begin();
  EXPECT_THAT(jobs().GetJob(tr, type(), kBroken), refused);
  EXPECT_THAT(jobs().Cancel(tr, type(), kBroken), refused);
  EXPECT_THAT(jobs().Resubmit(tr, type(), kBroken), refused);
  EXPECT_THAT(jobs().Remove(tr, type(), kBroken), refused);
  EXPECT_THAT(jobs().SetPriority(tr, type(), kBroken, 7), refused);
  EXPECT_THAT(jobs().Add(tr, type(), {.id = kBroken}, IfExists::kKeep), refused);
  EXPECT_THAT(jobs().Finish(tr, {.type = type(), .id = kBroken}), refused);
  EXPECT_THAT(tr.Commit().Await(), IsOk());
  EXPECT_EQ(AllRows(), before);

  const Claimed claimed = Claim({.limit = 100});
  EXPECT_THAT(Ids(claimed.jobs), ElementsAre(0, 1, 2, 3, 4, 6, 7, 8, 9));
  ASSERT_THAT(claimed.damaged, SizeIs(1));
  EXPECT_EQ(claimed.damaged[0].key, keys().Pending(type(), 0, kBroken));
  EXPECT_THAT(claimed.damaged[0].what, HasSubstr(described));
  // The bytes stay for whoever repairs them.
  EXPECT_EQ(RescueAll().reenqueued, 9);
}

TEST_P(DataRowDamageTest, OfARunningJobIsReportedAndTheOthersAreListedAndRescued) {
  AddJobs(10);
  EXPECT_THAT(Claim({.limit = 10}).jobs, SizeIs(10));
  Write(DataKey(kBroken), GetParam().damage(ValueOf(DataKey(kBroken))));
  const JobPage listed = List(JobState::kRunning);
  EXPECT_THAT(listed.jobs, SizeIs(9));
  EXPECT_LE(listed.damaged.size(), 1u);
  const RescueResult rescued = RescueAll();
  EXPECT_EQ(rescued.reenqueued, 9);
  EXPECT_THAT(rescued.damaged, SizeIs(1));
}

INSTANTIATE_TEST_SUITE_P(All, DataRowDamageTest, ::testing::ValuesIn(Damagings()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_F(DamageTest, RandomBytesInADataRowAreNeverMoreThanAnError) {
  std::mt19937_64 random(TestSeed());
  AddJobs(3);
  EXPECT_THAT(Claim().jobs, SizeIs(1));
  for (int round = 0; round < 100; ++round) {
    const int id = static_cast<int>(random() % 2);
    std::string value = ValueOf(DataKey(2));
    for (uint64_t changes = 1 + random() % 4; changes > 0; --changes) {
      value[random() % value.size()] = static_cast<char>(random());
    }
    if (random() % 4 == 0) value.resize(random() % (value.size() + 1));
    Write(DataKey(id), value);
    fdb::OwnedTransaction tr = Begin();
    const absl::StatusOr<std::optional<Job>> job = jobs().GetJob(tr, type(), id);
    EXPECT_TRUE(job.ok() || job.status().code() == absl::StatusCode::kDataLoss) << job.status();
    EXPECT_THAT(jobs().Accept(tr, type(), {.limit = 10}), IsOk());
  }
}

TEST_F(DamageTest, AHeartbeatOfManyGoesOnBehindADamagedRow) {
  AddJobs(3);
  const Claimed claimed = Claim({.limit = 3});
  Write(DataKey(1), "garbage");
  std::vector<UpdateRequest> updates;
  std::vector<FinishRequest> finishes;
  for (const ClaimedJob& job : claimed.jobs) updates.push_back({type(), job.id, job.lock, "1"});
  for (const ClaimedJob& job : claimed.jobs) finishes.push_back({type(), job.id, job.lock, "2"});
  const auto before = AllRows();
  EXPECT_THAT(fdb::Transact(db(), [&](fdb::Transaction& tr) { return jobs().UpdateMany(tr, updates); }),
              HasStatus(absl::StatusCode::kDataLoss, HasSubstr("\"type\", 1")));
  EXPECT_EQ(AllRows(), before);
  std::vector<Damage> damaged;
  EXPECT_THAT(Do([&](fdb::Transaction& tr) {
                damaged.clear();
                return jobs().UpdateMany(tr, updates, &damaged);
              }),
              ElementsAre(Outcome::kOk, Outcome::kWorkerConflict, Outcome::kOk));
  ASSERT_THAT(damaged, SizeIs(1));
  EXPECT_EQ(damaged[0].key, DataKey(1));
  EXPECT_EQ(Find(2)->data, "1");
  EXPECT_THAT(Do([&](fdb::Transaction& tr) {
                damaged.clear();
                return jobs().FinishMany(tr, finishes, &damaged);
              }),
              ElementsAre(Outcome::kOk, Outcome::kWorkerConflict, Outcome::kOk));
  EXPECT_THAT(damaged, SizeIs(1));
}

TEST_F(DamageTest, AHeartbeatOfManyGoesOnBehindARowThatIsTooLong) {
  AddJobs(2);
  const Claimed claimed = Claim({.limit = 2});
  absl::StatusOr<keyspace::JobRow> row = keyspace::JobRow::Decode(ValueOf(DataKey(0)));
  ASSERT_THAT(row, IsOk());
  row->options = "{\"data\":\"" + std::string(99'900, 'x') + "\"}";
  Write(DataKey(0), row->Encode());
  std::vector<UpdateRequest> updates;
  for (const ClaimedJob& job : claimed.jobs) updates.push_back({type(), job.id, job.lock, std::nullopt});
  std::vector<Damage> damaged;
  EXPECT_THAT(Do([&](fdb::Transaction& tr) {
                damaged.clear();
                return jobs().UpdateMany(tr, updates, &damaged);
              }),
              ElementsAre(Outcome::kWorkerConflict, Outcome::kOk));
  ASSERT_THAT(damaged, SizeIs(1));
  EXPECT_EQ(damaged[0].key, DataKey(0));
  // What the caller has given is the caller's to mend.
  updates[0].data = std::string(R"("short")");
  EXPECT_THAT(Do([&](fdb::Transaction& tr) { return jobs().UpdateMany(tr, updates); }),
              ElementsAre(Outcome::kOk, Outcome::kOk));
}

TEST_F(DamageTest, ASubscribedJobWhoseRowIsDamagedIsReported) {
  AddJob(1);
  Subscriptions subscriptions(db(), jobs());
  Do([&](fdb::Transaction& tr) { return subscriptions.Subscribe(tr, type(), 1, JobState::kFinished); });
  Write(DataKey(1), "garbage");
  const absl::StatusOr<std::vector<JobChange>> changes = subscriptions.Wait(absl::Now() + absl::Minutes(1));
  ASSERT_THAT(changes, IsOkAnd(SizeIs(1)));
  EXPECT_THAT(changes->at(0).damage, HasSubstr(R"(("couch_jobs", "data", "type", 1))"));
  EXPECT_EQ(changes->at(0).job, std::nullopt);
}

// --- The queue ------------------------------------------------------------------------------------------------------

TEST_F(DamageTest, APendingRowWithoutADataRowIsPassedOver) {
  AddJobs(3);
  Write(keys().Pending(type(), -1, 77), "");
  const Claimed claimed = Claim();
  EXPECT_THAT(Ids(claimed.jobs), ElementsAre(0));
  ASSERT_THAT(claimed.damaged, SizeIs(1));
  EXPECT_EQ(claimed.damaged[0].key, keys().Pending(type(), -1, 77));
  EXPECT_THAT(claimed.damaged[0].what, HasSubstr("no data row"));
  EXPECT_THAT(List(JobState::kPending).damaged, SizeIs(1));
}

TEST_F(DamageTest, APendingRowOfAJobThatIsNotPendingIsPassedOver) {
  AddJobs(3);
  EXPECT_THAT(Claim().jobs, SizeIs(1));
  Write(keys().Pending(type(), -1, 0), "");
  const Claimed claimed = Claim();
  EXPECT_THAT(Ids(claimed.jobs), ElementsAre(1));
  ASSERT_THAT(claimed.damaged, SizeIs(1));
  EXPECT_THAT(claimed.damaged[0].what, HasSubstr("running"));
}

TEST_F(DamageTest, APendingRowAtAnotherPriorityIsPassedOver) {
  AddJobs(2);
  Write(keys().Pending(type(), -1, 1), "");
  const Claimed claimed = Claim();
  EXPECT_THAT(Ids(claimed.jobs), ElementsAre(0));
  ASSERT_THAT(claimed.damaged, SizeIs(1));
  EXPECT_THAT(claimed.damaged[0].what, AllOf(HasSubstr("priority -1"), HasSubstr("says 0")));
}

TEST_F(DamageTest, PendingKeysOfAWrongShapeArePassedOver) {
  AddJobs(3);
  const std::string begin = keys().PendingRange(type()).begin;
  const std::string root = begin.substr(0, begin.size() - 1);
  std::vector<std::string> odd = {
      root + std::string("\x00", 1),         root + "\x14", root + "\x05", root + "\x02unended",
      root + std::string("\x14\x14\x14", 3), root + "\x99"};
  for (const std::string& key : odd) Write(key, "");
  for (int id = 0; id < 3; ++id) EXPECT_THAT(Ids(Claim().jobs), ElementsAre(id));
  const Claimed rest = Claim({.limit = 10});
  EXPECT_THAT(rest.jobs, IsEmpty());
  EXPECT_THAT(rest.damaged, SizeIs(odd.size()));
  EXPECT_THAT(List(JobState::kPending).damaged, SizeIs(odd.size()));
}

TEST_F(DamageTest, ThousandsOfDamagedRowsAtTheHeadDoNotStopTheQueue) {
  constexpr int kDamaged = 3000;
  Commit([&](fdb::Transaction& tr) {
    for (int id = 0; id < kDamaged; ++id) tr.Set(keys().Pending(type(), -1, id), "");
  });
  AddJob(1);
  AddJob(2);
  const Claimed claimed = Claim();
  EXPECT_THAT(Ids(claimed.jobs), ElementsAre(1));
  EXPECT_THAT(claimed.damaged, SizeIs(kDamaged));
  // Whole jobs and the blocking accept get there too.
  Claimer claimer(db(), jobs(), type());
  EXPECT_THAT(Ids(claimer.Accept(absl::Now() + absl::Minutes(1))->jobs), ElementsAre(2));
}

// It could never stand in the queue.
TEST_F(DamageTest, APriorityTooLongForAKeyIsReportedAndTheOthersAreRescued) {
  AddJobs(3);
  EXPECT_THAT(Claim({.limit = 3}).jobs, SizeIs(3));
  absl::StatusOr<keyspace::JobRow> row = keyspace::JobRow::Decode(ValueOf(DataKey(1)));
  ASSERT_THAT(row, IsOk());
  row->options = "{\"priority\":\"" + std::string(12000, 'x') + "\"}";
  Write(DataKey(1), row->Encode());
  const RescueResult rescued = RescueAll();
  EXPECT_EQ(rescued.reenqueued, 2);
  ASSERT_THAT(rescued.damaged, SizeIs(1));
  EXPECT_THAT(rescued.damaged[0].what, HasSubstr(R"(("couch_jobs", "data", "type", 1))"));
}

// An integer in a longer form than need be: the queue would have it in that form, and the data row in the proper one.
TEST_F(DamageTest, APriorityThatIsNotPackedProperlyDoesNotGetIntoTheQueue) {
  keyspace::JobRow row;
  row.state = JobState::kFinished;
  row.options = R"({"priority":{"packed":"1500"},"cancel":true})";
  Write(DataKey(1), row.Encode());
  const auto before = AllRows();
  EXPECT_THAT(fdb::Transact(db(), [&](fdb::Transaction& tr) { return jobs().Resubmit(tr, type(), 1); }),
              HasStatus(absl::StatusCode::kDataLoss, HasSubstr(R"(("couch_jobs", "data", "type", 1))")));
  EXPECT_EQ(AllRows(), before);
}

TEST_F(DamageTest, JobOptsTooLongForARunningJobArePassedOver) {
  AddJobs(2);
  Write(DataKey(0), Row("{\"data\":\"" + std::string(99950, 'x') + "\"}"));
  const Claimed claimed = Claim();
  EXPECT_THAT(Ids(claimed.jobs), ElementsAre(1));
  ASSERT_THAT(claimed.damaged, SizeIs(1));
  EXPECT_THAT(claimed.damaged[0].what, HasSubstr("too many"));
}

// --- Activity -------------------------------------------------------------------------------------------------------

TEST_F(DamageTest, ActivityEntriesThatCantBeReadDoNotStopListsAndRescues) {
  AddJobs(5);
  EXPECT_THAT(Claim({.limit = 5}).jobs, SizeIs(5));
  const std::string begin = keys().ActivityRange(type()).begin;
  const std::string root = begin.substr(0, begin.size() - 1);
  Sequence old;
  old.stamp.transaction[5] = 1;
  // Keys that are no sequence, and a sequence whose value is no id.
  Write(root + std::string("\x00", 1), "");
  Write(root + "\x02odd", "");
  Write(root + std::string("\x05\x15\x01", 3), "");
  Write(keys().Activity(type(), old), "\xfe");
  old.stamp.transaction[5] = 2;
  Write(keys().Activity(type(), old), "");
  const JobPage listed = List(JobState::kRunning);
  EXPECT_THAT(listed.jobs, SizeIs(5));
  EXPECT_THAT(listed.damaged, SizeIs(5));
  const RescueResult rescued = RescueAll();
  EXPECT_EQ(rescued.reenqueued, 5);
  EXPECT_GE(rescued.damaged.size(), 4u);
  EXPECT_EQ(Count().pending, 5);
}

// --- Single rows ----------------------------------------------------------------------------------------------------

TEST_F(DamageTest, ATimeoutThatCantBeReadIsReportedAndCanBeSetAnew) {
  SetTimeout("other");
  AddJob(1);
  for (const std::string& value : {std::string("garbage"), std::string(), keyspace::JobKeys::EncodeNumber(0),
                                   keyspace::JobKeys::EncodeNumber(-5)}) {
    Write(keys().ActivityTimeout(type()), value);
    const auto refused = HasStatus(absl::StatusCode::kDataLoss, HasSubstr(R"("activity_timeout", "type")"));
    EXPECT_THAT(fdb::Transact(db(), [&](fdb::Transaction& tr) { return jobs().GetActivityTimeout(tr, type()); }),
                refused);
    EXPECT_THAT(fdb::Transact(db(), [&](fdb::Transaction& tr) { return jobs().Add(tr, type(), {.id = 2}); }), refused);
    const TypePage types = Do([&](fdb::Transaction& tr) { return ListTypes(jobs(), tr); });
    EXPECT_THAT(types.types, SizeIs(1));
    ASSERT_THAT(types.damaged, SizeIs(1));
    EXPECT_EQ(types.damaged[0].key, keys().ActivityTimeout(type()));
  }
  // Jobs that are there go on.
  EXPECT_THAT(Claim().jobs, SizeIs(1));
  SetTimeout(type());
  AddJob(2);
}

TEST_F(DamageTest, ATimeoutKeyOfAWrongShapeIsReported) {
  const std::string odd = keys().TypesRange().begin + "\x05";
  Write(odd, keyspace::JobKeys::EncodeNumber(1));
  const TypePage types = Do([&](fdb::Transaction& tr) { return ListTypes(jobs(), tr); });
  EXPECT_THAT(types.types, SizeIs(1));
  ASSERT_THAT(types.damaged, SizeIs(1));
  EXPECT_EQ(types.damaged[0].key, odd);
}

TEST_F(DamageTest, ACounterOfAWrongSizeIsReportedAndStopsNothing) {
  AddJobs(2);
  for (const std::string value : {"", "1234567", "123456789"}) {
    Write(keys().Count(type(), JobState::kFinished), value);
    EXPECT_THAT(fdb::Transact(db(), [&](fdb::Transaction& tr) { return jobs().CountJobs(tr, type()); }),
                HasStatus(absl::StatusCode::kDataLoss, AllOf(HasSubstr(R"("count", "type", "finished")"),
                                                             HasSubstr(absl::StrCat(value.size(), " bytes")))));
  }
  EXPECT_THAT(Claim({.limit = 2}).jobs, SizeIs(2));
}

TEST_F(DamageTest, AWatchRowThatCantBeReadIsReportedAndWrittenAnewByTheNextSignOfLife) {
  AddJob(1);
  const ClaimedJob job = ClaimOne();
  Write(keys().Watch(type()), "garbage");
  EXPECT_THAT(fdb::Transact(db(), [&](fdb::Transaction& tr) { return jobs().GetWatch(tr, type()); }),
              HasStatus(absl::StatusCode::kDataLoss, HasSubstr(R"("watches", "type")")));
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Update(tr, job); }), Outcome::kOk);
  EXPECT_EQ(RescueAll().reenqueued, 1);
}

// Sequences would not be monotonic with a guess, so claims wait until the row is repaired. What needs none goes on.
TEST_F(DamageTest, AnIncarnationThatCantBeReadIsReportedAndNothingIsWritten) {
  AddJobs(3);
  for (const std::string& value : {std::string("garbage"), std::string(), keyspace::JobKeys::EncodeNumber(256),
                                   keyspace::JobKeys::EncodeNumber(-1)}) {
    Write(keys().Incarnation(), value);
    const auto before = AllRows();
    const auto refused = HasStatus(absl::StatusCode::kDataLoss, HasSubstr(R"(("couch_jobs", "incarnation"))"));
    fdb::OwnedTransaction tr = Begin();
    EXPECT_THAT(jobs().GetIncarnation(tr), refused);
    EXPECT_THAT(jobs().RaiseIncarnation(tr), refused);
    EXPECT_THAT(jobs().Accept(tr, type()), refused);
    EXPECT_THAT(tr.Commit().Await(), IsOk());
    EXPECT_EQ(AllRows(), before);
  }
  AddJob(9);
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Cancel(tr, type(), 0); }), ChangeResult::kChanged);
  EXPECT_EQ(Do([&](fdb::Transaction& tr) -> absl::StatusOr<Outcome> {
              const absl::StatusOr<Claimed> claimed = jobs().AcceptToFinish(tr, type());
              if (!claimed.ok()) return claimed.status();
              return jobs().Finish(tr, claimed->jobs.at(0));
            }),
            Outcome::kOk);
}

// Finishing it needs the incarnation only for one of the two, and not for the first.
TEST_F(DamageTest, AnIncarnationThatCantBeReadStopsAFinishOfManyBeforeItWritesAnything) {
  AddJobs(2);
  const ClaimedJob running = ClaimOne();
  Write(keys().Incarnation(), "garbage");
  const auto before = AllRows();
  fdb::OwnedTransaction tr = Begin();
  const absl::StatusOr<Claimed> here = jobs().AcceptToFinish(tr, type());
  ASSERT_THAT(here, IsOkAnd(::testing::Field(&Claimed::jobs, SizeIs(1))));
  const FinishRequest finishes[] = {{type(), here->jobs[0].id, here->jobs[0].lock}, {type(), running.id, running.lock}};
  EXPECT_THAT(jobs().FinishMany(tr, finishes), HasStatus(absl::StatusCode::kDataLoss, HasSubstr("incarnation")));
  EXPECT_THAT(tr.Commit().Await(), IsOk());
  EXPECT_EQ(AllRows(), before);
}

}  // namespace
}  // namespace fdbjobs::test
