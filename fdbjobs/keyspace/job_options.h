// JobOptions: JobOpts, the JSON object in a data row, taken apart and put together.
//
//   {"priority":5,"added":1763440000123,"cancel":true,"resubmit":true,...,"data":<the caller's bytes>}
//
// Fields that this version does not know are kept as they are. The caller's data is never rewritten: it comes back
// byte for byte.
//
// Thread safety: a plain value. Lifetime: owns its bytes.
//
//   absl::StatusOr<JobOptions> options = JobOptions::Parse(row.options);
//   options->data = R"({"done":7})";
//   row.options = options->ToJson();
#ifndef FDBJOBS_KEYSPACE_JOB_OPTIONS_H_
#define FDBJOBS_KEYSPACE_JOB_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "fdbjobs/keyspace/packed_element.h"

namespace fdbjobs::keyspace {

struct JobOptions {
  PackedElement priority = 0;       // 0 is not written, and what is meant when the field is missing
  std::optional<int64_t> added_ms;  // when the job was added, in milliseconds since 1970, by the adder's clock
  bool cancel = false;
  bool resubmit = false;
  std::string others;  // further fields, ready to be written: "a":1,"b":{}
  std::string data;    // JSON; empty when there is none

  // kDataLoss when `json` is not such an object. The data is not looked into beyond where it ends.
  static absl::StatusOr<JobOptions> Parse(std::string_view json);
  std::string ToJson() const;
};

}  // namespace fdbjobs::keyspace

#endif  // FDBJOBS_KEYSPACE_JOB_OPTIONS_H_
