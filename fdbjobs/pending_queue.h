// PendingQueue: the pending rows of a type, read page by page from the front.
//
// Thread safety: one thread. Lifetime: one call of Jobs; borrows all that it is made of.
//
//   PendingQueue queue(keys, tr, type, max_priority);
//   while (!queue.at_end()) {
//     const fdb::RangeFuture asked = queue.Ask(100);
//     absl::StatusOr<std::vector<Candidate>> candidates = queue.Take(asked, &damaged);
//     ...
//   }
#ifndef FDBJOBS_PENDING_QUEUE_H_
#define FDBJOBS_PENDING_QUEUE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "fdbjobs/fdb/transaction.h"
#include "fdbjobs/job.h"
#include "fdbjobs/keyspace/job_keys.h"

namespace fdbjobs {

// One row of the queue.
struct Candidate {
  std::string pending_key;
  Priority priority;
  JobId id;
};

class PendingQueue {
 public:
  PendingQueue(const keyspace::JobKeys& keys, fdb::Transaction& tr, const JobType& type,
               const std::optional<Priority>& max_priority);

  // Issues the read of the next `rows`. Snapshot: rows that are only looked at must not conflict with anybody. Those
  // that are claimed conflict by their data rows.
  fdb::RangeFuture Ask(int rows) const;
  // The rows that were asked for, and goes on behind them. Those that can't be read are noted in `damaged`.
  absl::StatusOr<std::vector<Candidate>> Take(const fdb::RangeFuture& asked, std::vector<Damage>* damaged);
  bool at_end() const { return at_end_; }

 private:
  const keyspace::JobKeys& keys_;
  fdb::Transaction& tr_;
  const JobType& type_;
  keyspace::KeyRange range_;  // what was not read yet
  bool at_end_ = false;
};

}  // namespace fdbjobs

#endif  // FDBJOBS_PENDING_QUEUE_H_
