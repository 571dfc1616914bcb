// Check: what must hold between the rows of the jobs layer, verified in pages on a live database.
//
//   - every row is known and can be read, and versionstamps are complete
//   - a pending job stands in the queue once, at its priority; nobody else stands there
//   - a running job has the activity entry of its sequence, which is not past the type's watch row or the incarnation
//   - pending jobs have no marks, finished ones no resubmit mark
//   - the counters are the numbers of jobs
//
// A page reads its rows and all that they speak of at one version, so jobs that move meanwhile never look like
// violations. All reads are snapshot reads: a check disturbs nobody. Activity entries that are no job's any more are no
// violation: transactions that claim and finish a job leave them, and the monitor drops them.
//
// Thread safety: pure functions. Lifetime: plain values.
//
//   std::string continuation;
//   do {
//     absl::StatusOr<CheckPage> page = fdb::Transact(db, [&](fdb::Transaction& tr) {
//       return CheckRows(jobs, tr, continuation, 1000);
//     });
//     ...
//     continuation = page->continuation;
//   } while (!continuation.empty());
#ifndef FDBJOBS_ADMIN_CHECK_H_
#define FDBJOBS_ADMIN_CHECK_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/fdb/transact.h"
#include "fdbjobs/job.h"
#include "fdbjobs/jobs.h"

namespace fdbjobs::admin {

// What is wrong. Repair (repair.h) knows what mends it.
enum class Problem {
  kUnknownRow,           // nobody knows it, or its key can't be read
  kUnreadableJob,        // a data row
  kDataNotJson,          // the caller's data in a data row
  kNotQueued,            // pending, and not in the queue at its priority
  kStrayMark,            // a mark that the job's state can't have
  kNoActivity,           // running, and its activity entry is missing, another job's, or can't be right
  kStrayQueueRow,        // of no pending job, or at another priority than the job's
  kQueueRowValue,        // not empty
  kUnreadableQueueRow,   //
  kUnreadableActivity,   // key or value
  kActivityInFuture,     // incomplete, or past the incarnation
  kWatchBehind,          // missing, unreadable, incomplete, or older than an activity entry
  kPendingWatchMissing,  // or unreadable
  kTypesWatchUnreadable,
  kUnreadableTimeout,
  kUnreadableIncarnation,
  kUnreadableReceipt,
  kWrongCount,
};

// A word for programs: "not-queued".
const char* ProblemName(Problem problem);

struct Violation {
  Problem problem = Problem::kUnknownRow;
  std::string key;  // of the row that it was seen at
  std::optional<JobType> type = {};
  std::optional<JobId> id = {};
  std::optional<JobState> state = {};  // of a counter
  std::string what = {};               // for people
};

struct CheckPage {
  std::vector<Violation> violations;
  std::set<JobType> types;  // that rows of the page speak of
  int64_t rows = 0;
  std::string continuation;  // empty: this was the last page
};

// Up to `limit` rows (1 to 10,000) from `continuation` on; empty: from the first one. Counters are only checked for
// being readable. Reads (snapshot): the rows, and one further row for most of them.
absl::StatusOr<CheckPage> CheckRows(const Jobs& jobs, fdb::Transaction& tr, const std::string& continuation, int limit);

struct CountCheck {
  std::vector<Violation> violations;
  Counts counted;
  // Jobs changed their states all the time while they were counted, so the counters could not be compared.
  bool gave_up = false;
};

// Counts the jobs of a type and compares. In one transaction if it gets through in its five seconds; else in pages,
// which count if counters and watch rows stood still from the first to the last; else after `tries` it gives up.
absl::StatusOr<CountCheck> CheckCounts(const Jobs& jobs, const fdb::Database& db, const fdb::TransactOptions& options,
                                       const JobType& type, int tries = 5);

}  // namespace fdbjobs::admin

#endif  // FDBJOBS_ADMIN_CHECK_H_
