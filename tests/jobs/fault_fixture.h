// FaultTest: a jobs layer in an embedded folder of its own, whose engine fails on demand. Of that engine alone, since
// only it does.
//
//   TEST_F(UnknownResultTest, ...) {
//     Faults("unknown_after=1");
//     ...
//     Faults("");
//   }
#ifndef FDBJOBS_TESTS_JOBS_FAULT_FIXTURE_H_
#define FDBJOBS_TESTS_JOBS_FAULT_FIXTURE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "fdbjobs/fdb/transact.h"
#include "fdbjobs/jobs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/jobs/check_keyspace.h"
#include "tests/jobs/engine_faults.h"
#include "tests/jobs/keyspace_contents.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_seed.h"

namespace fdbjobs::test {

class FaultTest : public ::testing::Test {
 protected:
  template <typename Body>
  auto Try(Body&& body) {
    return fdb::Transact(*db_, std::forward<Body>(body));
  }

  void SetUp() override {
    absl::StatusOr<fdb::Database> db = fdb::Database::Open("embedded:" + folder_.path());
    ASSERT_THAT(db, IsOk());
    db_.emplace(*std::move(db));
    ASSERT_THAT(db_->SetOption(fdb::DatabaseInt::kTransactionMaxRetryDelayMilliseconds, 1), IsOk());
    ASSERT_THAT(Try([&](fdb::Transaction& tr) { return jobs_.SetActivityTimeout(tr, type_, absl::Minutes(1)); }),
                IsOk());
  }
  void TearDown() override {
    Faults("");
    const absl::StatusOr<KeyspaceContents> contents = ReadKeyspace(*db_, jobs_.keys());
    ASSERT_THAT(contents, IsOk());
    EXPECT_THAT(CheckKeyspace(*contents), ::testing::IsEmpty());
  }

  // What docs/embedded.md calls a specification, without the seed.
  void Faults(const std::string& specification) {
    SetEngineFaults(*db_,
                    specification.empty() ? "" : absl::StrCat("seed=", TestSeed() + ++times_, ",", specification));
  }
  // The state of a job, without faults.
  std::string Look(const JobId& id) {
    Faults("");
    const absl::StatusOr<std::optional<Job>> job =
        Try([&](fdb::Transaction& tr) { return jobs_.GetJob(tr, type_, id); });
    if (!job.ok()) return job.status().ToString();
    return job->has_value() ? JobStateName((*job)->state) : "absent";
  }
  Counts Count() {
    Faults("");
    return Try([&](fdb::Transaction& tr) { return jobs_.CountJobs(tr, type_); }).value_or(Counts());
  }

  fdb::Database& db() { return *db_; }
  const Jobs& jobs() const { return jobs_; }
  const JobType& type() const { return type_; }

 private:
  TempFolder folder_;
  std::optional<fdb::Database> db_;
  const Jobs jobs_;
  const JobType type_ = "type";
  uint64_t times_ = 0;
};

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_JOBS_FAULT_FIXTURE_H_
