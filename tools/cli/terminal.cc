#include "tools/cli/terminal.h"

#include <errno.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <string_view>

#include "absl/strings/str_cat.h"

namespace fdbjobs::cli {
namespace {

void WriteAll(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return;
    if (written > 0) bytes.remove_prefix(static_cast<size_t>(written));
  }
}

// Breaks a poll off, so that the screen is drawn anew.
void Nothing(int) {}

}  // namespace

absl::StatusOr<std::unique_ptr<Terminal>> Terminal::Take() {
  termios before;
  if (isatty(STDIN_FILENO) != 1 || isatty(STDOUT_FILENO) != 1 || tcgetattr(STDIN_FILENO, &before) != 0) {
    return absl::FailedPreconditionError("standard input and output must be a terminal for this");
  }
  struct sigaction action = {};
  action.sa_handler = Nothing;
  sigemptyset(&action.sa_mask);
  sigaction(SIGWINCH, &action, nullptr);
  termios raw = before;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG | IEXTEN);
  raw.c_iflag &= ~static_cast<tcflag_t>(IXON | ICRNL);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
  WriteAll("\x1b[?1049h\x1b[?25l\x1b[2J");
  return std::unique_ptr<Terminal>(new Terminal(before));
}

Terminal::~Terminal() {
  WriteAll("\x1b[0m\x1b[?25h\x1b[?1049l");
  tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
}

ScreenSize Terminal::size() const {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {size.ws_col, size.ws_row};
}

void Terminal::Draw(const std::vector<std::string>& lines) {
  std::string out = "\x1b[H";
  for (size_t i = 0; i < lines.size(); ++i) {
    // No line end behind the last one: it would move the screen.
    absl::StrAppend(&out, i == 0 ? "" : "\r\n", lines[i], "\x1b[0m\x1b[K");
  }
  absl::StrAppend(&out, "\x1b[J");
  WriteAll(out);
}

std::optional<char> Terminal::Key() {
  char key;
  if (read(STDIN_FILENO, &key, 1) == 1) return key;
  return std::nullopt;
}

}  // namespace fdbjobs::cli
