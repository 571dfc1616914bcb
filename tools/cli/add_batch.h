// AddBatch: jobs from JSON lines on standard input, some hundreds in a transaction.
//
// Lines are added in their order. When it ends early, for a bad line or a signal, it says how many lines are in the
// database, so that --skip can go on exactly there.
//
// Thread safety: one thread.
#ifndef FDBJOBS_TOOLS_CLI_ADD_BATCH_H_
#define FDBJOBS_TOOLS_CLI_ADD_BATCH_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "fdbjobs/job.h"
#include "tools/cli/context.h"

namespace fdbjobs::cli {

const char* AddResultName(AddResult result);

absl::StatusOr<int> AddBatch(Context& context, const JobType& type, IfExists if_exists, int64_t skip);

}  // namespace fdbjobs::cli

#endif  // FDBJOBS_TOOLS_CLI_ADD_BATCH_H_
