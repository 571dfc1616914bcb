// ControlBlock: the few words that all processes with the folder open share, in a mapped file.
//
// Nothing in it has to survive the machine: the first process to open the folder writes it anew from the commit log
// and the base. All words only grow (RaiseTo), except the lock and `assigned_version`, so that a process that was
// stopped for a while and goes on with old knowledge can do no harm.
//
// Thread safety: every field is an atomic of its own, or constant after Initialise.
// Lifetime: the mapping lives as long as the ControlMapping.
#ifndef FDBJOBS_EMBEDDED_CONTROL_BLOCK_H_
#define FDBJOBS_EMBEDDED_CONTROL_BLOCK_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "fdbjobs/embedded/file_util.h"
#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

// A place in the commit log: which segment, and the byte within it.
struct LogPosition {
  uint32_t segment = 0;
  uint32_t offset = 0;

  uint64_t packed() const { return uint64_t{segment} << 32 | offset; }
  static LogPosition Unpack(uint64_t packed) {
    return {static_cast<uint32_t>(packed >> 32), static_cast<uint32_t>(packed)};
  }
  friend bool operator==(const LogPosition&, const LogPosition&) = default;
  friend auto operator<=>(const LogPosition&, const LogPosition&) = default;
};

struct ControlBlock {
  static constexpr uint64_t kMagic = 0x33626a6264666c43;  // changes with the layout
  static constexpr size_t kLine = 64;

  // Constant after initialisation.
  uint64_t magic;
  // The version at CLOCK_MONOTONIC = monotonic_base_us.
  Version version_base;
  int64_t monotonic_base_us;

  // The append lock; see fenced_lock.h.
  alignas(kLine) std::atomic<uint64_t> lock;
  std::atomic<uint32_t> lock_waiters;
  std::atomic<uint32_t> lock_tickets;
  // Not 0 from when the append lock was taken from a holder until the log goes on where that one can't write: a number
  // of its own for each time.
  std::atomic<uint64_t> unfenced;

  // End of what is committed: a packed LogPosition. Moved by compare-and-swap by the holder of the append lock.
  alignas(kLine) std::atomic<uint64_t> tail;
  // Version of the last record before `tail`, or a later one. Stored after `tail`.
  std::atomic<Version> published_version;
  // Highest version given to a commit. Above acked_version while commits are under way.
  std::atomic<Version> assigned_version;
  // While commits are under way, versions up to here can still be read: they are all higher.
  std::atomic<Version> read_floor;

  // Every record up to this version was synced.
  alignas(kLine) std::atomic<Version> durable_version;
  // Every commit up to this version may be read: durable, or acknowledged without (DURABILITY_RISKY).
  std::atomic<Version> acked_version;
  // Counts the raises of acked_version: what watchers sleep on, each with two bits of the futex. Raised also to end the
  // sleep of one process.
  static constexpr uint32_t kAckedBit = uint32_t{1} << 31;
  static constexpr uint32_t SlotBit(uint16_t slot) { return uint32_t{1} << slot % 31; }
  std::atomic<uint32_t> acked_count;
  std::atomic<uint32_t> acked_waiters;

  // Highest read version handed out: commits get higher ones.
  alignas(kLine) std::atomic<Version> read_version_max;
  // No read version goes past this before a higher lease was made durable: after a crash versions go on from here.
  std::atomic<Version> version_lease;

  // A token for whoever syncs the log: others wait a little for that sync instead of making their own.
  alignas(kLine) std::atomic<uint32_t> syncing;
  std::atomic<uint32_t> sync_count;
  std::atomic<uint32_t> sync_waiters;
  // How many syncs have failed, and up to which of these the log was written again; see log_sync.h.
  std::atomic<uint32_t> failed_syncs;
  std::atomic<uint32_t> mended_syncs;

  // What the base contains, up to which place of the log (a packed LogPosition; raised late, if its writer died), and
  // when readers should take a new snapshot of it.
  alignas(kLine) std::atomic<Version> base_version;
  std::atomic<uint64_t> base_position;
  std::atomic<uint64_t> base_epoch;

  // A lease of versions that could not be written to the base: see ControlMapping::KeepLease. The one word that is
  // taken over by the next who writes the block anew.
  std::atomic<Version> kept_lease;
};

// Raises `word` to `value` unless it is higher already.
template <typename T>
void RaiseTo(std::atomic<T>& word, T value) {
  T seen = word.load();
  while (seen < value && !word.compare_exchange_weak(seen, value)) {
  }
}

// Microseconds of CLOCK_MONOTONIC: the same in all processes of one boot.
int64_t MonotonicMicros();

// The file `control` of a folder, mapped.
class ControlMapping {
 public:
  ControlMapping() = default;
  ControlMapping(const ControlMapping&) = delete;
  ControlMapping& operator=(const ControlMapping&) = delete;
  ~ControlMapping();

  // Creates the file if it is missing. With `zero`, all words but magic and kept_lease are set to zero first.
  ErrorCode Map(const std::string& path, bool zero, std::string* why);
  // Raises kept_lease, and makes that durable: without room on the disk, since the block has its own.
  ErrorCode KeepLease(Version lease, std::string* why);
  ControlBlock* operator->() const { return block_; }
  ControlBlock& operator*() const { return *block_; }

 private:
  std::string path_;
  FileDescriptor file_;
  ControlBlock* block_ = nullptr;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_CONTROL_BLOCK_H_
