// All types that the keyspace knows, with timeout and counts: those with an activity timeout, and those that have or
// had jobs.
//
// Thread safety: pure functions.
#ifndef FDBJOBS_TOOLS_CLI_TYPE_LIST_H_
#define FDBJOBS_TOOLS_CLI_TYPE_LIST_H_

#include <map>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "fdbjobs/job.h"
#include "tools/cli/context.h"

namespace fdbjobs::cli {

struct TypeFacts {
  std::optional<absl::Duration> timeout;
  Counts counts;
};
using TypeList = std::map<JobType, TypeFacts>;

// Reads timeouts and counters (snapshot), over as many transactions as it takes.
absl::StatusOr<TypeList> ReadTypes(const Context& context);

}  // namespace fdbjobs::cli

#endif  // FDBJOBS_TOOLS_CLI_TYPE_LIST_H_
