// Many threads in two processes run random transactions; the record of all they saw must be strictly serializable.
//
// FDBJOBS_HISTORY_TRANSACTIONS  transactions of each thread, for long runs
// FDBJOBS_HISTORY_THREADS       threads of each process
#include "tests/history/history.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "fdbjobs/fdb/range.h"
#include "fdbjobs/fdb/transact.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/history/checker.h"
#include "tests/history/generator.h"
#include "tests/support/child_process.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_database.h"
#include "tests/support/test_seed.h"

namespace fdbjobs::test {
namespace {

using ::testing::Gt;

constexpr int kProcesses = 2;
#if defined(__SANITIZE_THREAD__)
constexpr int kTransactions = 150;
#elif defined(__SANITIZE_ADDRESS__)
constexpr int kTransactions = 300;
#else
constexpr int kTransactions = 1000;
#endif

int FromEnvironment(const char* name, int otherwise) {
  const char* const given = std::getenv(name);
  int number = 0;
  return given != nullptr && absl::SimpleAtoi(given, &number) ? number : otherwise;
}

std::string After(std::string key) { return key + '\0'; }

// All rows from `begin` to `end`, over as many transactions as it takes: nobody writes meanwhile.
Map ReadWhole(const fdb::Database& database, std::string begin, const std::string& end) {
  constexpr int kRowsAtATime = 1000;
  Map all;
  for (;;) {
    const auto rows = fdb::Transact(database, [&](fdb::Transaction& tr) {
      return fdb::ReadRange(tr, {.begin = fdb::KeySelectorView::FirstGreaterOrEqual(begin),
                                 .end = fdb::KeySelectorView::FirstGreaterOrEqual(end),
                                 .isolation = fdb::Isolation::kSnapshot,  // nobody writes
                                 .limit = kRowsAtATime});
    });
    EXPECT_THAT(rows, IsOk());
    if (!rows.ok() || rows->empty()) return all;
    for (const fdb::KeyValue& row : *rows) all[row.key] = row.value;
    begin = After(rows->back().key);
  }
}

// Lets the workers run on `database`, whose name is `name`, and collects what they did.
RecordedHistory Record(const fdb::Database& database, const std::string& name, const std::string& prefix,
                       const std::vector<std::string>& environment) {
  RecordedHistory history;
  history.data_begin = DataBegin(prefix);
  history.data_end = DataEnd(prefix);
  for (const std::string& key : FenceKeys(prefix)) history.first[key] = "fence";
  EXPECT_THAT(fdb::Transact(database,
                            [&](fdb::Transaction& tr) {
                              for (const auto& [key, value] : history.first) tr.Set(key, value);
                              return absl::OkStatus();
                            }),
              IsOk());
  const std::string threads = absl::StrCat(FromEnvironment("FDBJOBS_HISTORY_THREADS", 4));
  const std::string transactions = absl::StrCat(FromEnvironment("FDBJOBS_HISTORY_TRANSACTIONS", kTransactions));
  std::vector<ChildProcess> workers;
  for (uint64_t i = 0; i < kProcesses; ++i) {
    workers.emplace_back(
        std::vector<std::string>{FDBJOBS_HISTORY_WORKER, name, prefix, absl::StrCat(TestSeed() + i * 1000),
                                 absl::StrCat((i + 1) << 48), threads, transactions},
        environment);
  }
  for (ChildProcess& worker : workers) {
    for (Attempt& attempt : Decode(worker.ReadAll())) history.attempts.push_back(std::move(attempt));
    EXPECT_EQ(worker.Wait(), 0);
  }
  history.last = ReadWhole(database, history.data_begin, history.data_end);
  const std::string markers = MarkerPrefix(prefix);
  for (const auto& [key, stamp] : ReadWhole(database, markers, markers + "\xff")) {
    history.markers[std::stoull(key.substr(markers.size()), nullptr, 16)] = stamp;
  }
  return history;
}

// How often each error came; 0 is for commits.
std::map<int, int> CountErrors(const RecordedHistory& history) {
  std::map<int, int> counts;
  for (const Attempt& attempt : history.attempts) ++counts[attempt.error];
  for (const auto& [error, count] : counts) std::printf("error %d: %d\n", error, count);
  return counts;
}

// Shows the first problems only: one mistake often has many.
void ExpectRight(RecordedHistory* history) {
  constexpr size_t kShown = 3;
  const std::vector<std::string> problems = Check(history);
  for (size_t i = 0; i < std::min(kShown, problems.size()); ++i) {
    ADD_FAILURE() << "problem " << i + 1 << " of " << problems.size() << ": " << problems[i];
  }
}

using HistoryTest = DatabaseTest;

TEST_F(HistoryTest, TwoProcessesAreStrictlySerializable) {
  RecordedHistory history = Record(db(), TestDatabaseName(), prefix(), {});
  ExpectRight(&history);
  EXPECT_THAT(CountErrors(history)[0], Gt(static_cast<int>(history.attempts.size() / 10)));
}

// Engine only: FoundationDB has no faults on demand.
TEST(EngineOnlyHistoryTest, TwoProcessesAreStrictlySerializableUnderFaults) {
  TempFolder folder;
  const std::string name = "embedded:" + folder.path();
  absl::StatusOr<fdb::Database> database = fdb::Database::Open(name);
  ASSERT_THAT(database, IsOk());
  const std::string faults = absl::StrCat("FDBJOBS_EMBEDDED_FAULTS=seed=", TestSeed(),
                                          ",too_old=0.02,future_version=0.02,timed_out=0.02,not_committed=0.05,"
                                          "unknown_before=0.05,unknown_after=0.05,commit_delay=0.02,commit_delay_ms=5");
  RecordedHistory history = Record(*database, name, "history/", {faults});
  ExpectRight(&history);

  std::map<int, int> errors = CountErrors(history);
  EXPECT_THAT(errors[0], Gt(static_cast<int>(history.attempts.size() / 20)));
  for (const int error : {1007, 1009, 1020, 1021, 1031}) EXPECT_THAT(errors[error], Gt(0)) << error;
  // Of those whose end nobody knew, some are there and some are not.
  std::map<bool, int> unknown;
  for (const Attempt& attempt : history.attempts) {
    if (attempt.error == fdb::error::kCommitUnknownResult) ++unknown[history.markers.contains(attempt.id)];
  }
  EXPECT_THAT(unknown[true], Gt(0));
  EXPECT_THAT(unknown[false], Gt(0));
}

}  // namespace
}  // namespace fdbjobs::test
