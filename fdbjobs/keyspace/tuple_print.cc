// Elements and tuples for people: the notation of docs/tuple.md.
#include <bit>
#include <charconv>
#include <cmath>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "fdbjobs/keyspace/tuple.h"
#include "fdbjobs/keyspace/tuple_utf8.h"

namespace fdbjobs::tuple {
namespace {

std::string Hex(const uint8_t* data, size_t size) {
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(data), size));
}

void AppendHexEscape(uint8_t byte, std::string* out) { absl::StrAppend(out, "\\x", absl::Hex(byte, absl::kZeroPad2)); }

// The length of the character that `rest` begins with, if a terminal would obey it rather than show it: the control
// characters U+0080 to U+009F, line separators, and marks that turn the direction of the text around. Otherwise 0.
size_t HiddenCharacterLength(std::string_view rest) {
  const auto byte = [rest](size_t i) { return i < rest.size() ? static_cast<uint8_t>(rest[i]) : uint8_t{0}; };
  if (byte(0) == 0xc2 && byte(1) <= 0x9f) return 2;
  if (byte(0) != 0xe2) return 0;
  const bool marks = byte(1) == 0x80 && (byte(2) == 0x8e || byte(2) == 0x8f || (byte(2) >= 0xa8 && byte(2) <= 0xae));
  const bool isolates = byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9;
  return marks || isolates ? 3 : 0;
}

// `keep_high` says whether bytes from 0x80 on, which then are UTF-8, stand for themselves.
void AppendEscaped(std::string_view bytes, bool keep_high, std::string* out) {
  size_t hidden_end = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    const auto byte = static_cast<uint8_t>(c);
    if (const size_t length = HiddenCharacterLength(bytes.substr(i)); length != 0) hidden_end = i + length;
    if (c == '"' || c == '\\') {
      out->push_back('\\');
      out->push_back(c);
    } else if (byte < 0x20 || byte == 0x7f || i < hidden_end || (byte >= 0x80 && !keep_high)) {
      AppendHexEscape(byte, out);
    } else {
      out->push_back(c);
    }
  }
}

template <typename Bits, typename Number>
std::string PrintNumber(const char* type, Number number) {
  if (std::isnan(number)) {
    const auto bits = std::bit_cast<Bits>(number);
    return absl::StrCat(type, "(nan:", absl::Hex(bits, sizeof bits == 4 ? absl::kZeroPad8 : absl::kZeroPad16), ")");
  }
  char digits[32];  // the shortest form that reads back the same is at most 24 long
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  return absl::StrCat(type, "(", absl::string_view(digits, static_cast<size_t>(end - digits)), ")");
}

struct Printer {
  std::string operator()(std::nullptr_t) const { return "null"; }
  std::string operator()(const Bytes& bytes) const {
    std::string out = "b\"";
    AppendEscaped(bytes.value, /*keep_high=*/false, &out);
    out.push_back('"');
    return out;
  }
  std::string operator()(std::string_view text) const {
    std::string out = "\"";
    while (const std::optional<size_t> invalid = FirstInvalidUtf8(text)) {
      AppendEscaped(text.substr(0, *invalid), /*keep_high=*/true, &out);
      AppendHexEscape(static_cast<uint8_t>(text[*invalid]), &out);
      text.remove_prefix(*invalid + 1);
    }
    AppendEscaped(text, /*keep_high=*/true, &out);
    out.push_back('"');
    return out;
  }
  std::string operator()(const Tuple& nested) const { return nested.ToString(); }
  std::string operator()(int64_t integer) const { return absl::StrCat(integer); }
  std::string operator()(uint64_t integer) const { return absl::StrCat(integer); }
  std::string operator()(const BigInt& integer) const {
    return absl::StrCat(integer.negative() ? "-0x" : "0x", absl::BytesToHexString(integer.magnitude()));
  }
  std::string operator()(float number) const { return PrintNumber<uint32_t>("float", number); }
  std::string operator()(double number) const { return PrintNumber<uint64_t>("double", number); }
  std::string operator()(bool truth) const { return truth ? "true" : "false"; }
  std::string operator()(const Uuid& uuid) const {
    std::string hex = Hex(uuid.bytes.data(), uuid.bytes.size());
    for (const size_t dash : {8, 13, 18, 23}) hex.insert(dash, 1, '-');
    return absl::StrCat("uuid(", hex, ")");
  }
  std::string operator()(const Versionstamp& stamp) const {
    const std::string transaction =
        stamp.complete() ? Hex(stamp.transaction.data(), stamp.transaction.size()) : "incomplete";
    return absl::StrCat("versionstamp(", transaction, ", ", stamp.user_version, ")");
  }
};

}  // namespace

std::string Element::ToString() const { return std::visit(Printer{}, value_); }

std::string Tuple::ToString() const {
  std::string out = "(";
  for (const Element& element : elements_) {
    absl::StrAppend(&out, out.size() == 1 ? "" : ", ", element.ToString());
  }
  out.push_back(')');
  return out;
}

}  // namespace fdbjobs::tuple
