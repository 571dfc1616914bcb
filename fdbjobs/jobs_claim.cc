// Accept and AcceptToFinish.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "fdbjobs/arguments.h"
#include "fdbjobs/claims_in_flight.h"
#include "fdbjobs/contention.h"
#include "fdbjobs/fdb/error_codes.h"
#include "fdbjobs/job_access.h"
#include "fdbjobs/jobs.h"
#include "fdbjobs/pending_queue.h"
#include "fdbjobs/uuid.h"

namespace fdbjobs {
namespace {

constexpr int kMostClaims = 10000;
// Rows that are looked at together when those before could not be claimed.
constexpr int kMostAtOnce = 1000;
// Rows that are read along, to be left to others.
constexpr int kMostOfOthers = 2000;

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

// Drops those that other transactions of this process are claiming.
void KeepFree(const ClaimsInFlight::Place& place, std::vector<Candidate>* candidates) {
  std::vector<std::string_view> keys;
  keys.reserve(candidates->size());
  for (const Candidate& candidate : *candidates) keys.push_back(candidate.pending_key);
  const std::vector<size_t> free = place.Free(keys);
  if (free.size() == candidates->size()) return;
  std::vector<Candidate> kept;
  kept.reserve(free.size());
  for (const size_t i : free) {
    kept.push_back(std::move((*candidates)[i]));
    const bool behind_others = i > 0 && (kept.size() == 1 || free[kept.size() - 2] != i - 1);
    if (behind_others) kept.back().begin = std::max(kept.back().begin, std::string(keys[i - 1]) + '\0');
  }
  *candidates = std::move(kept);
}

// One call of Accept.
class Claim {
 public:
  Claim(const keyspace::JobKeys& keys, JobAccess access, fdb::Transaction& tr, const JobType& type,
        const AcceptOptions& options, ClaimKind kind)
      : keys_(keys),
        access_(std::move(access)),
        tr_(tr),
        type_(type),
        options_(options),
        kind_(kind),
        lock_(options.lock.has_value() ? *options.lock : RandomUuid()),
        limit_(static_cast<size_t>(options.limit)) {}

  static absl::Status Check(const keyspace::JobKeys& keys, const JobType& type, const AcceptOptions& options) {
    if (absl::Status status = CheckType(keys, type); !status.ok()) return status;
    if (absl::Status status = CheckLimit("limit", options.limit, kMostClaims); !status.ok()) return status;
    if (!options.max_priority.has_value()) return absl::OkStatus();
    return CheckPriority(keys, type, JobId(), *options.max_priority);
  }

  absl::StatusOr<Claimed> Run(Contention& contention, std::shared_ptr<ClaimsInFlight> in_flight) {
    window_ = contention.Window(type_, options_.limit, tr_.retry_of() == fdb::error::kNotCommitted);
    auto& memory = tr_.memory<TransactionMemory>();
    ClaimsInFlight::Place place(std::move(in_flight), keys_.PendingRange(type_).begin, &memory, options_.limit);
    bool exact = true;
    if (absl::Status status = GoBesideOthers(&place, &exact); !status.ok()) return status;
    if (claimed_.jobs.empty() && !exact) {
      if (absl::Status status = GoAgain(&place); !status.ok()) return status;
    }
    // What others are claiming may stay in the queue after all, so nobody is told that it is empty.
    if (claimed_.jobs.empty() && passed_over_) {
      if (absl::Status status = GoAgain(nullptr); !status.ok()) return status;
    }
    if (place.holds()) memory.claims.push_back(std::move(place));
    if (absl::Status status = access_.Flush(); !status.ok()) return status;
    return std::move(claimed_);
  }

 private:
  // With a window the rest of it is left to others on purpose.
  bool spread() const { return window_ > options_.limit; }
  bool enough() const { return claimed_.jobs.size() >= limit_ || (spread() && !claimed_.jobs.empty()); }

  // Without reading what others hold. `*exact`: nothing else was left out.
  absl::Status GoBesideOthers(ClaimsInFlight::Place* place, bool* exact) {
    PendingQueue queue(keys_, tr_, type_, options_.max_priority);
    const std::vector<ClaimsInFlight::Span> held = place->HeldByOthers();
    passed_over_ = !held.empty();
    *exact = queue.LeaveOut(held);
    return Go(place, &queue);
  }

  // From the front, when there was nothing beside others.
  absl::Status GoAgain(ClaimsInFlight::Place* place) {
    PendingQueue queue(keys_, tr_, type_, options_.max_priority);
    claimed_ = Claimed();
    return Go(place, &queue);
  }

  // Along the queue until there is enough; with `place`, without what other transactions of this process claim.
  absl::Status Go(ClaimsInFlight::Place* place, PendingQueue* queue) {
    int rows = window_ + (place != nullptr ? std::min(place->WantedBefore(), kMostOfOthers) : 0);
    // One pass, unless rows are damaged or claimed already.
    for (; !queue->at_end() && !enough(); rows = std::max(rows, std::min(2 * rows, kMostAtOnce))) {
      const std::vector<fdb::RangeFuture> asked = queue->Ask(rows);
      if (kind_ == ClaimKind::kLease) access_.StartIncarnation();
      absl::StatusOr<std::vector<Candidate>> candidates = queue->Take(asked, &claimed_.damaged);
      if (!candidates.ok()) return candidates.status();
      if (place != nullptr) {
        const size_t before = candidates->size();
        KeepFree(*place, &*candidates);
        passed_over_ |= candidates->size() < before;
      }
      if (absl::Status status = ClaimFrom(place, &*candidates); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // Claims from the front of `candidates`.
  absl::Status ClaimFrom(ClaimsInFlight::Place* place, std::vector<Candidate>* candidates) {
    absl::Span<Candidate> left = absl::MakeSpan(*candidates);
    size_t chosen = limit_;
    if (spread() && left.size() > limit_) chosen = ChooseFromWindow(limit_, candidates);
    // So long as all can be claimed, no more is read than is taken. Behind what can't be, more at once.
    if (skipped_ > 0) chosen = std::max(chosen, skipped_);
    while (!left.empty() && !enough()) {
      const absl::Span<Candidate> some = left.first(std::min(left.size(), chosen));
      left.remove_prefix(some.size());
      if (place != nullptr) HoldAll(some, place);
      const size_t before = claimed_.jobs.size();
      if (absl::Status status = ClaimSome(some); !status.ok()) return status;
      skipped_ += some.size() - (claimed_.jobs.size() - before);
      chosen = std::max(limit_ - claimed_.jobs.size(), skipped_);
    }
    return absl::OkStatus();
  }

  // A span for each priority, and nothing in front of it: a job that gets pending there has nobody who claims it, and
  // comes before all that others could take instead.
  void HoldAll(absl::Span<const Candidate> candidates, ClaimsInFlight::Place* place) const {
    while (!candidates.empty()) {
      const Candidate& first = candidates.front();
      const auto end = std::find_if(candidates.begin(), candidates.end(),
                                    [&](const Candidate& next) { return next.priority != first.priority; });
      const size_t rows = static_cast<size_t>(end - candidates.begin());
      std::string begin = first.begin.empty() ? first.pending_key : first.begin;
      begin = std::max(std::move(begin), keys_.PendingRange(type_, first.priority).begin);
      place->Hold({std::move(begin), candidates[rows - 1].pending_key});
      candidates.remove_prefix(rows);
    }
  }

  // Reads the data rows of the candidates, together, and claims those that can be, until there are enough in all.
  absl::Status ClaimSome(absl::Span<Candidate> candidates) {
    std::vector<JobAccess::Read> reads;
    reads.reserve(candidates.size());
    for (const Candidate& candidate : candidates) reads.push_back(access_.StartRead(type_, candidate.id));
    for (size_t i = 0; i < candidates.size() && claimed_.jobs.size() < limit_; ++i) {
      if (access_.IsReserved(reads[i].key)) continue;
      absl::StatusOr<LoadedJob> job = access_.Await(reads[i]);
      if (!job.ok()) {
        if (job.status().code() != absl::StatusCode::kDataLoss) return job.status();
        claimed_.damaged.push_back({std::move(candidates[i].pending_key), std::string(job.status().message())});
        continue;
      }
      if (std::optional<std::string> why = WhyNotClaimable(*job, candidates[i])) {
        claimed_.damaged.push_back({std::move(candidates[i].pending_key), *std::move(why)});
        continue;
      }
      if (kind_ == ClaimKind::kFinishHere) {
        access_.Reserve(*job, lock_);
      } else {
        job->lock = lock_;
        if (absl::Status status = access_.Put(*job, JobState::kRunning); !status.ok()) return status;
      }
      claimed_.jobs.push_back(ToClaimed(*job));
    }
    return absl::OkStatus();
  }

  const keyspace::JobKeys& keys_;
  JobAccess access_;
  fdb::Transaction& tr_;
  const JobType& type_;
  const AcceptOptions& options_;
  const ClaimKind kind_;
  const Lock lock_;
  const size_t limit_;
  // From how many rows it chooses.
  int window_ = 0;
  // Candidates that could not be claimed.
  size_t skipped_ = 0;
  // There are rows that were left to other transactions of this process.
  bool passed_over_ = false;
  Claimed claimed_;
};

}  // namespace

absl::StatusOr<Claimed> Jobs::Accept(fdb::Transaction& tr, const JobType& type, const AcceptOptions& options) const {
  if (absl::Status status = Claim::Check(keys_, type, options); !status.ok()) return status;
  return Claim(keys_, JobAccess(keys_, *receipts_, tr), tr, type, options, ClaimKind::kLease)
      .Run(*contention_, in_flight_);
}

absl::StatusOr<Claimed> Jobs::AcceptToFinish(fdb::Transaction& tr, const JobType& type,
                                             const AcceptOptions& options) const {
  if (absl::Status status = Claim::Check(keys_, type, options); !status.ok()) return status;
  return Claim(keys_, JobAccess(keys_, *receipts_, tr), tr, type, options, ClaimKind::kFinishHere)
      .Run(*contention_, in_flight_);
}

}  // namespace fdbjobs
