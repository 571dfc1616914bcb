// GetJob and CountJobs.
#include <utility>

#include "absl/strings/str_cat.h"
#include "fdbjobs/arguments.h"
#include "fdbjobs/job_access.h"
#include "fdbjobs/job_view.h"
#include "fdbjobs/jobs.h"

namespace fdbjobs {

absl::StatusOr<std::optional<Job>> Jobs::GetJob(fdb::Transaction& tr, const JobType& type, const JobId& id,
                                                fdb::Isolation isolation) const {
  if (absl::Status status = CheckType(keys_, type); !status.ok()) return status;
  if (absl::Status status = CheckId(keys_, type, id); !status.ok()) return status;
  JobAccess access(keys_, *receipts_, tr);
  JobAccess::Read read = access.StartRead(type, id, isolation);
  absl::StatusOr<LoadedJob> job = access.Await(read);
  if (!job.ok()) return job.status();
  if (!job->state.has_value()) return std::nullopt;
  keyspace::JobRow row;
  row.state = *job->state;
  row.lock = job->lock;
  row.sequence = job->sequence;
  return MakeJob(type, std::move(job->id), row, std::move(job->options));
}

absl::StatusOr<Counts> Jobs::CountJobs(fdb::Transaction& tr, const JobType& type, fdb::Isolation isolation) const {
  if (absl::Status status = CheckType(keys_, type); !status.ok()) return status;
  struct Counter {
    std::string key;
    int64_t* count;
    fdb::ValueFuture value;
  };
  Counts counts;
  std::vector<Counter> counters;
  const auto read = [&](JobState state, int64_t* count) {
    std::string key = keys_.Count(type, state);
    fdb::ValueFuture value = tr.Get(key, isolation);
    counters.push_back({std::move(key), count, std::move(value)});
  };
  read(JobState::kPending, &counts.pending);
  read(JobState::kRunning, &counts.running);
  read(JobState::kFinished, &counts.finished);
  for (const Counter& counter : counters) {
    const absl::StatusOr<std::optional<std::string_view>> value = counter.value.AwaitView();
    if (!value.ok()) return value.status();
    if (!value->has_value()) continue;
    const absl::StatusOr<int64_t> count = keyspace::JobKeys::DecodeCount(**value);
    if (!count.ok()) {
      return absl::DataLossError(absl::StrCat(keys_.Describe(counter.key), ": ", count.status().message()));
    }
    *counter.count = *count;
  }
  return counts;
}

}  // namespace fdbjobs
