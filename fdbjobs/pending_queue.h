// PendingQueue: the pending rows of a type, read page by page from the front, without the parts that are left out.
//
// Thread safety: one thread. Lifetime: one call of Jobs; borrows all that it is made of.
//
//   PendingQueue queue(keys, tr, type, max_priority);
//   queue.LeaveOut(place.HeldByOthers());
//   while (!queue.at_end()) {
//     const std::vector<fdb::RangeFuture> asked = queue.Ask(100);
//     absl::StatusOr<std::vector<Candidate>> candidates = queue.Take(asked, &damaged);
//     ...
//   }
#ifndef FDBJOBS_PENDING_QUEUE_H_
#define FDBJOBS_PENDING_QUEUE_H_

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fdbjobs/claims_in_flight.h"
#include "fdbjobs/fdb/transaction.h"
#include "fdbjobs/job.h"
#include "fdbjobs/keyspace/job_keys.h"

namespace fdbjobs {

// One row of the queue.
struct Candidate {
  std::string pending_key;
  Priority priority;
  JobId id;
  // Where the part of the queue begins that ends with this row, if not behind the candidate before.
  std::string begin = {};
};

class PendingQueue {
 public:
  PendingQueue(const keyspace::JobKeys& keys, fdb::Transaction& tr, const JobType& type,
               const std::optional<Priority>& max_priority);

  // Before the first Ask. They ascend and are apart. False when more is left out: of many spans, those far behind
  // together with what is between them.
  bool LeaveOut(const std::vector<ClaimsInFlight::Span>& spans);
  // Issues the reads of the next `rows`, which don't wait for each other. Snapshot: rows that are only looked at must
  // not conflict with anybody. Those that are claimed conflict by their data rows.
  std::vector<fdb::RangeFuture> Ask(int rows) const;
  // The rows that were asked for, and goes on behind them. Those that can't be read are noted in `damaged`.
  absl::StatusOr<std::vector<Candidate>> Take(const std::vector<fdb::RangeFuture>& asked, std::vector<Damage>* damaged);
  bool at_end() const { return pieces_.empty(); }

 private:
  absl::Status TakePiece(const fdb::RangeFuture& asked, std::vector<Candidate>* candidates,
                         std::vector<Damage>* damaged);

  const keyspace::JobKeys& keys_;
  fdb::Transaction& tr_;
  const JobType& type_;
  // What was not read yet, in order.
  std::deque<keyspace::KeyRange> pieces_;
};

}  // namespace fdbjobs

#endif  // FDBJOBS_PENDING_QUEUE_H_
