// What an atomic operation makes of a value, and where a versionstamp goes. FoundationDB's rules, byte for byte.
//
// Used twice: by a transaction that reads its own writes, and by the committer. Thread safety: pure functions.
//
//   std::optional<std::string> sum = ApplyAtomic(MutationType::kAdd, old_value, operand);
//
//   std::string key = mutation.key;                                // ends in a four-byte little-endian offset
//   if (ErrorCode error = FillVersionstamp(&key, version, batch_order)) return error;
#ifndef FDBJOBS_EMBEDDED_ATOMIC_OPS_H_
#define FDBJOBS_EMBEDDED_ATOMIC_OPS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

// Bytes of a versionstamp as the database fills it in: eight of the version, two of the order in its batch.
inline constexpr size_t kVersionstampBytes = 10;
// Bytes of the offset that ends the key (or the operand) of a versionstamped mutation.
inline constexpr size_t kVersionstampOffsetBytes = 4;

// The value after `type` was applied to `old` (nullopt: no such key). nullopt means that the key goes.
// For kSet the operand itself. Not for kClearRange and kSetVersionstamped*, which do not depend on the old value.
std::optional<std::string> ApplyAtomic(MutationType type, const std::optional<std::string>& old,
                                       std::string_view operand);

// True for the types that ApplyAtomic computes from the old value.
bool IsReadModifyWrite(MutationType type);

// Where the stamp goes in `bytes`, whose last four bytes are the offset; nullopt when there is no room for it there.
std::optional<size_t> VersionstampPosition(std::string_view bytes);

// Writes the ten bytes of a versionstamp (both numbers big endian) to `destination`.
void PlaceVersionstamp(char* destination, Version version, uint16_t batch_order);

// The keys that a versionstamped key with the stamp at `position` may become, if it is committed after `version`.
KeyRange VersionstampedKeys(std::string_view key, size_t position, Version version);

// Takes the offset off the end of `bytes` and fills in the ten bytes there. kClientInvalidOperation, and `bytes`
// left as it was, when the offset is missing or points outside.
[[nodiscard]] ErrorCode FillVersionstamp(std::string* bytes, Version version, uint16_t batch_order);

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_ATOMIC_OPS_H_
