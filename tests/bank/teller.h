// Teller: one worker thread of the bank test. It claims jobs, moves money in the transactions that update and finish
// them, and now and then says nothing for longer than the activity timeout.
//
// It works in every way that there is: batches and single jobs; one step or two in a transaction; jobs with a lease and
// whole jobs in one transaction, of which it leaves some to others.
//
// Thread safety: one thread each. Lifetime: borrows what it is given.
//
//   Teller teller(db, jobs, bank, claimer, timeout, seed);
//   while (!claimer.stopped()) Send(teller.Work());
#ifndef FDBJOBS_TESTS_BANK_TELLER_H_
#define FDBJOBS_TESTS_BANK_TELLER_H_

#include <cstdint>
#include <random>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "fdbjobs/claimer.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/jobs.h"
#include "tests/bank/bank.h"

namespace fdbjobs::test {

inline constexpr char kMoveType[] = "move";

// What was done since the last report. Sent as it is from the worker process to the test.
struct TellerReport {
  int64_t steps = 0;      // with a lease
  int64_t whole = 0;      // jobs in one transaction
  int64_t conflicts = 0;  // answers worker_conflict
  int64_t errors = 0;     // of the database, after which jobs were left to the rescuers
  int64_t put_back = 0;   // by a rescuer
};

class Teller {
 public:
  Teller(const fdb::Database& db, const Jobs& jobs, const Bank& bank, Claimer& claimer, absl::Duration timeout,
         uint64_t seed)
      : db_(db), jobs_(jobs), bank_(bank), claimer_(claimer), timeout_(timeout), random_(seed) {}

  // Claims once and does the work. An error is one that no database gives: something is wrong.
  absl::StatusOr<TellerReport> Work();

 private:
  // A job that this teller believes to hold.
  struct Held {
    ClaimedJob job;
    Progress at;
  };
  // What one transaction does for one of them.
  struct Plan {
    int update_steps = 0;  // 0 or 1
    bool finish = false;   // with the last step
  };

  absl::Status WithLease(TellerReport* report);
  absl::Status WholeJobs(TellerReport* report);
  // The next steps of all, in one transaction. Keeps those that are still to be worked on.
  absl::Status NextSteps(std::vector<Held>* held, TellerReport* report);
  // In the transaction: calls and moves. True for each job that is lost.
  absl::StatusOr<std::vector<bool>> MakeSteps(fdb::Transaction& tr, const std::vector<Held>& held,
                                              const std::vector<Plan>& plans, absl::Duration stall) const;
  Plan PlanFor(const Held& held);
  bool OneIn(int count) { return random_() % static_cast<uint64_t>(count) == 0; }
  // Sometimes a time of silence, mostly past the timeout; else zero.
  absl::Duration MaybeStall(int one_in);

  const fdb::Database& db_;
  const Jobs& jobs_;
  const Bank& bank_;
  Claimer& claimer_;
  const absl::Duration timeout_;
  std::mt19937_64 random_;
};

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_BANK_TELLER_H_
