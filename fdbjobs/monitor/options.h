// MonitorOptions: clock, randomness, limits and listeners of a monitor, all from outside.
//
// Thread safety: a plain value. The functions are called on the thread that runs the monitor.
#ifndef FDBJOBS_MONITOR_OPTIONS_H_
#define FDBJOBS_MONITOR_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "fdbjobs/job.h"
#include "fdbjobs/monitor/clock.h"

namespace fdbjobs {

// What a monitor tells while it runs. Texts hold ids and keys in the notation of docs/tuple.md, so whatever bytes came
// from a job are escaped; they are one line each.
struct MonitorEvent {
  enum class Kind {
    kTypeFound,        // a type, or one with a timeout anew; `text` has the timeout
    kTypeChanged,      // its timeout was changed: samples were forgotten
    kTypeGone,         // its timeout was cleared
    kRescued,          // a batch put jobs back, finished or dropped some
    kDamage,           // a row that can't be read, told once
    kError,            // a transaction failed; the monitor tries again
    kContactLost,      // the database does not answer, told once
    kContactRegained,  // it answers again
  };
  Kind kind = Kind::kError;
  JobType type = {};  // null when it is about no type
  std::string text = {};
  absl::Status status = {};  // of kError and kContactLost
  // Of kRescued.
  int reenqueued = 0;
  int finished = 0;
  int dropped = 0;
};

struct MonitorOptions {
  // A type is looked at this often, in parts of its timeout, at the least. A look comes up to a fifth of that early, at
  // random, so that monitors spread. A dead worker's job is pending again at the latest one timeout and this part after
  // its last update, plus the time that the work takes.
  double look_every = 0.2;
  // But not more often than this, however short the timeout is.
  absl::Duration shortest_interval = absl::Milliseconds(20);
  // Even if no watch fired: types that sleep, the list of types, entries that were set aside.
  absl::Duration look_again = absl::Minutes(10);
  // The list of types is not read more often than this, however often it changes.
  absl::Duration types_interval = absl::Seconds(1);

  // Jobs in one rescuing transaction.
  int first_batch = 200;
  int largest_batch = 1000;
  // Batches of one type before the others get their turn.
  int batches_per_run = 8;
  // Types that are looked at in one transaction.
  int looks_per_transaction = 500;
  // Types that sleep on a watch. FoundationDB allows 10,000 watches for a database unless told otherwise
  // (fdb::DatabaseInt::kMaxWatches). Types beyond that are looked at as if they were busy.
  int max_watches = 9000;

  // Of every transaction. A cluster that is away does not answer at all.
  absl::Duration transaction_timeout = absl::Seconds(5);
  // The database is asked for a sign of life this often, by a small commit, and after each error.
  absl::Duration ping_every = absl::Seconds(5);
  // The wait after a failed transaction doubles from the first to the second of these, with jitter.
  absl::Duration first_backoff = absl::Milliseconds(50);
  absl::Duration longest_backoff = absl::Seconds(2);
  // How often receipts of ended processes are looked for, a thousand at a time, and how old they must be; at least an
  // hour. Infinite: never.
  absl::Duration prune_every = absl::Minutes(10);
  absl::Duration receipt_age = absl::Hours(24);

  uint64_t seed = 0;  // of the jitter; 0: a random one
  std::function<absl::Time()> clock = SteadyNow;
  std::function<absl::Time()> time_of_day = absl::Now;  // that of receipts
  std::function<bool(const JobType&)> wants = nullptr;  // which types; all when it is not given
  std::function<void(const MonitorEvent&)> on_event = nullptr;
};

}  // namespace fdbjobs

#endif  // FDBJOBS_MONITOR_OPTIONS_H_
