// The limits and the layout of FoundationDB's keyspace, as its clients know them.
//
// Thread safety: constants and pure functions.
#ifndef FDBJOBS_EMBEDDED_LIMITS_H_
#define FDBJOBS_EMBEDDED_LIMITS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fdbjobs::embedded {

inline constexpr size_t kKeySizeLimit = 10'000;
inline constexpr size_t kSystemKeySizeLimit = 30'000;
inline constexpr size_t kValueSizeLimit = 100'000;
inline constexpr int64_t kTransactionSizeLimit = 10'000'000;
// The lowest value that option SIZE_LIMIT takes.
inline constexpr int64_t kMinTransactionSizeLimit = 32;
// What a mutation and a conflict range count for in the size of a transaction, beside their bytes.
inline constexpr int64_t kMutationOverhead = 28;
inline constexpr int64_t kRangeOverhead = 24;

// User keys lie below the first, system keys between the two, special keys (computed, never stored) from the second.
inline constexpr std::string_view kSystemBegin("\xff", 1);
inline constexpr std::string_view kSystemEnd("\xff\xff", 2);
inline constexpr std::string_view kSpecialEnd("\xff\xff\xff", 3);

// The one system key that every transaction may read, and may write with a versionstamped value only.
inline constexpr std::string_view kMetadataVersionKey("\xff/metadataVersion", 17);
inline constexpr std::string_view kMetadataVersionKeyEnd("\xff/metadataVersion\x00", 18);

inline bool IsSystemKey(std::string_view key) { return key.starts_with(kSystemBegin); }

// The longest key that can exist where `key` lies.
inline size_t KeySizeLimit(std::string_view key) { return IsSystemKey(key) ? kSystemKeySizeLimit : kKeySizeLimit; }

// Cuts a bound of a range to one byte more than the longest key: as no longer key exists, the range stays the same.
inline std::string_view ClippedBound(std::string_view key) {
  const size_t limit = KeySizeLimit(key);
  return key.size() > limit ? key.substr(0, limit + 1) : key;
}

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_LIMITS_H_
