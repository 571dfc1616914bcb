#include "tests/keyspace/tuple_notation.h"

#include <algorithm>

#include "absl/strings/escaping.h"

namespace fdbjobs::tests {
namespace {

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
