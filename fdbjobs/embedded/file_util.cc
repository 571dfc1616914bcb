#include "fdbjobs/embedded/file_util.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"
#include "fdbjobs/embedded/error_codes.h"

namespace fdbjobs::embedded {

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) close(fd_);
}

ErrorCode FileError(std::string_view verb, const std::string& path, std::string* why) {
  const int error = errno;
  *why = absl::StrCat("can't ", std::string(verb), " ", path, ": ", std::strerror(error));
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return kFileNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
      return kFileNotWritable;
    default:
      return kIoError;
  }
}

ErrorCode WriteFully(int fd, std::string_view bytes, uint64_t offset, const std::string& path, std::string* why) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0) {
      if (errno == EINTR) continue;
      return FileError("write", path, why);
    }
    bytes.remove_prefix(static_cast<size_t>(written));
    offset += static_cast<uint64_t>(written);
  }
  return 0;
}

ErrorCode ReadWholeFile(const std::string& path, std::string* contents, std::string* why) {
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return FileError("open", path, why);
  contents->clear();
  char buffer[4096];
  for (;;) {
    const ssize_t n = read(file.get(), buffer, sizeof buffer);
    if (n == 0) return 0;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FileError("read", path, why);
    contents->append(buffer, static_cast<size_t>(n));
  }
}

ErrorCode SyncFolder(const std::string& folder, std::string* why) {
  FileDescriptor handle(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!handle.valid()) return FileError("open", folder, why);
  if (fsync(handle.get()) != 0) return FileError("sync", folder, why);
  return 0;
}

ErrorCode ListFolder(const std::string& folder, std::vector<std::string>* names, std::string* why) {
  std::unique_ptr<DIR, int (*)(DIR*)> handle(opendir(folder.c_str()), &closedir);
  if (handle == nullptr) return FileError("list", folder, why);
  names->clear();
  while (const dirent* entry = readdir(handle.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names->emplace_back(name);
  }
  return 0;
}

}  // namespace fdbjobs::embedded
