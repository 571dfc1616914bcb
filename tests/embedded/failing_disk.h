// FailingDisk: a disk on which the syncs of a folder fail when a test says so, which has no room or holds a write up,
// and what a power failure would leave on it.
//
// It takes the place of pwrite and fdatasync in the program that links it. As on a kernel whose write to the disk has
// failed, what was written before a failed sync is dropped: it can still be read, and no later sync brings it to the
// disk, though it succeeds.
//
// Thread safety: any thread. Lifetime: for all files of the process.
//
//   FailingDisk::FailSyncsIn(folder);
//   ...
//   FailingDisk::BeWell();
//   FailingDisk::CopyAsAfterPowerFailure(folder, copy);
#ifndef FDBJOBS_TESTS_EMBEDDED_FAILING_DISK_H_
#define FDBJOBS_TESTS_EMBEDDED_FAILING_DISK_H_

#include <cstddef>
#include <future>
#include <string>

namespace fdbjobs::embedded {

class FailingDisk {
 public:
  static void FailSyncsIn(const std::string& folder);
  // Only the next one.
  static void FailASyncIn(const std::string& folder);
  // Files whose path begins so can't be written.
  static void HaveNoRoomFor(const std::string& path);
  // Writes of more than `size` bytes to them fail when half of it is done.
  static void FailLargeWritesTo(const std::string& path, size_t size);
  // The thread that makes the next write to a file whose path is this one, or begins so if it ends with '-', is held up
  // in it, as one of a process that is stopped. Returned is a way to wait until there is one.
  static std::future<void> HoldAWriteTo(const std::string& path);
  // Lets those go on that are held up in writes to `path`, or all.
  static void LetGo(const std::string& path = "");
  static void BeWell();
  // The log segments of the folder `from` with what was synced of them and nothing else; other files as they are.
  static void CopyAsAfterPowerFailure(const std::string& from, const std::string& to);
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_TESTS_EMBEDDED_FAILING_DISK_H_
