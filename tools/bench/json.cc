#include "tools/bench/json.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace fdbjobs::bench {
namespace {

void PrintString(std::string_view text, std::string* out) {
  out->push_back('"');
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out->push_back('\\');
      out->push_back(c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppendFormat(out, "\\u%04x", c);
    } else {
      out->push_back(c);
    }
  }
  out->push_back('"');
}

void PrintNumber(double number, std::string* out) {
  if (std::isfinite(number)) {
    absl::StrAppendFormat(out, "%.6g", number);
  } else {
    out->append("null");
  }
}

void StartLine(int indent, std::string* out) {
  out->push_back('\n');
  out->append(static_cast<size_t>(indent) * 2, ' ');
}

// Prints `items` between the brackets, each on a line of its own.
template <typename Items, typename PrintItem>
void PrintAll(const Items& items, char open, char close, int indent, std::string* out, PrintItem print) {
  out->push_back(open);
  bool first = true;
  for (const auto& item : items) {
    if (!std::exchange(first, false)) out->push_back(',');
    StartLine(indent + 1, out);
    print(item);
  }
  if (!first) StartLine(indent, out);
  out->push_back(close);
}

}  // namespace

Json Json::Object() {
  Json object;
  object.value_ = Members();
  return object;
}

Json Json::Array() {
  Json array;
  array.value_ = Elements();
  return array;
}

Json& Json::operator[](std::string_view name) {
  Members& members = std::get<Members>(value_);
  for (auto& [known, value] : members) {
    if (known == name) return value;
  }
  return members.emplace_back(std::string(name), Json()).second;
}

void Json::Add(Json value) { std::get<Elements>(value_).push_back(std::move(value)); }

std::string Json::ToString() const {
  std::string out;
  Print(0, &out);
  return out;
}

void Json::Print(int indent, std::string* out) const {
  if (const auto* members = std::get_if<Members>(&value_)) {
    PrintAll(*members, '{', '}', indent, out, [&](const Members::value_type& member) {
      PrintString(member.first, out);
      out->append(": ");
      member.second.Print(indent + 1, out);
    });
  } else if (const auto* elements = std::get_if<Elements>(&value_)) {
    PrintAll(*elements, '[', ']', indent, out, [&](const Json& element) { element.Print(indent + 1, out); });
  } else if (const auto* text = std::get_if<std::string>(&value_)) {
    PrintString(*text, out);
  } else if (const auto* number = std::get_if<double>(&value_)) {
    PrintNumber(*number, out);
  } else if (const auto* integer = std::get_if<int64_t>(&value_)) {
    absl::StrAppend(out, *integer);
  } else if (const auto* boolean = std::get_if<bool>(&value_)) {
    out->append(*boolean ? "true" : "false");
  } else {
    out->append("null");
  }
}

}  // namespace fdbjobs::bench
