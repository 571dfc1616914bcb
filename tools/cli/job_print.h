// A job as JSON and as rows of a table: what list, show, tail and the changing commands share.
//
// Thread safety: pure functions.
#ifndef FDBJOBS_TOOLS_CLI_JOB_PRINT_H_
#define FDBJOBS_TOOLS_CLI_JOB_PRINT_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "fdbjobs/fdb/transaction.h"
#include "fdbjobs/job.h"
#include "tools/cli/context.h"

namespace fdbjobs::cli {

// By what the ages of sequences are counted.
struct Moment {
  uint8_t incarnation = 0;
  int64_t read_version = 0;
  absl::Time now;
};
absl::StatusOr<Moment> ReadMoment(const Context& context, fdb::Transaction& tr);

// Of the last heartbeat, while it runs.
std::optional<absl::Duration> HeartbeatAge(const Job& job, const Moment& moment);
// Since it was added.
std::optional<absl::Duration> Age(const Job& job, const Moment& moment);

// "running, cancel"
std::string StateText(const Job& job);
Json JobJson(const Context& context, const Job& job, const Moment& moment);
// Data that is JSON stands as it is, all else as a string.
Json DataJson(const Context& context, const std::string& data);

}  // namespace fdbjobs::cli

#endif  // FDBJOBS_TOOLS_CLI_JOB_PRINT_H_
