#include "fdbjobs/job_view.h"

#include <utility>

namespace fdbjobs {

Job MakeJob(const JobType& type, JobId id, const keyspace::JobRow& row, keyspace::JobOptions options) {
  Job job;
  job.type = type;
  job.id = std::move(id);
  job.state = row.state;
  job.priority = std::move(options.priority);
  job.data = std::move(options.data);
  job.cancel = options.cancel;
  job.resubmit = options.resubmit;
  if (options.added_ms.has_value()) job.added = absl::FromUnixMillis(*options.added_ms);
  if (row.state == JobState::kRunning) {
    job.lock = row.lock;
    if (row.sequence.stamp.complete()) job.sequence = row.sequence;
  }
  return job;
}

absl::StatusOr<Job> DecodeJob(const JobType& type, JobId id, std::string_view value) {
  const absl::StatusOr<keyspace::JobRow> row = keyspace::JobRow::Decode(value);
  if (!row.ok()) return row.status();
  absl::StatusOr<keyspace::JobOptions> options = keyspace::JobOptions::Parse(row->options);
  if (!options.ok()) return options.status();
  return MakeJob(type, std::move(id), *row, *std::move(options));
}

}  // namespace fdbjobs
