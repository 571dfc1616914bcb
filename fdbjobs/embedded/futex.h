// Futex: sleeping on a 32-bit word that may lie in memory shared between processes.
//
// Thread safety: as the kernel's. A wake-up may come without a cause: callers loop on their condition.
#ifndef FDBJOBS_EMBEDDED_FUTEX_H_
#define FDBJOBS_EMBEDDED_FUTEX_H_

#include <atomic>
#include <chrono>
#include <cstdint>

namespace fdbjobs::embedded {

// Returns when `word` is no longer `expected`, when it is woken, or after `timeout`.
void FutexWait(const std::atomic<uint32_t>& word, uint32_t expected, std::chrono::microseconds timeout);

// Wakes up to `count` sleepers, in all processes that map the word.
void FutexWake(const std::atomic<uint32_t>& word, int count);

// The same among those that share one of `bits`; those of FutexWait have all.
void FutexWaitBits(const std::atomic<uint32_t>& word, uint32_t expected, std::chrono::microseconds timeout,
                   uint32_t bits);
void FutexWakeBits(const std::atomic<uint32_t>& word, int count, uint32_t bits);

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_FUTEX_H_
