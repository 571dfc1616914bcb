#include "tools/cli/signals.h"

#include <signal.h>

#include <atomic>

namespace fdbjobs::cli {
namespace {

std::atomic<int> signal_number = 0;
static_assert(std::atomic<int>::is_always_lock_free);

void Note(int number) { signal_number.store(number); }

}  // namespace

void CatchSignals() {
  struct sigaction action = {};
  action.sa_handler = Note;
  // Once: the second one finds the default. Reads of the terminal are broken off, so no SA_RESTART.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

int Interrupted() { return signal_number.load(); }
int InterruptedExitCode() { return 128 + Interrupted(); }

}  // namespace fdbjobs::cli
