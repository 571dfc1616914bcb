#include "tests/jobs/model.h"

#include <algorithm>

namespace fdbjobs::test {

ModelJob* Model::FindToChange(const JobType& type, const JobId& id) {
  const auto of_type = types_.find(type);
  if (of_type == types_.end()) return nullptr;
  const auto job = of_type->second.jobs.find(id);
  return job == of_type->second.jobs.end() ? nullptr : &job->second;
}

const ModelJob* Model::Find(const JobType& type, const JobId& id) const {
  return const_cast<Model*>(this)->FindToChange(type, id);
}

void Model::Leave(ModelType& type, ModelJob& job) {
  wrote_ = true;
  if (job.state == JobState::kRunning) type.touched_watch = true;
  job.reserved = false;
  job.sequence.reset();
}

void Model::MakePending(ModelType& type, ModelJob& job) {
  Leave(type, job);
  job.state = JobState::kPending;
  job.cancel = job.resubmit = false;
  type.touched_pending_watch = true;
}

void Model::MakeFinished(ModelType& type, ModelJob& job) {
  Leave(type, job);
  job.state = JobState::kFinished;
}

void Model::Stamp(ModelType& type, const JobId& id, ModelJob& job) {
  wrote_ = true;
  job.reserved = false;
  job.state = JobState::kRunning;
  job.sequence.reset();
  type.stamped.insert(id);
  type.touched_watch = true;
}

void Model::SetActivityTimeout(const JobType& type, std::optional<int64_t> milliseconds) {
  ModelType& of_type = types_[type];
  if (of_type.timeout_ms == milliseconds) return;
  of_type.timeout_ms = milliseconds;
  wrote_ = touched_types_watch_ = true;
}

AddResult Model::AddOne(ModelType& type, const NewJob& added, IfExists if_exists) {
  const auto [found, is_new] = type.jobs.try_emplace(added.id);
  ModelJob& job = found->second;
  if (is_new) {
    job.priority = added.priority;
    job.data = added.data;
    MakePending(type, job);
    return AddResult::kAdded;
  }
  if (if_exists != IfExists::kResubmit || job.state == JobState::kPending) return AddResult::kExists;
  if (job.state == JobState::kRunning) {
    if (job.resubmit) return AddResult::kExists;
    wrote_ = job.resubmit = true;
    return AddResult::kResubmitted;
  }
  job.priority = added.priority;
  job.data = added.data;
  MakePending(type, job);
  return AddResult::kResubmitted;
}

absl::StatusOr<std::vector<AddResult>> Model::AddMany(const JobType& type, absl::Span<const NewJob> jobs,
                                                      IfExists if_exists) {
  ModelType& of_type = types_[type];
  if (!of_type.timeout_ms.has_value()) return absl::FailedPreconditionError("no activity timeout");
  if (if_exists == IfExists::kError) {
    std::set<JobId> ids;
    for (const NewJob& job : jobs) {
      if (of_type.jobs.contains(job.id) || !ids.insert(job.id).second) return absl::AlreadyExistsError("exists");
    }
  }
  std::vector<AddResult> results;
  for (const NewJob& job : jobs) results.push_back(AddOne(of_type, job, if_exists));
  return results;
}

ChangeResult Model::Remove(const JobType& type, const JobId& id) {
  ModelJob* const job = FindToChange(type, id);
  if (job == nullptr) return ChangeResult::kNotFound;
  Leave(types_[type], *job);
  types_[type].jobs.erase(id);
  return ChangeResult::kChanged;
}

ChangeResult Model::Cancel(const JobType& type, const JobId& id) {
  ModelJob* const job = FindToChange(type, id);
  if (job == nullptr) return ChangeResult::kNotFound;
  if (job->state == JobState::kFinished) return ChangeResult::kUnchanged;
  if (job->state == JobState::kPending) {
    job->cancel = true;
    MakeFinished(types_[type], *job);
    return ChangeResult::kChanged;
  }
  if (job->cancel && !job->resubmit) return ChangeResult::kUnchanged;
  wrote_ = job->cancel = true;
  job->resubmit = false;
  return ChangeResult::kChanged;
}

ChangeResult Model::Resubmit(const JobType& type, const JobId& id) {
  ModelJob* const job = FindToChange(type, id);
  if (job == nullptr) return ChangeResult::kNotFound;
  if (job->state == JobState::kPending || job->resubmit) return ChangeResult::kUnchanged;
  if (job->state == JobState::kFinished) {
    MakePending(types_[type], *job);
  } else {
    wrote_ = job->resubmit = true;
  }
  return ChangeResult::kChanged;
}

ChangeResult Model::SetPriority(const JobType& type, const JobId& id, const Priority& priority) {
  ModelJob* const job = FindToChange(type, id);
  if (job == nullptr) return ChangeResult::kNotFound;
  if (job->priority == priority) return ChangeResult::kUnchanged;
  job->priority = priority;
  wrote_ = true;
  // A claim of AcceptToFinish stays: the job is its worker's until the transaction ends.
  if (job->state == JobState::kPending) types_[type].touched_pending_watch = true;
  return ChangeResult::kChanged;
}

std::vector<JobId> Model::Queue(const JobType& type, const std::optional<Priority>& max_priority) const {
  const auto of_type = types_.find(type);
  if (of_type == types_.end()) return {};
  std::vector<std::pair<Priority, JobId>> rows;
  for (const auto& [id, job] : of_type->second.jobs) {
    if (job.state != JobState::kPending || job.reserved) continue;
    if (max_priority.has_value() && *max_priority < job.priority) continue;
    rows.emplace_back(job.priority, id);
  }
  std::sort(rows.begin(), rows.end());
  std::vector<JobId> ids;
  for (std::pair<Priority, JobId>& row : rows) ids.push_back(std::move(row.second));
  return ids;
}

void Model::Claim(const JobType& type, const JobId& id, const Lock& lock) {
  ModelJob& job = *FindToChange(type, id);
  job.lock = lock;
  Stamp(types_[type], id, job);
}

void Model::Reserve(const JobType& type, const JobId& id, const Lock& lock) {
  ModelJob& job = *FindToChange(type, id);
  job.lock = lock;
  job.reserved = true;
}

Outcome Model::EndCanceled(ModelType& type, ModelJob& job) {
  if (job.resubmit) {
    MakePending(type, job);
  } else {
    MakeFinished(type, job);
  }
  return Outcome::kCanceled;
}

Outcome Model::Update(const UpdateRequest& request) {
  ModelJob* const job = FindToChange(request.type, request.id);
  if (job == nullptr || !job->HeldBy(request.lock)) return Outcome::kWorkerConflict;
  if (job->cancel) return EndCanceled(types_[request.type], *job);
  if (request.data.has_value()) job->data = *request.data;
  Stamp(types_[request.type], request.id, *job);
  return Outcome::kOk;
}

Outcome Model::Finish(const FinishRequest& request) {
  ModelJob* const job = FindToChange(request.type, request.id);
  if (job == nullptr || !job->HeldBy(request.lock)) return Outcome::kWorkerConflict;
  ModelType& type = types_[request.type];
  if (job->cancel) return EndCanceled(type, *job);
  if (request.data.has_value()) job->data = *request.data;
  if (job->resubmit) {
    MakePending(type, *job);
  } else if (request.remove) {
    Leave(type, *job);
    type.jobs.erase(request.id);
  } else {
    MakeFinished(type, *job);
  }
  return Outcome::kOk;
}

Outcome Model::ResubmitByWorker(const ClaimedJob& claimed, const std::optional<Priority>& priority) {
  ModelJob* const job = FindToChange(claimed.type, claimed.id);
  if (job == nullptr || !job->HeldBy(claimed.lock)) return Outcome::kWorkerConflict;
  if (job->cancel) return EndCanceled(types_[claimed.type], *job);
  job->resubmit = true;
  if (priority.has_value()) job->priority = *priority;
  Stamp(types_[claimed.type], claimed.id, *job);
  return Outcome::kOk;
}

bool Model::MayRescue(const JobType& type) const {
  const auto of_type = types_.find(type);
  return of_type == types_.end() || of_type->second.stamped.empty();
}

Model::Rescued Model::Rescue(const JobType& type, const Sequence& not_renewed_since, int limit) {
  ModelType& of_type = types_[type];
  std::map<Sequence, JobId> entries = of_type.leftovers;
  for (const auto& [id, job] : of_type.jobs) {
    if (job.state == JobState::kRunning) entries.emplace(*job.sequence, id);
  }
  Rescued rescued;
  for (const auto& [sequence, id] : entries) {
    if (limit-- == 0 || not_renewed_since < sequence) break;
    if (of_type.leftovers.erase(sequence) > 0) {
      wrote_ = true;
      ++rescued.dropped;
      continue;
    }
    ModelJob& job = of_type.jobs.at(id);
    const bool ends = job.cancel && !job.resubmit;
    ++(ends ? rescued.finished : rescued.reenqueued);
    if (ends) {
      MakeFinished(of_type, job);
    } else {
      MakePending(of_type, job);
    }
  }
  return rescued;
}

absl::StatusOr<uint8_t> Model::RaiseIncarnation() {
  if (incarnation_ == 255) return absl::OutOfRangeError("255");
  for (const auto& [type, of_type] : types_) {
    if (!of_type.stamped.empty()) return absl::FailedPreconditionError("claimed or updated");
  }
  wrote_ = raised_ = true;
  return ++incarnation_;
}

Counts Model::Count(const JobType& type) const {
  Counts counts;
  const auto of_type = types_.find(type);
  if (of_type == types_.end()) return counts;
  for (const auto& [id, job] : of_type->second.jobs) {
    ++(job.state == JobState::kPending   ? counts.pending
       : job.state == JobState::kRunning ? counts.running
                                         : counts.finished);
  }
  return counts;
}

}  // namespace fdbjobs::test
