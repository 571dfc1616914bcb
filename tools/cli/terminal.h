// Terminal: the whole screen of the person's terminal, given back as it was when the object goes.
//
// Plain ANSI escapes on the alternate screen, keys without waiting for a line. Ctrl-C comes as a key.
//
// Thread safety: one thread. Lifetime: one at a time.
//
//   absl::StatusOr<std::unique_ptr<Terminal>> terminal = Terminal::Take();
//   (*terminal)->Draw(lines);
//   while (std::optional<char> key = (*terminal)->Key()) ...
#ifndef FDBJOBS_TOOLS_CLI_TERMINAL_H_
#define FDBJOBS_TOOLS_CLI_TERMINAL_H_

#include <termios.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace fdbjobs::cli {

struct ScreenSize {
  size_t columns = 80;
  size_t rows = 24;
};

class Terminal {
 public:
  // kFailedPrecondition when standard input or output is no terminal.
  static absl::StatusOr<std::unique_ptr<Terminal>> Take();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal();

  // As it is now: people change it.
  ScreenSize size() const;
  // One line for each row; what is left over of the screen is cleared.
  void Draw(const std::vector<std::string>& lines);
  // The next key that was pressed, if there is one.
  std::optional<char> Key();

 private:
  explicit Terminal(const termios& before) : before_(before) {}

  const termios before_;
};

}  // namespace fdbjobs::cli

#endif  // FDBJOBS_TOOLS_CLI_TERMINAL_H_
