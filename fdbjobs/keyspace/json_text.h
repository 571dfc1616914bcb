// What is accepted as the JSON of a job's data, and why something is not.
//
// Any JSON value, UTF-8, at most kMaxJsonDepth arrays and objects deep. Numbers may be of any size: they are passed
// on as text.
//
// Thread safety: pure function.
#ifndef FDBJOBS_KEYSPACE_JSON_TEXT_H_
#define FDBJOBS_KEYSPACE_JSON_TEXT_H_

#include <string_view>

#include "absl/status/status.h"

namespace fdbjobs::keyspace {

inline constexpr int kMaxJsonDepth = 1000;

// kInvalidArgument that says what is wrong and where it is known, the byte.
absl::Status CheckJson(std::string_view text);

}  // namespace fdbjobs::keyspace

#endif  // FDBJOBS_KEYSPACE_JSON_TEXT_H_
