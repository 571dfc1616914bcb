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

}  // namespace fdbjobs::embedded
