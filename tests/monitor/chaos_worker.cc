// A worker that test programs kill and stop. Claims jobs of a type a few at a time, works on each for a moment, and
// finishes it together with its effect: one more in the job's own counter.
//
// usage: chaos_worker <database> <prefix> <type> <jobs at a time> <milliseconds of work>
// It tells on descriptor 3 when it has opened the database. With work of a negative length it never finishes anything:
// it claims once, tells that too, and waits.
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "fdbjobs/claimer.h"
#include "fdbjobs/fdb/transact.h"
#include "fdbjobs/jobs.h"
#include "tests/support/child_process.h"

namespace {

using namespace fdbjobs;

void Tell(const std::string& text) {
  if (write(test::kReportDescriptor, text.data(), text.size()) < 0) std::_Exit(1);
}

// Whether the job was finished by this worker.
absl::StatusOr<Outcome> Work(const fdb::Database& db, const Jobs& jobs, const std::string& prefix,
                             const ClaimedJob& job) {
  return fdb::Transact(db, [&](fdb::Transaction& tr) -> absl::StatusOr<Outcome> {
    const absl::StatusOr<Outcome> outcome = jobs.Finish(tr, job);
    if (outcome.ok() && *outcome == Outcome::kOk) tr.Add(absl::StrCat(prefix, "effect/", job.id.ToString()), 1);
    return outcome;
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const absl::StatusOr<fdb::Database> db = fdb::Database::Open(argv[1]);
  if (!db.ok()) {
    std::cerr << db.status() << "\n";
    return 1;
  }
  Tell("open\n");
  const std::string prefix = argv[2];
  const Jobs jobs({.prefix = prefix});
  const int work = std::atoi(argv[5]);
  Claimer claimer(*db, jobs, argv[3], {.limit = std::atoi(argv[4])});
  while (true) {
    const absl::StatusOr<Claimed> claimed = claimer.Accept(absl::Now() + absl::Seconds(1));
    // A folder that is taken away for a while is no reason to end.
    if (!claimed.ok()) {
      absl::SleepFor(absl::Milliseconds(50));
      continue;
    }
    if (work < 0 && !claimed->jobs.empty()) {
      Tell("claimed\n");
      while (true) pause();
    }
    for (const ClaimedJob& job : claimed->jobs) {
      absl::SleepFor(absl::Milliseconds(work));
      // What fails is left to the monitor.
      (void)Work(*db, jobs, prefix, job);
    }
  }
}
