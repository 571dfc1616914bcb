// CountRows: how many jobs of a type there are in each state, counted, together with a moment at which that is so.
//
// Thread safety: pure functions.
#ifndef FDBJOBS_ADMIN_COUNT_JOBS_H_
#define FDBJOBS_ADMIN_COUNT_JOBS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/fdb/transact.h"
#include "fdbjobs/job.h"
#include "fdbjobs/jobs.h"

namespace fdbjobs::admin {

// The rows that change whenever a job of the type changes its state: counters, watch, pending watch. They can't all
// come back to what they were: a job that gets pending stamps one watch, one that gets to or from running the other,
// and what is left only ever takes from the pending jobs, or from all of them.
using Fingerprint = std::vector<std::optional<std::string>>;

absl::StatusOr<Fingerprint> ReadFingerprint(const Jobs& jobs, fdb::Transaction& tr, const JobType& type,
                                            fdb::Isolation isolation);

struct Counted {
  Counts counts;
  Fingerprint fingerprint;  // as of the moment at which the counts are right
};

// More jobs than this are not counted in one transaction: it would not get through in its five seconds.
inline constexpr int64_t kMostAtOnce = 200'000;

// None when jobs changed their states all the time. `at_once` is what the counters may say for one transaction.
absl::StatusOr<std::optional<Counted>> CountRows(const Jobs& jobs, const fdb::Database& db,
                                                 const fdb::TransactOptions& options, const JobType& type, int tries,
                                                 int64_t at_once = kMostAtOnce);

// The counters of a fingerprint, in the order of JobState; none: not there, or unreadable.
std::vector<std::optional<int64_t>> CountersOf(const Fingerprint& fingerprint);

}  // namespace fdbjobs::admin

#endif  // FDBJOBS_ADMIN_COUNT_JOBS_H_
