#include "fdbjobs/keyspace/job_options.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "fdbjobs/keyspace/json_text.h"
#include "fdbjobs/keyspace/priority_json.h"
#include "simdjson.h"

namespace fdbjobs::keyspace {
namespace {

using simdjson::ondemand::json_type;

absl::Status Damaged(std::string_view what) {
  return absl::DataLossError(absl::StrCat("JobOpts: ", std::string(what)));
}
absl::Status Damaged(simdjson::error_code code) { return Damaged(simdjson::error_message(code)); }

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Where a field's value lies in the text, with all that stands between the colon and the comma, or brace, behind it.
struct Span {
  size_t begin;
  size_t end;
};

Span WithSpaces(std::string_view text, std::string_view token) {
  Span span;
  span.begin = static_cast<size_t>(token.data() - text.data());
  span.end = span.begin + token.size();
  while (span.begin > 0 && IsSpace(text[span.begin - 1])) --span.begin;
  while (span.end < text.size() && IsSpace(text[span.end])) ++span.end;
  return span;
}

absl::StatusOr<PackedElement> NumberPriority(simdjson::ondemand::value value) {
  // In this order: an integer that fits is one, and a number with point or exponent is a double.
  int64_t small;
  if (!value.get_int64().get(small)) return PackedElement(small);
  uint64_t large;
  if (!value.get_uint64().get(large)) return PackedElement(large);
  double number;
  if (simdjson::error_code code = value.get_double().get(number)) return Damaged(code);
  return PackedElement(number);
}

absl::StatusOr<PackedElement> ParsePriority(simdjson::ondemand::value value) {
  json_type type;
  if (simdjson::error_code code = value.type().get(type)) return Damaged(code);
  switch (type) {
    case json_type::null: {
      // The type is told by the first letter.
      bool null;
      if (simdjson::error_code code = value.is_null().get(null)) return Damaged(code);
      if (!null) return Damaged(simdjson::N_ATOM_ERROR);
      return PackedElement();
    }
    case json_type::boolean: {
      bool truth;
      if (simdjson::error_code code = value.get_bool().get(truth)) return Damaged(code);
      return PackedElement(truth);
    }
    case json_type::number:
      return NumberPriority(value);
    case json_type::string: {
      std::string_view text;
      if (simdjson::error_code code = value.get_string().get(text)) return Damaged(code);
      return PackedElement(text);
    }
    case json_type::object: {
      std::string_view hex;
      if (simdjson::error_code code = value["packed"].get_string().get(hex)) return Damaged(code);
      return PriorityFromHex(hex);
    }
    default:
      return Damaged("the priority is an array; allowed are a scalar and {\"packed\":\"<hex>\"}");
  }
}

// One field of the object, into `options`.
absl::Status ParseField(std::string_view text, simdjson::ondemand::field field, JobOptions* options) {
  const simdjson::ondemand::raw_json_string key = field.key();
  simdjson::ondemand::value value = field.value();
  if (key == "priority") {
    absl::StatusOr<PackedElement> priority = ParsePriority(value);
    if (!priority.ok()) return priority.status();
    options->priority = *std::move(priority);
    return absl::OkStatus();
  }
  if (key == "cancel" || key == "resubmit") {
    bool& mark = key == "cancel" ? options->cancel : options->resubmit;
    const simdjson::error_code code = value.get_bool().get(mark);
    return code ? Damaged(code) : absl::OkStatus();
  }
  if (key == "added") {
    int64_t milliseconds;
    if (simdjson::error_code code = value.get_int64().get(milliseconds)) return Damaged(code);
    options->added_ms = milliseconds;
    return absl::OkStatus();
  }
  const bool is_data = key == "data";
  const char* const key_begin = key.raw() - 1;  // with its quote
  std::string_view token;
  if (simdjson::error_code code = simdjson::to_json_string(value).get(token)) return Damaged(code);
  const Span span = WithSpaces(text, token);
  if (is_data) {
    options->data = text.substr(span.begin, span.end - span.begin);
  } else {
    const size_t begin = static_cast<size_t>(key_begin - text.data());
    if (!options->others.empty()) options->others.push_back(',');
    options->others.append(text.substr(begin, span.end - begin));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<JobOptions> JobOptions::Parse(std::string_view json) {
  thread_local simdjson::ondemand::parser parser;
  thread_local std::string padded;
  padded.assign(json);
  padded.reserve(json.size() + simdjson::SIMDJSON_PADDING);
  // The data may be as deep as is allowed, and stands one level down.
  if (parser.max_depth() < kMaxJsonDepth + 1 && parser.allocate(padded.size(), kMaxJsonDepth + 1)) {
    return absl::ResourceExhaustedError("no memory to read JobOpts");
  }
  simdjson::ondemand::document document;
  if (simdjson::error_code code = parser.iterate(padded).get(document)) return Damaged(code);
  simdjson::ondemand::object object;
  if (simdjson::error_code code = document.get_object().get(object)) return Damaged(code);
  JobOptions options;
  for (simdjson::simdjson_result<simdjson::ondemand::field> result : object) {
    simdjson::ondemand::field field;
    if (simdjson::error_code code = std::move(result).get(field)) return Damaged(code);
    if (absl::Status status = ParseField(padded, field, &options); !status.ok()) return status;
  }
  if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) return Damaged("text behind the object");
  return options;
}

std::string JobOptions::ToJson() const {
  static const PackedElement kZero(0);
  std::string json;
  json.reserve(64 + others.size() + data.size());
  json.push_back('{');
  const auto comma = [&json] {
    if (json.size() > 1) json.push_back(',');
  };
  if (priority != kZero) json.append("\"priority\":").append(PriorityToJson(priority));
  if (added_ms.has_value()) {
    comma();
    absl::StrAppend(&json, "\"added\":", *added_ms);
  }
  if (cancel) {
    comma();
    json.append("\"cancel\":true");
  }
  if (resubmit) {
    comma();
    json.append("\"resubmit\":true");
  }
  if (!others.empty()) {
    comma();
    json.append(others);
  }
  if (!data.empty()) {
    comma();
    json.append("\"data\":").append(data);
  }
  json.push_back('}');
  return json;
}

}  // namespace fdbjobs::keyspace
