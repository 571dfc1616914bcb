// One process of the history test: some threads run random transactions and hand their records to the parent.
//
// usage: history_worker <database> <prefix> <seed> <first id> <threads> <transactions of each thread>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "fdbjobs/fdb/database.h"
#include "tests/history/history.h"
#include "tests/history/runner.h"
#include "tests/support/child_process.h"

namespace fdbjobs::test {
namespace {

bool Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(kReportDescriptor, bytes.data(), bytes.size());
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

int Main(const std::vector<std::string>& arguments) {
  if (arguments.size() != 7) {
    std::fprintf(stderr, "usage: %s <database> <prefix> <seed> <first id> <threads> <transactions>\n",
                 arguments[0].c_str());
    return 2;
  }
  absl::StatusOr<fdb::Database> database = fdb::Database::Open(arguments[1]);
  if (!database.ok()) {
    std::fprintf(stderr, "%s\n", database.status().ToString().c_str());
    return 1;
  }
  const uint64_t seed = std::stoull(arguments[3]);
  const uint64_t first_id = std::stoull(arguments[4]);
  const int transactions = std::stoi(arguments[6]);
  std::vector<std::unique_ptr<Runner>> runners;
  std::vector<std::thread> threads;
  for (int i = 0; i < std::stoi(arguments[5]); ++i) {
    runners.push_back(std::make_unique<Runner>(*database, arguments[2], seed + static_cast<uint64_t>(i),
                                               first_id + (static_cast<uint64_t>(i) << 32)));
    threads.emplace_back([runner = runners.back().get(), transactions] {
      for (int done = 0; done < transactions; ++done) runner->RunOne();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::unique_ptr<Runner>& runner : runners) {
    if (!Send(Encode(runner->attempts()))) return 1;
  }
  // Before the database, whose transactions they hold.
  runners.clear();
  return 0;
}

}  // namespace
}  // namespace fdbjobs::test

int main(int argc, char** argv) { return fdbjobs::test::Main({argv, argv + argc}); }
