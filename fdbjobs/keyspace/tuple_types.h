// The values that a tuple can hold beside C++'s own: Bytes, BigInt, Uuid and Versionstamp.
//
// Thread safety: plain values, no synchronisation of their own. Lifetime: each owns its bytes.
// Every comparison here gives the order of the packed bytes (docs/tuple.md).
//
//   Bytes lock{"\x01\x02"};                             // as opposed to Unicode text, which is a std::string
//   Versionstamp stamp = Versionstamp::Incomplete(0);   // the database fills it in at commit
//   absl::StatusOr<BigInt> big = BigInt::FromMagnitude(/*negative=*/true, "\x01\x02\x03\x04\x05\x06\x07\x08\x09");
#ifndef FDBJOBS_KEYSPACE_TUPLE_TYPES_H_
#define FDBJOBS_KEYSPACE_TUPLE_TYPES_H_

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace fdbjobs::tuple {

// What an element is. In the order in which elements of different kinds sort.
enum class Kind : uint8_t {
  kNull,
  kBytes,
  kString,
  kTuple,
  kInteger,
  kFloat,
  kDouble,
  kBool,
  kUuid,
  kVersionstamp,
};

// "null", "bytes", "string", "nested tuple", "integer", ... for messages.
const char* KindName(Kind kind);

// How many tuples may lie inside one another. It bounds the stack that hostile bytes can make a reader use, and
// holds for writing too, so that what is written can be read.
inline constexpr int kMaxNesting = 100;

// The longest magnitude of an integer, in bytes: its length is stored in one byte.
inline constexpr size_t kMaxIntegerBytes = 255;

struct Bytes {
  std::string value;

  friend bool operator==(const Bytes&, const Bytes&) = default;
  friend auto operator<=>(const Bytes&, const Bytes&) = default;
};

// An integer of any size up to 255 bytes of magnitude.
class BigInt {
 public:
  // Zero.
  BigInt() = default;

  // `magnitude` is big endian. Leading zero bytes are dropped, and zero has no sign. An error if more than 255 bytes
  // are left.
  static absl::StatusOr<BigInt> FromMagnitude(bool negative, std::string_view magnitude);
  static BigInt FromUint64(bool negative, uint64_t magnitude);

  bool negative() const { return negative_; }
  // Big endian, without leading zero bytes. Empty for zero.
  const std::string& magnitude() const { return magnitude_; }

  friend bool operator==(const BigInt&, const BigInt&) = default;
  friend std::strong_ordering operator<=>(const BigInt& a, const BigInt& b);

 private:
  BigInt(bool negative, std::string_view normal) : negative_(negative), magnitude_(normal) {}

  bool negative_ = false;
  std::string magnitude_;  // does not begin with 0x00; at most kMaxIntegerBytes; empty only if !negative_
};

// In network byte order, as RFC 4122 writes it.
struct Uuid {
  std::array<uint8_t, 16> bytes{};

  friend bool operator==(const Uuid&, const Uuid&) = default;
  friend auto operator<=>(const Uuid&, const Uuid&) = default;
};

// Ten bytes that the database gives to a transaction at commit, and two with which the client orders its own writes
// within that transaction.
struct Versionstamp {
  static constexpr size_t kTransactionBytes = 10;
  static constexpr size_t kBytes = 12;

  std::array<uint8_t, kTransactionBytes> transaction{};
  uint16_t user_version = 0;

  // One whose ten bytes are not known yet: they are all 0xFF, so it sorts after every complete one.
  static Versionstamp Incomplete(uint16_t user_version);
  bool complete() const;

  friend bool operator==(const Versionstamp&, const Versionstamp&) = default;
  friend auto operator<=>(const Versionstamp&, const Versionstamp&) = default;
};

}  // namespace fdbjobs::tuple

#endif  // FDBJOBS_KEYSPACE_TUPLE_TYPES_H_
