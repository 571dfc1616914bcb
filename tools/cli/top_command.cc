// top: a live view of the whole, driven by watches.
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "tools/cli/change_waiter.h"
#include "tools/cli/command.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/signals.h"
#include "tools/cli/terminal.h"
#include "tools/cli/top_data.h"
#include "tools/cli/top_screen.h"

namespace fdbjobs::cli {
namespace {

// However fast jobs change, the screen is not drawn more often.
constexpr absl::Duration kLeastWait = absl::Milliseconds(200);

bool LocaleIsUtf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string lower = absl::AsciiStrToLower(value);
    return absl::StrContains(lower, "utf-8") || absl::StrContains(lower, "utf8");
  }
  return false;
}

// True when it is to end. Other keys only draw anew.
bool HandleKeys(Terminal* terminal) {
  constexpr char kControlC = 3;
  constexpr char kControlD = 4;
  bool quit = false;
  while (const std::optional<char> key = terminal->Key()) {
    quit = quit || *key == 'q' || *key == 'Q' || *key == kControlC || *key == kControlD;
  }
  return quit;
}

absl::StatusOr<int> Top(Context& context, double interval) {
  if (context.json()) return absl::InvalidArgumentError("top has no --json; summary and tail have");
  if (absl::Status status = context.Open(); !status.ok()) return status;
  TopData data(context);
  if (absl::Status status = data.Refresh(); !status.ok()) return status;
  absl::StatusOr<std::unique_ptr<Terminal>> terminal = Terminal::Take();
  if (!terminal.ok()) return fdb::Annotate(terminal.status(), "top");
  CatchSignals();
  const TopStyle style{context.color(), LocaleIsUtf8()};
  ChangeWaiter waiter;
  while (Interrupted() == 0) {
    absl::Status status = waiter.Arm(context, data.TypeNames());
    if (status.ok()) status = data.Refresh();
    // A database that is away for a while may come back.
    (*terminal)->Draw(DrawTop(data, (*terminal)->size(), style, status.ok() ? "" : std::string(status.message())));
    const absl::Time drawn = absl::Now();
    const ChangeWaiter::Event event = waiter.Wait(STDIN_FILENO, absl::Seconds(interval));
    if (event == ChangeWaiter::Event::kInput && HandleKeys(terminal->get())) return kExitOk;
    if (event == ChangeWaiter::Event::kInput && isatty(STDIN_FILENO) != 1) return kExitOk;
    if (event == ChangeWaiter::Event::kChange) {
      ChangeWaiter pause;
      const absl::Duration left = kLeastWait - (absl::Now() - drawn);
      if (pause.Wait(STDIN_FILENO, left) == ChangeWaiter::Event::kInput && HandleKeys(terminal->get())) return kExitOk;
    }
  }
  return InterruptedExitCode();
}

}  // namespace

void AddTopCommand(CLI::App& app, Command* selected) {
  CLI::App* const command = AddCommand(
      app, "top", "A live view: counts, rates, queue depth, running jobs with progress; q quits", "fdbjobs-cli top");
  const auto interval = std::make_shared<double>(1);
  command->add_option("--interval", *interval, "Draws anew after so many seconds even if no watch fired")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  command->callback(
      [selected, interval] { *selected = [interval](Context& context) { return Top(context, *interval); }; });
}

}  // namespace fdbjobs::cli
