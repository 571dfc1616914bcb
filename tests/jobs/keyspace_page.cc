#include "tests/jobs/keyspace_page.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"

namespace fdbjobs::test {
namespace {

// The lines of the page from `header` to the last one of its table.
std::vector<std::string> TablesWith(std::string_view header) {
  std::vector<std::string> tables;
  std::istringstream page(KeyspacePage());
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line == header) tables.emplace_back();
    inside = line.starts_with('|') && (inside || line == header);
    if (inside) tables.back().append(line).push_back('\n');
  }
  return tables;
}

}  // namespace

const std::string& KeyspacePage() {
  static const std::string* const page = [] {
    std::ifstream file(FDBJOBS_KEYSPACE_PAGE);
    std::stringstream content;
    content << file.rdbuf();
    return new std::string(content.str());
  }();
  return *page;
}

void ExpectTable(std::string_view header, const std::vector<std::vector<std::string>>& rows) {
  std::string expected = absl::StrCat(std::string(header), "\n|");
  for (auto cells = std::count(header.begin(), header.end(), '|') - 1; cells > 0; --cells) expected += "---|";
  expected += "\n";
  for (const std::vector<std::string>& row : rows) {
    for (const std::string& cell : row) absl::StrAppend(&expected, "| ", cell, cell.empty() ? "" : " ");
    expected += "|\n";
  }
  const std::vector<std::string> tables = TablesWith(header);
  ASSERT_EQ(tables.size(), 1u) << "docs/keyspace.md should have one table\n" << expected;
  EXPECT_EQ(tables[0], expected) << "docs/keyspace.md should have\n" << expected;
}

std::string Code(std::string_view text) { return text.empty() ? "" : absl::StrCat("`", std::string(text), "`"); }

std::string CodeHex(std::string_view bytes) {
  return Code(absl::StrJoin(bytes, " ", [](std::string* out, char byte) {
    absl::StrAppend(out, absl::Hex(static_cast<unsigned char>(byte), absl::kZeroPad2));
  }));
}

}  // namespace fdbjobs::test
