// Look: what a monitor reads of one type, together with that of other types in one transaction.
//
// Thread safety: one thread. Lifetime: within the transaction.
//
//   Look look(jobs, tr, type, from);               // the reads are on the way
//   absl::StatusOr<Seen> seen = look.Await();
#ifndef FDBJOBS_MONITOR_LOOK_H_
#define FDBJOBS_MONITOR_LOOK_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "fdbjobs/fdb/future.h"
#include "fdbjobs/fdb/transaction.h"
#include "fdbjobs/jobs.h"

namespace fdbjobs {

struct Seen {
  std::optional<Sequence> watch;  // the watches row
  bool any_entry = false;         // there is an activity entry
  std::optional<Sequence> first;  // its sequence; none when its key can't be read
};

class Look {
 public:
  // Entries before the key `from` do not count; empty: all do. Reads: the watches row and one activity row (snapshot:
  // both are only compared with what is read later).
  Look(const Jobs& jobs, fdb::Transaction& tr, const JobType& type, const std::string& from);

  // kDataLoss when the watches row can't be read and there is an entry, so that it matters.
  absl::StatusOr<Seen> Await() const;

 private:
  const Jobs& jobs_;
  const JobType& type_;
  fdb::ValueFuture watch_;
  fdb::RangeFuture first_;
};

}  // namespace fdbjobs

#endif  // FDBJOBS_MONITOR_LOOK_H_
