#include "fdbjobs/admin/repair.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "fdbjobs/admin/count_jobs.h"
#include "fdbjobs/fdb/range.h"
#include "fdbjobs/job_access.h"
#include "fdbjobs/keyspace/row_reader.h"

namespace fdbjobs::admin {
namespace {

using fdb::Isolation;
using keyspace::JobKeys;
using keyspace::Row;

Mended Done(std::string what) { return {true, std::move(what)}; }
Mended Left(std::string why) { return {false, std::move(why)}; }
Mended NoLongerWrong() { return Done("no longer wrong"); }

// The row as it is now; none: it is not there.
absl::StatusOr<std::optional<Row>> ReadNow(const JobKeys& keys, fdb::Transaction& tr, const std::string& key) {
  const absl::StatusOr<std::optional<std::string>> value = tr.Get(key, Isolation::kSerializable).Await();
  if (!value.ok()) return value.status();
  if (!value->has_value()) return std::nullopt;
  return keyspace::ReadRow(keys, key, **value);
}

}  // namespace

Repairer::Repairer(const Jobs& jobs, const fdb::Database& db, const fdb::TransactOptions& options,
                   bool remove_unreadable)
    : jobs_(jobs), db_(db), options_(options), remove_unreadable_(remove_unreadable), receipts_(jobs.keys()) {}

absl::StatusOr<Mended> Repairer::Repair(const Violation& violation) {
  if (violation.problem == Problem::kWrongCount && violation.type.has_value()) return MendCounts(violation);
  return fdb::Transact(db_, options_, [&](fdb::Transaction& tr) { return InTransaction(tr, violation); });
}

absl::StatusOr<Mended> Repairer::InTransaction(fdb::Transaction& tr, const Violation& violation) {
  switch (violation.problem) {
    case Problem::kNotQueued:
    case Problem::kStrayMark:
      return MendJob(tr, violation);
    case Problem::kNoActivity:
      return Restamp(tr, violation);
    case Problem::kStrayQueueRow:
    case Problem::kQueueRowValue:
      return MendQueueRow(tr, violation);
    case Problem::kActivityInFuture:
      return MendFutureActivity(tr, violation);
    case Problem::kUnreadableQueueRow:
    case Problem::kUnreadableActivity:
    case Problem::kUnreadableReceipt:
      // What they told is in the data rows too, or nowhere.
      return ClearIfUnreadable(tr, violation);
    case Problem::kUnknownRow:
    case Problem::kUnreadableJob:
      if (remove_unreadable_) return ClearIfUnreadable(tr, violation);
      return Left("nobody but you can know what it was meant to be");
    case Problem::kWatchBehind:
    case Problem::kPendingWatchMissing:
    case Problem::kTypesWatchUnreadable:
      return MendWatch(tr, violation);
    case Problem::kUnreadableIncarnation:
      return MendIncarnation(tr);
    case Problem::kUnreadableTimeout:
      return Left("set the timeout of the type again");
    case Problem::kDataNotJson:
      return Left("the data is the caller's");
    case Problem::kWrongCount:
      return ClearIfUnreadable(tr, violation);
  }
  return Left("not known how to");
}

absl::StatusOr<Mended> Repairer::MendJob(fdb::Transaction& tr, const Violation& violation) {
  const absl::StatusOr<std::optional<Row>> row = ReadNow(jobs_.keys(), tr, violation.key);
  if (!row.ok()) return row.status();
  if (!row->has_value() || !(*row)->damage.empty()) return NoLongerWrong();
  const keyspace::JobOptions& options = *(*row)->options;
  const JobState state = (*row)->job->state;
  std::string did;
  const bool cancel = state == JobState::kPending && options.cancel;
  const bool resubmit = state != JobState::kRunning && options.resubmit;
  if (cancel || resubmit) {
    keyspace::JobOptions without = options;
    without.cancel = options.cancel && !cancel;
    without.resubmit = options.resubmit && !resubmit;
    keyspace::JobRow rewritten = *(*row)->job;
    rewritten.options = without.ToJson();
    tr.Set(violation.key, rewritten.Encode());
    did = "mark taken off";
  }
  if (state == JobState::kPending) {
    const std::string queue_key = jobs_.keys().Pending(*violation.type, options.priority, *violation.id);
    const absl::StatusOr<std::optional<std::string>> queued = tr.Get(queue_key, Isolation::kSerializable).Await();
    if (!queued.ok()) return queued.status();
    if (!queued->has_value()) {
      tr.Set(queue_key, "");
      JobAccess(jobs_.keys(), receipts_, tr).TouchStamp(jobs_.keys().PendingWatch(*violation.type));
      absl::StrAppend(&did, did.empty() ? "" : ", ", "entered into the queue");
    }
  }
  return did.empty() ? NoLongerWrong() : Done(did);
}

// A fresh sequence and activity entry. The lock stays, so the worker, if there is one, goes on; if there is none, the
// monitor finds the job one timeout later.
absl::StatusOr<Mended> Repairer::Restamp(fdb::Transaction& tr, const Violation& violation) {
  JobAccess access(jobs_.keys(), receipts_, tr);
  JobAccess::Read read = access.StartRead(*violation.type, *violation.id);
  absl::StatusOr<LoadedJob> job = access.Await(read);
  if (job.status().code() == absl::StatusCode::kDataLoss) return Left(std::string(job.status().message()));
  if (!job.ok()) return job.status();
  if (job->state != JobState::kRunning) return NoLongerWrong();
  const std::string entry_key = jobs_.keys().Activity(*violation.type, job->sequence);
  const absl::StatusOr<std::optional<Row>> entry = ReadNow(jobs_.keys(), tr, entry_key);
  if (!entry.ok()) return entry.status();
  const absl::StatusOr<uint8_t> incarnation = access.AwaitIncarnation();
  if (incarnation.status().code() == absl::StatusCode::kDataLoss) return Left("the incarnation can't be read");
  if (!incarnation.ok()) return incarnation.status();
  const bool own = entry->has_value() && (*entry)->id == *violation.id;
  const absl::StatusOr<int64_t> version = tr.GetReadVersion().Await();
  if (!version.ok()) return version.status();
  const bool past =
      job->sequence.stamp.complete() &&
      (job->sequence.incarnation < *incarnation ||
       (job->sequence.incarnation == *incarnation && job->sequence.version() <= static_cast<uint64_t>(*version)));
  if (own && past) return NoLongerWrong();
  if (absl::Status status = access.Put(*job, JobState::kRunning); !status.ok()) return status;
  if (absl::Status status = access.Flush(); !status.ok()) return status;
  // Put has cleared the entry of the old sequence, which is another job's.
  if (entry->has_value() && !own && (*entry)->damage.empty()) tr.Set(entry_key, (*entry)->value);
  return Done("given a new activity entry");
}

absl::StatusOr<Mended> Repairer::MendQueueRow(fdb::Transaction& tr, const Violation& violation) {
  const absl::StatusOr<std::optional<Row>> row = ReadNow(jobs_.keys(), tr, violation.key);
  if (!row.ok()) return row.status();
  if (!row->has_value()) return NoLongerWrong();
  const std::string data_key = jobs_.keys().Data(*violation.type, *violation.id);
  const absl::StatusOr<std::optional<Row>> job = ReadNow(jobs_.keys(), tr, data_key);
  if (!job.ok()) return job.status();
  if (job->has_value() && !(*job)->damage.empty()) return Left("the data row can't be read");
  const bool right =
      job->has_value() && (*job)->job->state == JobState::kPending && (*job)->options->priority == *(*row)->priority;
  if (!right) {
    tr.Clear(violation.key);
    return Done("taken out of the queue");
  }
  if ((*row)->value.empty()) return NoLongerWrong();
  tr.Set(violation.key, "");
  return Done("value emptied");
}

absl::StatusOr<Mended> Repairer::MendFutureActivity(fdb::Transaction& tr, const Violation& violation) {
  const absl::StatusOr<std::optional<Row>> entry = ReadNow(jobs_.keys(), tr, violation.key);
  if (!entry.ok()) return entry.status();
  if (!entry->has_value()) return NoLongerWrong();
  const absl::StatusOr<std::optional<Row>> job =
      ReadNow(jobs_.keys(), tr, jobs_.keys().Data(*violation.type, *violation.id));
  if (!job.ok()) return job.status();
  const bool held = job->has_value() && (*job)->damage.empty() && (*job)->job->state == JobState::kRunning &&
                    (*job)->job->sequence == *(*entry)->sequence;
  // A new sequence clears this entry too.
  if (held) return Restamp(tr, violation);
  tr.Clear(violation.key);
  return Done("entry removed");
}

absl::StatusOr<Mended> Repairer::MendWatch(fdb::Transaction& tr, const Violation& violation) {
  if (violation.problem == Problem::kTypesWatchUnreadable) {
    JobAccess(jobs_.keys(), receipts_, tr).TouchStamp(jobs_.keys().TypesWatch());
    return Done("stamped anew");
  }
  if (violation.problem == Problem::kPendingWatchMissing) {
    JobAccess(jobs_.keys(), receipts_, tr).TouchStamp(jobs_.keys().PendingWatch(*violation.type));
    return Done("stamped anew");
  }
  JobAccess access(jobs_.keys(), receipts_, tr);
  const absl::StatusOr<uint8_t> incarnation = access.AwaitIncarnation();
  if (incarnation.status().code() == absl::StatusCode::kDataLoss) return Left("the incarnation can't be read");
  if (!incarnation.ok()) return incarnation.status();
  tr.AtomicOp(fdb::MutationType::kSetVersionstampedValue, jobs_.keys().Watch(*violation.type),
              JobKeys::WatchToStamp(*incarnation));
  return Done("stamped anew");
}

// One more than the highest that is in use: sequences stay monotonic.
absl::StatusOr<Mended> Repairer::MendIncarnation(fdb::Transaction& tr) {
  const absl::StatusOr<std::optional<Row>> row = ReadNow(jobs_.keys(), tr, jobs_.keys().Incarnation());
  if (!row.ok()) return row.status();
  if (!row->has_value()) return NoLongerWrong();
  const std::optional<int64_t> number = (*row)->number;
  if (number.has_value() && *number >= 0 && *number <= 255) return NoLongerWrong();
  const keyspace::KeyRange range = jobs_.keys().WatchesRange();
  const absl::StatusOr<std::vector<fdb::KeyValue>> watches =
      fdb::ReadRange(tr, {.begin = fdb::KeySelectorView::FirstGreaterOrEqual(range.begin),
                          .end = fdb::KeySelectorView::FirstGreaterOrEqual(range.end),
                          .isolation = Isolation::kSerializable});
  if (!watches.ok()) return watches.status();
  int highest = -1;
  for (const fdb::KeyValue& watch : *watches) {
    const absl::StatusOr<Sequence> sequence = JobKeys::DecodeSequence(watch.value);
    if (sequence.ok()) highest = std::max<int>(highest, sequence->incarnation);
  }
  if (highest >= 255) return Left("255, the highest that fits into a sequence, is in use already");
  tr.Set(jobs_.keys().Incarnation(), JobKeys::EncodeNumber(highest + 1));
  return Done(absl::StrCat("set to ", highest + 1, ", one more than is in use"));
}

absl::StatusOr<Mended> Repairer::ClearIfUnreadable(fdb::Transaction& tr, const Violation& violation) {
  const absl::StatusOr<std::optional<Row>> row = ReadNow(jobs_.keys(), tr, violation.key);
  if (!row.ok()) return row.status();
  if (!row->has_value() || (*row)->damage.empty()) return NoLongerWrong();
  tr.Clear(violation.key);
  return Done("row removed");
}

absl::StatusOr<Mended> Repairer::MendCounts(const Violation& violation) {
  constexpr int kTries = 5;
  constexpr JobState kStates[] = {JobState::kPending, JobState::kRunning, JobState::kFinished};
  const JobType& type = *violation.type;
  for (int i = 0; i < kTries; ++i) {
    const absl::StatusOr<std::optional<Counted>> counted = CountRows(jobs_, db_, options_, type, kTries);
    if (!counted.ok()) return counted.status();
    if (!counted->has_value()) break;
    const Counts& counts = (*counted)->counts;
    const int64_t real[] = {counts.pending, counts.running, counts.finished};
    const absl::StatusOr<bool> written =
        fdb::Transact(db_, options_, [&](fdb::Transaction& tr) -> absl::StatusOr<bool> {
          // Serializable: who changes a job meanwhile changes one of these, and then this conflicts.
          const absl::StatusOr<Fingerprint> now = ReadFingerprint(jobs_, tr, type, Isolation::kSerializable);
          if (!now.ok()) return now.status();
          if (*now != (*counted)->fingerprint) return false;
          const std::vector<std::optional<int64_t>> stored = CountersOf(*now);
          for (size_t state = 0; state < std::size(kStates); ++state) {
            if (stored[state] == real[state]) continue;
            const std::string key = jobs_.keys().Count(type, kStates[state]);
            tr.Clear(key);
            if (real[state] != 0) tr.Add(key, real[state]);
          }
          return true;
        });
    if (!written.ok()) return written.status();
    if (*written)
      return Done(absl::StrCat("counted anew: ", real[0], " pending, ", real[1], " running, ", real[2], " finished"));
  }
  return Left("jobs of the type changed their states all the time; try again when it is quieter");
}

}  // namespace fdbjobs::admin
