// Small helpers for files: an owned descriptor, whole writes, syncs, and errno as an error code with a sentence.
//
// Thread safety: functions are pure or as the system call; a FileDescriptor has one owner.
#ifndef FDBJOBS_EMBEDDED_FILE_UTIL_H_
#define FDBJOBS_EMBEDDED_FILE_UTIL_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

// Owns a file descriptor.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor();
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

// The code for the current errno; `*why` becomes "can't <verb> <path>: <reason>".
ErrorCode FileError(std::string_view verb, const std::string& path, std::string* why);

// All of `bytes` at `offset`, or an error.
ErrorCode WriteFully(int fd, std::string_view bytes, uint64_t offset, const std::string& path, std::string* why);

ErrorCode ReadWholeFile(const std::string& path, std::string* contents, std::string* why);

// Makes the names in `folder` durable.
ErrorCode SyncFolder(const std::string& folder, std::string* why);

// Names in `folder`, without "." and "..".
ErrorCode ListFolder(const std::string& folder, std::vector<std::string>* names, std::string* why);

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_FILE_UTIL_H_
