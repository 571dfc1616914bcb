// Writers: the writer processes of a crash test, and all commits that they have reported as acknowledged.
//
// Thread safety: one thread at a time. Lifetime: kills the processes that are left at its end.
//
//   Writers writers("embedded:/folder", seed);
//   writers.Start(0);
//   ASSERT_TRUE(writers.WaitForCommits(0, 10));
//   writers.Kill(0);
//   writers.ExpectAllIn(database);
#ifndef FDBJOBS_TESTS_CRASH_WRITERS_H_
#define FDBJOBS_TESTS_CRASH_WRITERS_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fdbjobs/fdb/database.h"
#include "tests/crash/ledger.h"
#include "tests/support/child_process.h"

namespace fdbjobs::test {

class Writers {
 public:
  static constexpr uint32_t kThreads = 3;

  Writers(std::string database, uint64_t seed) : database_(std::move(database)), seed_(seed) {}

  // Starts the writer of that number; it must not be running.
  void Start(uint32_t writer);
  // Kills it and takes what it has reported before.
  void Kill(uint32_t writer);
  void KillAll();
  // SIGSTOP, SIGCONT.
  void Signal(uint32_t writer, int number);
  std::vector<uint32_t> running() const;

  // Lets all go on for so long.
  void RunFor(std::chrono::microseconds time);
  // Until the writer has reported `count` further commits. False, with a failure, if that takes a minute.
  bool WaitForCommits(uint32_t writer, int count);
  bool WaitForCommitsOfAll(const std::vector<uint32_t>& writers, int count);

  // Every commit that was reported is in the database, and the ledger holds. Versions have not gone back.
  void ExpectAllIn(const fdb::Database& database);

  int64_t commits() const { return commits_; }

 private:
  struct Process {
    explicit Process(ChildProcess started) : child(std::move(started)) {}
    ChildProcess child;
    std::string unparsed;
    int64_t commits = 0;
    bool at_end = false;
  };

  // Takes what was reported, waiting at most until `deadline` for something.
  void Poll(std::chrono::steady_clock::time_point deadline);
  void Drain(Process* process);
  void Note(const Commit& commit);

  const std::string database_;
  uint64_t seed_;
  std::map<uint32_t, Process> processes_;
  std::map<Author, Commit> last_;
  int64_t commits_ = 0;
  // The highest version that anybody has seen: of a commit, or of a check.
  int64_t newest_version_ = 0;
};

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_CRASH_WRITERS_H_
