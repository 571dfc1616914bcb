// The calls of workers: Update, Finish, ResubmitByWorker.
#include <algorithm>
#include <utility>

#include "fdbjobs/arguments.h"
#include "fdbjobs/job_access.h"
#include "fdbjobs/jobs.h"

namespace fdbjobs {
namespace {

// Canceled jobs leave the worker here, whatever the call was.
absl::StatusOr<Outcome> EndCanceled(JobAccess& access, LoadedJob& job) {
  const JobState to = job.options.resubmit ? JobState::kPending : JobState::kFinished;
  if (absl::Status status = access.Put(job, to); !status.ok()) return status;
  return Outcome::kCanceled;
}

void ReplaceData(const std::optional<std::string>& data, LoadedJob& job) {
  if (!data.has_value()) return;
  job.options.data = *data;
  job.changed = true;
}

absl::StatusOr<Outcome> Apply(JobAccess& access, LoadedJob& job, const UpdateRequest& update) {
  ReplaceData(update.data, job);
  if (absl::Status status = access.Put(job, JobState::kRunning); !status.ok()) return status;
  return Outcome::kOk;
}

absl::StatusOr<Outcome> Apply(JobAccess& access, LoadedJob& job, const FinishRequest& finish) {
  ReplaceData(finish.data, job);
  std::optional<JobState> to = JobState::kFinished;
  if (job.options.resubmit) {
    to = JobState::kPending;
  } else if (finish.remove) {
    to = std::nullopt;
  }
  if (absl::Status status = access.Put(job, to); !status.ok()) return status;
  return Outcome::kOk;
}

struct ResubmitRequest {
  const JobType& type;
  const JobId& id;
  Lock lock;
  std::optional<std::string> data;  // stays as it is
  const std::optional<Priority>& priority;
};

absl::StatusOr<Outcome> Apply(JobAccess& access, LoadedJob& job, const ResubmitRequest& request) {
  job.options.resubmit = job.changed = true;
  if (request.priority.has_value()) job.options.priority = *request.priority;
  if (absl::Status status = access.Put(job, JobState::kRunning); !status.ok()) return status;
  return Outcome::kOk;
}

const Priority* NewPriority(const ResubmitRequest& request) {
  return request.priority.has_value() ? &*request.priority : nullptr;
}
template <typename Request>
const Priority* NewPriority(const Request&) {
  return nullptr;
}

// All reads together, and all checks, so that an error has written nothing; then one job after the other.
template <typename Request>
absl::StatusOr<std::vector<Outcome>> Work(const keyspace::JobKeys& keys, JobAccess access,
                                          absl::Span<const Request> requests, std::vector<Damage>* damaged) {
  for (const Request& request : requests) {
    if (absl::Status status = CheckType(keys, request.type); !status.ok()) return status;
    if (absl::Status status = CheckId(keys, request.type, request.id); !status.ok()) return status;
    if (request.data.has_value()) {
      if (absl::Status status = CheckData(*request.data); !status.ok()) return status;
    }
  }
  std::vector<JobAccess::Read> reads;
  reads.reserve(requests.size());
  for (const Request& request : requests) reads.push_back(access.StartRead(request.type, request.id));
  // Jobs that were claimed to be finished here were read, and mostly need no incarnation.
  if (std::any_of(reads.begin(), reads.end(), [](const auto& read) { return read.future.has_value(); })) {
    access.StartIncarnation();
  }
  std::vector<LoadedJob> jobs;
  jobs.reserve(requests.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    const std::string key = reads[i].key;
    absl::StatusOr<LoadedJob> job = access.Await(reads[i]);
    if (job.status().code() == absl::StatusCode::kDataLoss && damaged != nullptr) {
      damaged->push_back({key, std::string(job.status().message())});
      jobs.emplace_back();  // nobody holds it
      continue;
    }
    if (!job.ok()) return job.status();
    const Priority* const priority = NewPriority(requests[i]);
    const absl::Status status = CheckOptionsSize(job->options, priority == nullptr ? job->options.priority : *priority,
                                                 requests[i].data.has_value() ? *requests[i].data : job->options.data);
    if (!status.ok() && job->HeldBy(requests[i].lock) && !job->options.cancel) {
      // With nothing new it is the row that is too long.
      if (damaged == nullptr || requests[i].data.has_value() || priority != nullptr) return status;
      damaged->push_back({key, std::string(status.message())});
      jobs.emplace_back();
      continue;
    }
    jobs.push_back(*std::move(job));
  }
  // Those that are running need it, and jobs that are finished before them do not.
  for (size_t i = 0; i < requests.size(); ++i) {
    if (jobs[i].state != JobState::kRunning || !jobs[i].HeldBy(requests[i].lock)) continue;
    if (absl::Status status = access.AwaitIncarnation().status(); !status.ok()) return status;
    break;
  }
  std::vector<Outcome> outcomes;
  outcomes.reserve(requests.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    LoadedJob& job = jobs[i];
    // An earlier request of the call may have been for the same job.
    if (requests.size() > 1 && access.WasWritten(job.key)) {
      JobAccess::Read again = access.StartRead(requests[i].type, requests[i].id);
      absl::StatusOr<LoadedJob> now = access.Await(again);
      if (!now.ok()) return now.status();
      job = *std::move(now);
    }
    absl::StatusOr<Outcome> outcome = Outcome::kWorkerConflict;
    if (job.HeldBy(requests[i].lock)) {
      outcome = job.options.cancel ? EndCanceled(access, job) : Apply(access, job, requests[i]);
    }
    if (!outcome.ok()) return outcome.status();
    outcomes.push_back(*outcome);
  }
  if (absl::Status status = access.Flush(); !status.ok()) return status;
  return outcomes;
}

absl::StatusOr<Outcome> Only(const absl::StatusOr<std::vector<Outcome>>& outcomes) {
  if (!outcomes.ok()) return outcomes.status();
  return outcomes->front();
}

}  // namespace

absl::StatusOr<Outcome> Jobs::Update(fdb::Transaction& tr, const ClaimedJob& job,
                                     std::optional<std::string> data) const {
  const UpdateRequest update{job.type, job.id, job.lock, std::move(data)};
  return Only(UpdateMany(tr, {&update, 1}));
}

absl::StatusOr<std::vector<Outcome>> Jobs::UpdateMany(fdb::Transaction& tr, absl::Span<const UpdateRequest> updates,
                                                      std::vector<Damage>* damaged) const {
  return Work(keys_, JobAccess(keys_, *receipts_, tr), updates, damaged);
}

absl::StatusOr<Outcome> Jobs::Finish(fdb::Transaction& tr, const ClaimedJob& job,
                                     std::optional<std::string> data) const {
  const FinishRequest finish{job.type, job.id, job.lock, std::move(data)};
  return Only(FinishMany(tr, {&finish, 1}));
}

absl::StatusOr<std::vector<Outcome>> Jobs::FinishMany(fdb::Transaction& tr, absl::Span<const FinishRequest> finishes,
                                                      std::vector<Damage>* damaged) const {
  return Work(keys_, JobAccess(keys_, *receipts_, tr), finishes, damaged);
}

absl::StatusOr<Outcome> Jobs::ResubmitByWorker(fdb::Transaction& tr, const ClaimedJob& job,
                                               const std::optional<Priority>& priority) const {
  if (priority.has_value()) {
    if (absl::Status status = CheckType(keys_, job.type); !status.ok()) return status;
    if (absl::Status status = CheckPriority(keys_, job.type, job.id, *priority); !status.ok()) return status;
  }
  const ResubmitRequest request{job.type, job.id, job.lock, std::nullopt, priority};
  return Only(Work(keys_, JobAccess(keys_, *receipts_, tr), absl::Span<const ResubmitRequest>(&request, 1), nullptr));
}

}  // namespace fdbjobs
