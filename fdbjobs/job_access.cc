#include "fdbjobs/job_access.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "fdbjobs/arguments.h"
#include "fdbjobs/fdb/key_selector.h"

namespace fdbjobs {
namespace {

constexpr JobState kStates[] = {JobState::kPending, JobState::kRunning, JobState::kFinished};

size_t Index(JobState state) { return static_cast<size_t>(state); }

// Brings stored_options up to date.
const std::string& OptionsText(LoadedJob& job) {
  if (job.changed) job.stored_options = job.options.ToJson();
  job.changed = false;
  return job.stored_options;
}

}  // namespace

JobAccess::Read JobAccess::StartRead(const JobType& type, JobId id, fdb::Isolation isolation) {
  Read read{&type, std::move(id), {}, std::nullopt};
  read.key = keys_.Data(type, read.id);
  const bool known = memory_.stamped.contains(read.key) || memory_.reserved.contains(read.key);
  if (!known) read.future = tr_.Get(read.key, isolation);
  return read;
}

absl::StatusOr<LoadedJob> JobAccess::Await(Read& read) {
  LoadedJob job;
  job.type = read.type;
  job.id = std::move(read.id);
  job.key = std::move(read.key);
  std::optional<keyspace::JobRow> row;
  // The memory first: an earlier job of the same call may have been this one.
  if (const auto found = memory_.stamped.find(job.key); found != memory_.stamped.end()) {
    job.stamped = found->second.user_version;
    row = found->second.row;
  } else if (const auto reserved = memory_.reserved.find(job.key); reserved != memory_.reserved.end()) {
    row.emplace().options = reserved->second.options;
  } else {
    // An earlier job of the same call may also have written the row without a stamp, after the read was issued, or when
    // the memory had it.
    if (!read.future.has_value() || written_.contains(job.key))
      read.future = tr_.Get(job.key, fdb::Isolation::kSerializable);
    const absl::StatusOr<std::optional<std::string_view>> value = read.future->AwaitView();
    if (!value.ok()) return value.status();
    if (value->has_value()) {
      absl::StatusOr<keyspace::JobRow> decoded = keyspace::JobRow::Decode(**value);
      if (!decoded.ok()) return DamagedRow(job.key, decoded.status());
      row = *std::move(decoded);
    }
  }
  if (!row.has_value()) return job;
  absl::StatusOr<keyspace::JobOptions> options = keyspace::JobOptions::Parse(row->options);
  if (!options.ok()) return DamagedRow(job.key, options.status());
  // Else it would fail each transaction that brings it back into the queue, and all that stands in that transaction.
  if (absl::Status status = keys_.CheckPending(*job.type, options->priority, job.id); !status.ok()) {
    return DamagedRow(job.key, status);
  }
  job.options = *std::move(options);
  job.state = row->state;
  job.sequence = row->sequence;
  job.lock = row->lock;
  job.stored_priority = job.options.priority;
  job.stored_options = std::move(row->options);
  if (const auto reserved = memory_.reserved.find(job.key); reserved != memory_.reserved.end()) {
    job.reserved = true;
    job.lock = reserved->second.lock;
  }
  return job;
}

fdb::RangeFuture JobAccess::StartProbe(std::string_view first_key, std::string_view last_key) const {
  return tr_.GetRange({.begin = fdb::KeySelectorView::FirstGreaterOrEqual(first_key),
                       .end = fdb::KeySelectorView::FirstGreaterThan(last_key),
                       .isolation = fdb::Isolation::kSnapshot,
                       .limit = 1,
                       .mode = fdb::StreamingMode::kExact});
}

absl::StatusOr<bool> JobAccess::AwaitProbe(const fdb::RangeFuture& probe) {
  const absl::StatusOr<fdb::RangeBatchView> batch = probe.AwaitView();
  if (!batch.ok()) return batch.status();
  return batch->rows.empty();
}

absl::StatusOr<LoadedJob> JobAccess::Absent(const JobType& type, const JobId& id, std::string key) {
  if (absl::Status status = tr_.AddReadConflictKey(key); !status.ok()) return status;
  LoadedJob job;
  job.type = &type;
  job.id = id;
  job.key = std::move(key);
  return job;
}

void JobAccess::StartIncarnation() {
  if (incarnation_.has_value() || memory_.incarnation.contains(keys_.Incarnation())) return;
  // Serializable: a sequence with an incarnation that was just raised would sort before older ones.
  incarnation_ = tr_.Get(keys_.Incarnation(), fdb::Isolation::kSerializable);
}

absl::StatusOr<uint8_t> JobAccess::AwaitIncarnation() {
  if (const auto known = memory_.incarnation.find(keys_.Incarnation()); known != memory_.incarnation.end()) {
    return known->second;
  }
  StartIncarnation();
  const absl::StatusOr<std::optional<std::string_view>> value = incarnation_->AwaitView();
  if (!value.ok()) return value.status();
  int64_t incarnation = 0;
  if (value->has_value()) {
    const absl::StatusOr<int64_t> number = keyspace::JobKeys::DecodeNumber(**value);
    if (!number.ok()) return DamagedRow(keys_.Incarnation(), number.status());
    incarnation = *number;
  }
  if (incarnation < 0 || incarnation > 255) {
    return DamagedRow(keys_.Incarnation(),
                      absl::DataLossError(absl::StrCat("incarnation ", incarnation, " is not within 0 to 255")));
  }
  memory_.incarnation[keys_.Incarnation()] = static_cast<uint8_t>(incarnation);
  return static_cast<uint8_t>(incarnation);
}

absl::Status JobAccess::Put(LoadedJob& job, std::optional<JobState> to) {
  const bool was_or_is_running = job.state == JobState::kRunning || to == JobState::kRunning;
  std::optional<uint16_t> user_version;
  // What can fail comes before anything is written.
  if (was_or_is_running) {
    if (absl::Status status = AwaitIncarnation().status(); !status.ok()) return status;
  }
  if (to == JobState::kRunning && !job.stamped.has_value()) {
    const absl::StatusOr<uint16_t> next = tr_.NextUserVersion();
    if (!next.ok()) return next.status();
    user_version = *next;
  }
  wrote_ = memory_.wrote_jobs = true;
  CountChange& change = ChangeOf(*job.type);
  if (job.state.has_value()) --change.by_state[Index(*job.state)];
  if (to.has_value()) ++change.by_state[Index(*to)];
  if (was_or_is_running) change.watch = true;
  ClearOldIndex(job, to);
  // A claim to be finished here lasts while the job stays pending, as when its priority is changed.
  if (job.state != to) {
    memory_.reserved.erase(job.key);
    job.reserved = false;
  }
  if (to == JobState::kRunning) return WriteRunning(job, user_version);
  if (!to.has_value()) {
    tr_.Clear(job.key);
    if (job.stamped.has_value()) memory_.stamped[job.key] = {std::nullopt, *job.stamped};
    written_.insert(job.key);
    job.state = to;
    return absl::OkStatus();
  }
  if (to == JobState::kPending) {
    // Marks speak of a run that is over.
    if (job.options.cancel || job.options.resubmit) job.changed = true;
    job.options.cancel = job.options.resubmit = false;
    const bool stays = job.state == JobState::kPending && job.stored_priority == job.options.priority;
    if (!stays) tr_.Set(keys_.Pending(*job.type, job.options.priority, job.id), "");
    if (!stays) change.pending_watch = true;
    job.stored_priority = job.options.priority;
  }
  WriteStored(job, *to);
  job.state = to;
  return absl::OkStatus();
}

// Clears what other rows say of the job, unless they would be written again.
void JobAccess::ClearOldIndex(const LoadedJob& job, std::optional<JobState> to) {
  if (job.state == JobState::kPending) {
    const bool stays = to == JobState::kPending && job.stored_priority == job.options.priority;
    if (!stays) tr_.Clear(keys_.Pending(*job.type, job.stored_priority, job.id));
  } else if (job.state == JobState::kRunning && !job.stamped.has_value()) {
    // An entry that this transaction stamped has no key yet that could be cleared. Rescue drops it some day.
    tr_.Clear(keys_.Activity(*job.type, job.sequence));
  }
}

absl::Status JobAccess::WriteRunning(LoadedJob& job, const std::optional<uint16_t>& user_version) {
  const absl::StatusOr<uint8_t> incarnation = AwaitIncarnation();
  if (!incarnation.ok()) return incarnation.status();
  if (user_version.has_value()) {
    job.stamped = *user_version;
    tr_.AtomicOp(fdb::MutationType::kSetVersionstampedKey,
                 keys_.ActivityToStamp(*job.type, *incarnation, *user_version), keyspace::JobKeys::EncodeId(job.id));
  }
  keyspace::JobRow row;
  row.state = JobState::kRunning;
  row.sequence = {*incarnation, tuple::Versionstamp::Incomplete(*job.stamped)};
  row.lock = job.lock;
  row.options = OptionsText(job);
  tr_.AtomicOp(fdb::MutationType::kSetVersionstampedValue, job.key, row.EncodeToStamp(*job.stamped));
  memory_.stamped[job.key] = {std::move(row), *job.stamped};
  job.state = JobState::kRunning;
  return absl::OkStatus();
}

void JobAccess::WriteStored(LoadedJob& job, JobState state) {
  keyspace::JobRow row;
  row.state = state;
  row.options = OptionsText(job);
  tr_.Set(job.key, row.Encode());
  if (const auto reserved = memory_.reserved.find(job.key); reserved != memory_.reserved.end()) {
    reserved->second.options = row.options;
  }
  if (job.stamped.has_value()) memory_.stamped[job.key] = {std::move(row), *job.stamped};
  written_.insert(job.key);
}

absl::Status JobAccess::Rewrite(LoadedJob& job) {
  wrote_ = memory_.wrote_jobs = true;
  if (job.state != JobState::kRunning) {
    WriteStored(job, *job.state);
    return absl::OkStatus();
  }
  if (job.stamped.has_value()) return WriteRunning(job, std::nullopt);
  keyspace::JobRow row;
  row.state = JobState::kRunning;
  row.sequence = job.sequence;
  row.lock = job.lock;
  row.options = OptionsText(job);
  tr_.Set(job.key, row.Encode());
  written_.insert(job.key);
  return absl::OkStatus();
}

void JobAccess::Reserve(LoadedJob& job, const Lock& lock) {
  memory_.reserved[job.key] = {lock, job.stored_options};
  job.reserved = true;
  job.lock = lock;
}

JobAccess::CountChange& JobAccess::ChangeOf(const JobType& type) {
  for (CountChange& change : changes_) {
    if (*change.type == type) return change;
  }
  changes_.push_back({.type = &type});
  return changes_.back();
}

absl::Status JobAccess::Flush() {
  for (const CountChange& change : changes_) {
    for (const JobState state : kStates) {
      const int64_t delta = change.by_state[Index(state)];
      if (delta != 0) tr_.Add(keys_.Count(*change.type, state), delta);
    }
    if (change.watch) {
      const absl::StatusOr<uint8_t> incarnation = AwaitIncarnation();
      if (!incarnation.ok()) return incarnation.status();
      std::string key = keys_.Watch(*change.type);
      if (!memory_.watches.contains(key)) {
        tr_.AtomicOp(fdb::MutationType::kSetVersionstampedValue, key, keyspace::JobKeys::WatchToStamp(*incarnation));
        memory_.watches.insert(std::move(key));
      }
    }
    if (change.pending_watch) TouchStamp(keys_.PendingWatch(*change.type));
  }
  if (wrote_ && tr_.keeps_receipts() && !tr_.receipt_written()) tr_.WriteReceipt(receipts_.Take());
  changes_.clear();
  return absl::OkStatus();
}

void JobAccess::ClearEntry(std::string_view key) {
  wrote_ = true;
  tr_.Clear(key);
}

void JobAccess::TouchStamp(std::string key) {
  wrote_ = true;
  if (memory_.watches.contains(key)) return;
  tr_.AtomicOp(fdb::MutationType::kSetVersionstampedValue, key, keyspace::JobKeys::StampAlone());
  memory_.watches.insert(std::move(key));
}

absl::Status JobAccess::DamagedRow(std::string_view key, const absl::Status& status) const {
  return absl::DataLossError(absl::StrCat(keys_.Describe(key), ": ", status.message()));
}

}  // namespace fdbjobs
