#include "fdbjobs/arguments.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "fdbjobs/keyspace/json_text.h"
#include "fdbjobs/keyspace/priority_json.h"

namespace fdbjobs {
namespace {

// Behind a type, an activity entry has a sequence.
constexpr size_t kSequenceBytes = 20;

absl::Status CheckPacked(const char* what, const keyspace::PackedElement& element) {
  if (element.status().ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, ": ", element.status().message()));
}

absl::Status CheckKey(const char* what, size_t bytes) {
  if (bytes <= keyspace::kMaxKeyBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, ": its key would have ", bytes, " bytes; at most ", keyspace::kMaxKeyBytes, " are allowed"));
}

}  // namespace

absl::Status CheckType(const keyspace::JobKeys& keys, const JobType& type) {
  if (absl::Status status = CheckPacked("job type", type); !status.ok()) return status;
  static const JobType kEmptyText("");
  static const JobType kEmptyBytes(tuple::Bytes{});
  if (type == kEmptyText || type == kEmptyBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("job type: ", type.ToString(), " is empty; any other tuple value is allowed"));
  }
  return CheckKey("job type", keys.ActivityTimeout(type).size() + kSequenceBytes);
}

absl::Status CheckId(const keyspace::JobKeys& keys, const JobType& type, const JobId& id) {
  if (absl::Status status = CheckPacked("job id", id); !status.ok()) return status;
  return CheckKey("job id", keys.Data(type, id).size());
}

absl::Status CheckPriority(const keyspace::JobKeys& keys, const JobType& type, const JobId& id,
                           const Priority& priority) {
  if (absl::Status status = CheckPacked("priority", priority); !status.ok()) return status;
  if (keyspace::HoldsNan(priority.element())) {
    return absl::InvalidArgumentError(
        absl::StrCat("priority: ", priority.ToString(), " is not a number, so it has no place in an order"));
  }
  return CheckKey("priority", keys.PendingSize(type, priority, id));
}

absl::Status CheckData(std::string_view data) {
  if (data.empty()) return absl::OkStatus();
  if (data.size() > kMaxOptionsBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("data: ", data.size(), " bytes; at most about ", kMaxOptionsBytes, " are allowed"));
  }
  const absl::Status status = keyspace::CheckJson(data);
  if (status.ok()) return status;
  constexpr size_t kShown = 60;
  const std::string shown(data.substr(0, kShown));
  return absl::Status(status.code(), absl::StrCat("data: ", status.message(), ": ", keyspace::JsonString(shown),
                                                  data.size() > kShown ? "..." : ""));
}

absl::Status CheckOptionsSize(const keyspace::JobOptions& options, const Priority& priority, std::string_view data) {
  // A quick look spares most jobs the exact one. As JSON a byte of text may be six; names and marks are short.
  constexpr size_t kNames = 200;
  if (6 * priority.packed().size() + data.size() + options.others.size() + kNames <= kMaxOptionsBytes) {
    return absl::OkStatus();
  }
  keyspace::JobOptions exact = options;
  exact.priority = priority;
  exact.data = data;
  // The row has room for them besides.
  exact.cancel = exact.resubmit = false;
  const size_t bytes = exact.ToJson().size();
  if (bytes <= kMaxOptionsBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("data, priority and what else is stored of the job are ", bytes,
                                                 " bytes; at most ", kMaxOptionsBytes, " are allowed"));
}

absl::Status CheckTimeout(absl::Duration timeout) {
  if (timeout >= absl::Milliseconds(1) && timeout <= absl::Hours(24 * 3660)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("activity timeout: ", absl::FormatDuration(timeout), "; allowed are 1ms to 87840h (ten years)"));
}

absl::Status CheckLimit(const char* what, int limit, int most) {
  if (limit >= 1 && limit <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, ": ", limit, "; allowed are 1 to ", most));
}

}  // namespace fdbjobs
