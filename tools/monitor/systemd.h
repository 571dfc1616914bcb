// Notifications to systemd, by its protocol: datagrams to the socket that NOTIFY_SOCKET names. Nothing without one.
//
// Thread safety: any thread. Lifetime: none.
//
//   NotifySystemd("READY=1\nSTATUS=watching over 7 types");
#ifndef FDBJOBS_TOOLS_MONITOR_SYSTEMD_H_
#define FDBJOBS_TOOLS_MONITOR_SYSTEMD_H_

#include <string_view>

#include "absl/time/time.h"

namespace fdbjobs::monitor_tool {

void NotifySystemd(std::string_view state);

// How often systemd wants to hear WATCHDOG=1 of this process; infinite: not at all. Half of WATCHDOG_USEC, as systemd
// advises.
absl::Duration WatchdogInterval();

}  // namespace fdbjobs::monitor_tool

#endif  // FDBJOBS_TOOLS_MONITOR_SYSTEMD_H_
