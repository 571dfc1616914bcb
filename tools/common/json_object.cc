#include "tools/common/json_object.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "fdbjobs/keyspace/json_text.h"
#include "simdjson.h"

namespace fdbjobs::tools {
namespace {

using simdjson::error_code;
using simdjson::ondemand::json_type;

absl::Status Bad(error_code code) {
  return absl::InvalidArgumentError(absl::StrCat("not a JSON object: ", simdjson::error_message(code)));
}

JsonKind KindOf(json_type type) {
  switch (type) {
    case json_type::array:
      return JsonKind::kArray;
    case json_type::object:
      return JsonKind::kObject;
    case json_type::number:
      return JsonKind::kNumber;
    case json_type::string:
      return JsonKind::kString;
    case json_type::boolean:
      return JsonKind::kBool;
    case json_type::null:
      break;
  }
  return JsonKind::kNull;
}

absl::StatusOr<JsonMember> ReadMember(simdjson::ondemand::field field) {
  JsonMember member;
  std::string_view name;
  if (error_code code = field.unescaped_key().get(name)) return Bad(code);
  member.name = name;
  simdjson::ondemand::value value = field.value();
  json_type type;
  if (error_code code = value.type().get(type)) return Bad(code);
  member.kind = KindOf(type);
  if (member.kind == JsonKind::kString) {
    member.raw = value.raw_json_token();
    std::string_view text;
    if (error_code code = value.get_string().get(text)) return Bad(code);
    member.text = text;
  } else {
    std::string_view raw;
    if (error_code code = simdjson::to_json_string(value).get(raw)) return Bad(code);
    member.raw = raw;
  }
  while (!member.raw.empty() && std::string_view(" \t\r\n").find(member.raw.back()) != std::string_view::npos) {
    member.raw.pop_back();
  }
  return member;
}

}  // namespace

absl::StatusOr<std::vector<JsonMember>> ReadJsonObject(std::string_view json) {
  // This one looks into every value; the reader below only into those that it hands out.
  if (absl::Status status = keyspace::CheckJson(json); !status.ok()) return status;
  const simdjson::padded_string padded(json);
  simdjson::ondemand::parser parser;
  if (parser.allocate(padded.size(), keyspace::kMaxJsonDepth + 1)) return absl::ResourceExhaustedError("no memory");
  simdjson::ondemand::document document;
  if (error_code code = parser.iterate(padded).get(document)) return Bad(code);
  simdjson::ondemand::object object;
  if (error_code code = document.get_object().get(object)) return Bad(code);
  std::vector<JsonMember> members;
  for (simdjson::simdjson_result<simdjson::ondemand::field> result : object) {
    simdjson::ondemand::field field;
    if (error_code code = std::move(result).get(field)) return Bad(code);
    absl::StatusOr<JsonMember> member = ReadMember(std::move(field));
    if (!member.ok()) return member.status();
    const auto same = [&](const JsonMember& other) { return other.name == member->name; };
    if (std::any_of(members.begin(), members.end(), same)) {
      return absl::InvalidArgumentError(absl::StrCat("\"", member->name, "\" is given twice"));
    }
    members.push_back(*std::move(member));
  }
  return members;
}

}  // namespace fdbjobs::tools
