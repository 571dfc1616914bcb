#include "fdbjobs/claimer.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "absl/time/clock.h"
#include "fdbjobs/fdb/error_codes.h"
#include "fdbjobs/fdb/status.h"
#include "fdbjobs/fdb/transact.h"
#include "fdbjobs/uuid.h"

namespace fdbjobs {
namespace {

// How long a transaction may go on after the deadline.
constexpr absl::Duration kGrace = absl::Seconds(5);
// When watches fail (too many of them, most likely), the queue is looked at this often.
constexpr absl::Duration kPoll = absl::Milliseconds(100);

// Waits until `ready` holds, the time has come, or the clock shows that it has passed.
template <typename Ready>
bool WaitUntil(std::condition_variable& changed, std::unique_lock<std::mutex>& lock, absl::Time until, Ready ready) {
  if (until == absl::InfiniteFuture()) {
    changed.wait(lock, ready);
    return true;
  }
  const absl::Duration left = std::max(absl::ZeroDuration(), until - absl::Now());
  // Not longer than a day at once: larger numbers overflow in the clocks below.
  return changed.wait_for(lock, absl::ToChronoMicroseconds(std::min(left, absl::Hours(24))), ready);
}

}  // namespace

// Threads that found the queue empty. One of them leads: it waits for its watch. The others follow: they wait for a
// wake. Whenever there are followers, there is a leader, a wake, or a thread at the queue that will lead or give one.
struct Claimer::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  // Guarded by mutex.
  bool stopped = false;
  bool led = false;
  int followers = 0;
  int wakes = 0;            // followers that may go on; at most as many as there are
  uint64_t last_watch = 0;  // the number of the watch that was set last
  uint64_t fired = 0;       // the number of the watch that fired last

  void WakeOne() {
    if (wakes >= followers) return;
    ++wakes;
    changed.notify_all();
  }
};

struct Claimer::Try {
  Claimed claimed;
  std::optional<fdb::VoidFuture> watch;
};

Claimer::Claimer(const fdb::Database& db, const Jobs& jobs, JobType type, ClaimerOptions options)
    : db_(db), jobs_(jobs), type_(std::move(type)), options_(std::move(options)), shared_(std::make_shared<Shared>()) {}

Claimer::~Claimer() { Stop(); }

void Claimer::Stop() {
  const std::lock_guard lock(shared_->mutex);
  shared_->stopped = true;
  shared_->changed.notify_all();
}

bool Claimer::stopped() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->stopped;
}

AcceptOptions Claimer::NextOptions() const {
  AcceptOptions accept;
  accept.limit = options_.limit;
  // Outside the retry loop: a try whose commit timed out is recognised by it.
  accept.lock = RandomUuid();
  if (options_.max_priority) accept.max_priority = options_.max_priority();
  return accept;
}

absl::StatusOr<Claimer::Try> Claimer::InTransaction(fdb::Transaction& tr, const AcceptOptions& accept, const Body* body,
                                                    bool watch) {
  if (options_.risky) {
    if (absl::Status status = tr.SetOption(fdb::TransactionFlag::kDurabilityRisky); !status.ok()) return status;
  }
  absl::StatusOr<Claimed> claimed =
      body == nullptr ? jobs_.Accept(tr, type_, accept) : jobs_.AcceptToFinish(tr, type_, accept);
  if (!claimed.ok()) return claimed.status();
  Try one{*std::move(claimed), std::nullopt};
  if (!one.claimed.jobs.empty()) {
    if (body != nullptr) {
      if (absl::Status status = (*body)(tr, one.claimed); !status.ok()) return status;
    }
  } else if (watch) {
    one.watch = tr.Watch(jobs_.keys().PendingWatch(type_));
  }
  return one;
}

// One look at the queue: jobs, or a watch if that was asked for.
absl::StatusOr<Claimer::Try> Claimer::TryOnce(absl::Time deadline, const Body* body, bool watch) {
  AcceptOptions accept = NextOptions();
  while (true) {
    Claimed tried;
    const absl::Duration left = std::max(absl::ZeroDuration(), deadline - absl::Now()) + kGrace;
    absl::StatusOr<Try> result =
        fdb::Transact(db_, {.timeout = left}, [&](fdb::Transaction& tr) -> absl::StatusOr<Try> {
          absl::StatusOr<Try> one = InTransaction(tr, accept, body, watch);
          // Should the commit time out, these may be claimed.
          if (one.ok() && body == nullptr) tried.jobs = one->claimed.jobs;
          return one;
        });
    if (result.ok()) return result;
    const int code = fdb::FdbCode(result.status());
    if (code == fdb::error::kTransactionTooLarge && accept.limit > 1) {
      accept.limit /= 2;
      continue;
    }
    if (fdb::MaybeCommitted(result.status()) && !tried.jobs.empty()) {
      const absl::StatusOr<Claimed> settled = Settle(tried, std::max(deadline, absl::Now()) + kGrace);
      if (!settled.ok()) return settled.status();
      if (!settled->jobs.empty()) return Try{*settled, std::nullopt};
    }
    if (code != fdb::error::kTransactionTimedOut || absl::Now() >= deadline) return result.status();
  }
}

// After a claim that timed out in its commit: those of its jobs that are claimed. The others never will be by it. To
// give up would leave what was claimed to nobody, so it goes on until it knows, or until `until`.
absl::StatusOr<Claimed> Claimer::Settle(const Claimed& maybe, absl::Time until) {
  while (true) {
    const absl::Duration left = std::max(absl::Milliseconds(1), until - absl::Now());
    absl::StatusOr<Claimed> settled =
        fdb::Transact(db_, {.timeout = left}, [&](fdb::Transaction& tr) { return SettleIn(tr, maybe); });
    // It changes nothing, so it may be done again.
    if (fdb::FdbCode(settled.status()) != fdb::error::kTransactionTimedOut || absl::Now() >= until) return settled;
  }
}

absl::StatusOr<Claimed> Claimer::SettleIn(fdb::Transaction& tr, const Claimed& maybe) {
  std::vector<fdb::ValueFuture> rows;
  for (const ClaimedJob& job : maybe.jobs) {
    const std::string key = jobs_.keys().Data(job.type, job.id);
    rows.push_back(tr.Get(key, fdb::Isolation::kSerializable));
    // The claim read the row. If it is still on its way, it conflicts with this and fails.
    if (absl::Status status = tr.AddWriteConflictKey(key); !status.ok()) return status;
  }
  Claimed claimed;
  for (size_t i = 0; i < rows.size(); ++i) {
    const absl::StatusOr<std::optional<std::string_view>> value = rows[i].AwaitView();
    if (!value.ok()) return value.status();
    if (!value->has_value()) continue;
    // A row that can't be read any more is not this claim's.
    const absl::StatusOr<keyspace::JobRow> row = keyspace::JobRow::Decode(**value);
    if (row.ok() && row->state == JobState::kRunning && row->lock == maybe.jobs[i].lock) {
      claimed.jobs.push_back(maybe.jobs[i]);
    }
  }
  return claimed;
}

// Waits as the leader. `watch` was set by the look that found nothing.
void Claimer::Lead(fdb::VoidFuture& watch, absl::Time until) {
  Shared& shared = *shared_;
  uint64_t number;
  {
    const std::lock_guard lock(shared.mutex);
    number = ++shared.last_watch;
  }
  const absl::Status set = watch.OnReady([shared = shared_, number] {
    const std::lock_guard lock(shared->mutex);
    shared->fired = std::max(shared->fired, number);
    shared->changed.notify_all();
  });
  std::unique_lock lock(shared.mutex);
  if (set.ok()) {
    WaitUntil(shared.changed, lock, until, [&] { return shared.stopped || shared.fired >= number; });
    if (shared.fired < number || watch.AwaitReady().ok()) return;
  }
  WaitUntil(shared.changed, lock, std::min(until, absl::Now() + kPoll), [&] { return shared.stopped; });
}

absl::StatusOr<Claimed> Claimer::Accept(absl::Time deadline) { return AcceptWith(deadline, nullptr); }

absl::StatusOr<Claimed> Claimer::AcceptAndFinish(absl::Time deadline, const Body& body) {
  return AcceptWith(deadline, &body);
}

absl::StatusOr<Claimed> Claimer::AcceptWith(absl::Time deadline, const Body* body) {
  Shared& shared = *shared_;
  bool leader = false;
  while (true) {
    bool watch;
    {
      const std::lock_guard lock(shared.mutex);
      if (shared.stopped) {
        if (leader) shared.led = false;
        return Claimed();
      }
      watch = leader || !shared.led;
    }
    absl::StatusOr<Try> tried = TryOnce(deadline, body, watch);
    const absl::Time now = absl::Now();
    const absl::Time until = std::min(deadline, now + options_.look_again);
    std::unique_lock lock(shared.mutex);
    if (!tried.ok() || !tried->claimed.jobs.empty() || shared.stopped || now >= deadline) {
      // Another thread may find more, and has to lead if this one did.
      if (leader) shared.led = false;
      shared.WakeOne();
      if (!tried.ok()) return tried.status();
      return std::move(tried->claimed);
    }
    if (!leader && shared.led) {
      // The leader looks again for all.
      ++shared.followers;
      WaitUntil(shared.changed, lock, deadline, [&] { return shared.stopped || shared.wakes > 0; });
      --shared.followers;
      if (shared.wakes > 0) --shared.wakes;
      continue;
    }
    // Without a watch, the leader of a moment ago has left: look again, with a watch.
    if (!tried->watch.has_value()) continue;
    shared.led = leader = true;
    lock.unlock();
    Lead(*tried->watch, until);
  }
}

}  // namespace fdbjobs
