// Listing: jobs and types in pages, over as many transactions as it takes.
//
// A page is consistent in itself. Pages of one list may show different moments: a job that moves meanwhile can be in
// two of them, or in none. All reads are snapshot reads, so a list never conflicts with anybody. Not in a transaction
// that has accepted or updated jobs of the type: FoundationDB does not let it read what it stamped (error 1036).
//
// Thread safety: pure functions on the transaction that they get.
//
//   absl::Status status = ForEachJob(jobs, db, "index", JobState::kRunning, [](const Job& job) {
//     Print(job);
//     return true;  // go on
//   });
#ifndef FDBJOBS_LISTING_H_
#define FDBJOBS_LISTING_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/fdb/transaction.h"
#include "fdbjobs/jobs.h"

namespace fdbjobs {

struct ListOptions {
  // None: all, by id. Pending: in the order of the queue. Running: oldest heartbeat first. Finished: by id; looks at
  // jobs in other states on the way, so a page may have few jobs, or none, and still a continuation.
  std::optional<JobState> state = {};
  // Only ids that begin so. In lists by id nothing else is looked at; in others, a page may have few jobs.
  std::optional<keyspace::IdPrefix> id_prefix = {};
  int limit = 100;                // rows that are looked at; 1 to 10,000
  std::string continuation = {};  // of the page before; empty: from the beginning
};

struct JobPage {
  std::vector<Job> jobs;
  std::vector<Damage> damaged;  // rows that can't be read
  std::string continuation;     // printable; empty: this was the last page
};

// Reads: rows of the queue or of activity, then their data rows; or data rows alone. All snapshot.
absl::StatusOr<JobPage> ListJobs(const Jobs& jobs, fdb::Transaction& tr, const JobType& type,
                                 const ListOptions& options = {});

// Calls `visit` with each job until it returns false, over as many transactions as it takes. Pages shrink when a
// transaction gets too old, and grow again. `damaged` gets the rows that can't be read, if it is given.
absl::Status ForEachJob(const Jobs& jobs, const fdb::Database& db, const JobType& type, std::optional<JobState> state,
                        absl::FunctionRef<bool(const Job&)> visit, std::vector<Damage>* damaged = nullptr);

struct TypeTimeout {
  JobType type;
  absl::Duration timeout;
};

struct TypePage {
  std::vector<TypeTimeout> types;
  std::vector<Damage> damaged;
  std::string continuation;
};

// Types that have an activity timeout, in tuple order. Reads: their timeouts (snapshot).
absl::StatusOr<TypePage> ListTypes(const Jobs& jobs, fdb::Transaction& tr, int limit = 1000,
                                   const std::string& continuation = "");

}  // namespace fdbjobs

#endif  // FDBJOBS_LISTING_H_
