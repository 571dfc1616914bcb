// What fdbjobs-monitor ends with. Frozen: scripts rely on these numbers.
#ifndef FDBJOBS_TOOLS_MONITOR_EXIT_CODE_H_
#define FDBJOBS_TOOLS_MONITOR_EXIT_CODE_H_

namespace fdbjobs::monitor_tool {

enum ExitCode {
  kDone = 0,          // stopped by a signal, or a pass is done
  kFailed = 1,        // could not do its work
  kWrongOptions = 2,  // of the command line or the configuration file
  kDamageFound = 3,   // a pass is done, and met rows that can't be read
};

}  // namespace fdbjobs::monitor_tool

#endif  // FDBJOBS_TOOLS_MONITOR_EXIT_CODE_H_
