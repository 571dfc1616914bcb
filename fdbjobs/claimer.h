// Claimer: accepts jobs of one type, and waits for some when there are none.
//
// The wait is on the type's pending watch, which changes whenever a job gets pending. The watch is set in the
// transaction that found the queue empty, so nothing that comes later is missed. Of the threads that wait on one
// Claimer one watches; when jobs come it takes some and wakes the next thread, so one job wakes one thread and not all.
//
// Errors that a retry can cure are retried until the deadline. A claim is exact even when its commit's result is
// unknown: it is never left to nobody.
//
// Thread safety: Accept and Stop from any thread. Lifetime: borrows the database and Jobs; Stop, and wait for all
// calls of Accept to return, before it goes.
//
//   Claimer claimer(db, jobs, "index", {.limit = 10});
//   while (running) {
//     absl::StatusOr<Claimed> claimed = claimer.Accept(absl::Now() + absl::Seconds(30));
//     ...
//   }
#ifndef FDBJOBS_CLAIMER_H_
#define FDBJOBS_CLAIMER_H_

#include <functional>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/jobs.h"

namespace fdbjobs {

struct ClaimerOptions {
  int limit = 1;  // most jobs of one Accept
  // Asked before each look at the queue: jobs of a higher priority are left there. With a time as priority it gives
  // the time that it is.
  std::function<Priority()> max_priority = nullptr;
  // Look again after this time even if nothing got pending: for jobs that become due by max_priority alone. One of the
  // threads that wait does it for all.
  absl::Duration look_again = absl::InfiniteDuration();
  // Commit claims with DURABILITY_RISKY. A crash of the whole machine may forget a claim: then the job is pending
  // again.
  bool risky = false;
};

class Claimer {
 public:
  Claimer(const fdb::Database& db, const Jobs& jobs, JobType type, ClaimerOptions options = {});
  ~Claimer();
  Claimer(const Claimer&) = delete;
  Claimer& operator=(const Claimer&) = delete;

  // Jobs, as soon as there are some; none when the deadline has passed or Stop was called. A deadline in the past
  // looks once. If the database does not answer for five seconds past the deadline, that is an error. Each look reads
  // and writes as Jobs::Accept; one that finds nothing sets a watch on the pending watch.
  absl::StatusOr<Claimed> Accept(absl::Time deadline);

  // Short jobs, each in one transaction: waits as Accept does, then runs `body` in the transaction that takes the jobs.
  // It does their work and finishes them (Jobs::FinishMany); those that it does not finish stay pending. It may run
  // several times, as a body of fdb::Transact, and not at all if the deadline passes. Returns the jobs that it was
  // given when it committed. A commit that timed out is tried again until the deadline: jobs that it has finished all
  // the same are not given to `body` a second time, and are not among those returned.
  using Body = std::function<absl::Status(fdb::Transaction&, const Claimed&)>;
  absl::StatusOr<Claimed> AcceptAndFinish(absl::Time deadline, const Body& body);

  // All calls of Accept, now and later, return at once: those that are claiming with what they get, others with
  // nothing. Idempotent.
  void Stop();
  bool stopped() const;

 private:
  struct Shared;
  struct Try;

  // `body` is null for a lease.
  absl::StatusOr<Claimed> AcceptWith(absl::Time deadline, const Body* body);
  absl::StatusOr<Try> TryOnce(absl::Time deadline, const Body* body, bool watch);
  absl::StatusOr<Try> InTransaction(fdb::Transaction& tr, const AcceptOptions& accept, const Body* body, bool watch);
  absl::StatusOr<Claimed> Settle(const Claimed& maybe, absl::Time until);
  absl::StatusOr<Claimed> SettleIn(fdb::Transaction& tr, const Claimed& maybe);
  void Lead(fdb::VoidFuture& watch, absl::Time until);
  AcceptOptions NextOptions() const;

  const fdb::Database& db_;
  const Jobs& jobs_;
  const JobType type_;
  const ClaimerOptions options_;
  // Self-synchronised. Shared with callbacks of watches, which may come late.
  const std::shared_ptr<Shared> shared_;
};

}  // namespace fdbjobs

#endif  // FDBJOBS_CLAIMER_H_
