#include "fdbjobs/keyspace/tuple_types.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace fdbjobs::tuple {

const char* KindName(Kind kind) {
  switch (kind) {
    case Kind::kNull:
      return "null";
    case Kind::kBytes:
      return "bytes";
    case Kind::kString:
      return "string";
    case Kind::kTuple:
      return "nested tuple";
    case Kind::kInteger:
      return "integer";
    case Kind::kFloat:
      return "float";
    case Kind::kDouble:
      return "double";
    case Kind::kBool:
      return "bool";
    case Kind::kUuid:
      return "UUID";
    case Kind::kVersionstamp:
      return "versionstamp";
  }
  return "unknown kind";
}

absl::StatusOr<BigInt> BigInt::FromMagnitude(bool negative, std::string_view magnitude) {
  magnitude.remove_prefix(std::min(magnitude.find_first_not_of('\0'), magnitude.size()));
  if (magnitude.size() > kMaxIntegerBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("tuple: an integer of ", magnitude.size(), " bytes, expected at most ", kMaxIntegerBytes));
  }
  return BigInt(negative && !magnitude.empty(), magnitude);
}

BigInt BigInt::FromUint64(bool negative, uint64_t magnitude) {
  std::array<char, sizeof magnitude> bytes;
  size_t begin = bytes.size();
  for (; magnitude != 0; magnitude >>= 8) bytes[--begin] = static_cast<char>(magnitude & 0xff);
  const std::string_view normal(bytes.data() + begin, bytes.size() - begin);
  return BigInt(negative && !normal.empty(), normal);
}

std::strong_ordering operator<=>(const BigInt& a, const BigInt& b) {
  if (a.negative_ != b.negative_) return a.negative_ ? std::strong_ordering::less : std::strong_ordering::greater;
  const BigInt& low = a.negative_ ? b : a;
  const BigInt& high = a.negative_ ? a : b;
  // No leading zeros, so the longer magnitude is the larger one.
  const auto by_length = low.magnitude_.size() <=> high.magnitude_.size();
  return by_length != 0 ? by_length : low.magnitude_ <=> high.magnitude_;
}

Versionstamp Versionstamp::Incomplete(uint16_t user_version) {
  Versionstamp stamp;
  stamp.transaction.fill(0xff);
  stamp.user_version = user_version;
  return stamp;
}

bool Versionstamp::complete() const {
  return std::any_of(transaction.begin(), transaction.end(), [](uint8_t byte) { return byte != 0xff; });
}

}  // namespace fdbjobs::tuple
