// Tuple and Element: typed values whose packed bytes sort as the values do. FoundationDB's tuple layer.
//
// docs/tuple.md specifies the bytes. For keys built in hot paths see TupleWriter and TupleReader, which need no
// Elements. Thread safety: plain values. Lifetime: a Tuple owns everything in it.
//
//   Tuple key{"couch_jobs", "data", "index", Bytes{"\x01\x02"}, nullptr, Tuple{1, 2.5}};
//   absl::StatusOr<std::string> packed = key.Pack();
//   absl::StatusOr<Tuple> again = Decode(*packed);           // *again == key
//
//   Tuple entry{"activity", Versionstamp::Incomplete(0)};
//   absl::StatusOr<VersionstampedBytes> stamped = entry.PackWithVersionstamp(prefix, /*user_version=*/7);
//   transaction.AtomicOp(fdb::MutationType::kSetVersionstampedKey, stamped->operand, value);
#ifndef FDBJOBS_KEYSPACE_TUPLE_H_
#define FDBJOBS_KEYSPACE_TUPLE_H_

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "fdbjobs/keyspace/tuple_types.h"

namespace fdbjobs::tuple {

class Element;

// What to do with a Unicode string that is not UTF-8. Reading always keeps its bytes as they are, since others may
// have written it. kKeep writes such a string back, to address the row that it came from.
enum class Utf8 { kRequire, kKeep };

// What SET_VERSIONSTAMPED_KEY takes for a key, and SET_VERSIONSTAMPED_VALUE for a value.
struct VersionstampedBytes {
  std::string operand;  // the packed bytes, then `offset` as four little-endian bytes
  uint32_t offset;      // where in the packed bytes the database puts its ten

  std::string_view packed() const { return std::string_view(operand).substr(0, operand.size() - sizeof offset); }
};

// Half open: begin <= key < end.
struct KeyRange {
  std::string begin;
  std::string end;
};

// All keys that are `packed_prefix` followed by one or more elements.
KeyRange RangeBelow(std::string_view packed_prefix);

class Tuple {
 public:
  Tuple() = default;
  // Note that Tuple{other} is a tuple with one nested tuple, and Tuple(other) a copy.
  Tuple(std::initializer_list<Element> elements);
  explicit Tuple(std::vector<Element> elements);

  Tuple& Append(Element element) &;
  Tuple&& Append(Element element) &&;

  size_t size() const;
  bool empty() const;
  const Element& operator[](size_t i) const;
  const std::vector<Element>& elements() const { return elements_; }
  std::vector<Element>::const_iterator begin() const;
  std::vector<Element>::const_iterator end() const;

  // Fails for a string that is not UTF-8 (unless it is to be kept) and for more than kMaxNesting levels. An
  // incomplete versionstamp is packed as its ten 0xFF, for example as the end of a range.
  absl::StatusOr<std::string> Pack(Utf8 utf8 = Utf8::kRequire) const;

  // `prefix`, then the tuple, then the offset of its versionstamp. Fails as Pack does, and unless exactly one
  // versionstamp in the tuple, nested tuples included, is incomplete. `user_version` replaces the one that it holds.
  absl::StatusOr<VersionstampedBytes> PackWithVersionstamp(std::string_view prefix = {},
                                                           std::optional<uint16_t> user_version = std::nullopt,
                                                           Utf8 utf8 = Utf8::kRequire) const;

  // All keys that are `prefix` (raw bytes), then this tuple, then one or more elements.
  absl::StatusOr<KeyRange> Range(std::string_view prefix = {}, Utf8 utf8 = Utf8::kRequire) const;

  // In the notation of docs/tuple.md: (null, b"\x00", "text", -5, double(1.5), (1, 2)).
  std::string ToString() const;

  // The order of the packed bytes; equal exactly when those are.
  friend std::strong_ordering operator<=>(const Tuple& a, const Tuple& b);
  friend bool operator==(const Tuple& a, const Tuple& b) { return (a <=> b) == 0; }

 private:
  std::vector<Element> elements_;
};

// One value of a tuple. A default one is null.
class Element {
 public:
  // A std::string is Unicode text. An integer has one form only: int64_t where it fits, else uint64_t, else BigInt.
  using Value = std::variant<std::nullptr_t, Bytes, std::string, Tuple, int64_t, uint64_t, BigInt, float, double, bool,
                             Uuid, Versionstamp>;

  // All implicit, so that tuples can be written as lists of plain values.
  Element() : value_(nullptr) {}
  Element(std::nullptr_t) : value_(nullptr) {}
  Element(Bytes bytes) : value_(std::move(bytes)) {}
  Element(std::string text) : value_(std::move(text)) {}
  Element(std::string_view text) : value_(std::string(text)) {}
  Element(const char* text) : value_(std::string(text)) {}
  Element(Tuple nested) : value_(std::move(nested)) {}
  Element(BigInt integer);
  Element(float number) : value_(number) {}
  Element(double number) : value_(number) {}
  Element(const Uuid& uuid) : value_(uuid) {}
  Element(const Versionstamp& stamp) : value_(stamp) {}
  // By exact type, so that neither a pointer becomes a bool nor a character an integer.
  template <std::same_as<bool> T>
  Element(T truth) : value_(truth) {}
  template <std::integral T>
  requires(sizeof(T) <= sizeof(uint64_t) && !std::same_as<T, bool> && !std::same_as<T, char> &&
           !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> && !std::same_as<T, char16_t> &&
           !std::same_as<T, char32_t>) Element(T integer)
      : value_(int64_t{0}) {
    if (std::in_range<int64_t>(integer)) {
      value_ = static_cast<int64_t>(integer);
    } else {
      value_ = static_cast<uint64_t>(integer);
    }
  }

  Kind kind() const;
  const Value& value() const { return value_; }
  // Null when the element holds another type. For integers that may be large, AsInt64 and AsUint64 are safer.
  template <typename T>
  const T* get_if() const {
    return std::get_if<T>(&value_);
  }
  // nullopt when it is no integer, or one that does not fit.
  std::optional<int64_t> AsInt64() const;
  std::optional<uint64_t> AsUint64() const;

  // In the notation of docs/tuple.md; tells any two elements apart.
  std::string ToString() const;

  // The order of the packed bytes; equal exactly when those are. So -0.0 is less than 0.0, and a NaN equals itself.
  friend std::strong_ordering operator<=>(const Element& a, const Element& b);
  friend bool operator==(const Element& a, const Element& b) { return (a <=> b) == 0; }

 private:
  Value value_;  // uint64_t only past int64_t's range, BigInt only past both
};

inline std::strong_ordering Compare(const Element& a, const Element& b) { return a <=> b; }
inline std::strong_ordering Compare(const Tuple& a, const Tuple& b) { return a <=> b; }

// Reads a whole packed tuple. Any bytes are safe. The error names the offset of what could not be read, the byte
// there, and what was expected. Integers that are longer than need be are read, and packed in their short form then.
absl::StatusOr<Tuple> Decode(std::string_view bytes);

inline size_t Tuple::size() const { return elements_.size(); }
inline bool Tuple::empty() const { return elements_.empty(); }
inline const Element& Tuple::operator[](size_t i) const { return elements_[i]; }
inline std::vector<Element>::const_iterator Tuple::begin() const { return elements_.begin(); }
inline std::vector<Element>::const_iterator Tuple::end() const { return elements_.end(); }

}  // namespace fdbjobs::tuple

#endif  // FDBJOBS_KEYSPACE_TUPLE_H_
