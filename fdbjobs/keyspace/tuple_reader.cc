#include "fdbjobs/keyspace/tuple_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "fdbjobs/keyspace/tuple_format.h"

namespace fdbjobs::tuple {
namespace {

template <typename Bits>
Bits LoadBigEndian(std::string_view bytes) {
  Bits bits = 0;
  for (const char byte : bytes) bits = static_cast<Bits>(bits << 8 | static_cast<uint8_t>(byte));
  return bits;
}

// Undoes the writer's flip: a sign bit that is set belongs to a positive number.
template <typename Bits>
Bits LoadFlipped(std::string_view bytes) {
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  const Bits bits = LoadBigEndian<Bits>(bytes);
  return (bits & kSign) != 0 ? bits ^ kSign : ~bits;
}

template <size_t kSize>
std::array<uint8_t, kSize> LoadArray(std::string_view bytes) {
  std::array<uint8_t, kSize> array;
  std::memcpy(array.data(), bytes.data(), kSize);
  return array;
}

}  // namespace

bool TupleReader::AtNestedEnd() const {
  return offset_ < bytes_.size() && ByteAt(offset_) == format::kEnd &&
         (offset_ + 1 == bytes_.size() || ByteAt(offset_ + 1) != format::kEscape);
}

bool TupleReader::AtEnd() const { return depth_ > 0 ? AtNestedEnd() : offset_ == bytes_.size(); }

bool TupleReader::NextIs(uint8_t code) const {
  return offset_ < bytes_.size() && ByteAt(offset_) == code && !(depth_ > 0 && AtNestedEnd());
}

std::optional<Kind> TupleReader::Peek() const {
  if (offset_ == bytes_.size() || AtEnd()) return std::nullopt;
  return format::KindOfCode(ByteAt(offset_));
}

absl::Status TupleReader::RefuseAt(size_t offset, const std::string& expected) const {
  return absl::InvalidArgumentError(absl::StrCat(
      "tuple unreadable at offset ", offset, ": ",
      offset == bytes_.size() ? "end of input" : absl::StrCat("byte 0x", absl::Hex(ByteAt(offset), absl::kZeroPad2)),
      ", expected ", expected));
}

absl::Status TupleReader::Refuse(const std::string& expected) const {
  if (offset_ == bytes_.size()) return RefuseAt(offset_, expected);
  const std::string seen =
      depth_ > 0 && AtNestedEnd() ? "0x00 (end of the nested tuple)" : format::DescribeCode(ByteAt(offset_));
  return absl::InvalidArgumentError(
      absl::StrCat("tuple unreadable at offset ", offset_, ": byte ", seen, ", expected ", expected));
}

absl::Status TupleReader::ReadNull() {
  if (!NextIs(format::kNull)) return Refuse("a null");
  offset_ += depth_ > 0 ? 2 : 1;
  return absl::OkStatus();
}

absl::StatusOr<size_t> TupleReader::FindEnd(bool* escapes) const {
  *escapes = false;
  for (size_t from = offset_ + 1;; *escapes = true) {
    const size_t end = bytes_.find('\0', from);
    if (end == std::string_view::npos) {
      return RefuseAt(bytes_.size(),
                      absl::StrCat("the 0x00 that ends the ", ByteAt(offset_) == format::kBytes ? "bytes" : "string",
                                   " from offset ", offset_));
    }
    if (end + 1 == bytes_.size() || ByteAt(end + 1) != format::kEscape) return end;
    from = end + 2;
  }
}

absl::StatusOr<std::string_view> TupleReader::ReadEscaped(uint8_t code, std::string* scratch) {
  if (!NextIs(code)) return Refuse(code == format::kBytes ? "bytes" : "a string");
  bool escapes;
  const absl::StatusOr<size_t> end = FindEnd(&escapes);
  if (!end.ok()) return end.status();
  std::string_view stored = bytes_.substr(offset_ + 1, *end - offset_ - 1);
  offset_ = *end + 1;
  if (!escapes) return stored;
  scratch->clear();
  for (size_t zero; (zero = stored.find('\0')) != std::string_view::npos; stored.remove_prefix(zero + 2)) {
    scratch->append(stored.substr(0, zero + 1));
  }
  scratch->append(stored);
  return *scratch;
}

absl::StatusOr<std::string_view> TupleReader::ReadBytes(std::string* scratch) {
  return ReadEscaped(format::kBytes, scratch);
}

absl::StatusOr<std::string_view> TupleReader::ReadString(std::string* scratch) {
  return ReadEscaped(format::kString, scratch);
}

absl::StatusOr<std::string_view> TupleReader::ReadFixed(size_t size, Kind kind, size_t header) {
  const size_t begin = offset_ + header;
  const size_t there = bytes_.size() - begin;
  if (there < size) {
    return RefuseAt(bytes_.size(), absl::StrCat(size - there, " more of the ", size, " bytes of the ", KindName(kind),
                                                " from offset ", offset_));
  }
  offset_ = begin + size;
  return bytes_.substr(begin, size);
}

uint64_t TupleReader::StoredInteger::magnitude() const {
  const auto stored = LoadBigEndian<uint64_t>(bytes);
  if (!negative || bytes.empty()) return stored;
  // Flips the bytes that are there and no more.
  return ~stored & std::numeric_limits<uint64_t>::max() >> (64 - 8 * bytes.size());
}

absl::StatusOr<TupleReader::StoredInteger> TupleReader::ReadStoredInteger() {
  if (Peek() != Kind::kInteger) return Refuse("an integer");
  const uint8_t code = ByteAt(offset_);
  StoredInteger integer{code < format::kZero, {}};
  absl::StatusOr<std::string_view> stored;
  if (code == format::kNegativeBig || code == format::kPositiveBig) {
    if (offset_ + 1 == bytes_.size()) {
      return RefuseAt(bytes_.size(), absl::StrCat("the length of the integer from offset ", offset_));
    }
    const uint8_t length = integer.negative ? ~ByteAt(offset_ + 1) : ByteAt(offset_ + 1);
    stored = ReadFixed(length, Kind::kInteger, /*header=*/2);
  } else {
    stored = ReadFixed(integer.negative ? format::kZero - code : code - format::kZero, Kind::kInteger);
  }
  if (!stored.ok()) return stored.status();
  const char meaningless = integer.negative ? '\xff' : '\0';
  stored->remove_prefix(std::min(stored->find_first_not_of(meaningless), stored->size()));
  integer.bytes = *stored;
  return integer;
}

absl::StatusOr<Element> TupleReader::ReadInteger() {
  const absl::StatusOr<StoredInteger> integer = ReadStoredInteger();
  if (!integer.ok()) return integer.status();
  if (integer->small() && !integer->negative) return Element(integer->magnitude());
  if (integer->small()) return Element(BigInt::FromUint64(/*negative=*/true, integer->magnitude()));
  std::string magnitude(integer->bytes);
  if (integer->negative) {
    for (char& byte : magnitude) byte = static_cast<char>(~byte);
  }
  absl::StatusOr<BigInt> big = BigInt::FromMagnitude(integer->negative, magnitude);
  if (!big.ok()) return big.status();
  return Element(*std::move(big));
}

absl::StatusOr<int64_t> TupleReader::ReadInt64() {
  constexpr auto kMax = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  const size_t before = offset_;
  const absl::StatusOr<StoredInteger> integer = ReadStoredInteger();
  if (!integer.ok()) return integer.status();
  if (integer->small()) {
    const uint64_t magnitude = integer->magnitude();
    if (!integer->negative && magnitude <= kMax) return static_cast<int64_t>(magnitude);
    if (integer->negative && magnitude <= kMax + 1) return static_cast<int64_t>(~magnitude + 1);
  }
  offset_ = before;
  return Refuse("an integer that fits in int64");
}

absl::StatusOr<uint64_t> TupleReader::ReadUint64() {
  const size_t before = offset_;
  const absl::StatusOr<StoredInteger> integer = ReadStoredInteger();
  if (!integer.ok()) return integer.status();
  // A zero that was stored as a negative number has no bytes left.
  if (integer->small() && (!integer->negative || integer->bytes.empty())) return integer->magnitude();
  offset_ = before;
  return Refuse("an integer that fits in uint64");
}

absl::StatusOr<float> TupleReader::ReadFloat() {
  if (!NextIs(format::kFloat)) return Refuse("a float");
  const absl::StatusOr<std::string_view> stored = ReadFixed(sizeof(float), Kind::kFloat);
  if (!stored.ok()) return stored.status();
  return std::bit_cast<float>(LoadFlipped<uint32_t>(*stored));
}

absl::StatusOr<double> TupleReader::ReadDouble() {
  if (!NextIs(format::kDouble)) return Refuse("a double");
  const absl::StatusOr<std::string_view> stored = ReadFixed(sizeof(double), Kind::kDouble);
  if (!stored.ok()) return stored.status();
  return std::bit_cast<double>(LoadFlipped<uint64_t>(*stored));
}

absl::StatusOr<bool> TupleReader::ReadBool() {
  if (Peek() != Kind::kBool) return Refuse("a bool");
  return ByteAt(offset_++) == format::kTrue;
}

absl::StatusOr<Uuid> TupleReader::ReadUuid() {
  if (!NextIs(format::kUuid)) return Refuse("a UUID");
  const absl::StatusOr<std::string_view> stored = ReadFixed(sizeof(Uuid::bytes), Kind::kUuid);
  if (!stored.ok()) return stored.status();
  return Uuid{LoadArray<sizeof(Uuid::bytes)>(*stored)};
}

absl::StatusOr<Versionstamp> TupleReader::ReadVersionstamp() {
  if (!NextIs(format::kVersionstamp)) return Refuse("a versionstamp");
  const absl::StatusOr<std::string_view> stored = ReadFixed(Versionstamp::kBytes, Kind::kVersionstamp);
  if (!stored.ok()) return stored.status();
  return Versionstamp{LoadArray<Versionstamp::kTransactionBytes>(*stored),
                      LoadBigEndian<uint16_t>(stored->substr(Versionstamp::kTransactionBytes))};
}

absl::Status TupleReader::EnterNested() {
  if (!NextIs(format::kTuple)) return Refuse("a nested tuple");
  if (depth_ == kMaxNesting) return Refuse(absl::StrCat("no nesting deeper than ", kMaxNesting, " levels"));
  ++offset_;
  ++depth_;
  return absl::OkStatus();
}

absl::Status TupleReader::LeaveNested() {
  if (depth_ == 0 || !AtNestedEnd()) return Refuse("the 0x00 that ends a nested tuple");
  ++offset_;
  --depth_;
  return absl::OkStatus();
}

}  // namespace fdbjobs::tuple
