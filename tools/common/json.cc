#include "tools/common/json.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace fdbjobs::tools {
namespace {

void PrintString(std::string_view text, std::string* out) {
  out->push_back('"');
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out->push_back('\\');
      out->push_back(c);
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
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
  if (indent < 0) return;
  out->push_back('\n');
  out->append(static_cast<size_t>(indent) * 2, ' ');
}

int Inner(int indent) { return indent < 0 ? indent : indent + 1; }

// Prints `items` between the brackets, each on a line of its own.
template <typename Items, typename PrintItem>
void PrintAll(const Items& items, char open, char close, int indent, std::string* out, PrintItem print) {
  out->push_back(open);
  bool first = true;
  for (const auto& item : items) {
    if (!std::exchange(first, false)) out->push_back(',');
    StartLine(Inner(indent), out);
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

Json Json::Raw(std::string text) {
  Json raw;
  raw.value_ = RawText{std::move(text)};
  return raw;
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

std::string Json::ToLine() const {
  std::string out;
  Print(-1, &out);
  return out;
}

void Json::Print(int indent, std::string* out) const {
  if (const auto* members = std::get_if<Members>(&value_)) {
    PrintAll(*members, '{', '}', indent, out, [&](const Members::value_type& member) {
      PrintString(member.first, out);
      out->append(indent < 0 ? ":" : ": ");
      member.second.Print(Inner(indent), out);
    });
  } else if (const auto* elements = std::get_if<Elements>(&value_)) {
    PrintAll(*elements, '[', ']', indent, out, [&](const Json& element) { element.Print(Inner(indent), out); });
  } else if (const auto* raw = std::get_if<RawText>(&value_)) {
    out->append(raw->text);
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

}  // namespace fdbjobs::tools
