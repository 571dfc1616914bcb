// What the tests of docs/lifecycle.md share: a job that is brought into each state of its tables.
#ifndef FDBJOBS_TESTS_JOBS_LIFECYCLE_FIXTURE_H_
#define FDBJOBS_TESTS_JOBS_LIFECYCLE_FIXTURE_H_

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "tests/jobs/jobs_fixture.h"

namespace fdbjobs::test {

// The job of all cells: it begins with these.
inline constexpr int kId = 7;
inline constexpr char kData[] = R"({"first":1})";
inline constexpr char kOtherData[] = R"({"other":2})";
inline constexpr int kPriority = 5;
inline constexpr int kOtherPriority = 3;

class LifecycleTest : public JobsTest {
 protected:
  // Brings the job into a state, in the words of Look. The worker's claim, if there was one.
  ClaimedJob Bring(std::string_view state) {
    ClaimedJob held{.type = type(), .id = kId, .lock = {}};
    if (state == "absent") return held;
    AddJob(kId, {.data = kData, .priority = kPriority});
    if (state == "pending") return held;
    if (state == "finished+cancel") {
      EXPECT_EQ(Cancel(), "changed");
      return held;
    }
    held = ClaimOne();
    if (state == "finished") {
      EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Finish(tr, held); }), Outcome::kOk);
    }
    // In this order: a later cancel takes the resubmit mark off.
    if (state.find("+cancel") != std::string_view::npos) {
      EXPECT_EQ(Cancel(), "changed");
    }
    if (state.find("+resubmit") != std::string_view::npos) {
      EXPECT_EQ(Resubmit(), "changed");
    }
    EXPECT_EQ(Look(kId), state);
    return held;
  }

  std::string Cancel() {
    return Name(Do([&](fdb::Transaction& tr) { return jobs().Cancel(tr, type(), kId); }));
  }
  std::string Resubmit() {
    return Name(Do([&](fdb::Transaction& tr) { return jobs().Resubmit(tr, type(), kId); }));
  }

  template <typename Result>
  static std::string Name(Result result) {
    return ::testing::PrintToString(result);
  }
  // "error" for a status of the code.
  template <typename Result>
  static std::string Name(const absl::StatusOr<Result>& result, absl::StatusCode error) {
    if (result.ok()) return Name(*result);
    return result.status().code() == error ? "error" : result.status().ToString();
  }

  // That the job is so, and that other rows agree; each call was a transaction of its own, so none is left behind.
  void ExpectJob(std::string_view state, std::string_view data, int priority) {
    EXPECT_EQ(Look(kId), state);
    EXPECT_THAT(CheckKeyspace(Contents()), ::testing::IsEmpty());
    EXPECT_THAT(Rows().StaleActivity(), ::testing::IsEmpty());
    const Counts counts = Count();
    EXPECT_EQ(counts.pending + counts.running + counts.finished, state == "absent" ? 0 : 1);
    const std::optional<Job> job = Find(kId);
    if (!job.has_value()) return;
    EXPECT_EQ(job->data, data);
    EXPECT_EQ(job->priority, Priority(priority));
    EXPECT_EQ(job->lock.has_value(), job->state == JobState::kRunning);
    EXPECT_EQ(job->sequence.has_value(), job->state == JobState::kRunning);
    EXPECT_TRUE(job->added.has_value());
  }
};

// A name for GoogleTest: letters and underscores.
inline std::string CaseName(std::string_view call, std::string_view state) {
  std::string name = std::string(call) + "_" + std::string(state);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_JOBS_LIFECYCLE_FIXTURE_H_
