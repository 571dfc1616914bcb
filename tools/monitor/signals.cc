#include "tools/monitor/signals.h"

#include <signal.h>
#include <time.h>

#include <algorithm>

namespace fdbjobs::monitor_tool {
namespace {

sigset_t StopSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

}  // namespace

void BlockStopSignals() {
  const sigset_t set = StopSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

int WaitForStopSignal(absl::Duration longest) {
  const sigset_t set = StopSignals();
  const timespec time = absl::ToTimespec(std::max(longest, absl::ZeroDuration()));
  return std::max(0, sigtimedwait(&set, nullptr, &time));
}

}  // namespace fdbjobs::monitor_tool
