// Reads a JSON object member by member, each with its text as it stands: one line of JSON lines.
//
// Thread safety: pure functions. Lifetime: members own their text.
//
//   absl::StatusOr<std::vector<JsonMember>> members = ReadJsonObject(R"({"id":"7","data":{"a": 1}})");
//   (*members)[1].raw    // {"a": 1}, byte for byte
#ifndef FDBJOBS_TOOLS_COMMON_JSON_OBJECT_H_
#define FDBJOBS_TOOLS_COMMON_JSON_OBJECT_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace fdbjobs::tools {

enum class JsonKind { kNull, kBool, kNumber, kString, kArray, kObject };

struct JsonMember {
  std::string name;
  JsonKind kind = JsonKind::kNull;
  std::string text;  // of a string: without quotes and escapes
  std::string raw;   // the value as it stands in the JSON
};

// kInvalidArgument, with what is wrong, when `json` is anything but one object, or has a member twice.
absl::StatusOr<std::vector<JsonMember>> ReadJsonObject(std::string_view json);

}  // namespace fdbjobs::tools

#endif  // FDBJOBS_TOOLS_COMMON_JSON_OBJECT_H_
