// LogSync: makes the commit log durable, with one sync for all who wait, in all processes.
//
// Whoever comes first syncs; who comes meanwhile waits for the end of that sync and, if it did not cover his commit,
// makes the next one, which covers everybody who came meanwhile. A syncer that died or was stopped is passed over after
// a while: two syncs at once do no harm.
//
// Thread safety: any thread of any process.
#ifndef FDBJOBS_EMBEDDED_LOG_SYNC_H_
#define FDBJOBS_EMBEDDED_LOG_SYNC_H_

#include <cstdint>
#include <string>

#include "fdbjobs/embedded/commit_log.h"
#include "fdbjobs/embedded/control_block.h"

namespace fdbjobs::embedded {

class LogSync {
 public:
  LogSync(ControlBlock* control, CommitLog* log, uint16_t slot) : control_(control), log_(log), slot_(slot) {}

  // Returns when every record up to `version` is durable and may be read.
  ErrorCode UpTo(Version version, std::string* why);

  // All up to `version` may be read from now on; wakes the watchers of all processes.
  void Acknowledge(Version version);

 private:
  ErrorCode SyncNow(std::string* why);

  ControlBlock* const control_;
  CommitLog* const log_;
  const uint16_t slot_;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_LOG_SYNC_H_
