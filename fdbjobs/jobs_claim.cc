// Accept and AcceptToFinish.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "fdbjobs/arguments.h"
#include "fdbjobs/contention.h"
#include "fdbjobs/fdb/error_codes.h"
#include "fdbjobs/fdb/key_selector.h"
#include "fdbjobs/job_access.h"
#include "fdbjobs/jobs.h"
#include "fdbjobs/uuid.h"

namespace fdbjobs {
namespace {

constexpr int kMostClaims = 10000;
// Rows that are looked at together when those before could not be claimed.
constexpr int kMostAtOnce = 1000;

// One row of the queue.
struct Candidate {
  std::string pending_key;
  Priority priority;
  JobId id;
};

// The pending rows of a type from some key on.
class Queue {
 public:
  Queue(const keyspace::JobKeys& keys, fdb::Transaction& tr, const JobType& type,
        const std::optional<Priority>& max_priority)
      : keys_(keys), tr_(tr), type_(type), range_(keys.PendingRange(type)) {
    if (max_priority.has_value()) range_.end = keys.PendingRange(type, *max_priority).end;
  }

  // Issues the read of the next `rows`. Snapshot: rows that are only looked at must not conflict with anybody. Those
  // that are claimed conflict by their data rows.
  fdb::RangeFuture Ask(int rows) const {
    return tr_.GetRange({.begin = fdb::KeySelectorView::FirstGreaterOrEqual(range_.begin),
                         .end = fdb::KeySelectorView::FirstGreaterOrEqual(range_.end),
                         .isolation = fdb::Isolation::kSnapshot,
                         .limit = rows,
                         .mode = fdb::StreamingMode::kExact});
  }
  // The rows that were asked for, and goes on behind them.
  absl::StatusOr<std::vector<Candidate>> Take(const fdb::RangeFuture& asked, std::vector<Damage>* damaged) {
    const absl::StatusOr<fdb::RangeBatchView> batch = asked.AwaitView();
    if (!batch.ok()) return batch.status();
    std::vector<Candidate> candidates;
    candidates.reserve(batch->rows.size());
    for (const fdb::KeyValueView& row : batch->rows) {
      const absl::StatusOr<keyspace::JobKeys::PendingParts> parts = keys_.ReadPending(type_, row.key());
      if (!parts.ok()) {
        damaged->push_back({std::string(row.key()), std::string(parts.status().message())});
        continue;
      }
      candidates.push_back(
          {std::string(row.key()), Priority::FromPacked(parts->priority), JobId::FromPacked(parts->id)});
    }
    at_end_ = !batch->more;
    if (!batch->rows.empty()) range_.begin = std::string(batch->rows.back().key()) + '\0';
    return candidates;
  }
  bool at_end() const { return at_end_; }

 private:
  const keyspace::JobKeys& keys_;
  fdb::Transaction& tr_;
  const JobType& type_;
  keyspace::KeyRange range_;
  bool at_end_ = false;
};

// Brings a block of the window to its front, and tells how many rows it has. Blocks are neighbours of the first row's
// priority; they begin at multiples of the limit, so that two claims overlap wholly or not at all.
size_t ChooseFromWindow(size_t limit, std::vector<Candidate>* window) {
  const auto end = std::find_if(window->begin(), window->end(), [&](const Candidate& candidate) {
    return candidate.priority != window->front().priority;
  });
  const size_t rows = static_cast<size_t>(end - window->begin());
  const size_t blocks = (rows + limit - 1) / limit;
  const size_t begin = static_cast<size_t>(Contention::Choose(static_cast<int>(blocks))) * limit;
  const size_t chosen = std::min(limit, rows - begin);
  // The rows before it come behind it, in their order, should none of it be claimable.
  const auto block = window->begin() + static_cast<ptrdiff_t>(begin);
  std::rotate(window->begin(), block, block + static_cast<ptrdiff_t>(chosen));
  return chosen;
}

// What is wrong with a job that stands in the queue, if anything.
std::optional<std::string> WhyNotClaimable(const LoadedJob& job, const Candidate& candidate) {
  if (!job.state.has_value()) return "the queue has a job that has no data row";
  if (job.state != JobState::kPending) {
    return absl::StrCat("the queue has a job that is ", JobStateName(*job.state));
  }
  if (job.options.priority != candidate.priority) {
    return absl::StrCat("the queue has the job at priority ", candidate.priority.ToString(), ", its data row says ",
                        job.options.priority.ToString());
  }
  if (job.stored_options.size() > kMaxOptionsBytes) {
    return absl::StrCat("JobOpts has ", job.stored_options.size(), " bytes, too many for a running job");
  }
  return std::nullopt;
}

ClaimedJob ToClaimed(LoadedJob& job) {
  ClaimedJob claimed{.type = *job.type,
                     .id = job.id,
                     .lock = job.lock,
                     .priority = job.options.priority,
                     .data = std::move(job.options.data),
                     .resubmit = false,
                     .added = std::nullopt};
  if (job.options.added_ms.has_value()) claimed.added = absl::FromUnixMillis(*job.options.added_ms);
  return claimed;
}

enum class ClaimKind { kLease, kFinishHere };

// Reads the data rows of the candidates, together, and claims those that can be, until there are `limit` in all.
absl::Status ClaimCandidates(JobAccess& access, const JobType& type, ClaimKind kind, const Lock& lock, size_t limit,
                             absl::Span<Candidate> candidates, Claimed* claimed) {
  std::vector<JobAccess::Read> reads;
  reads.reserve(candidates.size());
  for (const Candidate& candidate : candidates) reads.push_back(access.StartRead(type, candidate.id));
  for (size_t i = 0; i < candidates.size() && claimed->jobs.size() < limit; ++i) {
    if (access.IsReserved(reads[i].key)) continue;
    absl::StatusOr<LoadedJob> job = access.Await(reads[i]);
    if (!job.ok()) {
      if (job.status().code() != absl::StatusCode::kDataLoss) return job.status();
      claimed->damaged.push_back({std::move(candidates[i].pending_key), std::string(job.status().message())});
      continue;
    }
    if (std::optional<std::string> why = WhyNotClaimable(*job, candidates[i])) {
      claimed->damaged.push_back({std::move(candidates[i].pending_key), *std::move(why)});
      continue;
    }
    if (kind == ClaimKind::kFinishHere) {
      access.Reserve(*job, lock);
    } else {
      job->lock = lock;
      if (absl::Status status = access.Put(*job, JobState::kRunning); !status.ok()) return status;
    }
    claimed->jobs.push_back(ToClaimed(*job));
  }
  return absl::OkStatus();
}

absl::StatusOr<Claimed> Claim(const keyspace::JobKeys& keys, JobAccess access, Contention& contention,
                              fdb::Transaction& tr, const JobType& type, const AcceptOptions& options, ClaimKind kind) {
  if (absl::Status status = CheckType(keys, type); !status.ok()) return status;
  if (absl::Status status = CheckLimit("limit", options.limit, kMostClaims); !status.ok()) return status;
  if (options.max_priority.has_value()) {
    if (absl::Status status = CheckPriority(keys, type, JobId(), *options.max_priority); !status.ok()) return status;
  }
  const Lock lock = options.lock.has_value() ? *options.lock : RandomUuid();
  const size_t limit = static_cast<size_t>(options.limit);
  const int window = contention.Window(type, options.limit, tr.retry_of() == fdb::error::kNotCommitted);
  // With a window the rest of it is left to others on purpose.
  const bool spread = window > options.limit;
  Queue queue(keys, tr, type, options.max_priority);
  Claimed claimed;
  size_t skipped = 0;  // candidates that could not be claimed
  const auto enough = [&] { return claimed.jobs.size() >= limit || (spread && !claimed.jobs.empty()); };
  // One pass, unless rows are damaged or claimed by this transaction already.
  for (int rows = window; !queue.at_end() && !enough(); rows = std::max(rows, std::min(2 * rows, kMostAtOnce))) {
    const fdb::RangeFuture asked = queue.Ask(rows);
    if (kind == ClaimKind::kLease) access.StartIncarnation();
    absl::StatusOr<std::vector<Candidate>> candidates = queue.Take(asked, &claimed.damaged);
    if (!candidates.ok()) return candidates.status();
    absl::Span<Candidate> left = absl::MakeSpan(*candidates);
    size_t chosen = spread && left.size() > limit ? ChooseFromWindow(limit, &*candidates) : limit;
    // So long as all can be claimed, no more is read than is taken. Behind what can't be, more at once.
    if (skipped > 0) chosen = std::max(chosen, skipped);
    while (!left.empty() && !enough()) {
      const absl::Span<Candidate> some = left.first(std::min(left.size(), chosen));
      left.remove_prefix(some.size());
      const size_t before = claimed.jobs.size();
      const absl::Status status = ClaimCandidates(access, type, kind, lock, limit, some, &claimed);
      if (!status.ok()) return status;
      skipped += some.size() - (claimed.jobs.size() - before);
      chosen = std::max(limit - claimed.jobs.size(), skipped);
    }
  }
  if (absl::Status status = access.Flush(); !status.ok()) return status;
  return claimed;
}

}  // namespace

absl::StatusOr<Claimed> Jobs::Accept(fdb::Transaction& tr, const JobType& type, const AcceptOptions& options) const {
  return Claim(keys_, JobAccess(keys_, *receipts_, tr), *contention_, tr, type, options, ClaimKind::kLease);
}

absl::StatusOr<Claimed> Jobs::AcceptToFinish(fdb::Transaction& tr, const JobType& type,
                                             const AcceptOptions& options) const {
  return Claim(keys_, JobAccess(keys_, *receipts_, tr), *contention_, tr, type, options, ClaimKind::kFinishHere);
}

}  // namespace fdbjobs
