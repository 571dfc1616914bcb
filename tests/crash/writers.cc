#include "tests/crash/writers.h"

#include <poll.h>
#include <time.h>

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace fdbjobs::test {
namespace {

using std::chrono::steady_clock;

// Far more than anything takes, also under a sanitizer on a busy machine.
constexpr std::chrono::seconds kPatience(60);

}  // namespace

void Writers::Start(uint32_t writer) {
  ChildProcess child(
      {FDBJOBS_CRASH_WRITER, database_, absl::StrCat(writer), absl::StrCat(kThreads), absl::StrCat(seed_ += kThreads)});
  ASSERT_TRUE(processes_.try_emplace(writer, std::move(child)).second);
}

void Writers::Kill(uint32_t writer) {
  const auto at = processes_.find(writer);
  ASSERT_NE(at, processes_.end());
  at->second.child.Kill();
  Drain(&at->second);
  processes_.erase(at);
}

void Writers::KillAll() {
  // At once, and only then waited for.
  for (const auto& [writer, process] : processes_) process.child.Signal(SIGKILL);
  while (!processes_.empty()) Kill(processes_.begin()->first);
}

void Writers::Signal(uint32_t writer, int number) { processes_.at(writer).child.Signal(number); }

std::vector<uint32_t> Writers::running() const {
  std::vector<uint32_t> numbers;
  for (const auto& [writer, process] : processes_) numbers.push_back(writer);
  return numbers;
}

void Writers::RunFor(std::chrono::microseconds time) {
  const steady_clock::time_point deadline = steady_clock::now() + time;
  while (steady_clock::now() < deadline) Poll(deadline);
}

bool Writers::WaitForCommits(uint32_t writer, int count) { return WaitForCommitsOfAll({writer}, count); }

bool Writers::WaitForCommitsOfAll(const std::vector<uint32_t>& writers, int count) {
  const steady_clock::time_point deadline = steady_clock::now() + kPatience;
  std::map<uint32_t, int64_t> wanted;
  for (const uint32_t writer : writers) wanted[writer] = processes_.at(writer).commits + count;
  for (;;) {
    const auto lags = [&](const auto& want) { return processes_.at(want.first).commits < want.second; };
    const auto lagging = std::find_if(wanted.begin(), wanted.end(), lags);
    if (lagging == wanted.end()) return true;
    const Process& process = processes_.at(lagging->first);
    if (process.at_end || steady_clock::now() >= deadline) {
      ADD_FAILURE() << "writer " << lagging->first << (process.at_end ? " has ended by itself" : " does not go on")
                    << " after " << process.commits << " commits, " << lagging->second << " are wanted";
      return false;
    }
    Poll(deadline);
  }
}

void Writers::Poll(steady_clock::time_point deadline) {
  std::vector<pollfd> readable;
  std::vector<Process*> polled;
  for (auto& [writer, process] : processes_) {
    if (process.at_end) continue;
    readable.push_back({process.child.report_descriptor(), POLLIN, 0});
    polled.push_back(&process);
  }
  const auto left = std::max(std::chrono::nanoseconds(0),
                             std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - steady_clock::now()));
  const timespec timeout = {static_cast<time_t>(left.count() / 1'000'000'000), left.count() % 1'000'000'000};
  ppoll(readable.data(), readable.size(), &timeout, nullptr);
  for (size_t i = 0; i < polled.size(); ++i) {
    if (readable[i].revents != 0) Drain(polled[i]);
  }
}

void Writers::Drain(Process* process) {
  process->at_end = !process->child.ReadSome(&process->unparsed);
  size_t taken = 0;
  for (; process->unparsed.size() - taken >= sizeof(Commit); taken += sizeof(Commit)) {
    Commit commit;
    std::memcpy(&commit, process->unparsed.data() + taken, sizeof commit);
    Note(commit);
    ++process->commits;
  }
  process->unparsed.erase(0, taken);
}

void Writers::Note(const Commit& commit) {
  Commit& last = last_[commit.author];
  EXPECT_GT(commit.number, last.number) << "commit after " << last.number << " again, so one was lost";
  EXPECT_GT(commit.version, last.version) << "versions go back";
  last = commit;
  newest_version_ = std::max(newest_version_, commit.version);
  ++commits_;
}

void Writers::ExpectAllIn(const fdb::Database& database) {
  Poll(steady_clock::now());
  const int64_t newest_before = newest_version_;
  const std::map<Author, Commit> last_before = last_;
  const absl::StatusOr<LedgerView> ledger = ReadLedger(database);
  ASSERT_THAT(ledger, IsOk());
  EXPECT_THAT(ledger->problems, ::testing::IsEmpty());
  EXPECT_GE(ledger->read_version, newest_before) << "versions go back";
  EXPECT_LE(ledger->newest_version, ledger->read_version);
  newest_version_ = std::max(newest_version_, ledger->read_version);
  for (const auto& [author, commit] : last_before) {
    const auto found = ledger->sequences.find(author);
    const int64_t there = found == ledger->sequences.end() ? 0 : found->second;
    EXPECT_GE(there, commit.number) << "acknowledged commits of " << author.writer << "/" << author.thread
                                    << " are lost";
    EXPECT_GE(ledger->newest_version, commit.version);
  }
}

}  // namespace fdbjobs::test
