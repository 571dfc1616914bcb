#include "tools/cli/table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/cli/text.h"

namespace fdbjobs::cli {

Table::Table(std::vector<std::string> header) {
  for (std::string& name : header) {
    right_.push_back(name.starts_with('>'));
    if (right_.back()) name.erase(0, 1);
  }
  rows_.push_back(std::move(header));
}

std::string Table::ToString(bool color) const {
  std::vector<size_t> widths(right_.size(), 0);
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], Width(row[i]));
  }
  std::string out;
  for (size_t r = 0; r < rows_.size(); ++r) {
    std::string line;
    for (size_t i = 0; i < rows_[r].size(); ++i) {
      const std::string padding(widths[i] - Width(rows_[r][i]), ' ');
      absl::StrAppend(&line, i == 0 ? "" : "  ", right_[i] ? padding : "", rows_[r][i], right_[i] ? "" : padding);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    const bool bold = color && r == 0;
    absl::StrAppend(&out, bold ? "\x1b[1m" : "", line, bold ? "\x1b[0m" : "", "\n");
  }
  return out;
}

}  // namespace fdbjobs::cli
