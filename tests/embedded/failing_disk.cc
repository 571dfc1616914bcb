#include "tests/embedded/failing_disk.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <list>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace fdbjobs::embedded {
namespace {

using FileId = std::pair<dev_t, ino_t>;

struct File {
  std::string synced;
  // Written since the last sync: offset and bytes.
  std::vector<std::pair<size_t, std::string>> pending;
};

// A thread that is held up, or is to be.
struct Hold {
  std::string path;
  std::promise<void> promise;
  bool held = false;
  bool let_go = false;

  bool Takes(const std::string& other) const {
    return !held && (path.ends_with('-') ? other.starts_with(path) : other == path);
  }
};

struct Disk {
  std::mutex mutex;
  std::condition_variable let_go;
  // Guarded by mutex, as what follows. A folder, or empty.
  std::string failing;
  bool only_once = false;
  // Begin of paths, or empty.
  std::string no_room;
  std::string no_large_writes;
  size_t large = 0;
  // How much of a large write is left when it fails.
  size_t half = 0;
  std::list<Hold> holds;
  std::map<FileId, File> files;

  // Never destroyed: threads may write while the process exits.
  static Disk& Get() {
    static Disk* const disk = new Disk;
    return *disk;
  }

  static std::string PathOf(int fd) {
    std::error_code error;
    return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), error);
  }

  bool Fails(int fd) {
    if (failing.empty() || std::filesystem::path(PathOf(fd)).parent_path() != failing) return false;
    if (only_once) failing.clear();
    return true;
  }

  bool HasRoomFor(int fd) const { return no_room.empty() || !PathOf(fd).starts_with(no_room); }

  // Of a large write, the first half and then nothing.
  bool TakesAll(int fd, size_t* size) {
    if (no_large_writes.empty() || !PathOf(fd).starts_with(no_large_writes)) return true;
    if (half != 0 && *size == half) {
      half = 0;
      return false;
    }
    if (*size <= large) return true;
    half = *size - *size / 2;
    *size /= 2;
    return true;
  }

  void HoldIfAsked(int fd, std::unique_lock<std::mutex>* lock) {
    if (holds.empty()) return;
    const std::string path = PathOf(fd);
    const auto hold = std::find_if(holds.begin(), holds.end(), [&](const Hold& one) { return one.Takes(path); });
    if (hold == holds.end()) return;
    hold->held = true;
    hold->promise.set_value();
    let_go.wait(*lock, [&] { return hold->let_go; });
    holds.erase(hold);
  }

  File& Of(const struct stat& status) { return files[{status.st_dev, status.st_ino}]; }
};

void Sync(File* file) {
  for (const auto& [offset, bytes] : file->pending) {
    file->synced.resize(std::max(file->synced.size(), offset + bytes.size()), '\0');
    std::copy(bytes.begin(), bytes.end(), file->synced.begin() + static_cast<ptrdiff_t>(offset));
  }
}

}  // namespace

void FailingDisk::FailSyncsIn(const std::string& folder) {
  Disk& disk = Disk::Get();
  const std::lock_guard lock(disk.mutex);
  disk.failing = std::filesystem::canonical(folder);
  disk.only_once = false;
}

void FailingDisk::FailASyncIn(const std::string& folder) {
  FailSyncsIn(folder);
  Disk& disk = Disk::Get();
  const std::lock_guard lock(disk.mutex);
  disk.only_once = true;
}

void FailingDisk::HaveNoRoomFor(const std::string& path) {
  Disk& disk = Disk::Get();
  const std::lock_guard lock(disk.mutex);
  disk.no_room = path;
}

std::future<void> FailingDisk::HoldAWriteTo(const std::string& path) {
  Disk& disk = Disk::Get();
  const std::lock_guard lock(disk.mutex);
  disk.holds.push_back({path, {}});
  return disk.holds.back().promise.get_future();
}

void FailingDisk::FailLargeWritesTo(const std::string& path, size_t size) {
  Disk& disk = Disk::Get();
  const std::lock_guard lock(disk.mutex);
  disk.no_large_writes = path;
  disk.large = size;
}

void FailingDisk::LetGo(const std::string& path) {
  Disk& disk = Disk::Get();
  const std::lock_guard lock(disk.mutex);
  for (Hold& hold : disk.holds) hold.let_go |= hold.held && (path.empty() || hold.path == path);
  disk.let_go.notify_all();
}

void FailingDisk::BeWell() {
  Disk& disk = Disk::Get();
  const std::lock_guard lock(disk.mutex);
  disk.failing.clear();
  disk.no_room.clear();
  disk.no_large_writes.clear();
  disk.holds.remove_if([](const Hold& hold) { return !hold.held; });
}

void FailingDisk::CopyAsAfterPowerFailure(const std::string& from, const std::string& to) {
  Disk& disk = Disk::Get();
  const std::lock_guard lock(disk.mutex);
  for (const auto& entry : std::filesystem::directory_iterator(from)) {
    const std::string name = entry.path().filename().string();
    const std::string target = to + "/" + name;
    // A thread in the background makes and names these meanwhile, and who opens a folder removes what it finds of them.
    if (name.starts_with("spare-")) continue;
    struct stat status;
    if (!name.starts_with("log-") || stat(entry.path().c_str(), &status) != 0) {
      std::filesystem::copy_file(entry.path(), target);
      continue;
    }
    std::string bytes = disk.Of(status).synced;
    bytes.resize(static_cast<size_t>(status.st_size), '\0');
    std::ofstream(target, std::ios::binary) << bytes;
  }
}

}  // namespace fdbjobs::embedded

using fdbjobs::embedded::Disk;

extern "C" ssize_t pwrite(int fd, const void* bytes, size_t size, off_t offset) {
  Disk& disk = Disk::Get();
  std::unique_lock lock(disk.mutex);
  disk.HoldIfAsked(fd, &lock);
  if (!disk.HasRoomFor(fd)) {
    errno = ENOSPC;
    return -1;
  }
  if (!disk.TakesAll(fd, &size)) {
    errno = EIO;
    return -1;
  }
  const ssize_t written = syscall(SYS_pwrite64, fd, bytes, size, offset);
  struct stat status;
  if (written > 0 && fstat(fd, &status) == 0) {
    const std::string copy(static_cast<const char*>(bytes), static_cast<size_t>(written));
    disk.Of(status).pending.emplace_back(static_cast<size_t>(offset), copy);
  }
  return written;
}

extern "C" int fdatasync(int fd) {
  Disk& disk = Disk::Get();
  const std::lock_guard lock(disk.mutex);
  struct stat status;
  if (fstat(fd, &status) != 0) return -1;
  auto& file = disk.Of(status);
  const bool fails = disk.Fails(fd);
  if (!fails) Sync(&file);
  file.pending.clear();
  if (!fails) return 0;
  errno = EIO;
  return -1;
}
