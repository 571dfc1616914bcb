// A Job out of its data row.
//
// Thread safety: pure functions.
#ifndef FDBJOBS_JOB_VIEW_H_
#define FDBJOBS_JOB_VIEW_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "fdbjobs/job.h"
#include "fdbjobs/keyspace/job_options.h"
#include "fdbjobs/keyspace/job_row.h"

namespace fdbjobs {

Job MakeJob(const JobType& type, JobId id, const keyspace::JobRow& row, keyspace::JobOptions options);

// kDataLoss when `value` is not a data row.
absl::StatusOr<Job> DecodeJob(const JobType& type, JobId id, std::string_view value);

}  // namespace fdbjobs

#endif  // FDBJOBS_JOB_VIEW_H_
