// Subscriptions: waits until one of many jobs changes, or gets to a state.
//
// Subscribe in the transaction that knows the job as it is, and wait later: whatever changed in between is found by the
// first Wait, which compares. From then on each job has a watch on its data row, so a wait costs in proportion to what
// changed and not to the number of jobs. Like FoundationDB's watches it tells how a job is, not every state in between:
// one that went and came back to exactly the same row may go unnoticed. So may a heartbeat that changed nothing else,
// before the first Wait, if the subscribing transaction itself claimed or updated the job.
//
// Errors that a retry can cure are retried until the deadline. FoundationDB allows 10,000 watches for a database unless
// its option kMaxWatches says more.
//
// Thread safety: one thread at a time. Lifetime: borrows the database and Jobs.
//
//   Subscriptions subscriptions(db, jobs);
//   absl::Status status = fdb::Transact(db, [&](fdb::Transaction& tr) -> absl::Status {
//     if (absl::Status added = jobs.Add(tr, "index", {.id = 7}).status(); !added.ok()) return added;
//     return subscriptions.Subscribe(tr, "index", 7, JobState::kFinished);
//   });
//   if (!status.ok()) return status;
//   absl::StatusOr<std::vector<JobChange>> changes = subscriptions.Wait(absl::Now() + absl::Minutes(1));
#ifndef FDBJOBS_SUBSCRIPTIONS_H_
#define FDBJOBS_SUBSCRIPTIONS_H_

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/fdb/transaction.h"
#include "fdbjobs/jobs.h"

namespace fdbjobs {

struct JobChange {
  JobType type;
  JobId id;
  std::optional<Job> job;  // none: it was removed, or is damaged
  std::string damage;      // why its row can't be read; empty: it can
};

class Subscriptions {
 public:
  Subscriptions(const fdb::Database& db, const Jobs& jobs);
  ~Subscriptions();
  Subscriptions(const Subscriptions&) = delete;
  Subscriptions& operator=(const Subscriptions&) = delete;

  // From now on Wait reports changes of the job; with `until`, only that it is in this state, which is reported even if
  // it is so already, or that it was removed. A second subscription of a job replaces the first. Should the transaction
  // not commit, what it saw counts all the same. Reads: the data row (snapshot).
  absl::Status Subscribe(fdb::Transaction& tr, const JobType& type, const JobId& id,
                         std::optional<JobState> until = std::nullopt);
  void Unsubscribe(const JobType& type, const JobId& id);
  size_t size() const { return entries_.size(); }

  // The jobs that have changed since they were subscribed or reported last; each once, as it is now. Empty when the
  // deadline has passed. A job that was removed, or that is in the state that was waited for, is no longer subscribed
  // when it has been reported. Reads: the data rows of jobs that may have changed (snapshot), in transactions of its
  // own that conflict with nobody and write nothing.
  absl::StatusOr<std::vector<JobChange>> Wait(absl::Time deadline);

 private:
  struct Entry;
  struct Ready;
  using Entries = std::map<std::string, Entry>;  // by data key

  // Reads the entries, sets their watches, and reports those that differ.
  absl::Status Refresh(const std::vector<std::string>& keys, absl::Time deadline, std::vector<JobChange>* changes);
  void Compare(Entries::iterator entry, const std::optional<std::string>& value, std::vector<JobChange>* changes);
  // The keys to look at. Waits for the first until the deadline.
  std::vector<std::string> NextKeys(absl::Time deadline);
  // Leaves those whose watch has fired, or that have none yet.
  absl::Status DropIdle(std::vector<std::string>* keys);

  const fdb::Database& db_;
  const Jobs& jobs_;
  Entries entries_;
  // Keys to look at; filled by watches, on the network thread.
  const std::shared_ptr<Ready> ready_;
};

}  // namespace fdbjobs

#endif  // FDBJOBS_SUBSCRIPTIONS_H_
