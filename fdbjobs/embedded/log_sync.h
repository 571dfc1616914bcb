// LogSync: makes the commit log durable, with one sync for all who wait, in all processes.
//
// Whoever comes first syncs; who comes meanwhile waits for the end of that sync and, if it did not cover his commit,
// makes the next one, which covers everybody who came meanwhile. A syncer that died or was stopped is passed over after
// a while: two processes that sync at once do no harm.
//
// When a sync fails, the kernel may drop what was written and let the next sync succeed all the same. So from then on
// the log is in doubt, for all processes: nothing of it counts as durable until WriteAgain has written it a second
// time.
//
// Thread safety: any thread of any process.
#ifndef FDBJOBS_EMBEDDED_LOG_SYNC_H_
#define FDBJOBS_EMBEDDED_LOG_SYNC_H_

#include <cstdint>
#include <memory>
#include <string>

#include "fdbjobs/embedded/commit_log.h"
#include "fdbjobs/embedded/control_block.h"
#include "fdbjobs/embedded/mutex.h"

namespace fdbjobs::embedded {

class LogSync {
 public:
  LogSync(ControlBlock* control, CommitLog* log, uint16_t slot) : control_(control), log_(log), slot_(slot) {}

  // Returns when every record up to `version` is durable and may be read.
  ErrorCode UpTo(Version version, std::string* why);

  // Makes what was written to `segment` durable.
  ErrorCode SyncSegment(const Segment& segment, std::string* why);

  // Whether a sync has failed, in any process, and nobody has written the log again since.
  bool InDoubt() const { return control_->failed_syncs.load() != control_->mended_syncs.load(); }

  // Writes the records of the last segment again and syncs them; then all that was published is durable, and may be
  // read. Those of earlier segments are not in doubt: a segment is synced before there is a next one.
  ErrorCode WriteAgain(std::string* why);

  // All up to `version` may be read from now on; wakes the watchers of all processes.
  void Acknowledge(Version version);

 private:
  // The last segment, and a version up to which every record lies in it or in earlier ones.
  ErrorCode FindLast(std::shared_ptr<Segment>* segment, LogPosition* tail, Version* version, std::string* why);
  ErrorCode SyncNow(std::string* why);
  // A failure puts the log in doubt.
  ErrorCode SyncLocked(const Segment& segment, std::string* why) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  ControlBlock* const control_;
  CommitLog* const log_;
  const uint16_t slot_;

  // Held during a sync, and until its failure is known to all: the kernel tells a failure only once to those that share
  // an open file, as the threads of a process do. Other processes are told by themselves.
  Mutex mutex_;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_LOG_SYNC_H_
