// JobAccess: reads jobs in a transaction and moves them between states. All calls of Jobs are built on it.
//
// Put is the only writer of data, pending, activity, count and watch rows, so that they always agree.
//
// Thread safety: one thread. Lifetime: one call of Jobs; borrows the keys and the transaction.
//
//   JobAccess access(keys, receipts, tr);
//   JobAccess::Read read = access.StartRead(type, id);
//   absl::StatusOr<LoadedJob> job = access.Await(read);
//   if (!job.ok()) return job.status();
//   job->options.cancel = job->changed = true;
//   if (absl::Status status = access.Put(*job, JobState::kFinished); !status.ok()) return status;
//   return access.Flush();
#ifndef FDBJOBS_JOB_ACCESS_H_
#define FDBJOBS_JOB_ACCESS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fdbjobs/fdb/transaction.h"
#include "fdbjobs/job.h"
#include "fdbjobs/keyspace/job_keys.h"
#include "fdbjobs/keyspace/job_options.h"
#include "fdbjobs/receipts.h"
#include "fdbjobs/transaction_memory.h"

namespace fdbjobs {

// A job as the transaction sees it.
struct LoadedJob {
  const JobType* type = nullptr;
  JobId id;
  std::string key;                  // of its data row
  std::optional<JobState> state;    // none: absent
  Sequence sequence;                // while running, if not `stamped`
  Lock lock;                        // while running or reserved
  bool reserved = false;            // pending, and claimed by AcceptToFinish in this transaction
  std::optional<uint16_t> stamped;  // the user version of its activity entry of this transaction
  Priority stored_priority;         // that of its pending row, while pending
  keyspace::JobOptions options;     // may be changed before Put; then `changed` must be set
  std::string stored_options;       // as it was read
  bool changed = false;

  // Whether a worker with `lock` holds it.
  bool HeldBy(const Lock& worker) const { return (reserved || state == JobState::kRunning) && lock == worker; }
};

class JobAccess {
 public:
  JobAccess(const keyspace::JobKeys& keys, Receipts& receipts, fdb::Transaction& tr)
      : keys_(keys), receipts_(receipts), tr_(tr), memory_(tr.memory<TransactionMemory>()) {}

  struct Read {
    const JobType* type;
    JobId id;
    std::string key;
    std::optional<fdb::ValueFuture> future;  // none when the memory has the row
  };
  // Issues the read. `type` must outlive the LoadedJob.
  Read StartRead(const JobType& type, JobId id, fdb::Isolation isolation = fdb::Isolation::kSerializable);
  // kDataLoss, with the key, when the row can't be read.
  absl::StatusOr<LoadedJob> Await(Read& read);

  // One look at all that the ids of many new jobs span, instead of a read of each: ids that were made one after the
  // other have nothing between them. Only while this try has written no jobs: a snapshot may be set not to see those.
  bool CanProbe() const { return !memory_.wrote_jobs; }
  // Issues it. Snapshot: what others add in between must not conflict.
  fdb::RangeFuture StartProbe(std::string_view first_key, std::string_view last_key) const;
  // Whether there is nothing.
  static absl::StatusOr<bool> AwaitProbe(const fdb::RangeFuture& probe);
  // A job that is not there by a probe. Conflicts as if it had been read.
  absl::StatusOr<LoadedJob> Absent(const JobType& type, const JobId& id, std::string key);

  // Issues the read of the incarnation, unless it is known. Needed before a job gets to or from running.
  void StartIncarnation();
  absl::StatusOr<uint8_t> AwaitIncarnation();

  // Writes the job with its changed options and lock, in the state `to`; none: removes it.
  absl::Status Put(LoadedJob& job, std::optional<JobState> to);
  // Writes changed options; state, sequence and lock stay as they are, so it is no sign of life.
  absl::Status Rewrite(LoadedJob& job);
  // Lets AcceptToFinish claim it: nothing is written.
  void Reserve(LoadedJob& job, const Lock& lock);
  // Whether this JobAccess has written the data row since it was read.
  bool WasWritten(const std::string& key) const { return written_.contains(key) || memory_.stamped.contains(key); }
  bool IsReserved(const std::string& key) const { return memory_.reserved.contains(key); }

  // Clears an activity entry that is no job's any more.
  void ClearEntry(std::string_view key);

  // Writes what Put has collected: counts, watches, the receipt. Last.
  absl::Status Flush();

  // Stamps a watch row that holds a versionstamp alone, once in a transaction.
  void TouchStamp(std::string key);

  absl::Status DamagedRow(std::string_view key, const absl::Status& status) const;

 private:
  struct CountChange {
    const JobType* type;
    int64_t by_state[3] = {0, 0, 0};
    bool watch = false;
    bool pending_watch = false;
  };
  CountChange& ChangeOf(const JobType& type);
  // `user_version`: for a new activity entry; none: the job has one of this transaction.
  absl::Status WriteRunning(LoadedJob& job, const std::optional<uint16_t>& user_version);
  void WriteStored(LoadedJob& job, JobState state);
  void ClearOldIndex(const LoadedJob& job, std::optional<JobState> to);

  const keyspace::JobKeys& keys_;
  Receipts& receipts_;
  fdb::Transaction& tr_;
  TransactionMemory& memory_;
  std::optional<fdb::ValueFuture> incarnation_;
  std::vector<CountChange> changes_;          // one for each type, of which there is nearly always one
  absl::flat_hash_set<std::string> written_;  // data keys that Put wrote without a stamp
  bool wrote_ = false;
};

}  // namespace fdbjobs

#endif  // FDBJOBS_JOB_ACCESS_H_
