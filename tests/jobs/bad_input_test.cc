// Wrong arguments: an error that names the value, or its size, and what is allowed; nothing is written.
#include <cmath>
#include <limits>
#include <string>

#include "absl/time/clock.h"
#include "fdbjobs/listing.h"
#include "fdbjobs/subscriptions.h"
#include "fdbjobs/uuid.h"
#include "tests/jobs/jobs_fixture.h"

namespace fdbjobs::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class BadInputTest : public JobsTest {
 protected:
  void SetUp() override {
    JobsTest::SetUp();
    AddJob(1, {.data = "1"});
    held_ = ClaimOne();
    AddJob(2, {.data = "2"});
    before_ = AllRows();
  }

  // Runs `call` in a transaction that is committed all the same: it has written nothing.
  template <typename Call>
  void Refuses(const std::string& what, const std::string& value, Call call) {
    fdb::OwnedTransaction tr = Begin();
    const auto result = call(tr);
    EXPECT_THAT(result, HasStatus(absl::StatusCode::kInvalidArgument, AllOf(HasSubstr(what), HasSubstr(value))));
    EXPECT_THAT(tr.Commit().Await(), IsOk());
    EXPECT_EQ(AllRows(), before_);
  }
  void RefusesData(const std::string& data, const std::string& why) {
    Refuses("data", why, [&](fdb::Transaction& tr) { return jobs().Add(tr, type(), {.id = 9, .data = data}); });
    Refuses("data", why, [&](fdb::Transaction& tr) { return jobs().Update(tr, held_, data); });
    Refuses("data", why, [&](fdb::Transaction& tr) { return jobs().Finish(tr, held_, data); });
    Refuses("data", why, [&](fdb::Transaction& tr) {
      return jobs().AddMany(tr, type(), {{.id = 8, .data = "8"}, {.id = 9, .data = data}});
    });
  }

  ClaimedJob held_;
  std::vector<std::pair<std::string, std::string>> before_;
};

TEST_F(BadInputTest, DataThatIsNotJson) {
  for (const char* data : {"{",   "}", "nul",       "{\"a\":}", "[1,]",    "1 2",    "'a'", "\"a", "01", "+1", ".5",
                           "NaN", " ", "{\"a\" 1}", "tru",      "\"\\x\"", "\"\t\"", "[1",  "{}x", "1e", "-"}) {
    SCOPED_TRACE(data);
    RefusesData(data, "not JSON");
  }
  // The message has the text, or its beginning.
  RefusesData("{\"offending\":}", "offending");
  RefusesData(std::string("\"a\0b\"", 5), "not JSON");
}

TEST_F(BadInputTest, DataThatIsNotUtf8) {
  RefusesData("\"\xff\"", "not UTF-8 at byte 1");
  RefusesData("\"abc\xc0\x80\"", "not UTF-8 at byte 4");
  RefusesData("\"\xed\xa0\x80\"", "not UTF-8 at byte 1");
}

TEST_F(BadInputTest, DataThatNestsWithoutEnd) {
  RefusesData(std::string(40000, '[') + std::string(40000, ']'), "nests deeper than");
  std::string objects;
  for (int i = 0; i < 10000; ++i) objects += "{\"a\":";
  RefusesData(objects + "1" + std::string(10000, '}'), "nests deeper than");
}

TEST_F(BadInputTest, DataThatDoesNotFitIntoAValue) {
  RefusesData("\"" + std::string(100000, 'x') + "\"", "100002 bytes");
  // The longest that fits is taken, and can run with both marks.
  const auto add = [&](size_t size) {
    return fdb::Transact(db(), [&](fdb::Transaction& tr) {
      return jobs().Add(tr, type(), {.id = 9, .data = "\"" + std::string(size, 'x') + "\"", .priority = -1});
    });
  };
  size_t fits = 90000;
  size_t fails = 100000;
  while (fails - fits > 1) {
    const size_t middle = (fits + fails) / 2;
    fdb::OwnedTransaction tr = Begin();
    const bool ok =
        jobs().Add(tr, type(), {.id = 9, .data = "\"" + std::string(middle, 'x') + "\"", .priority = -1}).ok();
    (ok ? fits : fails) = middle;
  }
  EXPECT_GT(fits, 99000u);
  EXPECT_THAT(add(fails), HasStatus(absl::StatusCode::kInvalidArgument, HasSubstr("bytes; at most")));
  EXPECT_EQ(AllRows(), before_);
  EXPECT_THAT(add(fits), IsOk());
  const ClaimedJob job = ClaimOne();
  EXPECT_EQ(job.id, JobId(9));
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Cancel(tr, type(), 9); }), ChangeResult::kChanged);
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Resubmit(tr, type(), 9); }), ChangeResult::kChanged);
  EXPECT_EQ(Look(9), "running+cancel+resubmit");
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Update(tr, job); }), Outcome::kCanceled);
}

TEST_F(BadInputTest, DataThatIsAllowedComesBackByteForByte) {
  for (const std::string data : {"null", " { \"a\" : [ 1 , 2.50 ] } ", "123456789012345678901234567890", "\"\\u00e9\"",
                                 "\"\xc3\xa9\"", "1e999", "[]", "true", "{\"a\":1,\"a\":2}", "-0.0"}) {
    AddJob(9, {.data = data});
    EXPECT_EQ(Find(9)->data, data);
    EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Remove(tr, type(), 9); }), ChangeResult::kChanged);
  }
}

TEST_F(BadInputTest, KeysOverTenThousandBytes) {
  const std::string large(10000, 'x');
  Refuses("job id", "bytes; at most 10000",
          [&](fdb::Transaction& tr) { return jobs().Add(tr, type(), {.id = large}); });
  Refuses("priority", "bytes; at most 10000",
          [&](fdb::Transaction& tr) { return jobs().Add(tr, type(), {.id = 9, .priority = large}); });
  Refuses("priority", "bytes; at most 10000",
          [&](fdb::Transaction& tr) { return jobs().SetPriority(tr, type(), 2, large); });
  Refuses("priority", "bytes; at most 10000",
          [&](fdb::Transaction& tr) { return jobs().ResubmitByWorker(tr, held_, Priority(large)); });
  Refuses("job type", "bytes; at most 10000",
          [&](fdb::Transaction& tr) { return jobs().SetActivityTimeout(tr, large, absl::Seconds(1)); });
  // Each fits, and not all in one key.
  const std::string half(6000, 'y');
  Refuses("priority", "bytes; at most 10000",
          [&](fdb::Transaction& tr) { return jobs().Add(tr, type(), {.id = half, .priority = half}); });
  Refuses("job id", "bytes; at most 10000", [&](fdb::Transaction& tr) { return jobs().Cancel(tr, type(), large); });
  Refuses("job id", "bytes; at most 10000", [&](fdb::Transaction& tr) { return jobs().GetJob(tr, type(), large); });
}

TEST_F(BadInputTest, EmptyTypes) {
  for (const JobType& empty : {JobType(""), JobType(tuple::Bytes{})}) {
    const std::string shown = empty.ToString();
    Refuses("empty", shown, [&](fdb::Transaction& tr) { return jobs().Add(tr, empty, {.id = 9}); });
    Refuses("empty", shown,
            [&](fdb::Transaction& tr) { return jobs().SetActivityTimeout(tr, empty, absl::Seconds(1)); });
    Refuses("empty", shown, [&](fdb::Transaction& tr) { return jobs().GetActivityTimeout(tr, empty); });
    Refuses("empty", shown, [&](fdb::Transaction& tr) { return jobs().ClearActivityTimeout(tr, empty); });
    Refuses("empty", shown, [&](fdb::Transaction& tr) { return jobs().Accept(tr, empty); });
    Refuses("empty", shown, [&](fdb::Transaction& tr) { return jobs().CountJobs(tr, empty); });
    Refuses("empty", shown, [&](fdb::Transaction& tr) { return jobs().GetWatch(tr, empty); });
    Refuses("empty", shown, [&](fdb::Transaction& tr) { return jobs().Rescue(tr, empty, Sequence(), 1); });
    Refuses("empty", shown, [&](fdb::Transaction& tr) { return ListJobs(jobs(), tr, empty); });
    Refuses("empty", shown, [&](fdb::Transaction& tr) { return jobs().Update(tr, {.type = empty, .id = 1}); });
    Subscriptions subscriptions(db(), jobs());
    Refuses("empty", shown, [&](fdb::Transaction& tr) { return subscriptions.Subscribe(tr, empty, 1); });
  }
}

TEST_F(BadInputTest, NamesThatAreNotUtf8OrNestTooDeep) {
  const std::string bad = "a\xff";
  Refuses("job type", "UTF-8", [&](fdb::Transaction& tr) { return jobs().Add(tr, bad, {.id = 9}); });
  Refuses("job id", "UTF-8", [&](fdb::Transaction& tr) { return jobs().Add(tr, type(), {.id = bad}); });
  Refuses("priority", "UTF-8",
          [&](fdb::Transaction& tr) { return jobs().Add(tr, type(), {.id = 9, .priority = bad}); });
  tuple::Tuple deep;
  for (int i = 0; i < 1000; ++i) deep = tuple::Tuple{deep};
  Refuses("job id", "deep", [&](fdb::Transaction& tr) { return jobs().Add(tr, type(), {.id = deep}); });
}

TEST_F(BadInputTest, PrioritiesThatAreNoNumbers) {
  const Priority nans[] = {std::nan(""), std::nanf(""), tuple::Tuple{1, std::nan("")},
                           tuple::Tuple{tuple::Tuple{"x", -std::nan("")}}};
  for (const Priority& nan : nans) {
    Refuses("priority", "not a number",
            [&](fdb::Transaction& tr) { return jobs().Add(tr, type(), {.id = 9, .priority = nan}); });
    Refuses("priority", "not a number", [&](fdb::Transaction& tr) { return jobs().SetPriority(tr, type(), 2, nan); });
    Refuses("priority", "not a number", [&](fdb::Transaction& tr) { return jobs().ResubmitByWorker(tr, held_, nan); });
    Refuses("priority", "not a number",
            [&](fdb::Transaction& tr) { return jobs().Accept(tr, type(), {.limit = 1, .max_priority = nan}); });
  }
}

TEST_F(BadInputTest, TimeoutsOutOfRange) {
  for (const absl::Duration timeout : {absl::ZeroDuration(), -absl::Seconds(1), absl::Microseconds(999),
                                       absl::Hours(24 * 3661), absl::InfiniteDuration(), -absl::InfiniteDuration()}) {
    Refuses("activity timeout", absl::FormatDuration(timeout),
            [&](fdb::Transaction& tr) { return jobs().SetActivityTimeout(tr, type(), timeout); });
  }
}

TEST_F(BadInputTest, LimitsOutOfRange) {
  for (const int limit : {0, -1, 10001, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
    const std::string shown = absl::StrCat("limit: ", limit, "; allowed are 1 to 10000");
    Refuses(shown, "", [&](fdb::Transaction& tr) { return jobs().Accept(tr, type(), {.limit = limit}); });
    Refuses(shown, "", [&](fdb::Transaction& tr) { return jobs().AcceptToFinish(tr, type(), {.limit = limit}); });
    Refuses(shown, "", [&](fdb::Transaction& tr) { return jobs().Rescue(tr, type(), Sequence(), limit); });
    Refuses(shown, "", [&](fdb::Transaction& tr) { return jobs().PruneReceipts(tr, absl::UnixEpoch(), limit); });
    Refuses(shown, "", [&](fdb::Transaction& tr) { return ListJobs(jobs(), tr, type(), {.limit = limit}); });
    Refuses(shown, "", [&](fdb::Transaction& tr) { return ListTypes(jobs(), tr, limit); });
  }
}

TEST_F(BadInputTest, ContinuationsOfSomethingElse) {
  const auto list = [&](const std::string& continuation) {
    Refuses("continuation", "allowed", [&](fdb::Transaction& tr) {
      return ListJobs(jobs(), tr, type(), {.limit = 1, .continuation = continuation});
    });
  };
  for (const char* text : {"x", "a", "azz", "a0", "a00", "pff", "\xff", "a ", "A00"}) list(text);
  // Of another list, and of another type.
  AddJob(3);
  before_ = AllRows();
  const std::string pending = Do([&](fdb::Transaction& tr) {
                                return ListJobs(jobs(), tr, type(), {.state = JobState::kPending, .limit = 1});
                              }).continuation;
  ASSERT_NE(pending, "");
  list(pending);
  Refuses("continuation", "allowed", [&](fdb::Transaction& tr) {
    return ListJobs(jobs(), tr, "other", {.state = JobState::kPending, .limit = 1, .continuation = pending});
  });
  Refuses("continuation", "allowed", [&](fdb::Transaction& tr) { return ListTypes(jobs(), tr, 10, pending); });
  Refuses("continuation", "allowed",
          [&](fdb::Transaction& tr) { return jobs().Rescue(tr, type(), Sequence(), 10, "elsewhere"); });
  Refuses("continuation", "allowed",
          [&](fdb::Transaction& tr) { return jobs().PruneReceipts(tr, absl::UnixEpoch(), 10, "elsewhere"); });
}

TEST_F(BadInputTest, ReceiptsOfTheLastHourAreNotPruned) {
  Refuses("before", "an hour ago",
          [&](fdb::Transaction& tr) { return jobs().PruneReceipts(tr, absl::Now() - absl::Minutes(59), 10); });
}

TEST_F(BadInputTest, LocksOfAWrongSize) {
  for (const std::string text :
       {"", "1", "0193a1b2-0000-7000-8000-00000000000", "0193a1b2-0000-7000-8000-0000000000000",
        "zz93a1b2-0000-7000-8000-000000000000", "fifteen bytes..", "seventeen bytes.."}) {
    EXPECT_THAT(ParseLock(text), HasStatus(absl::StatusCode::kInvalidArgument,
                                           AllOf(HasSubstr(absl::StrCat(text.size(), " bytes")), HasSubstr(text))));
  }
  const std::string text = UuidToString(held_.lock);
  EXPECT_THAT(ParseLock(text), IsOkAnd(held_.lock));
  EXPECT_THAT(ParseLock(std::string(held_.lock.bytes.begin(), held_.lock.bytes.end())), IsOkAnd(held_.lock));
}

TEST_F(BadInputTest, ATypeWithoutATimeout) {
  fdb::OwnedTransaction tr = Begin();
  EXPECT_THAT(jobs().Add(tr, "unknown", {.id = 9}),
              HasStatus(absl::StatusCode::kFailedPrecondition, HasSubstr("\"unknown\" has no activity timeout")));
  EXPECT_THAT(tr.Commit().Await(), IsOk());
  EXPECT_EQ(AllRows(), before_);
}

TEST_F(BadInputTest, ABatchWithTwoJobsOfOneId) {
  fdb::OwnedTransaction tr = Begin();
  EXPECT_THAT(jobs().AddMany(tr, type(), {{.id = 8}, {.id = 9}, {.id = 8}}),
              HasStatus(absl::StatusCode::kAlreadyExists, HasSubstr("job 8")));
  EXPECT_THAT(tr.Commit().Await(), IsOk());
  EXPECT_EQ(AllRows(), before_);
}

}  // namespace
}  // namespace fdbjobs::test
