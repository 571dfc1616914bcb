#include "fdbjobs/keyspace/tuple.h"

#include "absl/status/status.h"
#include "fdbjobs/keyspace/tuple_writer.h"

namespace fdbjobs::tuple {
namespace {

constexpr uint64_t kMinInt64Magnitude = uint64_t{1} << 63;

Element::Value NormalInteger(BigInt integer) {
  if (integer.magnitude().size() > sizeof(uint64_t)) return integer;
  uint64_t magnitude = 0;
  for (const char byte : integer.magnitude()) magnitude = magnitude << 8 | static_cast<uint8_t>(byte);
  if (!integer.negative()) {
    return magnitude < kMinInt64Magnitude ? Element::Value(static_cast<int64_t>(magnitude)) : Element::Value(magnitude);
  }
  if (magnitude > kMinInt64Magnitude) return integer;
  // Negated as an unsigned number, since -2^63 has no positive counterpart in int64_t.
  return static_cast<int64_t>(~magnitude + 1);
}

}  // namespace

Element::Element(BigInt integer) : value_(NormalInteger(std::move(integer))) {}

Kind Element::kind() const {
  // By the alternatives of Value.
  static constexpr Kind kKinds[] = {Kind::kNull,    Kind::kBytes,   Kind::kString,  Kind::kTuple,
                                    Kind::kInteger, Kind::kInteger, Kind::kInteger, Kind::kFloat,
                                    Kind::kDouble,  Kind::kBool,    Kind::kUuid,    Kind::kVersionstamp};
  static_assert(std::size(kKinds) == std::variant_size_v<Value>);
  return kKinds[value_.index()];
}

std::optional<int64_t> Element::AsInt64() const {
  if (const auto* integer = get_if<int64_t>()) return *integer;
  return std::nullopt;
}

std::optional<uint64_t> Element::AsUint64() const {
  if (const auto* integer = get_if<uint64_t>()) return *integer;
  if (const auto* integer = get_if<int64_t>(); integer != nullptr && *integer >= 0) return *integer;
  return std::nullopt;
}

Tuple::Tuple(std::initializer_list<Element> elements) : elements_(elements) {}

Tuple::Tuple(std::vector<Element> elements) : elements_(std::move(elements)) {}

Tuple& Tuple::Append(Element element) & {
  elements_.push_back(std::move(element));
  return *this;
}

Tuple&& Tuple::Append(Element element) && { return std::move(Append(std::move(element))); }

absl::StatusOr<std::string> Tuple::Pack(Utf8 utf8) const {
  std::string packed;
  TupleWriter writer(&packed, utf8);
  if (absl::Status status = writer.AddElements(*this).Finish(); !status.ok()) return status;
  return packed;
}

absl::StatusOr<VersionstampedBytes> Tuple::PackWithVersionstamp(std::string_view prefix,
                                                                std::optional<uint16_t> user_version, Utf8 utf8) const {
  VersionstampedBytes result{std::string(prefix), 0};
  TupleWriter writer(&result.operand, utf8);
  const absl::StatusOr<uint32_t> offset = writer.AddElements(*this).FinishWithVersionstamp(user_version);
  if (!offset.ok()) return offset.status();
  result.offset = *offset;
  return result;
}

KeyRange RangeBelow(std::string_view packed_prefix) {
  KeyRange range{std::string(packed_prefix), std::string(packed_prefix)};
  range.begin.push_back('\0');
  range.end.push_back('\xff');
  return range;
}

absl::StatusOr<KeyRange> Tuple::Range(std::string_view prefix, Utf8 utf8) const {
  std::string packed(prefix);
  TupleWriter writer(&packed, utf8);
  if (absl::Status status = writer.AddElements(*this).Finish(); !status.ok()) return status;
  return RangeBelow(packed);
}

}  // namespace fdbjobs::tuple
