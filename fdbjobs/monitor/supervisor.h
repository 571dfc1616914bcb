// MonitorSupervisor: watches over all types that have an activity timeout, with one thread.
//
// Types are found by themselves: a watch tells when a timeout was set, changed or cleared. Types that are due are
// looked at many in one transaction. A type of which nothing runs sleeps on a watch of its own and costs nothing until
// a job is claimed; a type whose jobs come and go fast is still looked at no more often than one that is always busy. A
// type with a large backlog gives the others their turn after some batches.
//
// Any number of supervisors may run, in one process or many: see rescue_pass.h.
//
// When the database does not answer, the supervisor backs off, tells it once, and goes on when it is back. Workers
// could not report meanwhile either. So if that took longer than a quarter of a type's timeout, its samples are
// forgotten, and each worker has one timeout to report before its job is taken for stale.
//
// Thread safety: Start, Stop, settled, Stats and Summary from any thread; RunOnce from one, and not between Start and
// Stop. Lifetime: borrows the database and Jobs.
//
//   MonitorSupervisor supervisor(db, jobs, {.on_event = Print});
//   supervisor.Start();
//   ...
//   supervisor.Stop();
#ifndef FDBJOBS_MONITOR_SUPERVISOR_H_
#define FDBJOBS_MONITOR_SUPERVISOR_H_

#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/jobs.h"
#include "fdbjobs/listing.h"
#include "fdbjobs/monitor/activity_monitor.h"
#include "fdbjobs/monitor/batch_limit.h"
#include "fdbjobs/monitor/contact.h"
#include "fdbjobs/monitor/options.h"
#include "fdbjobs/monitor/stats.h"
#include "fdbjobs/monitor/stop_signal.h"
#include "fdbjobs/monitor/type_watches.h"

namespace fdbjobs {

class MonitorSupervisor {
 public:
  MonitorSupervisor(const fdb::Database& db, const Jobs& jobs, MonitorOptions options = {});
  // Stops it.
  ~MonitorSupervisor();
  MonitorSupervisor(const MonitorSupervisor&) = delete;
  MonitorSupervisor& operator=(const MonitorSupervisor&) = delete;

  // Does what is due at `now`. Returns when it is to be called next, at the latest; earlier when a watch fires.
  // An error is told by an event and in the stats; whatever failed is done by later calls.
  absl::Time RunOnce(absl::Time now);
  // Until a watch fires or `longest` is over.
  void Wait(absl::Duration longest) { watches_.Wait(longest); }
  // Whether every type was seen through: what ran at its first look was renewed, or dealt with.
  bool settled() const;

  // Runs on a thread of its own. Once.
  void Start();
  // Lets the transaction at hand end, but cuts it off after half a second; then waits for the thread. Idempotent, and
  // safe before Start, which then does nothing.
  void Stop();

  MonitorStats Stats() const;
  // The same without the types: cheap.
  MonitorStats Summary() const;

 private:
  struct Entry;
  struct Looked;

  void Loop();
  void TakeWatches();
  // The list of types, if it is due.
  absl::Status RefreshTypes(absl::Time now);
  absl::StatusOr<std::vector<TypeTimeout>> ReadTypes();
  void MergeTypes(std::vector<TypeTimeout> types);
  // One look at each of them, and rescue where it is needed.
  absl::Status LookAt(const std::vector<Entry*>& entries, absl::Time now);
  absl::StatusOr<Looked> ReadLooks(const std::vector<Entry*>& entries, absl::Time now);
  absl::Status RescueAll(const std::vector<Entry*>& entries, absl::Time now);
  absl::Status RunDue(absl::Time now);
  // A commit, if one is due, that tells whether the database answers.
  absl::Status Ping(absl::Time now);

  // Some receipts of ended processes, if it is time.
  absl::Status PruneReceipts(absl::Time now);

  void NoteSuccess();
  void NoteFailure(const absl::Status& status);
  void Tell(MonitorEvent event) const;
  void Enqueue(Entry& entry);
  absl::Duration Jittered(absl::Duration duration);

  // Constant.
  const fdb::Database& db_;
  const Jobs& jobs_;
  const MonitorOptions options_;

  // Self-synchronised.
  StopSignal stop_;
  TypeWatches watches_;

  // Of the thread that runs it; changed under mutex_ where Stats reads them.
  std::minstd_rand random_;
  std::map<JobType, std::unique_ptr<Entry>> types_;
  std::set<std::pair<absl::Time, Entry*>> queue_;
  Contact contact_;
  BatchLimit looks_;
  MonitorStats stats_;                   // without its types
  std::set<std::string> damaged_types_;  // keys that were told
  absl::Time last_list_ = absl::InfinitePast();
  absl::Time next_list_ = absl::InfinitePast();
  absl::Time next_prune_ = absl::InfinitePast();
  std::optional<std::string> prune_from_;  // within a pass over the receipts
  absl::Time next_ping_ = absl::InfinitePast();
  absl::Time watches_refused_until_ = absl::InfinitePast();
  mutable std::mutex mutex_;

  std::mutex thread_mutex_;
  // Guarded by thread_mutex_.
  std::thread thread_;
  std::promise<void> ended_;
};

}  // namespace fdbjobs

#endif  // FDBJOBS_MONITOR_SUPERVISOR_H_
