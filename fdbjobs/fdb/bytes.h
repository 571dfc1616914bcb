// How byte strings and integers are handed to the C ABI, and text to Abseil. Internal to fdbjobs/fdb.
//
// Thread safety: pure functions. Lifetime: pointers borrow from what they were made of.
//
//   api.transaction_clear(handle, Bytes(key), Length(key));
#ifndef FDBJOBS_FDB_BYTES_H_
#define FDBJOBS_FDB_BYTES_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

#include "absl/strings/string_view.h"

namespace fdbjobs::fdb {

inline const uint8_t* Bytes(std::string_view bytes) {
  // An empty view may have a null pointer; some calls of the ABI take null for "not given".
  static constexpr uint8_t kNothing = 0;
  return bytes.data() == nullptr ? &kNothing : reinterpret_cast<const uint8_t*>(bytes.data());
}

// Lengths are ints there. What is longer than an int can tell is far beyond every limit; cut down to the largest int,
// it is refused as too large all the same.
inline int Length(std::string_view bytes) {
  return static_cast<int>(std::min<size_t>(bytes.size(), std::numeric_limits<int>::max()));
}

inline std::string_view View(const uint8_t* data, int length) {
  return {reinterpret_cast<const char*>(data), static_cast<size_t>(length)};
}

// Writes `value` as little-endian bytes.
template <typename Int>
std::array<uint8_t, sizeof(Int)> LittleEndian(Int value) {
  std::array<uint8_t, sizeof(Int)> bytes;
  for (size_t i = 0; i < sizeof(Int); ++i) bytes[i] = static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * i));
  return bytes;
}

// Abseil has a string_view of its own when it was built for an older C++, as Debian's is; our interfaces use the
// standard's.
inline absl::string_view ToAbsl(std::string_view view) { return {view.data(), view.size()}; }
inline std::string_view ToStd(absl::string_view view) { return {view.data(), view.size()}; }

// The parameter of an option that takes an integer: eight bytes, little endian.
class IntParameter {
 public:
  explicit IntParameter(int64_t value) : bytes_(LittleEndian(value)) {}
  const uint8_t* data() const { return bytes_.data(); }
  int length() const { return static_cast<int>(bytes_.size()); }

 private:
  std::array<uint8_t, 8> bytes_;
};

}  // namespace fdbjobs::fdb

#endif  // FDBJOBS_FDB_BYTES_H_
