#include "fdbjobs/admin/transfer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "fdbjobs/arguments.h"
#include "fdbjobs/job_access.h"
#include "fdbjobs/receipts.h"

namespace fdbjobs::admin {
namespace {

absl::StatusOr<keyspace::JobOptions> ReadOptions(const keyspace::JobKeys& keys, const StoredJob& job) {
  if (absl::Status status = CheckType(keys, job.type); !status.ok()) return status;
  if (absl::Status status = CheckId(keys, job.type, job.id); !status.ok()) return status;
  absl::StatusOr<keyspace::JobOptions> options = keyspace::JobOptions::Parse(job.options);
  if (!options.ok()) return absl::InvalidArgumentError(options.status().message());
  if (absl::Status status = CheckPriority(keys, job.type, job.id, options->priority); !status.ok()) return status;
  if (absl::Status status = CheckData(options->data); !status.ok()) return status;
  if (absl::Status status = CheckOptionsSize(*options, options->priority, options->data); !status.ok()) return status;
  return options;
}

// As the monitor does with a job whose worker is gone.
JobState StateWithoutWorker(JobState state, const keyspace::JobOptions& options) {
  if (state != JobState::kRunning) return state;
  return options.cancel && !options.resubmit ? JobState::kFinished : JobState::kPending;
}

}  // namespace

absl::StatusOr<std::vector<bool>> ImportJobs(const Jobs& jobs, fdb::Transaction& tr,
                                             absl::Span<const StoredJob> stored) {
  std::vector<keyspace::JobOptions> options;
  for (const StoredJob& job : stored) {
    absl::StatusOr<keyspace::JobOptions> read = ReadOptions(jobs.keys(), job);
    if (!read.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("job ", job.id.ToString(), " of type ", job.type.ToString(), ": ", read.status().message()));
    }
    options.push_back(*std::move(read));
  }
  // The receipt of the transaction comes from `jobs`, which uses its rows again.
  Receipts receipts(jobs.keys());
  JobAccess access(jobs.keys(), receipts, tr);
  std::vector<JobAccess::Read> reads;
  for (const StoredJob& job : stored) reads.push_back(access.StartRead(job.type, job.id));
  std::vector<bool> imported;
  for (size_t i = 0; i < stored.size(); ++i) {
    absl::StatusOr<LoadedJob> job = access.Await(reads[i]);
    if (!job.ok()) return job.status();
    imported.push_back(!job->state.has_value());
    if (!imported.back()) continue;
    const JobState to = StateWithoutWorker(stored[i].state, options[i]);
    job->options = std::move(options[i]);
    job->stored_options = stored[i].options;
    // Marks of a run that is over are taken off, which Put sees to; all else stays as it was written.
    if (to == JobState::kFinished && job->options.resubmit) {
      job->options.resubmit = false;
      job->changed = true;
    }
    if (absl::Status status = access.Put(*job, to); !status.ok()) return status;
  }
  const bool wrote = std::find(imported.begin(), imported.end(), true) != imported.end();
  if (wrote && tr.keeps_receipts() && !tr.receipt_written()) tr.WriteReceipt(jobs.NewReceipt());
  if (absl::Status status = access.Flush(); !status.ok()) return status;
  return imported;
}

absl::StatusOr<uint8_t> RaiseIncarnationAbove(const Jobs& jobs, fdb::Transaction& tr, uint8_t exported) {
  absl::StatusOr<uint8_t> incarnation = jobs.GetIncarnation(tr);
  while (incarnation.ok() && *incarnation <= exported) incarnation = jobs.RaiseIncarnation(tr);
  return incarnation;
}

}  // namespace fdbjobs::admin
