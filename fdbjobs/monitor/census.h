// Census: how many jobs of each type are pending and running, and how long the oldest pending one waits.
//
// Thread safety: pure functions on the database. Lifetime: none.
//
//   absl::StatusOr<std::vector<TypeCensus>> census = TakeCensus(db, jobs, types, absl::Seconds(5), absl::Now());
#ifndef FDBJOBS_MONITOR_CENSUS_H_
#define FDBJOBS_MONITOR_CENSUS_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/jobs.h"

namespace fdbjobs {

struct TypeCensus {
  JobType type = {};
  Counts counts = {};
  // Since the oldest pending job was added, by the adder's clock. Two jobs are looked at: the one that is next, and the
  // first one of the last priority. So it tells of a queue that nobody works on, and of priorities that never have
  // their turn, without reading the whole queue. None when nothing is pending, or it does not say when it was added.
  std::optional<absl::Duration> oldest_pending = {};
};

// In the order of `types`, over as many transactions of at most `timeout` each as it takes. `now` is the time of day.
// A counter that can't be read counts as 0: fdbjobs-cli check tells of it. All reads are snapshot reads.
absl::StatusOr<std::vector<TypeCensus>> TakeCensus(const fdb::Database& db, const Jobs& jobs,
                                                   absl::Span<const JobType> types, absl::Duration timeout,
                                                   absl::Time now);

}  // namespace fdbjobs

#endif  // FDBJOBS_MONITOR_CENSUS_H_
