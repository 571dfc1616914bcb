#include "fdbjobs/keyspace/json_text.h"

#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "fdbjobs/keyspace/tuple_utf8.h"
#include "simdjson.h"

namespace fdbjobs::keyspace {
namespace {

using simdjson::ondemand::json_type;

absl::Status NotJson(simdjson::error_code code) {
  return absl::InvalidArgumentError(absl::StrCat("not JSON: ", simdjson::error_message(code)));
}

absl::Status TooDeep() {
  return absl::InvalidArgumentError(
      absl::StrCat("not accepted: nests deeper than ", kMaxJsonDepth, " arrays and objects"));
}

size_t SkipDigits(std::string_view text, size_t at) {
  while (at < text.size() && absl::ascii_isdigit(static_cast<unsigned char>(text[at]))) ++at;
  return at;
}

bool IsNumber(std::string_view text) {
  size_t at = !text.empty() && text[0] == '-' ? 1 : 0;
  const size_t whole = SkipDigits(text, at);
  if (whole == at || (text[at] == '0' && whole > at + 1)) return false;
  at = whole;
  if (at < text.size() && text[at] == '.') {
    const size_t end = SkipDigits(text, at + 1);
    if (end == at + 1) return false;
    at = end;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const size_t end = SkipDigits(text, at);
    if (end == at) return false;
    at = end;
  }
  return at == text.size();
}

simdjson::error_code Walk(simdjson::ondemand::value value);

simdjson::error_code WalkObject(simdjson::ondemand::value value) {
  simdjson::ondemand::object object;
  if (simdjson::error_code code = value.get_object().get(object)) return code;
  for (simdjson::simdjson_result<simdjson::ondemand::field> field : object) {
    std::string_view key;
    if (simdjson::error_code code = field.unescaped_key().get(key)) return code;
    simdjson::ondemand::value inner;
    if (simdjson::error_code code = field.value().get(inner)) return code;
    if (simdjson::error_code code = Walk(inner)) return code;
  }
  return simdjson::SUCCESS;
}

simdjson::error_code WalkArray(simdjson::ondemand::value value) {
  simdjson::ondemand::array array;
  if (simdjson::error_code code = value.get_array().get(array)) return code;
  for (simdjson::simdjson_result<simdjson::ondemand::value> element : array) {
    simdjson::ondemand::value inner;
    if (simdjson::error_code code = element.get(inner)) return code;
    if (simdjson::error_code code = Walk(inner)) return code;
  }
  return simdjson::SUCCESS;
}

// At most as deep as the parser allows, which is kMaxJsonDepth.
simdjson::error_code Walk(simdjson::ondemand::value value) {
  json_type type;
  if (simdjson::error_code code = value.type().get(type)) return code;
  switch (type) {
    case json_type::object:
      return WalkObject(value);
    case json_type::array:
      return WalkArray(value);
    case json_type::string: {
      std::string_view text;
      return value.get_string().get(text);
    }
    case json_type::boolean: {
      bool truth;
      return value.get_bool().get(truth);
    }
    case json_type::null: {
      bool null;
      if (simdjson::error_code code = value.is_null().get(null)) return code;
      return null ? simdjson::SUCCESS : simdjson::N_ATOM_ERROR;
    }
    case json_type::number: {
      const std::string_view token = value.raw_json_token();
      const size_t end = token.find_last_not_of(" \t\r\n");
      return IsNumber(token.substr(0, end + 1)) ? simdjson::SUCCESS : simdjson::NUMBER_ERROR;
    }
  }
  return simdjson::TAPE_ERROR;
}

// The parser that makes numbers refuses those that do not fit into 64 bits. Here they stay text.
absl::Status CheckWithLargeNumbers(std::string_view text) {
  // In an array, so that a number alone is no case of its own.
  const simdjson::padded_string padded(absl::StrCat("[", std::string(text), "]"));
  simdjson::ondemand::parser parser;
  if (parser.allocate(padded.size(), kMaxJsonDepth + 1)) return absl::ResourceExhaustedError("no memory to check JSON");
  simdjson::ondemand::document document;
  if (simdjson::error_code code = parser.iterate(padded).get(document)) return NotJson(code);
  simdjson::ondemand::array array;
  if (simdjson::error_code code = document.get_array().get(array)) return NotJson(code);
  int elements = 0;
  for (simdjson::simdjson_result<simdjson::ondemand::value> element : array) {
    simdjson::ondemand::value value;
    if (simdjson::error_code code = element.get(value)) return NotJson(code);
    if (simdjson::error_code code = Walk(value)) return NotJson(code);
    ++elements;
  }
  const bool at_end = document.current_location().error() == simdjson::OUT_OF_BOUNDS;
  return elements == 1 && at_end ? absl::OkStatus() : NotJson(simdjson::TAPE_ERROR);
}

}  // namespace

absl::Status CheckJson(std::string_view text) {
  if (const std::optional<size_t> offset = tuple::FirstInvalidUtf8(text)) {
    return absl::InvalidArgumentError(absl::StrCat("not JSON: not UTF-8 at byte ", *offset));
  }
  thread_local simdjson::dom::parser parser;
  const simdjson::padded_string padded(text);
  if (parser.allocate(padded.size(), kMaxJsonDepth)) {
    return absl::ResourceExhaustedError("no memory to check JSON");
  }
  const simdjson::error_code code = parser.parse(padded).error();
  if (code == simdjson::SUCCESS) return absl::OkStatus();
  if (code == simdjson::DEPTH_ERROR) return TooDeep();
  if (code == simdjson::NUMBER_ERROR) return CheckWithLargeNumbers(text);
  return NotJson(code);
}

}  // namespace fdbjobs::keyspace
