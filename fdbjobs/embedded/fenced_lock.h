// FencedLock: the append lock of the commit log, shared by all processes of a folder.
//
// A holder that dies, or that is stopped (SIGSTOP, a debugger) for longer than a second, loses the lock to a waiter.
// The new holder learns that it stole the lock and must fence the log (start a new segment) before it appends: what
// the old one still writes then goes where nobody reads, and its publishing compare-and-swap fails.
//
// Thread safety: any thread of any process. Not recursive. Lifetime: the words live in the ControlBlock.
//
//   const FencedLock::Grant grant = lock.Acquire();
//   if (grant.stolen) FenceLog();
//   ...
//   lock.Release(grant);
#ifndef FDBJOBS_EMBEDDED_FENCED_LOCK_H_
#define FDBJOBS_EMBEDDED_FENCED_LOCK_H_

#include <chrono>
#include <cstdint>
#include <functional>

#include "fdbjobs/embedded/control_block.h"

namespace fdbjobs::embedded {

class FencedLock {
 public:
  struct Grant {
    uint64_t word = 0;
    bool stolen = false;
  };

  // `slot` names this process; `is_alive(slot)` tells whether the process that holds a slot still runs.
  FencedLock(ControlBlock* control, uint16_t slot, std::function<bool(uint16_t)> is_alive,
             std::chrono::milliseconds patience = std::chrono::seconds(1))
      : control_(control), slot_(slot), is_alive_(std::move(is_alive)), patience_(patience) {}

  Grant Acquire();
  // Does nothing if the lock was stolen meanwhile.
  void Release(const Grant& grant);

 private:
  uint64_t NewWord();
  bool MaySteal(uint64_t word, int64_t held_us) const;

  ControlBlock* const control_;
  const uint16_t slot_;
  const std::function<bool(uint16_t)> is_alive_;
  const std::chrono::milliseconds patience_;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_FENCED_LOCK_H_
