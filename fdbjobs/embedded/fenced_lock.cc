#include "fdbjobs/embedded/fenced_lock.h"

#include "fdbjobs/embedded/futex.h"

namespace fdbjobs::embedded {

namespace {

// How long to sleep before the holder's health is looked at.
constexpr std::chrono::microseconds kNap = std::chrono::milliseconds(20);
constexpr int kSpins = 200;

// The kernel compares 32 bits; the low half has the slot and the low bits of the ticket, which differ for each grant.
const std::atomic<uint32_t>& FutexWord(const std::atomic<uint64_t>& lock) {
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
  return reinterpret_cast<const std::atomic<uint32_t>&>(lock);
}

void RelaxProcessor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

// Slot + 1 in the low 16 bits (a held lock is never 0), a ticket above.
uint64_t FencedLock::NewWord() {
  const uint64_t ticket = control_->lock_tickets.fetch_add(1) + uint64_t{1};
  return ticket << 16 | (uint64_t{slot_} + 1);
}

bool FencedLock::MaySteal(uint64_t word, int64_t held_us) const {
  if (held_us >= patience_.count() * 1000) return true;
  const auto owner = static_cast<uint16_t>((word & 0xffff) - 1);
  return owner != slot_ && !is_alive_(owner);
}

FencedLock::Grant FencedLock::Acquire() {
  const uint64_t mine = NewWord();
  for (int i = 0; i < kSpins; ++i) {
    uint64_t free = 0;
    if (control_->lock.compare_exchange_weak(free, mine)) return {mine, false};
    RelaxProcessor();
  }
  uint64_t watched = 0;
  int64_t since = 0;
  control_->lock_waiters.fetch_add(1);
  Grant grant{mine, false};
  for (;;) {
    uint64_t seen = 0;
    if (control_->lock.compare_exchange_strong(seen, mine)) break;
    const int64_t now = MonotonicMicros();
    if (seen != watched) {
      watched = seen;
      since = now;
    } else if (now - since >= kNap.count() && MaySteal(seen, now - since)) {
      if (control_->lock.compare_exchange_strong(seen, mine)) {
        grant.stolen = true;
        break;
      }
    }
    FutexWait(FutexWord(control_->lock), static_cast<uint32_t>(seen), kNap);
  }
  control_->lock_waiters.fetch_sub(1);
  return grant;
}

void FencedLock::Release(const Grant& grant) {
  uint64_t mine = grant.word;
  if (!control_->lock.compare_exchange_strong(mine, 0)) return;
  if (control_->lock_waiters.load() != 0) FutexWake(FutexWord(control_->lock), 1);
}

}  // namespace fdbjobs::embedded
