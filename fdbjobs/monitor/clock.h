// The monitor's clock: steady, so that nobody who sets the machine's clock makes a job look stale.
//
// Thread safety: any thread.
#ifndef FDBJOBS_MONITOR_CLOCK_H_
#define FDBJOBS_MONITOR_CLOCK_H_

#include "absl/time/time.h"

namespace fdbjobs {

// The time at which the process first asked, plus what the steady clock counted since then.
absl::Time SteadyNow();

}  // namespace fdbjobs

#endif  // FDBJOBS_MONITOR_CLOCK_H_
