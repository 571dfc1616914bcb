#include "tools/cli/line_reader.h"

#include <cstdlib>

#include "tools/cli/signals.h"

namespace fdbjobs::cli {

LineReader::~LineReader() { std::free(buffer_); }

std::optional<std::string> LineReader::Next() {
  if (Interrupted() != 0) return std::nullopt;
  const ssize_t length = getline(&buffer_, &size_, file_);
  if (length < 0 || Interrupted() != 0) return std::nullopt;
  ++number_;
  std::string line(buffer_, static_cast<size_t>(length));
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
  return line;
}

}  // namespace fdbjobs::cli
