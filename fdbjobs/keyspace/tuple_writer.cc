#include "fdbjobs/keyspace/tuple_writer.h"

#include <bit>
#include <cstring>
#include <limits>
#include <variant>

#include "absl/strings/str_cat.h"
#include "fdbjobs/keyspace/tuple_format.h"
#include "fdbjobs/keyspace/tuple_utf8.h"

namespace fdbjobs::tuple {
namespace {

template <typename Bits>
void StoreBigEndian(Bits bits, char* to) {
  for (size_t i = sizeof bits; i-- > 0; bits = static_cast<Bits>(bits >> 8)) to[i] = static_cast<char>(bits & 0xff);
}

// Negative numbers are flipped whole and positive ones in the sign alone, so that unsigned bytes sort as the numbers.
template <typename Bits>
void AppendFlipped(uint8_t code, Bits bits, std::string* out) {
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  char encoded[1 + sizeof bits];
  encoded[0] = static_cast<char>(code);
  StoreBigEndian<Bits>((bits & kSign) != 0 ? ~bits : bits | kSign, encoded + 1);
  out->append(encoded, sizeof encoded);
}

}  // namespace

TupleWriter& TupleWriter::AddNull() {
  if (!status_.ok()) return *this;
  AppendCode(format::kNull);
  if (depth_ > 0) AppendCode(format::kEscape);
  return *this;
}

void TupleWriter::AppendEscaped(uint8_t code, std::string_view bytes) {
  AppendCode(code);
  for (;;) {
    const size_t end = bytes.find('\0');
    out_->append(bytes.substr(0, end));
    AppendCode(format::kEnd);
    if (end == std::string_view::npos) return;
    AppendCode(format::kEscape);
    bytes.remove_prefix(end + 1);
  }
}

TupleWriter& TupleWriter::AddBytes(std::string_view bytes) {
  if (status_.ok()) AppendEscaped(format::kBytes, bytes);
  return *this;
}

TupleWriter& TupleWriter::AddString(std::string_view text) {
  if (!status_.ok()) return *this;
  if (utf8_ == Utf8::kRequire) {
    if (const std::optional<size_t> invalid = FirstInvalidUtf8(text)) {
      status_ = absl::InvalidArgumentError(
          absl::StrCat("tuple: string ", Element(text).ToString(), " is not UTF-8 at offset ", *invalid, ": byte 0x",
                       absl::Hex(static_cast<uint8_t>(text[*invalid]), absl::kZeroPad2)));
      return *this;
    }
  }
  AppendEscaped(format::kString, text);
  return *this;
}

void TupleWriter::AppendSmall(bool negative, uint64_t magnitude) {
  const size_t size = (static_cast<size_t>(std::bit_width(magnitude)) + 7) / 8;
  char encoded[sizeof magnitude];
  StoreBigEndian(negative ? ~magnitude : magnitude, encoded);
  AppendCode(static_cast<uint8_t>(negative ? format::kZero - size : format::kZero + size));
  out_->append(encoded + sizeof magnitude - size, size);
}

TupleWriter& TupleWriter::AddInt(int64_t integer) {
  if (!status_.ok()) return *this;
  // Negated as an unsigned number, since -2^63 has no positive counterpart in int64_t.
  const auto bits = static_cast<uint64_t>(integer);
  AppendSmall(integer < 0, integer < 0 ? ~bits + 1 : bits);
  return *this;
}

TupleWriter& TupleWriter::AddUint(uint64_t integer) {
  if (status_.ok()) AppendSmall(/*negative=*/false, integer);
  return *this;
}

TupleWriter& TupleWriter::AddBigInt(const BigInt& integer) {
  if (!status_.ok()) return *this;
  const std::string& magnitude = integer.magnitude();
  const uint8_t complement = integer.negative() ? 0xff : 0x00;
  if (magnitude.size() <= sizeof(uint64_t)) {
    const auto size = static_cast<uint8_t>(magnitude.size());
    AppendCode(static_cast<uint8_t>(integer.negative() ? format::kZero - size : format::kZero + size));
  } else {
    AppendCode(integer.negative() ? format::kNegativeBig : format::kPositiveBig);
    AppendCode(static_cast<uint8_t>(magnitude.size()) ^ complement);
  }
  for (const char byte : magnitude) AppendCode(static_cast<uint8_t>(byte) ^ complement);
  return *this;
}

TupleWriter& TupleWriter::AddFloat(float number) {
  if (status_.ok()) AppendFlipped(format::kFloat, std::bit_cast<uint32_t>(number), out_);
  return *this;
}

TupleWriter& TupleWriter::AddDouble(double number) {
  if (status_.ok()) AppendFlipped(format::kDouble, std::bit_cast<uint64_t>(number), out_);
  return *this;
}

TupleWriter& TupleWriter::AddBool(bool truth) {
  if (status_.ok()) AppendCode(truth ? format::kTrue : format::kFalse);
  return *this;
}

TupleWriter& TupleWriter::AddUuid(const Uuid& uuid) {
  if (!status_.ok()) return *this;
  AppendCode(format::kUuid);
  out_->append(reinterpret_cast<const char*>(uuid.bytes.data()), uuid.bytes.size());
  return *this;
}

TupleWriter& TupleWriter::AddVersionstamp(const Versionstamp& stamp) {
  if (!status_.ok()) return *this;
  AppendCode(format::kVersionstamp);
  if (!stamp.complete()) {
    ++incomplete_stamps_;
    stamp_offset_ = out_->size();
  }
  char encoded[Versionstamp::kBytes];
  std::memcpy(encoded, stamp.transaction.data(), stamp.transaction.size());
  StoreBigEndian(stamp.user_version, encoded + stamp.transaction.size());
  out_->append(encoded, sizeof encoded);
  return *this;
}

TupleWriter& TupleWriter::BeginNested() {
  if (!status_.ok()) return *this;
  if (depth_ == kMaxNesting) {
    status_ = absl::InvalidArgumentError(absl::StrCat("tuple: nested deeper than ", kMaxNesting, " levels"));
    return *this;
  }
  ++depth_;
  AppendCode(format::kTuple);
  return *this;
}

TupleWriter& TupleWriter::EndNested() {
  if (!status_.ok()) return *this;
  if (depth_ == 0) {
    status_ = absl::FailedPreconditionError("tuple: EndNested without BeginNested");
    return *this;
  }
  --depth_;
  AppendCode(format::kEnd);
  return *this;
}

TupleWriter& TupleWriter::AddElement(const Element& element) {
  struct Visitor {
    TupleWriter& writer;

    void operator()(std::nullptr_t) { writer.AddNull(); }
    void operator()(const Bytes& bytes) { writer.AddBytes(bytes.value); }
    void operator()(const std::string& text) { writer.AddString(text); }
    void operator()(const Tuple& nested) { writer.BeginNested().AddElements(nested).EndNested(); }
    void operator()(int64_t integer) { writer.AddInt(integer); }
    void operator()(uint64_t integer) { writer.AddUint(integer); }
    void operator()(const BigInt& integer) { writer.AddBigInt(integer); }
    void operator()(float number) { writer.AddFloat(number); }
    void operator()(double number) { writer.AddDouble(number); }
    void operator()(bool truth) { writer.AddBool(truth); }
    void operator()(const Uuid& uuid) { writer.AddUuid(uuid); }
    void operator()(const Versionstamp& stamp) { writer.AddVersionstamp(stamp); }
  };
  std::visit(Visitor{*this}, element.value());
  return *this;
}

TupleWriter& TupleWriter::AddElements(const Tuple& tuple) {
  for (const Element& element : tuple) {
    // Also what ends the recursion when BeginNested refused a level.
    if (!status_.ok()) return *this;
    AddElement(element);
  }
  return *this;
}

TupleWriter& TupleWriter::AddRaw(std::string_view packed_element) {
  if (packed_element.size() == 1 && static_cast<uint8_t>(packed_element[0]) == format::kNull) return AddNull();
  if (status_.ok()) out_->append(packed_element);
  return *this;
}

absl::Status TupleWriter::Finish() const {
  if (status_.ok() && depth_ > 0) {
    return absl::FailedPreconditionError(absl::StrCat("tuple: ", depth_, " nested tuples were not ended"));
  }
  return status_;
}

absl::StatusOr<uint32_t> TupleWriter::FinishWithVersionstamp(std::optional<uint16_t> user_version) {
  if (absl::Status status = Finish(); !status.ok()) return status;
  if (incomplete_stamps_ != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("tuple: ", incomplete_stamps_, " incomplete versionstamps, expected exactly one"));
  }
  if (stamp_offset_ > std::numeric_limits<uint32_t>::max()) {
    return absl::InvalidArgumentError(
        absl::StrCat("tuple: a versionstamp at offset ", stamp_offset_, ", expected one that fits in four bytes"));
  }
  if (user_version) StoreBigEndian(*user_version, out_->data() + stamp_offset_ + Versionstamp::kTransactionBytes);
  const auto offset = static_cast<uint32_t>(stamp_offset_);
  for (int shift = 0; shift < 32; shift += 8) AppendCode(static_cast<uint8_t>(offset >> shift));
  return offset;
}

}  // namespace fdbjobs::tuple
