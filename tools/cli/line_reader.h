// LineReader: the lines of standard input, with their numbers. A signal breaks a wait for input off.
//
// Thread safety: one thread. Lifetime: one at a time.
//
//   LineReader reader;
//   while (std::optional<std::string> line = reader.Next()) ...
#ifndef FDBJOBS_TOOLS_CLI_LINE_READER_H_
#define FDBJOBS_TOOLS_CLI_LINE_READER_H_

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

namespace fdbjobs::cli {

class LineReader {
 public:
  LineReader() : file_(stdin) {}
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;
  ~LineReader();

  // Without its end. Nullopt at the end of the input, or when a signal came.
  std::optional<std::string> Next();
  // Of the line that Next gave last; the first one is 1.
  int64_t number() const { return number_; }

 private:
  std::FILE* const file_;
  char* buffer_ = nullptr;
  size_t size_ = 0;
  int64_t number_ = 0;
};

}  // namespace fdbjobs::cli

#endif  // FDBJOBS_TOOLS_CLI_LINE_READER_H_
