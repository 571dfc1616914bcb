// JobsTest: a jobs layer of the test's own, with one type, and short words for what most tests do.
//
// At its end each test's rows must agree with one another (check_keyspace.h). A test that damages rows says so by
// KeepDamage().
//
//   TEST_F(ClaimTest, TakesTheFirst) {
//     AddJob(7, {.data = "1"});
//     const ClaimedJob job = ClaimOne();
//     EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Finish(tr, job); }), Outcome::kOk);
//     EXPECT_EQ(Look(7), "finished");
//   }
#ifndef FDBJOBS_TESTS_JOBS_JOBS_FIXTURE_H_
#define FDBJOBS_TESTS_JOBS_JOBS_FIXTURE_H_

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "fdbjobs/fdb/range.h"
#include "fdbjobs/fdb/transact.h"
#include "fdbjobs/jobs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/jobs/check_keyspace.h"
#include "tests/jobs/keyspace_contents.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_database.h"

namespace fdbjobs {

// For messages of GoogleTest.
inline void PrintTo(Outcome outcome, std::ostream* out) { *out << OutcomeName(outcome); }
inline void PrintTo(JobState state, std::ostream* out) { *out << JobStateName(state); }
inline void PrintTo(AddResult result, std::ostream* out) {
  *out << (result == AddResult::kAdded ? "added" : result == AddResult::kResubmitted ? "resubmitted" : "exists");
}
inline void PrintTo(ChangeResult result, std::ostream* out) {
  *out << (result == ChangeResult::kChanged     ? "changed"
           : result == ChangeResult::kUnchanged ? "unchanged"
                                                : "not found");
}
namespace keyspace {
inline void PrintTo(const PackedElement& element, std::ostream* out) { *out << element.ToString(); }
}  // namespace keyspace

namespace test {

class JobsTest : public DatabaseTest {
 protected:
  JobsTest() : jobs_({.prefix = prefix()}) {}

  void SetUp() override { SetTimeout(type_); }
  void TearDown() override {
    if (keep_damage_) return;
    const absl::StatusOr<KeyspaceContents> contents = ReadKeyspace(db(), jobs_.keys());
    ASSERT_THAT(contents, IsOk());
    EXPECT_THAT(CheckKeyspace(*contents), ::testing::IsEmpty());
  }
  void KeepDamage() { keep_damage_ = true; }

  const Jobs& jobs() const { return jobs_; }
  const keyspace::JobKeys& keys() const { return jobs_.keys(); }
  const JobType& type() const { return type_; }

  // A transaction of its own that is tried until it commits. Ends the program when it fails.
  template <typename Body>
  auto Do(Body&& body) {
    auto result = fdb::Transact(db(), std::forward<Body>(body));
    if (!result.ok()) {
      ADD_FAILURE() << StatusOf(result);
      std::abort();
    }
    if constexpr (!std::is_same_v<decltype(result), absl::Status>) return *std::move(result);
  }

  void SetTimeout(const JobType& type, absl::Duration timeout = absl::Minutes(1)) {
    Do([&](fdb::Transaction& tr) { return jobs_.SetActivityTimeout(tr, type, timeout); });
  }
  void AddJob(const JobId& id, NewJob job = {}) {
    job.id = id;
    EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs_.Add(tr, type_, job); }), AddResult::kAdded);
  }
  // Jobs 0 to `count` - 1.
  void AddJobs(int count) {
    for (int begin = 0; begin < count; begin += 1000) {
      std::vector<NewJob> some;
      for (int id = begin; id < std::min(count, begin + 1000); ++id) some.push_back({.id = id});
      EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs_.AddMany(tr, type_, some); }).size(), some.size());
    }
  }
  Claimed Claim(const AcceptOptions& options = {}) {
    return Do([&](fdb::Transaction& tr) { return jobs_.Accept(tr, type_, options); });
  }
  // Fails the test when there is none.
  ClaimedJob ClaimOne() {
    Claimed claimed = Claim();
    EXPECT_EQ(claimed.jobs.size(), 1u);
    return claimed.jobs.empty() ? ClaimedJob() : std::move(claimed.jobs[0]);
  }
  std::optional<Job> Find(const JobId& id) {
    return Do([&](fdb::Transaction& tr) { return jobs_.GetJob(tr, type_, id); });
  }
  Counts Count() {
    return Do([&](fdb::Transaction& tr) { return jobs_.CountJobs(tr, type_); });
  }
  // "absent", "pending", "running+cancel+resubmit", ...
  std::string Look(const JobId& id) {
    const std::optional<Job> job = Find(id);
    if (!job.has_value()) return "absent";
    return absl::StrCat(JobStateName(job->state), job->cancel ? "+cancel" : "", job->resubmit ? "+resubmit" : "");
  }
  KeyspaceContents Contents() {
    absl::StatusOr<KeyspaceContents> contents = ReadKeyspace(db(), jobs_.keys());
    EXPECT_THAT(contents, IsOk());
    return contents.ok() ? *std::move(contents) : KeyspaceContents();
  }
  // Every key and value of the test, for "nothing was written".
  std::vector<std::pair<std::string, std::string>> AllRows() {
    const absl::StatusOr<std::vector<fdb::KeyValue>> rows = fdb::Transact(db(), [&](fdb::Transaction& tr) {
      const std::string end = PrefixEnd();
      return fdb::ReadRange(tr, {.begin = fdb::KeySelectorView::FirstGreaterOrEqual(prefix()),
                                 .end = fdb::KeySelectorView::FirstGreaterOrEqual(end)});
    });
    EXPECT_THAT(rows, IsOk());
    std::vector<std::pair<std::string, std::string>> pairs;
    if (rows.ok()) {
      for (const fdb::KeyValue& row : *rows) pairs.emplace_back(row.key, row.value);
    }
    return pairs;
  }
  // Rows of this test's type.
  TypeContents Rows() { return Contents().types[type_]; }

 private:
  const Jobs jobs_;
  const JobType type_ = "type";
  bool keep_damage_ = false;
};

// The ids of jobs, in their order.
template <typename List>
std::vector<JobId> Ids(const List& jobs) {
  std::vector<JobId> ids;
  for (const auto& job : jobs) ids.push_back(job.id);
  return ids;
}

}  // namespace test
}  // namespace fdbjobs

#endif  // FDBJOBS_TESTS_JOBS_JOBS_FIXTURE_H_
