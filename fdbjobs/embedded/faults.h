// Faults on demand: the engine fails as FoundationDB may, by seed and rate, so that what stands above it can be tested.
//
// A specification is a list of name=value: `seed` (an integer), and for each fault the share of calls that it befalls,
// from 0 to 1:
//   too_old (1007) and future_version (1009) of reads; timed_out (1031) of reads and commits;
//   not_committed (1020); unknown_before and unknown_after (1021, without and with the commit having happened);
//   commit_delay (up to `commit_delay_ms` late, default 10); watch_early (fires though nothing changed)
// An empty specification ends all faults. They come from fdb_embedded_set_faults, or at the first use from the
// environment variable FDBJOBS_EMBEDDED_FAULTS, and hold for the whole process.
//
// Thread safety: any thread. Free of cost while no faults are set.
//
//   SetFaults("seed=7,not_committed=0.1,unknown_after=0.05", &why);
#ifndef FDBJOBS_EMBEDDED_FAULTS_H_
#define FDBJOBS_EMBEDDED_FAULTS_H_

#include <chrono>
#include <string>
#include <string_view>

#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

// kInvalidOptionValue for a specification that is not understood; the faults stay as they were then.
ErrorCode SetFaults(std::string_view specification, std::string* why);

// What befalls the next read: 0 for nothing.
ErrorCode ReadFault();

struct CommitFault {
  ErrorCode before = 0;  // answered instead of committing
  ErrorCode after = 0;   // answered though it committed
  std::chrono::microseconds delay{0};
};
CommitFault NextCommitFault();

// Whether the next watch fires at once.
bool WatchFault();

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_FAULTS_H_
