#include "fdbjobs/embedded/control_block.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

#include "fdbjobs/embedded/file_util.h"

namespace fdbjobs::embedded {

namespace {
constexpr size_t kFileSize = 4096;
static_assert(sizeof(ControlBlock) <= kFileSize);
static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<uint32_t>::is_always_lock_free);

// Of whoever had the folder open before; 0 if there was nobody, or a program with another layout.
Version ReadKeptLease(int fd) {
  std::string words(kFileSize, '\0');
  if (pread(fd, words.data(), words.size(), 0) != static_cast<ssize_t>(words.size())) return 0;
  uint64_t magic;
  Version lease;
  std::memcpy(&magic, words.data() + offsetof(ControlBlock, magic), sizeof magic);
  std::memcpy(&lease, words.data() + offsetof(ControlBlock, kept_lease), sizeof lease);
  return magic == ControlBlock::kMagic ? lease : 0;
}

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
  path_ = path;
  file_ = FileDescriptor(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file_.valid()) return FileError("open", path, why);
  // Written, not only truncated: a later store into a hole could fail with SIGBUS on a full disk.
  if (zero) {
    std::string words(kFileSize, '\0');
    const Version kept = ReadKeptLease(file_.get());
    std::memcpy(words.data() + offsetof(ControlBlock, kept_lease), &kept, sizeof kept);
    // Else the lease would not be taken over again, should this process not come to the end of opening.
    const uint64_t magic = ControlBlock::kMagic;
    std::memcpy(words.data() + offsetof(ControlBlock, magic), &magic, sizeof magic);
    if (ErrorCode error = WriteFully(file_.get(), words, 0, path, why)) return error;
  }
  void* mapped = mmap(nullptr, kFileSize, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (mapped == MAP_FAILED) return FileError("map", path, why);
  block_ = static_cast<ControlBlock*>(mapped);
  return 0;
}

ErrorCode ControlMapping::KeepLease(Version lease, std::string* why) {
  RaiseTo(block_->kept_lease, lease);
  return fdatasync(file_.get()) == 0 ? 0 : FileError("sync", path_, why);
}

}  // namespace fdbjobs::embedded
