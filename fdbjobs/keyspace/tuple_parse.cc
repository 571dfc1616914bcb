#include "fdbjobs/keyspace/tuple_parse.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "fdbjobs/keyspace/tuple_utf8.h"

namespace fdbjobs::tuple {
namespace {

constexpr std::string_view kElementForms =
    "an element: null, true, false, an integer, \"text\", b\"bytes\", float(1.5), double(1.5), uuid(...), "
    "versionstamp(..., 0) or (a, tuple)";

std::optional<uint8_t> HexDigit(char c) {
  if (c >= '0' && c <= '9') return static_cast<uint8_t>(c - '0');
  const char lower = absl::ascii_tolower(static_cast<unsigned char>(c));
  if (lower >= 'a' && lower <= 'f') return static_cast<uint8_t>(lower - 'a' + 10);
  return std::nullopt;
}

// Both of any length; nullopt when a character is no digit. An odd number of digits has a zero in front.
std::optional<std::string> BytesOfHex(std::string_view digits) {
  std::string bytes((digits.size() + 1) / 2, '\0');
  for (size_t i = 0; i < digits.size(); ++i) {
    const std::optional<uint8_t> digit = HexDigit(digits[i]);
    if (!digit.has_value()) return std::nullopt;
    const size_t from_end = digits.size() - 1 - i;
    char& byte = bytes[bytes.size() - 1 - from_end / 2];
    byte = static_cast<char>(static_cast<uint8_t>(byte) | (*digit << (from_end % 2 == 0 ? 0 : 4)));
  }
  return bytes;
}

// Big endian. `digits` are decimal.
std::string BytesOfDecimal(std::string_view digits) {
  std::string little_endian;
  for (const char digit : digits) {
    unsigned carry = static_cast<unsigned>(digit - '0');
    for (char& byte : little_endian) {
      carry += static_cast<uint8_t>(byte) * 10u;
      byte = static_cast<char>(carry & 0xff);
      carry >>= 8;
    }
    if (carry != 0) little_endian.push_back(static_cast<char>(carry));
  }
  std::reverse(little_endian.begin(), little_endian.end());
  return little_endian;
}

// By recursive descent. The first thing that does not fit sets the error; what is returned then means nothing, and
// nothing further is read.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Element ReadElement() {
    if (Next() == '(') return ReadNested();
    if (Take("\"")) return ReadQuoted();
    if (Take("b\"")) return Bytes{ReadQuoted()};
    if (Take("float(")) return ReadNumber<float, uint32_t>();
    if (Take("double(")) return ReadNumber<double, uint64_t>();
    if (Take("uuid(")) return ReadUuid();
    if (Take("versionstamp(")) return ReadVersionstamp();
    if (Next() == '-' || absl::ascii_isdigit(static_cast<unsigned char>(Next()))) return ReadInteger();
    if (TakeName("null")) return nullptr;
    if (TakeName("true")) return true;
    if (TakeName("false")) return false;
    Fail(kElementForms);
    return {};
  }

  Tuple ReadTuple() {
    Tuple tuple;
    if (!Take("(")) Fail("( as the begin of a tuple");
    SkipSpaces();
    if (Take(")")) return tuple;
    while (ok()) {
      tuple.Append(ReadElement());
      SkipSpaces();
      if (!ok() || Take(")")) break;
      if (!Take(",")) Fail("a comma or the ) that ends the tuple");
      SkipSpaces();
    }
    return tuple;
  }

  void ReadEnd() {
    if (at_ != text_.size()) Fail("the end");
  }

  bool ok() const { return error_.ok(); }
  const absl::Status& error() const { return error_; }

 private:
  char Next() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool Take(std::string_view token) {
    if (!ok() || !text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  // A name that does not go on: null, yet not nullable.
  bool TakeName(std::string_view name) {
    const std::string_view rest = text_.substr(at_);
    if (rest.size() > name.size() && absl::ascii_isalnum(static_cast<unsigned char>(rest[name.size()]))) return false;
    return Take(name);
  }

  void SkipSpaces() {
    while (Take(" ")) {
    }
  }

  void Fail(std::string_view expected) { FailAt(at_, expected); }

  void FailAt(size_t offset, std::string_view expected) {
    if (!ok()) return;
    std::string found = "the end";
    if (offset < text_.size()) {
      const auto byte = static_cast<uint8_t>(text_[offset]);
      found = byte > 0x20 && byte < 0x7f ? absl::StrCat("'", std::string(1, text_[offset]), "'")
                                         : absl::StrCat("byte 0x", absl::Hex(byte, absl::kZeroPad2));
    }
    error_ = absl::InvalidArgumentError(
        absl::StrCat("not a tuple value: at offset ", offset, " is ", found, ", expected ", std::string(expected)));
  }

  // All up to `end`, which is taken too.
  std::string_view TakeUntil(char end, std::string_view expected) {
    if (!ok()) return {};
    const size_t at = text_.find(end, at_);
    if (at == std::string_view::npos) {
      FailAt(text_.size(), expected);
      return {};
    }
    const std::string_view taken = text_.substr(at_, at - at_);
    at_ = at + 1;
    return taken;
  }

  Element ReadNested() {
    if (++depth_ > kMaxNesting) {
      Fail(absl::StrCat("no nesting deeper than ", kMaxNesting, " levels"));
      return {};
    }
    Tuple tuple = ReadTuple();
    --depth_;
    return tuple;
  }

  std::string ReadQuoted() {
    std::string out;
    while (ok() && !Take("\"")) {
      if (at_ == text_.size()) {
        Fail("the \" that ends the text");
      } else if (text_[at_] == '\\') {
        out.push_back(ReadEscape());
      } else {
        out.push_back(text_[at_++]);
      }
    }
    return out;
  }

  char ReadEscape() {
    const size_t start = at_;
    if (Take("\\\"")) return '"';
    if (Take("\\\\")) return '\\';
    if (Take("\\x")) {
      const std::string_view digits = text_.substr(at_, 2);
      const std::optional<std::string> byte = BytesOfHex(digits);
      if (digits.size() == 2 && byte.has_value()) {
        at_ += 2;
        return (*byte)[0];
      }
    }
    FailAt(start, "one of the escapes \\\" \\\\ and \\xHH");
    return '\0';
  }

  template <typename Number, typename Bits>
  Number ReadNumber() {
    constexpr std::string_view kExpected = "a number, inf, -inf or nan: with the bits, then )";
    const size_t start = at_;
    std::string_view text = TakeUntil(')', kExpected);
    const char* end = text.data() + text.size();
    if (text.starts_with("nan:")) {
      text.remove_prefix(4);
      Bits bits = 0;
      const auto [stop, error] = std::from_chars(text.data(), end, bits, 16);
      const auto number = std::bit_cast<Number>(bits);
      if (error != std::errc() || stop != end || !std::isnan(number)) FailAt(start, "nan: with the bits of a NaN");
      return number;
    }
    Number number = 0;
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc::result_out_of_range) {
      FailAt(start, "a number that the type can hold");
    } else if (error != std::errc() || stop != end || std::isnan(number)) {
      FailAt(start, kExpected);
    }
    return number;
  }

  Element ReadUuid() {
    constexpr std::string_view kExpected = "a UUID as 00112233-4455-6677-8899-aabbccddeeff, then )";
    const size_t start = at_;
    std::string text(TakeUntil(')', kExpected));
    const bool dashes = text.size() == 36 && text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-';
    std::erase(text, '-');
    const std::optional<std::string> bytes = BytesOfHex(text);
    Uuid uuid;
    if (!dashes || !bytes.has_value() || bytes->size() != uuid.bytes.size()) {
      FailAt(start, kExpected);
      return {};
    }
    std::copy(bytes->begin(), bytes->end(), uuid.bytes.begin());
    return uuid;
  }

  Element ReadVersionstamp() {
    constexpr std::string_view kExpected = "20 hexadecimal digits or incomplete, then a comma";
    size_t start = at_;
    const std::string_view transaction = TakeUntil(',', kExpected);
    const std::optional<std::string> bytes = BytesOfHex(transaction);
    Versionstamp stamp = Versionstamp::Incomplete(0);
    if (transaction.size() == 2 * stamp.transaction.size() && bytes.has_value()) {
      std::copy(bytes->begin(), bytes->end(), stamp.transaction.begin());
    } else if (transaction != "incomplete") {
      FailAt(start, kExpected);
    }
    SkipSpaces();
    start = at_;
    const std::string_view user = TakeUntil(')', "a user version, then )");
    const auto [stop, error] = std::from_chars(user.data(), user.data() + user.size(), stamp.user_version);
    if (error != std::errc() || stop != user.data() + user.size()) FailAt(start, "a user version from 0 to 65535");
    return stamp;
  }

  Element ReadInteger() {
    const size_t start = at_;
    const bool negative = Take("-");
    const bool hex = Take("0x");
    const size_t first = at_;
    while (at_ < text_.size() && absl::ascii_isalnum(static_cast<unsigned char>(text_[at_]))) ++at_;
    const std::string_view digits = text_.substr(first, at_ - first);
    const std::string_view allowed = hex ? "0123456789abcdefABCDEF" : "0123456789";
    // One form for each integer, so that -0 and 007 can't stand for what they are not.
    const bool proper = !digits.empty() && digits.find_first_not_of(allowed) == std::string_view::npos &&
                        (hex || digits[0] != '0' || (digits.size() == 1 && !negative));
    if (!proper) {
      FailAt(start, "an integer: decimal without zeros in front, or 0x and hexadecimal digits");
      return {};
    }
    absl::StatusOr<BigInt> integer = absl::InvalidArgumentError("");
    if (digits.size() <= 4 * kMaxIntegerBytes) {
      integer = BigInt::FromMagnitude(negative, hex ? *BytesOfHex(digits) : BytesOfDecimal(digits));
    }
    if (!integer.ok()) FailAt(start, absl::StrCat("an integer of at most ", kMaxIntegerBytes, " bytes"));
    return integer.ok() ? Element(*std::move(integer)) : Element();
  }

  const std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  absl::Status error_;
};

// Whether the text can only be meant as a literal, so that a mistake in it is an error rather than a word.
bool LooksLikeLiteral(std::string_view text) {
  return text.empty() || text.find_first_of("\"(") != std::string_view::npos;
}

bool IsWordCharacter(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || absl::ascii_isalnum(byte) || std::string_view("-_./:@+=%").find(c) != std::string_view::npos;
}

bool AreWordCharacters(std::string_view text) {
  return !text.empty() && text[0] != '-' && std::all_of(text.begin(), text.end(), IsWordCharacter) &&
         // Printed with escapes: not UTF-8, or characters that would confuse a terminal.
         Element(text).ToString().size() == text.size() + 2;
}

}  // namespace

absl::StatusOr<Element> ParseElement(std::string_view text) {
  Parser parser(text);
  Element element = parser.ReadElement();
  parser.ReadEnd();
  if (!parser.ok()) return parser.error();
  return element;
}

absl::StatusOr<Tuple> ParseTuple(std::string_view text) {
  Parser parser(text);
  Tuple tuple = parser.ReadTuple();
  parser.ReadEnd();
  if (!parser.ok()) return parser.error();
  return tuple;
}

bool IsPlainWord(std::string_view text) { return AreWordCharacters(text) && !ParseElement(text).ok(); }

absl::StatusOr<Element> ParseArgument(std::string_view text) {
  absl::StatusOr<Element> literal = ParseElement(text);
  if (literal.ok()) return literal;
  if (AreWordCharacters(text)) return Element(text);
  if (LooksLikeLiteral(text)) return literal;
  return absl::InvalidArgumentError(absl::StrCat(
      "neither a literal nor a plain word (letters, digits and -_./:@+=%, not - first): ", Element(text).ToString(),
      "; as a string it is written in double quotes"));
}

std::string PrintArgument(const Element& element) {
  const auto* text = element.get_if<std::string>();
  return text != nullptr && IsPlainWord(*text) ? *text : element.ToString();
}

}  // namespace fdbjobs::tuple
