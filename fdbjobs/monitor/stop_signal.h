// StopSignal: tells work in transactions to come to its end, and cuts off what does not.
//
// Thread safety: any thread. Lifetime: outlives the transactions that run under it.
//
//   absl::StatusOr<int> count = TransactUnder(stop, db, {.timeout = absl::Seconds(5)}, body);
#ifndef FDBJOBS_MONITOR_STOP_SIGNAL_H_
#define FDBJOBS_MONITOR_STOP_SIGNAL_H_

#include <mutex>
#include <set>
#include <type_traits>

#include "absl/status/status.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/fdb/transact.h"
#include "fdbjobs/fdb/transaction.h"

namespace fdbjobs {

class StopSignal {
 public:
  // No new work is to begin; the transaction at hand may end.
  void Stop();
  // Transactions at hand fail with transaction_cancelled, later ones with kCancelled.
  void CutOff();

  bool stopped() const;
  bool cut_off() const;

  // While it lives, CutOff cancels the transaction.
  class Scope {
   public:
    Scope(StopSignal& signal, fdb::Transaction& tr);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    StopSignal& signal_;
    fdb::Transaction& tr_;
  };

 private:
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  bool stopped_ = false;
  bool cut_off_ = false;
  std::set<fdb::Transaction*> at_hand_;
};

// fdb::Transact, all of it within the reach of CutOff: reads, commit and the waits between tries.
template <typename Body>
std::invoke_result_t<Body&, fdb::Transaction&> TransactUnder(StopSignal& stop, const fdb::Database& db,
                                                             const fdb::TransactOptions& options, Body&& body) {
  using Result = std::invoke_result_t<Body&, fdb::Transaction&>;
  fdb::TransactLoop loop(db, options);
  if (absl::Status status = loop.Start(); !status.ok()) return status;
  const StopSignal::Scope scope(stop, loop.transaction());
  return fdb::RunTries(loop, [&](fdb::Transaction& tr) -> Result {
    if (stop.cut_off()) return absl::CancelledError("the monitor was stopped");
    return body(tr);
  });
}

}  // namespace fdbjobs

#endif  // FDBJOBS_MONITOR_STOP_SIGNAL_H_
