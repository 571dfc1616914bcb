// ChangeJobs: one change of many jobs, some hundreds in a transaction: what cancel, resubmit, remove and priority
// share.
//
// By filter, each job is looked at again in the transaction that changes it: one that does not match any more is left
// alone. What was interrupted is finished by running it again.
//
// Thread safety: one thread.
#ifndef FDBJOBS_TOOLS_CLI_CHANGE_JOBS_H_
#define FDBJOBS_TOOLS_CLI_CHANGE_JOBS_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "fdbjobs/job.h"
#include "tools/cli/context.h"
#include "tools/cli/filter.h"

namespace fdbjobs::cli {

struct Change {
  std::string verb;  // "cancel"
  std::function<absl::StatusOr<ChangeResult>(fdb::Transaction&, const JobType&, const JobId&)> apply;
};

struct ChangeOptions {
  bool dry_run = false;
  bool yes = false;  // do not ask
};

// The exit code: kExitNotFound if one of the ids has no job.
absl::StatusOr<int> ChangeByIds(const Context& context, const JobType& type, const Change& change,
                                const std::vector<JobId>& ids, const ChangeOptions& options);
absl::StatusOr<int> ChangeByFilter(const Context& context, const JobType& type, const Change& change,
                                   const Filter& filter, const ChangeOptions& options);

}  // namespace fdbjobs::cli

#endif  // FDBJOBS_TOOLS_CLI_CHANGE_JOBS_H_
