// Table: rows in columns, for people. Columns are as wide as their widest cell; the last one is not padded.
//
// Thread safety: one thread. Lifetime: owns its cells.
//
//   Table table({"type", ">pending"});      // > aligns to the right
//   table.Add({"index", "1,234"});
//   context.Print(table.ToString(context.color()));
#ifndef FDBJOBS_TOOLS_CLI_TABLE_H_
#define FDBJOBS_TOOLS_CLI_TABLE_H_

#include <string>
#include <vector>

namespace fdbjobs::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> header);
  // As many cells as the header has.
  void Add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.size() == 1; }
  // With the header in bold if `color`.
  std::string ToString(bool color) const;

 private:
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace fdbjobs::cli

#endif  // FDBJOBS_TOOLS_CLI_TABLE_H_
