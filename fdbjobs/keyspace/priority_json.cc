#include "fdbjobs/keyspace/priority_json.h"

#include <charconv>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "fdbjobs/keyspace/tuple_reader.h"
#include "fdbjobs/keyspace/tuple_utf8.h"

namespace fdbjobs::keyspace {
namespace {

std::string PackedJson(const PackedElement& priority) {
  return absl::StrCat("{\"packed\":\"", absl::BytesToHexString(priority.packed()), "\"}");
}

std::string DoubleJson(double number) {
  char buffer[32];
  const std::to_chars_result result = std::to_chars(buffer, buffer + sizeof buffer, number);
  std::string text(buffer, result.ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

std::string PriorityToJson(const PackedElement& priority) {
  const tuple::Element element = priority.element();
  switch (element.kind()) {
    case tuple::Kind::kNull:
      return "null";
    case tuple::Kind::kBool:
      return *element.get_if<bool>() ? "true" : "false";
    case tuple::Kind::kInteger:
      if (const std::optional<int64_t> number = element.AsInt64()) return absl::StrCat(*number);
      if (const std::optional<uint64_t> number = element.AsUint64()) return absl::StrCat(*number);
      return PackedJson(priority);
    case tuple::Kind::kDouble:
      return std::isfinite(*element.get_if<double>()) ? DoubleJson(*element.get_if<double>()) : PackedJson(priority);
    case tuple::Kind::kString: {
      const std::string& text = *element.get_if<std::string>();
      return tuple::IsValidUtf8(text) ? JsonString(text) : PackedJson(priority);
    }
    default:
      return PackedJson(priority);
  }
}

absl::StatusOr<PackedElement> PriorityFromHex(std::string_view hex) {
  const auto is_hex = [](char c) { return absl::ascii_isxdigit(static_cast<unsigned char>(c)); };
  for (const char c : hex) {
    if (!is_hex(c)) return absl::DataLossError("priority: \"packed\" holds something else than hex digits");
  }
  if (hex.size() % 2 != 0) return absl::DataLossError("priority: \"packed\" has an odd number of hex digits");
  const std::string bytes = absl::HexStringToBytes({hex.data(), hex.size()});
  tuple::TupleReader reader(bytes);
  const absl::StatusOr<tuple::Element> element = reader.ReadElement();
  if (!element.ok()) return absl::DataLossError(absl::StrCat("priority: ", element.status().message()));
  if (!reader.AtEnd()) return absl::DataLossError("priority: \"packed\" holds more than one element");
  // Written again it would get the proper form, and no longer be the one of its pending key.
  if (PackedElement(*element).packed() != bytes) {
    return absl::DataLossError("priority: \"packed\" is not packed as it should be");
  }
  return PackedElement::FromPacked(bytes);
}

bool HoldsNan(const tuple::Element& element) {
  if (const float* number = element.get_if<float>()) return std::isnan(*number);
  if (const double* number = element.get_if<double>()) return std::isnan(*number);
  if (const tuple::Tuple* nested = element.get_if<tuple::Tuple>()) {
    for (const tuple::Element& inner : *nested) {
      if (HoldsNan(inner)) return true;
    }
  }
  return false;
}

std::string JsonString(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      json.push_back('\\');
      json.push_back(c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppend(&json, "\\u", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad4));
    } else {
      json.push_back(c);
    }
  }
  json.push_back('"');
  return json;
}

}  // namespace fdbjobs::keyspace
