// What callers may give: types, ids, priorities, data, times. Each check names what is wrong, its value, and what is
// allowed.
//
// Thread safety: pure functions.
#ifndef FDBJOBS_ARGUMENTS_H_
#define FDBJOBS_ARGUMENTS_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "fdbjobs/job.h"
#include "fdbjobs/keyspace/job_keys.h"
#include "fdbjobs/keyspace/job_options.h"

namespace fdbjobs {

// JobOpts may be so long that the row still fits when it is running and has both marks.
inline constexpr size_t kMaxOptionsBytes = keyspace::kMaxValueBytes - 128;

absl::Status CheckType(const keyspace::JobKeys& keys, const JobType& type);
// With the type, since both are in one key.
absl::Status CheckId(const keyspace::JobKeys& keys, const JobType& type, const JobId& id);
absl::Status CheckPriority(const keyspace::JobKeys& keys, const JobType& type, const JobId& id,
                           const Priority& priority);
absl::Status CheckData(std::string_view data);
// Of JobOpts: `options`, with this priority and this data.
absl::Status CheckOptionsSize(const keyspace::JobOptions& options, const Priority& priority, std::string_view data);
absl::Status CheckTimeout(absl::Duration timeout);
// `what` is for the message: "limit".
absl::Status CheckLimit(const char* what, int limit, int most);

}  // namespace fdbjobs

#endif  // FDBJOBS_ARGUMENTS_H_
