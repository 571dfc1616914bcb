// fdbjobs-cli while jobs change all the time, and while the database errs.
#include <atomic>
#include <thread>

#include "absl/strings/str_cat.h"
#include "fdbjobs/admin/count_jobs.h"
#include "tests/cli/cli_fixture.h"

namespace fdbjobs::test {
namespace {

using ::testing::HasSubstr;

class CliLiveTest : public CliTest {
 protected:
  // Takes jobs through all their states until it is told to stop.
  void Work(int worker, const std::atomic<bool>& stop) {
    for (int round = 0; !stop; ++round) {
      const JobId id(tuple::Tuple{worker, round % 20});
      Do([&](fdb::Transaction& tr) -> absl::Status {
        return jobs().Add(tr, type(), {.id = id, .priority = round % 3}, IfExists::kResubmit).status();
      });
      const Claimed claimed = Claim({.limit = 3});
      Do([&](fdb::Transaction& tr) -> absl::Status {
        for (const ClaimedJob& job : claimed.jobs) {
          if (absl::Status status = jobs().Update(tr, job, "1").status(); !status.ok()) return status;
        }
        return absl::OkStatus();
      });
      Do([&](fdb::Transaction& tr) -> absl::Status {
        for (const ClaimedJob& job : claimed.jobs) {
          if (absl::Status status = jobs().Finish(tr, job).status(); !status.ok()) return status;
        }
        return round % 5 == 0 ? jobs().Remove(tr, type(), id).status() : jobs().Cancel(tr, type(), id).status();
      });
    }
  }
};

TEST_F(CliLiveTest, CheckFindsNothingWrongWhileJobsMove) {
  AddJobs(500);
  std::atomic<bool> stop = false;
  std::vector<std::thread> workers;
  for (int i = 0; i < 3; ++i) {
    workers.emplace_back([this, i, &stop] { Work(i, stop); });
  }
  for (int i = 0; i < 4; ++i) {
    const Ran looked = Cli({"check", "--json"});
    EXPECT_THAT(looked.output, HasSubstr("\"violations\": []")) << looked.errors;
    const Ran mended = Cli({"check", "--repair", "--json"});
    EXPECT_THAT(mended.output, HasSubstr("\"violations\": []")) << mended.errors;
    EXPECT_THAT(mended.output, HasSubstr("\"mended\": []"));
  }
  stop = true;
  for (std::thread& worker : workers) worker.join();
}

// Faults come from the embedded engine, so there are none on a cluster: there it is the same test without them.
TEST_F(CliLiveTest, CommandsGetThroughErrorsOfTheDatabase) {
  const ProgramOptions faults{
      .environment = {"FDBJOBS_EMBEDDED_FAULTS=seed=7,too_old=0.002,not_committed=0.1,unknown_after=0.2,"
                      "unknown_before=0.1"}};
  std::string lines;
  for (int i = 0; i < 3000; ++i) absl::StrAppend(&lines, "{\"id\":", i, "}\n");
  const Ran added = RunProgram(Arguments({"add", "type", "--batch"}), lines, faults);
  EXPECT_EQ(added.output, "3,000 added, 0 resubmitted, 0 existed\n") << added.errors;
  EXPECT_EQ(Count().pending, 3000);
  const Ran checked = RunProgram(Arguments({"check"}), "", faults);
  EXPECT_EQ(checked.exit_code, 0) << checked.output << checked.errors;
  EXPECT_THAT(checked.output, HasSubstr(" 0 violations"));
  const Ran removed = RunProgram(Arguments({"remove", "type", "--all", "--yes"}), "", faults);
  EXPECT_EQ(removed.output, "remove: 3,000 changed, 0 unchanged, 0 not found\n") << removed.errors;
  EXPECT_EQ(Count(), Counts());
}

TEST_F(CliLiveTest, LargeTypesAreCountedInPages) {
  AddJobs(1500);
  Claim({.limit = 3});
  const auto count = [&] { return admin::CountRows(jobs(), db(), {}, type(), /*tries=*/1, /*at_once=*/0); };
  const absl::StatusOr<std::optional<admin::Counted>> counted = count();
  ASSERT_THAT(counted, IsOk());
  ASSERT_TRUE(counted->has_value());
  EXPECT_EQ((*counted)->counts, (Counts{.pending = 1497, .running = 3, .finished = 0}));
  // While jobs change all the time there is no moment at which pages agree.
  std::atomic<bool> stop = false;
  std::atomic<int> rounds = 0;
  std::thread worker([&] {
    for (; !stop; ++rounds) {
      Do([&](fdb::Transaction& tr) { return jobs().SetPriority(tr, type(), 1000, rounds % 7).status(); });
    }
  });
  while (rounds < 3) std::this_thread::yield();
  bool gave_up = false;
  for (int i = 0; i < 1000 && !gave_up; ++i) {
    const absl::StatusOr<std::optional<admin::Counted>> again = count();
    if (!again.ok()) break;
    gave_up = !again->has_value();
    if (!gave_up) {
      EXPECT_EQ((*again)->counts, (*counted)->counts);
    }
  }
  EXPECT_TRUE(gave_up);
  stop = true;
  worker.join();
}

}  // namespace
}  // namespace fdbjobs::test
