// The vocabulary of the embedded engine: versions, error codes, ranges and kinds of mutations.
//
// Thread safety: plain values, no synchronisation of their own.
// Lifetime: every type owns its bytes, except where a name says `View`.
#ifndef FDBJOBS_EMBEDDED_TYPES_H_
#define FDBJOBS_EMBEDDED_TYPES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fdbjobs::embedded {

// A commit or read version. About a million pass in a second. Positive for all that exists.
using Version = int64_t;
inline constexpr Version kNoVersion = -1;

// How far back a read version may lie: FoundationDB's five seconds.
inline constexpr Version kWindowVersions = 5'000'000;

// The number that crosses the C ABI as `fdb_error_t`; 0 is success. Names are in error_codes.h.
using ErrorCode = int;

// Half open: begin <= key < end. Empty when begin >= end.
struct KeyRange {
  std::string begin;
  std::string end;
};

// The first key after `key`.
inline std::string KeyAfter(std::string_view key) {
  std::string after;
  after.reserve(key.size() + 1);
  after.append(key);
  after.push_back('\0');
  return after;
}

// Whether [begin, end) is `begin` alone.
inline bool IsOneKey(std::string_view begin, std::string_view end) {
  return end.size() == begin.size() + 1 && end.back() == '\0' && end.starts_with(begin);
}

// Frozen numbers: the same as FDBMutationType.
enum class MutationType : uint8_t {
  kSet = 0,
  kClearRange = 1,
  kAdd = 2,
  kAnd = 6,
  kOr = 7,
  kXor = 8,
  kAppendIfFits = 9,
  kMax = 12,
  kMin = 13,
  kSetVersionstampedKey = 14,
  kSetVersionstampedValue = 15,
  kByteMin = 16,
  kByteMax = 17,
  kMinV2 = 18,
  kAndV2 = 19,
  kCompareAndClear = 20,
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_TYPES_H_
