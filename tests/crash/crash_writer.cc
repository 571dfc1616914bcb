// A writer of the crash tests: its threads commit to the ledger until the process is killed, and report each commit
// that was acknowledged over the pipe to the test.
//
// usage: crash_writer <database> <writer> <threads> <seed>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "fdbjobs/fdb/database.h"
#include "tests/crash/ledger.h"
#include "tests/support/child_process.h"

namespace fdbjobs::test {
namespace {

[[noreturn]] void Die(const absl::Status& status) {
  std::fprintf(stderr, "crash_writer: %s\n", status.ToString().c_str());
  std::abort();
}

[[noreturn]] void WriteForEver(const fdb::Database& database, const Author& author, uint64_t seed) {
  std::mt19937_64 random(seed);
  for (;;) {
    const absl::StatusOr<Commit> commit = CommitNext(database, author, random);
    if (!commit.ok()) Die(commit.status());
    // Small enough for the pipe to take it as a whole or not at all.
    if (write(kReportDescriptor, &*commit, sizeof *commit) != sizeof *commit) std::_Exit(1);
  }
}

int Main(const std::vector<std::string>& arguments) {
  if (arguments.size() != 5) {
    std::fprintf(stderr, "usage: %s <database> <writer> <threads> <seed>\n", arguments[0].c_str());
    return 2;
  }
  // Does not outlive the test, however that ends.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  absl::StatusOr<fdb::Database> database = fdb::Database::Open(arguments[1]);
  if (!database.ok()) Die(database.status());
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < std::stoul(arguments[3]); ++i) {
    const Author author{static_cast<uint32_t>(std::stoul(arguments[2])), i};
    threads.emplace_back(
        [&database, author, seed = std::stoull(arguments[4]) + i] { WriteForEver(*database, author, seed); });
  }
  for (std::thread& thread : threads) thread.join();
  return 0;
}

}  // namespace
}  // namespace fdbjobs::test

int main(int argc, char** argv) { return fdbjobs::test::Main({argv, argv + argc}); }
