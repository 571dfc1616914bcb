// What users and operators do with jobs that are there: Remove, Cancel, Resubmit, SetPriority.
#include <utility>

#include "fdbjobs/arguments.h"
#include "fdbjobs/job_access.h"
#include "fdbjobs/jobs.h"

namespace fdbjobs {
namespace {

// Reads of one job, then one change of it.
template <typename Change>
absl::StatusOr<ChangeResult> ChangeJob(JobAccess access, const JobType& type, const JobId& id, Change change) {
  JobAccess::Read read = access.StartRead(type, id);
  access.StartIncarnation();
  absl::StatusOr<LoadedJob> job = access.Await(read);
  if (!job.ok()) return job.status();
  if (!job->state.has_value()) return ChangeResult::kNotFound;
  absl::StatusOr<ChangeResult> result = change(access, *job);
  if (!result.ok()) return result;
  if (absl::Status status = access.Flush(); !status.ok()) return status;
  return result;
}

absl::StatusOr<ChangeResult> Changed(const absl::Status& status) {
  if (!status.ok()) return status;
  return ChangeResult::kChanged;
}

}  // namespace

absl::StatusOr<ChangeResult> Jobs::Remove(fdb::Transaction& tr, const JobType& type, const JobId& id) const {
  if (absl::Status status = CheckType(keys_, type); !status.ok()) return status;
  if (absl::Status status = CheckId(keys_, type, id); !status.ok()) return status;
  return ChangeJob(JobAccess(keys_, *receipts_, tr), type, id,
                   [](JobAccess& access, LoadedJob& job) { return Changed(access.Put(job, std::nullopt)); });
}

absl::StatusOr<ChangeResult> Jobs::Cancel(fdb::Transaction& tr, const JobType& type, const JobId& id) const {
  if (absl::Status status = CheckType(keys_, type); !status.ok()) return status;
  if (absl::Status status = CheckId(keys_, type, id); !status.ok()) return status;
  return ChangeJob(JobAccess(keys_, *receipts_, tr), type, id,
                   [](JobAccess& access, LoadedJob& job) -> absl::StatusOr<ChangeResult> {
                     const bool marked = job.options.cancel && !job.options.resubmit;
                     if (job.state == JobState::kFinished || marked) return ChangeResult::kUnchanged;
                     job.options.cancel = job.changed = true;
                     job.options.resubmit = false;
                     if (job.state == JobState::kRunning) return Changed(access.Rewrite(job));
                     return Changed(access.Put(job, JobState::kFinished));
                   });
}

absl::StatusOr<ChangeResult> Jobs::Resubmit(fdb::Transaction& tr, const JobType& type, const JobId& id) const {
  if (absl::Status status = CheckType(keys_, type); !status.ok()) return status;
  if (absl::Status status = CheckId(keys_, type, id); !status.ok()) return status;
  return ChangeJob(JobAccess(keys_, *receipts_, tr), type, id,
                   [](JobAccess& access, LoadedJob& job) -> absl::StatusOr<ChangeResult> {
                     if (job.state == JobState::kPending || job.options.resubmit) return ChangeResult::kUnchanged;
                     if (job.state == JobState::kFinished) return Changed(access.Put(job, JobState::kPending));
                     job.options.resubmit = job.changed = true;
                     return Changed(access.Rewrite(job));
                   });
}

absl::StatusOr<ChangeResult> Jobs::SetPriority(fdb::Transaction& tr, const JobType& type, const JobId& id,
                                               const Priority& priority) const {
  if (absl::Status status = CheckType(keys_, type); !status.ok()) return status;
  if (absl::Status status = CheckId(keys_, type, id); !status.ok()) return status;
  if (absl::Status status = CheckPriority(keys_, type, id, priority); !status.ok()) return status;
  return ChangeJob(JobAccess(keys_, *receipts_, tr), type, id,
                   [&priority](JobAccess& access, LoadedJob& job) -> absl::StatusOr<ChangeResult> {
                     if (job.options.priority == priority) return ChangeResult::kUnchanged;
                     if (absl::Status status = CheckOptionsSize(job.options, priority, job.options.data);
                         !status.ok()) {
                       return status;
                     }
                     job.options.priority = priority;
                     job.changed = true;
                     if (job.state == JobState::kPending) return Changed(access.Put(job, JobState::kPending));
                     return Changed(access.Rewrite(job));
                   });
}

}  // namespace fdbjobs
