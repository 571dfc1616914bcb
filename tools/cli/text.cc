#include "tools/cli/text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "fdbjobs/keyspace/json_text.h"
#include "fdbjobs/keyspace/tuple_parse.h"

namespace fdbjobs::cli {
namespace {

bool IsHidden(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0x200e || code == 0x200f ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

// The length of the UTF-8 character at the begin of `rest`, 1 for bytes that begin none; and its code point.
size_t ReadCharacter(std::string_view rest, uint32_t* code) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(rest[i]); };
  const size_t length = byte(0) < 0xc0 ? 1 : byte(0) < 0xe0 ? 2 : byte(0) < 0xf0 ? 3 : 4;
  if (length > rest.size() || (length == 1 && byte(0) >= 0x80)) {
    *code = 0x80;  // shown as an escape
    return 1;
  }
  *code = length == 1 ? byte(0) : byte(0) & (0x7f >> length);
  for (size_t i = 1; i < length; ++i) *code = *code << 6 | (byte(i) & 0x3f);
  return length;
}

// Pretty-prints valid JSON by its tokens.
class Indenter {
 public:
  std::string Indent(std::string_view json) {
    bool in_string = false;
    for (size_t i = 0; i < json.size(); ++i) {
      const char c = json[i];
      if (in_string) {
        out_.push_back(c);
        if (c == '\\') out_.push_back(json[++i]);
        if (c == '"') in_string = false;
      } else if (c == '"') {
        Value();
        out_.push_back(c);
        in_string = true;
      } else if (std::string_view(" \t\r\n").find(c) == std::string_view::npos) {
        Token(c);
      }
    }
    return std::move(out_);
  }

 private:
  void Line() {
    out_.push_back('\n');
    out_.append(2 * depth_, ' ');
  }
  void Value() {
    if (opened_) Line();
    opened_ = false;
  }
  void Token(char c) {
    if (c == '{' || c == '[') {
      Value();
      out_.push_back(c);
      ++depth_;
      opened_ = true;
    } else if (c == '}' || c == ']') {
      --depth_;
      if (!opened_) Line();
      opened_ = false;
      out_.push_back(c);
    } else if (c == ',') {
      out_.push_back(c);
      Line();
    } else if (c == ':') {
      out_.append(": ");
    } else {
      Value();
      out_.push_back(c);
    }
  }

  std::string out_;
  size_t depth_ = 0;
  bool opened_ = false;  // the last token opened an array or object
};

std::string Escaped(std::string_view text, std::string_view kept) {
  std::string out;
  while (!text.empty()) {
    uint32_t code;
    const size_t length = ReadCharacter(text, &code);
    if (IsHidden(code) && kept.find(text[0]) == std::string_view::npos) {
      absl::StrAppendFormat(&out, "\\u%04x", length == 1 ? static_cast<uint8_t>(text[0]) : code);
    } else {
      out.append(text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace

std::string Literal(const keyspace::PackedElement& element) { return tuple::PrintArgument(element.element()); }

std::string AgeText(std::optional<absl::Duration> age) {
  if (!age.has_value()) return "-";
  const double seconds = std::max(0.0, absl::ToDoubleSeconds(*age));
  const auto whole = static_cast<int64_t>(seconds);
  if (seconds < 10) return absl::StrFormat("%.1fs", seconds);
  if (whole < 60) return absl::StrFormat("%ds", whole);
  if (whole < 3600) return absl::StrFormat("%dm%02ds", whole / 60, whole % 60);
  if (whole < 86400) return absl::StrFormat("%dh%02dm", whole / 3600, whole / 60 % 60);
  return absl::StrFormat("%dd%02dh", whole / 86400, whole / 3600 % 24);
}

std::string TimeText(absl::Time time) { return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", time, absl::UTCTimeZone()); }

std::optional<absl::Duration> SequenceAge(const Sequence& sequence, uint8_t incarnation, int64_t read_version) {
  if (sequence.incarnation != incarnation) return std::nullopt;
  const auto version = static_cast<int64_t>(sequence.version());
  return absl::Microseconds(std::max<int64_t>(0, read_version - version));
}

std::string Visible(std::string_view text) { return Escaped(text, ""); }

std::string VisibleJson(std::string_view json) {
  std::string out = Escaped(json, " \t\r\n");
  // Outside of strings, where it is allowed, it means no more than a space.
  std::replace(out.begin(), out.end(), '\r', ' ');
  return out;
}

std::string PrettyJson(std::string_view json) {
  if (!keyspace::CheckJson(json).ok()) return std::string(json);
  return Indenter().Indent(json);
}

size_t Width(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string Shortened(std::string_view text, size_t width) {
  if (Width(text) <= width) return std::string(text);
  if (width == 0) return "";
  size_t end = 0;
  for (size_t shown = 0; shown + 1 < width; ++shown) {
    uint32_t code;
    end += ReadCharacter(text.substr(end), &code);
  }
  return absl::StrCat(std::string(text.substr(0, end)), "\xe2\x80\xa6");
}

std::string Count(int64_t number) {
  std::string digits = absl::StrCat(number < 0 ? -number : number);
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return number < 0 ? "-" + digits : digits;
}

std::string JobCount(int64_t number) { return absl::StrCat(Count(number), number == 1 ? " job" : " jobs"); }

}  // namespace fdbjobs::cli
