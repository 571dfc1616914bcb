// Contention: how far claimers of this process spread over the head of a queue.
//
// Nobody competes: every claim takes the first jobs, in order. After conflicts claimers choose among more jobs, so that
// they get out of each other's way; with each claim that needs no second try they draw closer to the head again.
//
// Thread safety: any thread. Lifetime: as Jobs.
#ifndef FDBJOBS_CONTENTION_H_
#define FDBJOBS_CONTENTION_H_

#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "fdbjobs/job.h"

namespace fdbjobs {

class Contention {
 public:
  // From how many jobs a claim of `limit` chooses. `conflicted`: the try before lost a conflict.
  int Window(const JobType& type, int limit, bool conflicted);
  // One of `choices`, from 0 on.
  static int Choose(int choices);

 private:
  std::mutex mutex_;
  // How many times as many jobs as asked for; not there: once. Guarded by mutex_.
  absl::flat_hash_map<JobType, double> spread_;
};

}  // namespace fdbjobs

#endif  // FDBJOBS_CONTENTION_H_
