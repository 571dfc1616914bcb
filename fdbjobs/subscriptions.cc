#include "fdbjobs/subscriptions.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "fdbjobs/arguments.h"
#include "fdbjobs/fdb/error_codes.h"
#include "fdbjobs/fdb/status.h"
#include "fdbjobs/fdb/transact.h"
#include "fdbjobs/job_view.h"
#include "fdbjobs/transaction_memory.h"

namespace fdbjobs {
namespace {

// Jobs that are read in one transaction.
constexpr size_t kBatch = 500;
// How long a transaction may go on after the deadline.
constexpr absl::Duration kGrace = absl::Seconds(5);

}  // namespace

struct Subscriptions::Entry {
  JobType type;
  JobId id;
  std::optional<JobState> until;
  // What was seen last: the data row, or none.
  std::optional<std::string> seen;
  // Instead of it, until the first look: the row that the subscribing transaction stamped itself, so that nobody could
  // read it then.
  std::optional<TransactionMemory::StampedRow> stamped;
  std::optional<fdb::VoidFuture> watch;

  bool Differs(const std::optional<std::string>& value) const;
};

// Of a row that was stamped all is known but the stamp, whose last two bytes are.
bool Subscriptions::Entry::Differs(const std::optional<std::string>& value) const {
  if (!stamped.has_value()) return seen != value;
  if (!stamped->row.has_value() || !value.has_value()) return stamped->row.has_value() != value.has_value();
  const absl::StatusOr<keyspace::JobRow> now = keyspace::JobRow::Decode(*value);
  const keyspace::JobRow& then = *stamped->row;
  if (!now.ok() || now->state != then.state || now->options != then.options) return true;
  return then.state == JobState::kRunning &&
         (now->lock != then.lock || now->sequence.incarnation != then.sequence.incarnation ||
          now->sequence.stamp.user_version != then.sequence.stamp.user_version);
}

struct Subscriptions::Ready {
  std::mutex mutex;
  std::condition_variable changed;
  std::set<std::string> keys;  // guarded by mutex
};

Subscriptions::Subscriptions(const fdb::Database& db, const Jobs& jobs)
    : db_(db), jobs_(jobs), ready_(std::make_shared<Ready>()) {}
Subscriptions::~Subscriptions() = default;

absl::Status Subscriptions::Subscribe(fdb::Transaction& tr, const JobType& type, const JobId& id,
                                      std::optional<JobState> until) {
  if (absl::Status status = CheckType(jobs_.keys(), type); !status.ok()) return status;
  if (absl::Status status = CheckId(jobs_.keys(), type, id); !status.ok()) return status;
  std::string key = jobs_.keys().Data(type, id);
  Entry entry{type, id, until, std::nullopt, std::nullopt, std::nullopt};
  const auto& stamped = tr.memory<TransactionMemory>().stamped;
  if (const auto own = stamped.find(key); own != stamped.end()) {
    entry.stamped = own->second;
  } else {
    // Snapshot: the caller does not decide anything by it.
    absl::StatusOr<std::optional<std::string>> value = tr.Get(key, fdb::Isolation::kSnapshot).Await();
    if (!value.ok()) return value.status();
    entry.seen = *std::move(value);
  }
  entries_.erase(key);
  entries_.emplace(key, std::move(entry));
  const std::lock_guard lock(ready_->mutex);
  ready_->keys.insert(std::move(key));
  return absl::OkStatus();
}

void Subscriptions::Unsubscribe(const JobType& type, const JobId& id) { entries_.erase(jobs_.keys().Data(type, id)); }

void Subscriptions::Compare(Entries::iterator at, const std::optional<std::string>& value,
                            std::vector<JobChange>* changes) {
  Entry& entry = at->second;
  const bool changed = entry.Differs(value);
  entry.seen = value;
  entry.stamped.reset();
  JobChange change{entry.type, entry.id, std::nullopt, ""};
  if (value.has_value()) {
    absl::StatusOr<Job> job = DecodeJob(entry.type, entry.id, *value);
    if (job.ok()) {
      change.job = *std::move(job);
    } else {
      change.damage = absl::StrCat(jobs_.keys().Describe(at->first), ": ", job.status().message());
    }
  }
  const bool gone = !value.has_value() && changed;
  const bool there = entry.until.has_value() && change.job.has_value() && change.job->state == *entry.until;
  const bool tell = changed && (!entry.until.has_value() || !change.damage.empty());
  if (gone || there || tell) changes->push_back(std::move(change));
  if (gone || there) entries_.erase(at);
}

absl::Status Subscriptions::Refresh(const std::vector<std::string>& keys, absl::Time deadline,
                                    std::vector<JobChange>* changes) {
  struct Looked {
    std::vector<std::optional<std::string>> values;
    std::vector<fdb::VoidFuture> watches;
  };
  const absl::Duration left = std::max(absl::ZeroDuration(), deadline - absl::Now()) + kGrace;
  absl::StatusOr<Looked> looked =
      fdb::Transact(db_, {.timeout = left}, [&](fdb::Transaction& tr) -> absl::StatusOr<Looked> {
        Looked look;
        std::vector<fdb::ValueFuture> values;
        for (const std::string& key : keys) values.push_back(tr.Get(key, fdb::Isolation::kSnapshot));
        for (const fdb::ValueFuture& value : values) {
          absl::StatusOr<std::optional<std::string>> row = value.Await();
          if (!row.ok()) return row.status();
          look.values.push_back(*std::move(row));
        }
        for (const std::string& key : keys) look.watches.push_back(tr.Watch(key));
        return look;
      });
  if (!looked.ok()) return looked.status();
  absl::Status first_error;
  for (size_t i = 0; i < keys.size(); ++i) {
    const Entries::iterator at = entries_.find(keys[i]);
    if (at == entries_.end()) continue;
    at->second.watch = std::move(looked->watches[i]);
    Compare(at, looked->values[i], changes);
  }
  // Callbacks last, and only of watches that have their place: they may run at once.
  for (const std::string& key : keys) {
    const Entries::iterator at = entries_.find(key);
    if (at == entries_.end()) continue;
    const absl::Status told = at->second.watch->OnReady([ready = ready_, key] {
      const std::lock_guard lock(ready->mutex);
      ready->keys.insert(key);
      ready->changed.notify_all();
    });
    // One that tells nobody is none.
    if (!told.ok()) at->second.watch.reset();
    first_error.Update(told);
  }
  return first_error;
}

std::vector<std::string> Subscriptions::NextKeys(absl::Time deadline) {
  std::vector<std::string> keys;
  std::unique_lock lock(ready_->mutex);
  // Not longer than a day at once: larger numbers overflow in the clock.
  const absl::Duration left = std::clamp(deadline - absl::Now(), absl::ZeroDuration(), absl::Hours(24));
  ready_->changed.wait_for(lock, absl::ToChronoMicroseconds(left), [&] { return !ready_->keys.empty(); });
  while (!ready_->keys.empty()) keys.push_back(std::move(ready_->keys.extract(ready_->keys.begin()).value()));
  return keys;
}

absl::Status Subscriptions::DropIdle(std::vector<std::string>* keys) {
  absl::Status status;
  std::erase_if(*keys, [&](const std::string& key) {
    const Entries::iterator at = entries_.find(key);
    if (at == entries_.end()) return true;
    std::optional<fdb::VoidFuture>& watch = at->second.watch;
    if (!watch.has_value()) return false;
    // This was told by a watch of an earlier subscription. To give up the one that is set would tell the same again.
    if (!watch->IsReady()) return true;
    const absl::Status told = watch->AwaitReady();
    // A watch that was refused would be refused again at once.
    if (fdb::FdbCode(told) == fdb::error::kTooManyWatches) status = told;
    watch.reset();
    return false;
  });
  return status;
}

absl::StatusOr<std::vector<JobChange>> Subscriptions::Wait(absl::Time deadline) {
  std::vector<JobChange> changes;
  while (true) {
    // All that is known. What changes while these are read is for the next call: under steady change there is always
    // more.
    std::vector<std::string> keys = NextKeys(deadline);
    absl::Status status = DropIdle(&keys);
    while (status.ok() && !keys.empty()) {
      const size_t rest = keys.size() - std::min(keys.size(), kBatch);
      const std::vector<std::string> batch(keys.begin() + static_cast<ptrdiff_t>(rest), keys.end());
      status = Refresh(batch, deadline, &changes);
      if (status.ok()) keys.resize(rest);
    }
    if (!status.ok()) {
      const std::lock_guard lock(ready_->mutex);
      ready_->keys.insert(keys.begin(), keys.end());
      const bool again = fdb::FdbCode(status) == fdb::error::kTransactionTimedOut && absl::Now() < deadline;
      // What is known is told first. The keys stay, so the next call meets the error again.
      if (changes.empty() && !again) return status;
    }
    if (!changes.empty() || absl::Now() >= deadline) return changes;
  }
}

}  // namespace fdbjobs
