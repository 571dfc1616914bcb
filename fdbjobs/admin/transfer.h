// Transfer: jobs as they are stored, out of one database and into another.
//
// A job travels with its JobOpts as they are, byte for byte: priority, time of adding, marks, fields that this version
// does not know, data. Workers do not travel: a job that was running is entered as the monitor would put it back, that
// is pending, or finished if it was canceled. A job that is there already is kept, so an import can be run again.
//
// Thread safety: pure functions. Lifetime: plain values.
//
//   absl::StatusOr<std::vector<bool>> imported = fdb::Transact(db, [&](fdb::Transaction& tr) {
//     return ImportJobs(jobs, tr, some);
//   });
#ifndef FDBJOBS_ADMIN_TRANSFER_H_
#define FDBJOBS_ADMIN_TRANSFER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "fdbjobs/fdb/transaction.h"
#include "fdbjobs/job.h"
#include "fdbjobs/jobs.h"

namespace fdbjobs::admin {

struct StoredJob {
  JobType type;
  JobId id;
  JobState state = JobState::kPending;
  std::string options;  // JobOpts, JSON
};

// For each job whether it was entered; false: it was there already. kInvalidArgument, and nothing written, when one of
// them is not a job. Reads: the data rows. Writes as Add does.
absl::StatusOr<std::vector<bool>> ImportJobs(const Jobs& jobs, fdb::Transaction& tr,
                                             absl::Span<const StoredJob> stored);

// Raises the incarnation above `exported`, that of the database the jobs come from, if it is not higher already. In a
// transaction of its own, before anything is imported. Reads and writes: the incarnation.
absl::StatusOr<uint8_t> RaiseIncarnationAbove(const Jobs& jobs, fdb::Transaction& tr, uint8_t exported);

}  // namespace fdbjobs::admin

#endif  // FDBJOBS_ADMIN_TRANSFER_H_
