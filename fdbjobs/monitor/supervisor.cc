#include "fdbjobs/monitor/supervisor.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "fdbjobs/fdb/error_codes.h"
#include "fdbjobs/fdb/status.h"

namespace fdbjobs {
namespace {

constexpr int kTypesPerPage = 1000;
constexpr int kReceiptsPerPage = 1000;
constexpr absl::Duration kBetweenPages = absl::Milliseconds(100);
// The name of the watch on the list of types. No type packs to nothing.
constexpr char kListName[] = "";
// How long no watches are set after one was refused.
constexpr absl::Duration kRefusedFor = absl::Minutes(1);

uint64_t SeedOr(uint64_t seed) { return seed != 0 ? seed : std::random_device()(); }

bool IsCutOff(const absl::Status& status) { return status.code() == absl::StatusCode::kCancelled; }

}  // namespace

struct MonitorSupervisor::Entry {
  Entry(const fdb::Database& db, const Jobs& jobs, const JobType& type, absl::Duration timeout,
        const MonitorOptions& options, StopSignal& stop, uint64_t seed)
      : monitor(db, jobs, type, timeout, options, stop, seed) {}

  ActivityMonitor monitor;
  absl::Time queued = absl::InfinitePast();  // its place in the queue
};

// What one transaction found.
struct MonitorSupervisor::Looked {
  std::vector<absl::StatusOr<Seen>> seen;
  std::vector<std::optional<fdb::VoidFuture>> watches;  // of those of which nothing runs
  int64_t read_version = 0;
};

MonitorSupervisor::MonitorSupervisor(const fdb::Database& db, const Jobs& jobs, MonitorOptions options)
    : db_(db),
      jobs_(jobs),
      options_(std::move(options)),
      random_(static_cast<std::minstd_rand::result_type>(SeedOr(options_.seed))),
      contact_(options_.first_backoff, options_.longest_backoff),
      looks_(options_.looks_per_transaction, options_.looks_per_transaction) {}

MonitorSupervisor::~MonitorSupervisor() { Stop(); }

absl::Time MonitorSupervisor::RunOnce(absl::Time now) {
  {
    const std::lock_guard lock(mutex_);
    ++stats_.rounds;
  }
  TakeWatches();
  if (now < contact_.retry_at()) return contact_.retry_at();
  absl::Status status = Ping(now);
  if (status.ok()) status = RefreshTypes(now);
  if (status.ok()) status = RunDue(now);
  if (status.ok()) status = PruneReceipts(now);
  if (!status.ok()) {
    if (!IsCutOff(status)) NoteFailure(status);
    return contact_.retry_at();
  }
  absl::Time next = next_list_;
  if (!queue_.empty()) next = std::min(next, queue_.begin()->first);
  return std::min({next, next_ping_, next_prune_});
}

void MonitorSupervisor::TakeWatches() {
  bool refused = false;
  for (const std::string& name : watches_.TakeFired(&refused)) {
    if (name == kListName) {
      // A list that was just read is not read again at once, however often it changes.
      next_list_ = std::min(next_list_, last_list_ + Jittered(options_.types_interval));
      continue;
    }
    const auto found = types_.find(JobType::FromPacked(name));
    if (found == types_.end()) continue;
    found->second->monitor.WakeUp();
    Enqueue(*found->second);
  }
  if (refused) watches_refused_until_ = options_.clock() + kRefusedFor;
}

absl::Status MonitorSupervisor::RefreshTypes(absl::Time now) {
  if (now < next_list_) return absl::OkStatus();
  absl::StatusOr<std::vector<TypeTimeout>> types = ReadTypes();
  if (!types.ok()) return fdb::Annotate(types.status(), "list the types");
  last_list_ = now;
  next_list_ = now + Jittered(options_.look_again);
  MergeTypes(*std::move(types));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<TypeTimeout>> MonitorSupervisor::ReadTypes() {
  std::vector<TypeTimeout> types;
  std::vector<Damage> damaged;
  std::string continuation;
  // Before the list is read, so that no change is missed.
  std::optional<fdb::VoidFuture> watch;
  do {
    const bool first = continuation.empty();
    absl::StatusOr<TypePage> page =
        TransactUnder(stop_, db_, {.timeout = options_.transaction_timeout}, [&](fdb::Transaction& tr) {
          if (first) watch = tr.Watch(jobs_.keys().TypesWatch());
          return ListTypes(jobs_, tr, kTypesPerPage, continuation);
        });
    if (!page.ok()) return page.status();
    for (TypeTimeout& type : page->types) {
      if (!options_.wants || options_.wants(type.type)) types.push_back(std::move(type));
    }
    std::move(page->damaged.begin(), page->damaged.end(), std::back_inserter(damaged));
    continuation = page->continuation;
  } while (!continuation.empty());
  watches_.Set(kListName, *std::move(watch));
  {
    const std::lock_guard lock(mutex_);
    ++stats_.type_lists;
    stats_.types_known = true;
    stats_.damaged_types = damaged.size();
  }
  for (const Damage& damage : damaged) {
    if (!damaged_types_.insert(damage.key).second) continue;
    Tell({.kind = MonitorEvent::Kind::kDamage,
          .text = absl::StrCat(jobs_.keys().Describe(damage.key), ": ", damage.what)});
  }
  return types;
}

void MonitorSupervisor::MergeTypes(std::vector<TypeTimeout> types) {
  std::set<JobType> there;
  for (TypeTimeout& type : types) {
    there.insert(type.type);
    const std::string timeout = absl::FormatDuration(type.timeout);
    const auto found = types_.find(type.type);
    if (found == types_.end()) {
      auto entry = std::make_unique<Entry>(db_, jobs_, type.type, type.timeout, options_, stop_, random_());
      const std::lock_guard lock(mutex_);
      Enqueue(*types_.emplace(type.type, std::move(entry)).first->second);
    } else if (found->second->monitor.timeout() != type.timeout) {
      found->second->monitor.SetTimeout(type.timeout);
      Enqueue(*found->second);
      Tell({.kind = MonitorEvent::Kind::kTypeChanged, .type = type.type, .text = timeout});
      continue;
    } else {
      continue;
    }
    Tell({.kind = MonitorEvent::Kind::kTypeFound, .type = type.type, .text = timeout});
  }
  for (auto entry = types_.begin(); entry != types_.end();) {
    if (there.contains(entry->first)) {
      ++entry;
      continue;
    }
    Tell({.kind = MonitorEvent::Kind::kTypeGone, .type = entry->first});
    watches_.Drop(entry->first.packed());
    queue_.erase({entry->second->queued, entry->second.get()});
    const std::lock_guard lock(mutex_);
    entry = types_.erase(entry);
  }
}

absl::Status MonitorSupervisor::RunDue(absl::Time now) {
  // Those that are due again when they had their turn wait for the next round.
  std::vector<Entry*> due;
  for (const auto& [time, entry] : queue_) {
    if (time > now) break;
    due.push_back(entry);
  }
  for (size_t begin = 0; begin < due.size() && !stop_.stopped();) {
    const size_t end = std::min(due.size(), begin + static_cast<size_t>(looks_.get()));
    const std::vector<Entry*> some(due.begin() + begin, due.begin() + end);
    absl::Status status = LookAt(some, now);
    if (!status.ok()) {
      if (BatchLimit::IsTooMuch(fdb::FdbCode(status))) looks_.Shrink();
      return status;
    }
    if (end - begin == static_cast<size_t>(looks_.get())) looks_.Grow();
    begin = end;
  }
  return absl::OkStatus();
}

absl::StatusOr<MonitorSupervisor::Looked> MonitorSupervisor::ReadLooks(const std::vector<Entry*>& entries,
                                                                       absl::Time now) {
  const bool may_watch = now >= watches_refused_until_;
  return TransactUnder(
      stop_, db_, {.timeout = options_.transaction_timeout}, [&](fdb::Transaction& tr) -> absl::StatusOr<Looked> {
        Looked looked;
        const fdb::Int64Future version = tr.GetReadVersion();
        std::vector<Look> looks;
        looks.reserve(entries.size());
        for (Entry* entry : entries) looks.push_back(entry->monitor.StartLook(now, tr));
        size_t room = std::max(0, options_.max_watches) - std::min<size_t>(watches_.size(), options_.max_watches);
        for (size_t i = 0; i < looks.size(); ++i) {
          absl::StatusOr<Seen> seen = looks[i].Await();
          if (fdb::FdbCode(seen.status()) != 0) return seen.status();
          looked.watches.emplace_back();
          if (seen.ok() && !seen->any_entry && may_watch && room > 0) {
            looked.watches.back() = tr.Watch(jobs_.keys().Watch(entries[i]->monitor.type()));
            --room;
          }
          looked.seen.push_back(std::move(seen));
        }
        const absl::StatusOr<int64_t> read_version = version.Await();
        if (!read_version.ok()) return read_version.status();
        looked.read_version = *read_version;
        return looked;
      });
}

absl::Status MonitorSupervisor::LookAt(const std::vector<Entry*>& entries, absl::Time now) {
  absl::StatusOr<Looked> looked = ReadLooks(entries, now);
  if (!looked.ok()) return fdb::Annotate(looked.status(), "look at types");
  {
    const std::lock_guard lock(mutex_);
    ++stats_.look_transactions;
  }
  // Not before the reads, so what they found was stamped before it.
  const absl::Time after = std::max(now, options_.clock());
  for (size_t i = 0; i < entries.size(); ++i) {
    ActivityMonitor& monitor = entries[i]->monitor;
    monitor.See(looked->seen[i], looked->read_version, after);
    if (looked->watches[i].has_value()) {
      watches_.Set(monitor.type().packed(), *std::move(looked->watches[i]));
      monitor.Sleep(after);
    }
    Enqueue(*entries[i]);
  }
  return RescueAll(entries, now);
}

absl::Status MonitorSupervisor::RescueAll(const std::vector<Entry*>& entries, absl::Time now) {
  absl::Status first;
  for (Entry* entry : entries) {
    if (stop_.stopped()) break;
    if (!entry->monitor.has_work(now)) continue;
    const absl::Status status = entry->monitor.Rescue(now);
    Enqueue(*entry);
    // One type's trouble is not to hold up the others.
    first.Update(fdb::Annotate(status, absl::StrCat("rescue jobs of type ", entry->monitor.type().ToString())));
  }
  return first;
}

absl::Status MonitorSupervisor::Ping(absl::Time now) {
  if (now < next_ping_) return absl::OkStatus();
  // A commit, since reads may be answered where commits are not. It writes a receipt, of which the process has one or
  // two that it uses again and again.
  const fdb::Receipt receipt = jobs_.NewReceipt();
  const absl::Status status =
      TransactUnder(stop_, db_, {.timeout = options_.transaction_timeout}, [&](fdb::Transaction& tr) {
        tr.WriteReceipt(receipt);
        return absl::OkStatus();
      });
  if (status.ok()) {
    next_ping_ = now + Jittered(options_.ping_every);
    NoteSuccess();
  }
  return fdb::Annotate(status, "ask for a sign of life");
}

absl::Status MonitorSupervisor::PruneReceipts(absl::Time now) {
  if (now < next_prune_ || stop_.stopped()) return absl::OkStatus();
  const absl::Time before = options_.time_of_day() - std::max(options_.receipt_age, absl::Hours(1));
  const absl::StatusOr<PruneResult> pruned = TransactUnder(
      stop_, db_, {.timeout = options_.transaction_timeout},
      [&](fdb::Transaction& tr) { return jobs_.PruneReceipts(tr, before, kReceiptsPerPage, prune_from_); });
  if (!pruned.ok()) return fdb::Annotate(pruned.status(), "remove receipts of ended processes");
  prune_from_ = pruned->continuation;
  // Page after page, but what is due comes between them.
  next_prune_ = now + (prune_from_.has_value() ? kBetweenPages : Jittered(options_.prune_every));
  const std::lock_guard lock(mutex_);
  stats_.receipts_pruned += pruned->removed;
  return absl::OkStatus();
}

bool MonitorSupervisor::settled() const {
  const std::lock_guard lock(mutex_);
  if (!stats_.types_known) return false;
  return std::all_of(types_.begin(), types_.end(), [](const auto& type) { return type.second->monitor.settled(); });
}

void MonitorSupervisor::NoteSuccess() {
  const absl::Time now = options_.clock();
  const Contact::Change change = contact_.Succeeded(now);
  if (contact_.last_gap() > absl::ZeroDuration()) {
    for (const auto& [type, entry] : types_) {
      if (contact_.last_gap() >= entry->monitor.timeout() / 4) entry->monitor.ForgetSamples();
    }
  }
  {
    const std::lock_guard lock(mutex_);
    stats_.contact = true;
    stats_.last_contact = now;
    stats_.contact_error.clear();
  }
  if (change == Contact::Change::kRegained) {
    Tell({.kind = MonitorEvent::Kind::kContactRegained,
          .text =
              absl::StrCat("after ", absl::FormatDuration(absl::Trunc(contact_.last_gap(), absl::Milliseconds(1))))});
  }
}

void MonitorSupervisor::NoteFailure(const absl::Status& status) {
  next_ping_ = absl::InfinitePast();
  const Contact::Change change = contact_.Failed(options_.clock(), random_);
  {
    const std::lock_guard lock(mutex_);
    ++stats_.errors[fdb::FdbCode(status)];
    if (contact_.lost()) {
      stats_.contact = false;
      stats_.contact_error = std::string(status.message());
    }
  }
  const MonitorEvent::Kind kind =
      change == Contact::Change::kLost ? MonitorEvent::Kind::kContactLost : MonitorEvent::Kind::kError;
  // Once it is known to be lost, each further try would say the same.
  if (kind == MonitorEvent::Kind::kContactLost || !contact_.lost()) {
    Tell({.kind = kind, .text = std::string(status.message()), .status = status});
  }
}

void MonitorSupervisor::Tell(MonitorEvent event) const {
  if (options_.on_event) options_.on_event(event);
}

void MonitorSupervisor::Enqueue(Entry& entry) {
  queue_.erase({entry.queued, &entry});
  entry.queued = entry.monitor.next_run();
  queue_.insert({entry.queued, &entry});
}

absl::Duration MonitorSupervisor::Jittered(absl::Duration duration) {
  return duration * std::uniform_real_distribution<double>(0.8, 1.0)(random_);
}

MonitorStats MonitorSupervisor::Summary() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

MonitorStats MonitorSupervisor::Stats() const {
  const std::lock_guard lock(mutex_);
  MonitorStats stats = stats_;
  stats.types.reserve(types_.size());
  for (const auto& [type, entry] : types_) stats.types.push_back(entry->monitor.stats());
  return stats;
}

}  // namespace fdbjobs
