// VersionClock: read versions and commit versions, given out by many processes without a server.
//
// Versions follow CLOCK_MONOTONIC, a million a second. The rule that keeps snapshots whole: a commit gets a version
// above every read version that was handed out before, and a read version is never above a commit that is still under
// way. Reader and committer each write their word first and then look at the other's, so that one of them notices.
//
// Thread safety: any thread of any process; AssignFirst and SettleAssigned only under the append lock.
#ifndef FDBJOBS_EMBEDDED_VERSION_CLOCK_H_
#define FDBJOBS_EMBEDDED_VERSION_CLOCK_H_

#include "fdbjobs/embedded/control_block.h"
#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

class VersionClock {
 public:
  explicit VersionClock(ControlBlock* control) : control_(control) {}

  // Where the clock stands: about what a commit made now would get.
  Version Now() const;

  // All that was acknowledged is visible at it, nothing that is under way will ever be, and it never goes back.
  Version ReadVersion();

  // Makes sure that no later commit gets a version up to `version`. False while one that is under way might have.
  bool Pin(Version version);

  // The first of `count` versions for commits, all above every read version handed out. kNoVersion when another
  // process assigned versions meanwhile, so that the append lock must have been lost.
  Version AssignFirst(int count);
  // After AssignFirst: the highest version that was really published, `published` (or the last one before, if none).
  void SettleAssigned(Version assigned, Version published);

 private:
  ControlBlock* const control_;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_VERSION_CLOCK_H_
