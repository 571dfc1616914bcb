// Rescue: what the activity monitor does in one transaction.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "fdbjobs/arguments.h"
#include "fdbjobs/fdb/key_selector.h"
#include "fdbjobs/job_access.h"
#include "fdbjobs/jobs.h"

namespace fdbjobs {
namespace {

constexpr int kMostEntries = 10000;

// One activity row.
struct Entry {
  std::string key;
  Sequence sequence;
  JobAccess::Read read;
};

// What becomes of the job whose entry was not renewed. Its entry is cleared either way.
absl::Status RescueOne(JobAccess& access, const Entry& entry, LoadedJob& job, RescueResult* result) {
  const bool own = job.state == JobState::kRunning && !job.stamped.has_value() && job.sequence == entry.sequence;
  if (!own) {
    access.ClearEntry(entry.key);
    ++result->dropped;
    return absl::OkStatus();
  }
  const bool ends = job.options.cancel && !job.options.resubmit;
  ++(ends ? result->finished : result->reenqueued);
  return access.Put(job, ends ? JobState::kFinished : JobState::kPending);
}

}  // namespace

absl::StatusOr<RescueResult> Jobs::Rescue(fdb::Transaction& tr, const JobType& type, const Sequence& not_renewed_since,
                                          int limit, const std::optional<std::string>& continuation) const {
  if (absl::Status status = CheckType(keys_, type); !status.ok()) return status;
  if (absl::Status status = CheckLimit("limit", limit, kMostEntries); !status.ok()) return status;
  const keyspace::KeyRange range = keys_.ActivityRange(type);
  const std::string begin = continuation.value_or(range.begin);
  if (begin < range.begin || begin > range.end) {
    return absl::InvalidArgumentError(
        absl::StrCat("continuation: ", keys_.Describe(begin), "; allowed is what a call before gave"));
  }
  const std::string end = std::max(begin, keys_.Activity(type, not_renewed_since) + '\0');
  JobAccess access(keys_, *receipts_, tr);
  // Snapshot: entries that come or go meanwhile do not matter. The jobs' data rows decide.
  const fdb::RangeFuture asked = tr.GetRange({.begin = fdb::KeySelectorView::FirstGreaterOrEqual(begin),
                                              .end = fdb::KeySelectorView::FirstGreaterOrEqual(end),
                                              .isolation = fdb::Isolation::kSnapshot,
                                              .limit = limit,
                                              .mode = fdb::StreamingMode::kExact});
  access.StartIncarnation();
  const absl::StatusOr<fdb::RangeBatchView> batch = asked.AwaitView();
  if (!batch.ok()) return batch.status();

  RescueResult result;
  std::vector<Entry> entries;
  for (const fdb::KeyValueView& row : batch->rows) {
    const absl::StatusOr<Sequence> sequence = keys_.ReadActivity(type, row.key());
    absl::StatusOr<JobId> id = keyspace::JobKeys::DecodeId(row.value());
    if (sequence.ok() && id.ok()) {
      entries.push_back({std::string(row.key()), *sequence, access.StartRead(type, *std::move(id))});
    } else {
      const absl::Status& why = sequence.ok() ? id.status() : sequence.status();
      result.damaged.push_back({std::string(row.key()), std::string(why.message())});
    }
  }
  for (Entry& entry : entries) {
    absl::StatusOr<LoadedJob> job = access.Await(entry.read);
    if (!job.ok()) {
      if (job.status().code() != absl::StatusCode::kDataLoss) return job.status();
      result.damaged.push_back({entry.key, std::string(job.status().message())});
      continue;
    }
    if (absl::Status status = RescueOne(access, entry, *job, &result); !status.ok()) return status;
  }
  if (batch->more) result.continuation = std::string(batch->rows.back().key()) + '\0';
  if (absl::Status status = access.Flush(); !status.ok()) return status;
  return result;
}

}  // namespace fdbjobs
