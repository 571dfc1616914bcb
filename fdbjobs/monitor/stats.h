// The state of the world as a monitor sees it: for people, metrics and tests.
//
// Thread safety: plain values. Times are those of MonitorOptions::clock.
#ifndef FDBJOBS_MONITOR_STATS_H_
#define FDBJOBS_MONITOR_STATS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "fdbjobs/job.h"

namespace fdbjobs {

// By FoundationDB's number; 0: an error of another kind.
using ErrorCounts = std::map<int, uint64_t>;

struct TypeStats {
  JobType type = {};
  absl::Duration timeout = {};
  uint64_t reenqueued = 0;  // since the monitor started
  uint64_t finished = 0;    // because they were canceled
  uint64_t dropped = 0;     // entries that were no job's any more
  uint64_t damaged = 0;     // entries that can't be read, and are set aside
  uint64_t looks = 0;
  uint64_t batches = 0;
  uint64_t passes = 0;      // scans that came to their end
  uint64_t conflicts = 0;   // with other monitors or with workers that came back
  bool unsettled = false;   // the last batch may have committed, and is in no counter before that is known
  ErrorCounts errors = {};  // of batches, those that were cured by a retry included
  int batch_limit = 0;
  // Stale entries that are known to wait; counted up to 10,000.
  int64_t stale_backlog = 0;
  absl::Duration last_scan = {};  // how long the last scan took, over all its batches
  absl::Duration all_scans = {};
  // Since the oldest heartbeat of a running job, at the last look. None when nothing runs.
  std::optional<absl::Duration> oldest_heartbeat = {};
  std::optional<absl::Time> last_success = {};  // of a look or a batch
  bool settled = false;                         // what ran at the first look was renewed or dealt with
  bool asleep = false;                          // nothing runs; a watch tells when that changes
};

struct MonitorStats {
  bool contact = false;                         // the database answers
  std::optional<absl::Time> last_contact = {};  // when it did so last
  std::string contact_error = {};               // why not
  bool types_known = false;                     // the list of types was read
  uint64_t rounds = 0;                          // calls of RunOnce
  uint64_t look_transactions = 0;
  uint64_t type_lists = 0;     // how often the list of types was read
  uint64_t damaged_types = 0;  // timeouts that can't be read
  uint64_t receipts_pruned = 0;
  ErrorCounts errors = {};
  std::vector<TypeStats> types = {};
};

}  // namespace fdbjobs

#endif  // FDBJOBS_MONITOR_STATS_H_
