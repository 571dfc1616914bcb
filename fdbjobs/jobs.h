// Jobs: background jobs inside your FoundationDB transaction.
//
// Every call works in the transaction that it is given and leaves the commit to the caller, so a job and the caller's
// own writes commit together or not at all. The transaction may be owned (fdb::Transact, Database::CreateTransaction)
// or a caller's raw FDBTransaction* (fdb::BorrowedTransaction; one for each try). docs/lifecycle.md has what each call
// does in each state, docs/keyspace.md the rows.
//
// Errors: those of FoundationDB are passed on, so that the caller's retry loop sees them (fdb::IsRetryable). Wrong
// arguments (kInvalidArgument), an id that is there already (kAlreadyExists), a type without a timeout
// (kFailedPrecondition) and a damaged row (kDataLoss, named by its key) write nothing. After any other error, do not
// commit.
//
// What a call reads is serializable unless it says "snapshot". A row that the transaction reads so conflicts with every
// transaction that writes it meanwhile. Each call that writes, but for PruneReceipts, also writes the transaction's
// receipt (receipts.h) once, if the transaction is an owned one.
//
// Thread safety: all methods are const and may be called from any thread, those on one transaction from one thread at
// a time. Lifetime: outlives the transactions it is used in. One serves one database: in a second one its claims would
// pass over the jobs that are being claimed in the first.
//
//   Jobs jobs;
//   absl::Status status = fdb::Transact(db, [&](fdb::Transaction& tr) -> absl::Status {
//     tr.Set("order/7", "...");
//     return jobs.Add(tr, "invoice", {.id = 7, .data = R"({"order":7})"}).status();
//   });
#ifndef FDBJOBS_JOBS_H_
#define FDBJOBS_JOBS_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "fdbjobs/fdb/transaction.h"
#include "fdbjobs/job.h"
#include "fdbjobs/keyspace/job_keys.h"

namespace fdbjobs {

class ClaimsInFlight;
class Contention;
class Receipts;

struct JobsOptions {
  std::string prefix = {};  // raw bytes before every key: of a directory, of a tenant
};

class Jobs {
 public:
  explicit Jobs(JobsOptions options = {});
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  // --- Types -----------------------------------------------------------------------------------------------------

  // A worker that gives no sign of life for `timeout` (1 ms to 10 years) loses its job. Needed before jobs can be
  // added. Reads: the timeout. Writes: the timeout and the types watch, if it changed.
  [[nodiscard]] absl::Status SetActivityTimeout(fdb::Transaction& tr, const JobType& type,
                                                absl::Duration timeout) const;
  // None when it is not set. Reads: the timeout.
  [[nodiscard]] absl::StatusOr<std::optional<absl::Duration>> GetActivityTimeout(fdb::Transaction& tr,
                                                                                 const JobType& type) const;
  // No more jobs of the type can be added, and the monitor leaves it alone. Jobs that are there stay, and can be
  // accepted and finished. Reads and writes as SetActivityTimeout; counts and watches of the type stay.
  [[nodiscard]] absl::Status ClearActivityTimeout(fdb::Transaction& tr, const JobType& type) const;

  // --- Creation --------------------------------------------------------------------------------------------------

  // Reads: the timeout of the type, the job's data row; conflicts with who adds or changes the same job, or changes the
  // timeout. Writes: data row, pending row, count, pending watch; with kResubmit, of a running job the data row alone.
  [[nodiscard]] absl::StatusOr<AddResult> Add(fdb::Transaction& tr, const JobType& type, const NewJob& job,
                                              IfExists if_exists = IfExists::kError) const;
  // All of them or, on error, none. Two jobs of one id among them are as two calls of Add. Reads are issued together;
  // from eight jobs on one read tells, if nothing is there between the lowest and the highest id, that all are new.
  [[nodiscard]] absl::StatusOr<std::vector<AddResult>> AddMany(fdb::Transaction& tr, const JobType& type,
                                                               absl::Span<const NewJob> jobs,
                                                               IfExists if_exists = IfExists::kError) const;
  // As NewJobId: what a NewJob has that is given no id.
  static JobId MakeId() { return NewJobId(); }

  // These four read the data row and the incarnation, so they conflict with whatever changes the job, and with
  // RaiseIncarnation.
  // Writes: clears the data row and the pending or activity row, count; watch of a running job.
  [[nodiscard]] absl::StatusOr<ChangeResult> Remove(fdb::Transaction& tr, const JobType& type, const JobId& id) const;
  // Writes: the data row; for a pending job the counts too, and clears the pending row.
  [[nodiscard]] absl::StatusOr<ChangeResult> Cancel(fdb::Transaction& tr, const JobType& type, const JobId& id) const;
  // Writes: the data row; for a finished job the pending row, counts and pending watch too.
  [[nodiscard]] absl::StatusOr<ChangeResult> Resubmit(fdb::Transaction& tr, const JobType& type, const JobId& id) const;
  // Writes: the data row; for a pending job the two pending rows and the pending watch too.
  [[nodiscard]] absl::StatusOr<ChangeResult> SetPriority(fdb::Transaction& tr, const JobType& type, const JobId& id,
                                                         const Priority& priority) const;
  // None when there is no such job. Reads: the data row.
  [[nodiscard]] absl::StatusOr<std::optional<Job>> GetJob(
      fdb::Transaction& tr, const JobType& type, const JobId& id,
      fdb::Isolation isolation = fdb::Isolation::kSerializable) const;

  // --- Work ------------------------------------------------------------------------------------------------------

  // Claims up to `limit` pending jobs. None when there are none: Claimer (claimer.h) waits for some. Those that other
  // transactions of this process are claiming at the moment are passed over, unless there is nothing else.
  // Reads: the head of the queue (snapshot), the incarnation; then the data rows of the jobs, together. Conflicts only
  // with who touches the same jobs, and with RaiseIncarnation. Writes: data rows, activity rows, counts, watch; clears
  // pending rows.
  [[nodiscard]] absl::StatusOr<Claimed> Accept(fdb::Transaction& tr, const JobType& type,
                                               const AcceptOptions& options = {}) const;
  // The same for jobs that are finished in this very transaction: no lease, nothing for a monitor to rescue. Nothing is
  // written until Finish. Reads as Accept, but for the incarnation.
  [[nodiscard]] absl::StatusOr<Claimed> AcceptToFinish(fdb::Transaction& tr, const JobType& type,
                                                       const AcceptOptions& options = {}) const;

  // A sign of life, with or without new data. Reads: the data row, the incarnation. Writes: data row, activity row,
  // watch; clears the old activity row. Of a canceled job: as Finish.
  [[nodiscard]] absl::StatusOr<Outcome> Update(fdb::Transaction& tr, const ClaimedJob& job,
                                               std::optional<std::string> data = std::nullopt) const;
  // The same for many, with the reads issued together. A job whose row can't be read fails the call; with `damaged` it
  // is noted there, its outcome is kWorkerConflict, and the others go on.
  [[nodiscard]] absl::StatusOr<std::vector<Outcome>> UpdateMany(fdb::Transaction& tr,
                                                                absl::Span<const UpdateRequest> updates,
                                                                std::vector<Damage>* damaged = nullptr) const;

  // Reads: the data row, the incarnation. Writes: data row, counts, watch; clears the activity row. With the resubmit
  // mark: pending row and pending watch too. Of a job that AcceptToFinish took: reads nothing more; writes data row and
  // counts, clears the pending row.
  [[nodiscard]] absl::StatusOr<Outcome> Finish(fdb::Transaction& tr, const ClaimedJob& job,
                                               std::optional<std::string> data = std::nullopt) const;
  // As UpdateMany.
  [[nodiscard]] absl::StatusOr<std::vector<Outcome>> FinishMany(fdb::Transaction& tr,
                                                                absl::Span<const FinishRequest> finishes,
                                                                std::vector<Damage>* damaged = nullptr) const;

  // The job is to be pending again after this run, at another priority if one is given. Reads and writes as Update.
  [[nodiscard]] absl::StatusOr<Outcome> ResubmitByWorker(fdb::Transaction& tr, const ClaimedJob& job,
                                                         const std::optional<Priority>& priority = std::nullopt) const;

  // --- Looking ---------------------------------------------------------------------------------------------------

  // Exact, and as cheap for millions of jobs as for one. Reads: three counters (snapshot by default, since a
  // serializable read of them conflicts with every change of the type).
  [[nodiscard]] absl::StatusOr<Counts> CountJobs(fdb::Transaction& tr, const JobType& type,
                                                 fdb::Isolation isolation = fdb::Isolation::kSnapshot) const;
  // Lists are in listing.h, waiting for changes in subscriptions.h.

  // --- Incarnation -----------------------------------------------------------------------------------------------

  // 0 unless it was raised. Reads: the incarnation.
  [[nodiscard]] absl::StatusOr<uint8_t> GetIncarnation(fdb::Transaction& tr) const;
  // To be called when the data has moved to another cluster, before workers start there: sequences stay monotonic.
  // Before all claims and updates of its transaction, else kFailedPrecondition. Reads and writes: the incarnation.
  // Conflicts with every claim and heartbeat. kOutOfRange after 255. While the row can't be read, nobody can claim,
  // since a guess could make sequences go back: set it by hand to what the highest sequences have (docs/keyspace.md).
  [[nodiscard]] absl::StatusOr<uint8_t> RaiseIncarnation(fdb::Transaction& tr) const;

  // --- Monitor ---------------------------------------------------------------------------------------------------

  // The watches row: at least as high as every activity entry of the type. None when there was no activity yet.
  // Not in a transaction that has accepted, updated or finished jobs of the type, or removed a running one: it can't
  // read what it stamped (error 1036). Reads: the watches row (snapshot: only compared with later ones).
  [[nodiscard]] absl::StatusOr<std::optional<Sequence>> GetWatch(fdb::Transaction& tr, const JobType& type) const;
  // Puts back up to `limit` jobs whose activity entry is at or before `not_renewed_since`, oldest first, from
  // `continuation` of a call before on. Not in a transaction that has accepted or updated jobs of the type.
  // Reads: activity rows (snapshot), the incarnation, then the data rows, together. Writes: data rows, pending rows,
  // counts, watches.
  [[nodiscard]] absl::StatusOr<RescueResult> Rescue(
      fdb::Transaction& tr, const JobType& type, const Sequence& not_renewed_since, int limit,
      const std::optional<std::string>& continuation = std::nullopt) const;

  // Removes receipts (receipts.h) that are from before `before`, an hour ago or earlier: those that ended processes
  // have left, and that no transaction looks for any more. Looks at up to `limit` rows (1 to 10,000), from
  // `continuation` of a call before on. Reads: receipts (snapshot; those that it removes conflict with their being
  // written again). Writes: clears receipts.
  [[nodiscard]] absl::StatusOr<PruneResult> PruneReceipts(
      fdb::Transaction& tr, absl::Time before, int limit,
      const std::optional<std::string>& continuation = std::nullopt) const;

  // --- Exactly once in a retry loop of your own ------------------------------------------------------------------

  // For callers that lend their raw transaction: make one before the loop, WriteReceipt it in each try, and after a
  // result that is unknown look for it in the next try: if it is there, the transaction has committed.
  fdb::Receipt NewReceipt() const;
  // Reads: the receipt's row.
  [[nodiscard]] static absl::StatusOr<bool> HasCommitted(fdb::Transaction& tr, const fdb::Receipt& receipt);

  const keyspace::JobKeys& keys() const { return keys_; }

 private:
  const keyspace::JobKeys keys_;
  // Self-synchronised.
  const std::unique_ptr<Receipts> receipts_;
  const std::unique_ptr<Contention> contention_;
  const std::shared_ptr<ClaimsInFlight> in_flight_;
  mutable std::atomic<int> calls_without_probe_{0};  // of AddMany
};

}  // namespace fdbjobs

#endif  // FDBJOBS_JOBS_H_
