// The bytes of the commit log: segment headers and commit records.
//
// A segment is a file of fixed size: a header of 64 bytes, records one after the other, zeros. A record is one
// transaction: what it set and cleared, and further ranges that count as written. All integers are little endian.
//
//   record:    u32 bytes of the body, u32 reserved (0), u64 hash, i64 version, body, zeros up to a multiple of 8
//   body:      entries: u8 kind, u32 first length, u32 second length, first bytes, second bytes
//
// `hash` is XXH3 (64 bits) of body and version, seeded with the hash of the record before. So a record is valid only
// behind the very record it was written behind: neither torn writes nor leftovers of a writer that lost the lock are
// taken for commits.
//
// Thread safety: pure functions and plain values. A RecordView borrows the bytes of a mapped segment.
#ifndef FDBJOBS_EMBEDDED_LOG_RECORD_H_
#define FDBJOBS_EMBEDDED_LOG_RECORD_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

// Frozen numbers. The bit kNoConflict marks an entry that does not count as written for conflicts.
enum class EntryKind : uint8_t { kSet = 0, kClear = 1, kClearRange = 2, kConflictRange = 3 };
inline constexpr uint8_t kNoConflict = 0x80;
// Beside the entries of the log there are those of a MutationList (mutation_list.h) which the committer has to turn
// into such: this bit and the type of the mutation.
inline constexpr uint8_t kUnresolved = 0x40;

inline EntryKind UnresolvedKind(MutationType type) {
  return static_cast<EntryKind>(static_cast<uint8_t>(type) | kUnresolved);
}
inline bool IsUnresolved(EntryKind kind) { return (static_cast<uint8_t>(kind) & kUnresolved) != 0; }
inline MutationType UnresolvedType(EntryKind kind) {
  return static_cast<MutationType>(static_cast<uint8_t>(kind) & ~kUnresolved);
}

struct EntryView {
  EntryKind kind;
  bool conflicts;
  std::string_view key;    // or the begin of the range
  std::string_view value;  // or its end
};

inline constexpr size_t kRecordHeaderSize = 24;
inline constexpr size_t kSegmentHeaderSize = 64;

inline constexpr size_t kEntryHeaderSize = 9;

// Appends one entry to a body.
void AppendEntry(std::string* body, EntryKind kind, bool conflicts, std::string_view first, std::string_view second);

// Calls `visit(const EntryView&)` for each entry of `body`, in order.
template <typename Visit>
void ForEachEntry(std::string_view body, Visit visit) {
  const char* at = body.data();
  const char* const end = at + body.size();
  while (at < end) {
    const auto kind = static_cast<uint8_t>(*at);
    uint32_t first;
    uint32_t second;
    std::memcpy(&first, at + 1, 4);
    std::memcpy(&second, at + 5, 4);
    at += kEntryHeaderSize;
    visit(EntryView{
        static_cast<EntryKind>(kind & ~kNoConflict), (kind & kNoConflict) == 0, {at, first}, {at + first, second}});
    at += first + second;
  }
}

// Starts a record at the end of `out`: append the entries of its body next. Returns where it starts.
size_t BeginRecord(std::string* out);
// Ends the record that starts at `start`, behind the one with hash `previous`. Returns its own hash.
uint64_t EndRecord(std::string* out, size_t start, Version version, uint64_t previous);
// Both, for a body that is there already.
uint64_t AppendRecord(std::string* out, Version version, std::string_view body, uint64_t previous);

// A record whose hash was checked.
struct RecordView {
  Version version;
  uint64_t hash;
  std::string_view body;
  size_t total_size;  // up to the next record

  template <typename Visit>
  void ForEach(Visit visit) const {
    ForEachEntry(body, visit);
  }
};

// Reads the record at the start of `bytes`. False when there is none behind `previous`, or one not after
// `previous_version`.
bool ParseRecord(std::string_view bytes, uint64_t previous, Version previous_version, RecordView* record);
// The same for a record that this process has just made itself: nothing is checked.
RecordView OwnRecord(std::string_view bytes);

struct SegmentHeader {
  uint32_t number = 0;
  // Where the segment before ends, with the hash and version of its last record.
  uint32_t previous_end = 0;
  uint64_t previous_hash = 0;
  Version previous_version = 0;

  std::string Encode() const;
  static bool Decode(std::string_view bytes, SegmentHeader* header);
  friend bool operator==(const SegmentHeader&, const SegmentHeader&) = default;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_LOG_RECORD_H_
