// RescuePass: goes through the stale entries of one type, batch by batch, each in a transaction of its own.
//
// It goes from the oldest entry to the newest stale one. Behind it only entries are left that can't be read: they are
// set aside, and the next pass begins where this one ended. No entry can come up behind it, since sequences only rise.
// StartOver looks at those set aside as well.
//
// Several monitors at once: each batch checks its jobs in its transaction, so no job is put back twice. Who loses a
// conflict goes on some batches further, at random, and comes back for what it left out.
//
// Thread safety: one thread at a time. Lifetime: borrows the database, Jobs and the stop signal.
//
//   absl::StatusOr<RescuePass::Batch> batch = pass.RunBatch(stale, timeout);
#ifndef FDBJOBS_MONITOR_RESCUE_PASS_H_
#define FDBJOBS_MONITOR_RESCUE_PASS_H_

#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/jobs.h"
#include "fdbjobs/monitor/batch_limit.h"
#include "fdbjobs/monitor/options.h"
#include "fdbjobs/monitor/stop_signal.h"

namespace fdbjobs {

class RescuePass {
 public:
  RescuePass(const fdb::Database& db, const Jobs& jobs, JobType type, const MonitorOptions& options, StopSignal& stop,
             uint64_t seed);

  struct Batch {
    int reenqueued = 0;
    int finished = 0;
    int dropped = 0;
    std::vector<Damage> damaged = {};  // that were not told before
    bool done = false;                 // the pass has come to its end
    std::vector<int> retries = {};     // FoundationDB's numbers of failed tries on the way
  };
  // The next batch of entries at or before `stale`. kFailedPrecondition, and nothing is done, when the type's timeout
  // is not `timeout` any more or its watches row tells of another history than `stale` does: forget the samples. Reads
  // beyond those of Jobs::Rescue: the timeout (serializable: nobody loses a job by a timeout that was changed before),
  // the watches row (snapshot).
  absl::StatusOr<Batch> RunBatch(const Sequence& stale, absl::Duration timeout);

  // The last batch ended with an error for which fdb::MaybeCommitted. Settle it before the next one.
  bool unsettled() const { return unsettled_; }
  // What that batch did if it has committed; none when it has not, and then it never will. An error leaves it
  // unsettled.
  absl::StatusOr<std::optional<Batch>> Settle();

  // Entries before this key are set aside; empty: none.
  const std::string& floor() const { return floor_; }
  // The next pass begins at the very beginning.
  void StartOver();
  // Entries at or before `stale` that wait, counted up to `most`. Reads: those rows (snapshot).
  absl::StatusOr<int64_t> CountStale(const Sequence& stale, int most) const;

  int limit() const { return limit_.get(); }
  size_t damaged() const { return damaged_.size(); }

 private:
  absl::StatusOr<RescueResult> InTransaction(fdb::Transaction& tr, const Sequence& stale, absl::Duration timeout,
                                             bool* skipped);
  // Where to begin after a lost conflict: some batches further.
  absl::StatusOr<std::optional<std::string>> SkipSome(fdb::Transaction& tr, const Sequence& stale);
  std::optional<std::string> Begin() const;
  void MoveOn(const Sequence& stale, const RescueResult& result, bool skipped, Batch* batch);

  // Constant.
  const fdb::Database& db_;
  const Jobs& jobs_;
  const JobType type_;
  const absl::Duration transaction_timeout_;
  StopSignal& stop_;

  BatchLimit limit_;
  std::minstd_rand random_;
  std::string floor_;
  std::optional<std::string> position_;  // within a pass
  bool left_out_ = false;                // this pass skipped entries
  std::set<std::string> damaged_;        // keys that were told
  // Of the last batch, for Settle.
  bool unsettled_ = false;
  std::optional<fdb::Receipt> receipt_;
  RescueResult tried_;
};

}  // namespace fdbjobs

#endif  // FDBJOBS_MONITOR_RESCUE_PASS_H_
