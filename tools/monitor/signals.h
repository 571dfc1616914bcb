// Signals that end the program, taken one at a time by the main thread.
//
// Thread safety: BlockStopSignals before any other thread is made; the rest from the main thread.
//
//   BlockStopSignals();
//   while (WaitForStopSignal(absl::Seconds(1)) == 0) ...
#ifndef FDBJOBS_TOOLS_MONITOR_SIGNALS_H_
#define FDBJOBS_TOOLS_MONITOR_SIGNALS_H_

#include "absl/time/time.h"

namespace fdbjobs::monitor_tool {

// SIGTERM and SIGINT wait until they are asked for. SIGPIPE is ignored: a scraper that hangs up is no reason to end.
void BlockStopSignals();

// The number of the signal, as soon as there is one; 0 when there was none for `longest`.
int WaitForStopSignal(absl::Duration longest);

}  // namespace fdbjobs::monitor_tool

#endif  // FDBJOBS_TOOLS_MONITOR_SIGNALS_H_
