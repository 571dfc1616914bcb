// Repair: mends what Check found, each violation in a transaction of its own.
//
// The transaction looks at the rows again, serializably: what is no longer wrong is left alone, and what somebody else
// changes meanwhile makes it conflict and look again. Data rows are what counts; the queue, activity entries, counters
// and watches are brought into line with them. No job is lost or run twice by it. What can't be known is not invented:
// an unreadable data row, a timeout, or a row of a name that nobody knows stays until somebody decides.
//
// Thread safety: any thread. Lifetime: borrows the database and Jobs.
//
//   Repairer repairer(jobs, db, {});
//   absl::StatusOr<Mended> mended = repairer.Repair(violation);
#ifndef FDBJOBS_ADMIN_REPAIR_H_
#define FDBJOBS_ADMIN_REPAIR_H_

#include <string>

#include "absl/status/statusor.h"
#include "fdbjobs/admin/check.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/fdb/transact.h"
#include "fdbjobs/jobs.h"
#include "fdbjobs/receipts.h"

namespace fdbjobs::admin {

struct Mended {
  bool done = false;
  std::string what;  // "entered into the queue"; or why it is not done
};

class Repairer {
 public:
  // `remove_unreadable` allows it to clear rows that can't be read and that hold what no other row has.
  Repairer(const Jobs& jobs, const fdb::Database& db, const fdb::TransactOptions& options,
           bool remove_unreadable = false);

  absl::StatusOr<Mended> Repair(const Violation& violation);

 private:
  absl::StatusOr<Mended> InTransaction(fdb::Transaction& tr, const Violation& violation);
  absl::StatusOr<Mended> MendJob(fdb::Transaction& tr, const Violation& violation);
  absl::StatusOr<Mended> Restamp(fdb::Transaction& tr, const Violation& violation);
  absl::StatusOr<Mended> MendQueueRow(fdb::Transaction& tr, const Violation& violation);
  absl::StatusOr<Mended> MendFutureActivity(fdb::Transaction& tr, const Violation& violation);
  absl::StatusOr<Mended> MendWatch(fdb::Transaction& tr, const Violation& violation);
  absl::StatusOr<Mended> MendIncarnation(fdb::Transaction& tr);
  absl::StatusOr<Mended> ClearIfUnreadable(fdb::Transaction& tr, const Violation& violation);
  absl::StatusOr<Mended> MendCounts(const Violation& violation);

  const Jobs& jobs_;
  const fdb::Database& db_;
  const fdb::TransactOptions options_;
  const bool remove_unreadable_;
  Receipts receipts_;
};

}  // namespace fdbjobs::admin

#endif  // FDBJOBS_ADMIN_REPAIR_H_
