#include "fdbjobs/embedded/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace fdbjobs::embedded {

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));

void FutexWait(const std::atomic<uint32_t>& word, uint32_t expected, std::chrono::microseconds timeout) {
  timespec relative;
  relative.tv_sec = timeout.count() / 1'000'000;
  relative.tv_nsec = (timeout.count() % 1'000'000) * 1000;
  syscall(SYS_futex, &word, FUTEX_WAIT, expected, &relative, nullptr, 0);
}

void FutexWake(const std::atomic<uint32_t>& word, int count) {
  syscall(SYS_futex, &word, FUTEX_WAKE, count, nullptr, nullptr, 0);
}

void FutexWaitBits(const std::atomic<uint32_t>& word, uint32_t expected, std::chrono::microseconds timeout,
                   uint32_t bits) {
  // This call takes a point in time.
  timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  const int64_t nanos = until.tv_nsec + timeout.count() % 1'000'000 * 1000;
  until.tv_sec += timeout.count() / 1'000'000 + nanos / 1'000'000'000;
  until.tv_nsec = nanos % 1'000'000'000;
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, expected, &until, nullptr, bits);
}

void FutexWakeBits(const std::atomic<uint32_t>& word, int count, uint32_t bits) {
  syscall(SYS_futex, &word, FUTEX_WAKE_BITSET, count, nullptr, nullptr, bits);
}

}  // namespace fdbjobs::embedded
