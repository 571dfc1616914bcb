// SIGINT and SIGTERM as a question that loops ask: is it time to stop?
//
// A command that works in batches ends after the batch at hand and says how far it got. A second signal ends the
// program at once.
//
// Thread safety: any thread. Lifetime: the program.
//
//   CatchSignals();
//   while (!Interrupted() && more) ...
#ifndef FDBJOBS_TOOLS_CLI_SIGNALS_H_
#define FDBJOBS_TOOLS_CLI_SIGNALS_H_

namespace fdbjobs::cli {

void CatchSignals();
// The number of the signal that came, or 0.
int Interrupted();
// 128 and the signal's number.
int InterruptedExitCode();

}  // namespace fdbjobs::cli

#endif  // FDBJOBS_TOOLS_CLI_SIGNALS_H_
