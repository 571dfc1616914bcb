#include "tests/keyspace/tuple_notation.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace fdbjobs::tests {
namespace {

using tuple::BigInt;
using tuple::Bytes;
using tuple::Element;
using tuple::Tuple;
using tuple::Uuid;
using tuple::Versionstamp;

// By recursive descent. The first thing that does not fit makes ok() false; what is returned then means nothing.
class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  bool ok() const { return ok_; }
  std::string_view rest() const { return rest_; }

  Tuple ParseTuple() {
    Tuple tuple;
    Expect("(");
    while (ok_ && !Take(")")) {
      if (!tuple.empty()) Expect(", ");
      if (ok_) tuple.Append(ParseElement());
    }
    return tuple;
  }

 private:
  bool Take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  void Expect(std::string_view token) { ok_ = Take(token) && ok_; }

  // All up to `end`, which is taken too.
  std::string TakeUntil(std::string_view end) {
    const size_t at = rest_.find(end);
    ok_ = ok_ && at != std::string_view::npos;
    if (!ok_) return "";
    std::string taken(rest_.substr(0, at));
    rest_.remove_prefix(at + end.size());
    return taken;
  }

  Element ParseElement() {
    if (rest_.starts_with("(")) return ParseTuple();
    if (Take("null")) return nullptr;
    if (Take("true")) return true;
    if (Take("false")) return false;
    if (Take("b\"")) return Bytes{ParseQuoted()};
    if (Take("\"")) return ParseQuoted();
    if (Take("float(")) return ParseNumber<float, uint32_t>();
    if (Take("double(")) return ParseNumber<double, uint64_t>();
    if (Take("uuid(")) return ParseUuid();
    if (Take("versionstamp(")) return ParseVersionstamp();
    return ParseInteger();
  }

  std::string ParseQuoted() {
    std::string out;
    while (ok_ && !Take("\"")) {
      if (Take("\\x")) {
        out += FromHex(rest_.substr(0, 2));
        rest_.remove_prefix(std::min<size_t>(2, rest_.size()));
        continue;
      }
      Take("\\");
      ok_ = !rest_.empty();
      if (!ok_) break;
      out.push_back(rest_[0]);
      rest_.remove_prefix(1);
    }
    return out;
  }

  template <typename Number, typename Bits>
  Number ParseNumber() {
    const std::string text = TakeUntil(")");
    if (text.starts_with("nan:")) {
      Bits bits = 0;
      Convert(text.substr(4), bits, 16);
      return std::bit_cast<Number>(bits);
    }
    Number number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    ok_ = ok_ && error == std::errc() && end == text.data() + text.size();
    return number;
  }

  template <typename Integer>
  void Convert(const std::string& text, Integer& integer, int base) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), integer, base);
    ok_ = ok_ && error == std::errc() && end == text.data() + text.size();
  }

  Element ParseUuid() {
    std::string hex = TakeUntil(")");
    std::erase(hex, '-');
    const std::string bytes = FromHex(hex);
    Uuid uuid;
    ok_ = ok_ && bytes.size() == uuid.bytes.size();
    if (ok_) std::copy(bytes.begin(), bytes.end(), uuid.bytes.begin());
    return uuid;
  }

  Element ParseVersionstamp() {
    const std::string transaction = TakeUntil(", ");
    uint16_t user_version = 0;
    Convert(TakeUntil(")"), user_version, 10);
    if (transaction == "incomplete") return Versionstamp::Incomplete(user_version);
    const std::string bytes = FromHex(transaction);
    Versionstamp stamp;
    stamp.user_version = user_version;
    ok_ = ok_ && bytes.size() == stamp.transaction.size();
    if (ok_) std::copy(bytes.begin(), bytes.end(), stamp.transaction.begin());
    return stamp;
  }

  Element ParseInteger() {
    const bool negative = Take("-");
    const bool big = Take("0x");
    const std::string digits(rest_.substr(0, rest_.find_first_not_of("0123456789abcdef")));
    rest_.remove_prefix(digits.size());
    if (big) {
      absl::StatusOr<BigInt> integer = BigInt::FromMagnitude(negative, FromHex(digits));
      ok_ = ok_ && integer.ok();
      return ok_ ? Element(*std::move(integer)) : Element();
    }
    if (negative) {
      int64_t integer = 0;
      Convert("-" + digits, integer, 10);
      return integer;
    }
    uint64_t integer = 0;
    Convert(digits, integer, 10);
    return integer;
  }

  std::string_view rest_;
  bool ok_ = true;
};

std::string Cell(std::string_view text) {
  const auto trim = [&text](char c) {
    while (text.starts_with(c)) text.remove_prefix(1);
    while (text.ends_with(c)) text.remove_suffix(1);
  };
  trim(' ');
  trim('`');
  return std::string(text);
}

Row Cells(std::string_view line) {
  Row row;
  line.remove_prefix(1);
  for (size_t bar; (bar = line.find('|')) != std::string_view::npos; line.remove_prefix(bar + 1)) {
    row.push_back(Cell(line.substr(0, bar)));
  }
  return row;
}

}  // namespace

absl::StatusOr<Tuple> ParseNotation(std::string_view text) {
  Parser parser(text);
  Tuple tuple = parser.ParseTuple();
  if (!parser.ok() || !parser.rest().empty()) {
    return absl::InvalidArgumentError(absl::StrCat("not in the notation of tuples: ", std::string(text)));
  }
  return tuple;
}

std::string FromHex(std::string_view hex) {
  std::string digits(hex);
  std::erase(digits, ' ');
  return absl::HexStringToBytes(digits);
}

std::string ToHex(std::string_view bytes) {
  return absl::BytesToHexString(absl::string_view(bytes.data(), bytes.size()));
}

std::vector<std::vector<Row>> TablesOf(std::string_view page, std::string_view header) {
  std::vector<std::vector<Row>> tables;
  bool inside = false;
  while (!page.empty()) {
    const std::string_view line = page.substr(0, page.find('\n'));
    page.remove_prefix(std::min(page.size(), line.size() + 1));
    if (line == header) {
      inside = true;
      tables.emplace_back();
    } else if (!line.starts_with('|')) {
      inside = false;
    } else if (inside && !line.starts_with("|---")) {
      tables.back().push_back(Cells(line));
    }
  }
  return tables;
}

}  // namespace fdbjobs::tests
