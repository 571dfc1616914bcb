#include "fdbjobs/embedded/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "fdbjobs/embedded/error_codes.h"

namespace fdbjobs::embedded {

namespace {

constexpr int kFormat = 1;
constexpr char kMarkName[] = "fdbjobs-embedded";
constexpr std::string_view kMarkText = "fdbjobs embedded engine, format ";

// Bytes of `lock`: who is opening now, who has it open (shared), and one for each slot.
constexpr off_t kOpeningByte = 0;
constexpr off_t kOpenByte = 1;
constexpr off_t kSlotBytes = 100;
constexpr int kSlots = 10'000;

int LockByte(int fd, int command, short type, off_t byte) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  int result;
  do {
    result = fcntl(fd, command, &lock);
  } while (result != 0 && errno == EINTR);
  return result;
}

bool IsOurName(const std::string& name) {
  if (name == kMarkName || name == "lock" || name == "control" || name == "lost+found") return true;
  return absl::StartsWith(name, "log-") || absl::StartsWith(name, "spare-") || absl::StartsWith(name, "base.sqlite") ||
         absl::StartsWith(name, absl::StrCat(kMarkName, "."));
}

}  // namespace

ErrorCode Folder::StartOpen(const std::string& path, std::string* why) {
  // Files are opened by name for as long as the folder is open, whatever the process's folder is then.
  std::error_code no_folder_of_its_own;
  path_ = std::filesystem::absolute(path, no_folder_of_its_own).string();
  if (no_folder_of_its_own) path_ = path;
  std::error_code made;
  std::filesystem::create_directories(path, made);
  if (made) {
    errno = made.value();
    return FileError("create folder", path, why);
  }
  if (ErrorCode error = CheckOurs(why)) return error;
  lock_ = FileDescriptor(open(Path("lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!lock_.valid()) return FileError("open", Path("lock"), why);
  if (LockByte(lock_.get(), F_OFD_SETLKW, F_WRLCK, kOpeningByte) != 0) return FileError("lock", Path("lock"), why);
  if (ErrorCode error = CheckFormat(&marked_, why)) return error;
  first_ = LockByte(lock_.get(), F_OFD_SETLK, F_WRLCK, kOpenByte) == 0;
  return TakeSlot(why);
}

ErrorCode Folder::FinishOpen(std::string* why) {
  bool marked = false;
  if (ErrorCode error = CheckFormat(&marked, why)) return error;
  if (!marked) {
    if (ErrorCode error = WriteMark(why)) return error;
  }
  if (LockByte(lock_.get(), F_OFD_SETLKW, F_RDLCK, kOpenByte) != 0) return FileError("lock", Path("lock"), why);
  if (LockByte(lock_.get(), F_OFD_SETLK, F_UNLCK, kOpeningByte) != 0) return FileError("unlock", Path("lock"), why);
  return 0;
}

bool Folder::IsInPlace() const {
  struct stat ours;
  struct stat there;
  if (fstat(lock_.get(), &ours) != 0) return false;
  if (stat(Path("lock").c_str(), &there) != 0) return errno != ENOENT && errno != ENOTDIR;
  return ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

ErrorCode Folder::CheckOurs(std::string* why) const {
  std::vector<std::string> names;
  if (ErrorCode error = ListFolder(path_, &names, why)) return error;
  for (const std::string& name : names) {
    if (name == kMarkName) return 0;
  }
  for (const std::string& name : names) {
    if (IsOurName(name)) continue;
    *why = absl::StrCat(path_, " is not a database folder: it has no ", kMarkName, " but has ", name,
                        "; name an empty or a new folder");
    return kConnectionStringInvalid;
  }
  return 0;
}

ErrorCode Folder::CheckFormat(bool* marked, std::string* why) const {
  std::string text;
  const ErrorCode error = ReadWholeFile(Path(kMarkName), &text, why);
  *marked = error == 0;
  if (error == kFileNotFound) return 0;
  if (error != 0) return error;
  int format = 0;
  if (text.compare(0, kMarkText.size(), kMarkText) != 0 || !absl::SimpleAtoi(text.substr(kMarkText.size()), &format)) {
    *why = absl::StrCat(Path(kMarkName), " is damaged: \"", text.substr(0, 100), "\"");
    return kFileCorrupt;
  }
  if (format > kFormat) {
    *why = absl::StrCat(path_, " has format ", format, ", made by a newer program; this one reads formats up to ",
                        kFormat);
    return kIncompatibleProtocolVersion;
  }
  return 0;
}

ErrorCode Folder::WriteMark(std::string* why) const {
  const std::string draft = Path(absl::StrCat(kMarkName, ".new"));
  {
    FileDescriptor file(open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!file.valid()) return FileError("create", draft, why);
    if (ErrorCode error = WriteFully(file.get(), absl::StrCat(std::string(kMarkText), kFormat, "\n"), 0, draft, why))
      return error;
    if (fsync(file.get()) != 0) return FileError("sync", draft, why);
  }
  if (rename(draft.c_str(), Path(kMarkName).c_str()) != 0) return FileError("name", Path(kMarkName), why);
  return SyncFolder(path_, why);
}

ErrorCode Folder::TakeSlot(std::string* why) {
  for (int slot = 0; slot < kSlots; ++slot) {
    if (LockByte(lock_.get(), F_OFD_SETLK, F_WRLCK, kSlotBytes + slot) == 0) {
      slot_ = static_cast<uint16_t>(slot);
      return 0;
    }
  }
  *why = absl::StrCat(kSlots, " processes have ", path_, " open already; no more can");
  return kIoError;
}

bool Folder::IsAlive(uint16_t slot) const {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = kSlotBytes + slot;
  lock.l_len = 1;
  // When in doubt it lives: the patience of the lock decides then.
  return fcntl(lock_.get(), F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

}  // namespace fdbjobs::embedded
