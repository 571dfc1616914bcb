#include "fdbjobs/embedded/control_block.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cstring>

#include "fdbjobs/embedded/file_util.h"

namespace fdbjobs::embedded {

namespace {
constexpr size_t kFileSize = 4096;
static_assert(sizeof(ControlBlock) <= kFileSize);
static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<uint32_t>::is_always_lock_free);
}  // namespace

int64_t MonotonicMicros() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}

ControlMapping::~ControlMapping() {
  if (block_ != nullptr) munmap(static_cast<void*>(block_), kFileSize);
}

ErrorCode ControlMapping::Map(const std::string& path, bool zero, std::string* why) {
  FileDescriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file.valid()) return FileError("open", path, why);
  // Written, not only truncated: a later store into a hole could fail with SIGBUS on a full disk.
  if (zero) {
    const std::string zeros(kFileSize, '\0');
    if (ErrorCode error = WriteFully(file.get(), zeros, 0, path, why)) return error;
  }
  void* mapped = mmap(nullptr, kFileSize, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED) return FileError("map", path, why);
  block_ = static_cast<ControlBlock*>(mapped);
  return 0;
}

}  // namespace fdbjobs::embedded
