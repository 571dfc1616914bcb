#include "fdbjobs/embedded/atomic_ops.h"

#include <algorithm>

#include "fdbjobs/embedded/error_codes.h"
#include "fdbjobs/embedded/limits.h"

namespace fdbjobs::embedded {
namespace {

// The first `size` bytes of `value`, with zeros after it where it is shorter. All little-endian operations work on
// as many bytes as the operand has.
std::string Resized(std::string_view value, size_t size) {
  std::string out(value.substr(0, size));
  out.resize(size, '\0');
  return out;
}

uint8_t ByteAt(std::string_view bytes, size_t i) { return static_cast<uint8_t>(bytes[i]); }

std::string Add(std::string_view old, std::string_view operand) {
  std::string sum = Resized(old, operand.size());
  unsigned carry = 0;
  for (size_t i = 0; i < sum.size(); ++i) {
    const unsigned digit = ByteAt(sum, i) + ByteAt(operand, i) + carry;
    sum[i] = static_cast<char>(digit & 0xff);
    carry = digit >> 8;
  }
  return sum;
}

template <typename Op>
std::string Bitwise(std::string_view old, std::string_view operand, Op op) {
  std::string out = Resized(old, operand.size());
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<char>(op(ByteAt(out, i), ByteAt(operand, i)));
  }
  return out;
}

// <0, 0, >0 for two little-endian unsigned numbers of the same length.
int CompareLittleEndian(std::string_view a, std::string_view b) {
  for (size_t i = a.size(); i-- > 0;) {
    if (a[i] != b[i]) return ByteAt(a, i) < ByteAt(b, i) ? -1 : 1;
  }
  return 0;
}

std::string AppendIfFits(std::string_view old, std::string_view operand) {
  std::string out(old);
  if (old.size() + operand.size() <= kValueSizeLimit) out.append(operand);
  return out;
}

std::string Max(std::string_view old, std::string_view operand) {
  std::string clipped = Resized(old, operand.size());
  return CompareLittleEndian(clipped, operand) > 0 ? clipped : std::string(operand);
}

std::string Min(std::string_view old, std::string_view operand) {
  std::string clipped = Resized(old, operand.size());
  return CompareLittleEndian(clipped, operand) < 0 ? clipped : std::string(operand);
}

}  // namespace

std::optional<std::string> ApplyAtomic(MutationType type, const std::optional<std::string>& old,
                                       std::string_view operand) {
  const std::string_view value = old ? std::string_view(*old) : std::string_view();
  switch (type) {
    case MutationType::kAdd:
      return Add(value, operand);
    case MutationType::kAndV2:
      if (!old) return std::string(operand);
      [[fallthrough]];
    case MutationType::kAnd:
      return Bitwise(value, operand, [](uint8_t a, uint8_t b) { return a & b; });
    case MutationType::kOr:
      return Bitwise(value, operand, [](uint8_t a, uint8_t b) { return a | b; });
    case MutationType::kXor:
      return Bitwise(value, operand, [](uint8_t a, uint8_t b) { return a ^ b; });
    case MutationType::kAppendIfFits:
      return AppendIfFits(value, operand);
    case MutationType::kMax:
      return Max(value, operand);
    case MutationType::kMinV2:
      if (!old) return std::string(operand);
      [[fallthrough]];
    case MutationType::kMin:
      return Min(value, operand);
    case MutationType::kByteMin:
      return std::string(old ? std::min(value, operand) : operand);
    case MutationType::kByteMax:
      return std::string(old ? std::max(value, operand) : operand);
    case MutationType::kCompareAndClear:
      return old && value == operand ? std::nullopt : old;
    case MutationType::kSet:
    case MutationType::kClearRange:
    case MutationType::kSetVersionstampedKey:
    case MutationType::kSetVersionstampedValue:
      break;
  }
  return std::string(operand);
}

bool IsReadModifyWrite(MutationType type) {
  switch (type) {
    case MutationType::kAdd:
    case MutationType::kAnd:
    case MutationType::kOr:
    case MutationType::kXor:
    case MutationType::kAppendIfFits:
    case MutationType::kMax:
    case MutationType::kMin:
    case MutationType::kByteMin:
    case MutationType::kByteMax:
    case MutationType::kMinV2:
    case MutationType::kAndV2:
    case MutationType::kCompareAndClear:
      return true;
    case MutationType::kSet:
    case MutationType::kClearRange:
    case MutationType::kSetVersionstampedKey:
    case MutationType::kSetVersionstampedValue:
      break;
  }
  return false;
}

std::optional<size_t> VersionstampPosition(std::string_view bytes) {
  if (bytes.size() < kVersionstampOffsetBytes) return std::nullopt;
  const size_t size = bytes.size() - kVersionstampOffsetBytes;
  uint32_t position = 0;
  for (size_t i = 0; i < kVersionstampOffsetBytes; ++i) {
    position |= static_cast<uint32_t>(ByteAt(bytes, size + i)) << (8 * i);
  }
  // A negative offset is a huge one here, so one comparison refuses both.
  if (size_t{position} + kVersionstampBytes > size) return std::nullopt;
  return position;
}

void PlaceVersionstamp(char* destination, Version version, uint16_t batch_order) {
  const auto bits = static_cast<uint64_t>(version);
  for (int i = 0; i < 8; ++i) destination[i] = static_cast<char>((bits >> (56 - 8 * i)) & 0xff);
  destination[8] = static_cast<char>(batch_order >> 8);
  destination[9] = static_cast<char>(batch_order & 0xff);
}

KeyRange VersionstampedKeys(std::string_view key, size_t position, Version version) {
  KeyRange range;
  range.begin = key.substr(0, key.size() - kVersionstampOffsetBytes);
  range.end = KeyAfter(range.begin);
  PlaceVersionstamp(range.begin.data() + position, version, 0);
  std::fill_n(range.end.begin() + static_cast<std::ptrdiff_t>(position), kVersionstampBytes, '\xff');
  return range;
}

ErrorCode FillVersionstamp(std::string* bytes, Version version, uint16_t batch_order) {
  const std::optional<size_t> position = VersionstampPosition(*bytes);
  if (!position) return kClientInvalidOperation;
  bytes->resize(bytes->size() - kVersionstampOffsetBytes);
  PlaceVersionstamp(bytes->data() + *position, version, batch_order);
  return kSuccess;
}

}  // namespace fdbjobs::embedded
