// PackedElement: one tuple value in its packed form. Job types, job ids and priorities are such values.
//
// Made from anything that a tuple::Element can be made of; what can't be packed (text that is not UTF-8, too deep
// nesting) is kept as an error and reported by the call that gets it. Equal and ordered as the values are.
//
// Thread safety: a plain value. Lifetime: owns its bytes.
//
//   PackedElement type = "index";
//   PackedElement id = tuple::Uuid{...};
//   PackedElement priority = tuple::Tuple{"tenant-7", 5};
#ifndef FDBJOBS_KEYSPACE_PACKED_ELEMENT_H_
#define FDBJOBS_KEYSPACE_PACKED_ELEMENT_H_

#include <compare>
#include <concepts>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "fdbjobs/keyspace/tuple.h"

namespace fdbjobs::keyspace {

class PackedElement {
 public:
  // Null.
  PackedElement() : PackedElement(tuple::Element()) {}
  PackedElement(const tuple::Element& element);
  template <typename T>
  requires(std::constructible_from<tuple::Element, T> && !std::same_as<std::remove_cvref_t<T>, PackedElement> &&
           !std::same_as<std::remove_cvref_t<T>, tuple::Element>) PackedElement(T&& value)
      : PackedElement(tuple::Element(std::forward<T>(value))) {}
  // `packed` is one element as TupleReader::ReadRaw gives it.
  static PackedElement FromPacked(std::string_view packed) { return PackedElement(Raw(), packed); }

  // Why it could not be packed.
  const absl::Status& status() const { return status_; }
  // Empty when there is an error.
  const std::string& packed() const { return packed_; }
  tuple::Element element() const;
  // In the notation of docs/tuple.md, for messages.
  std::string ToString() const;

  friend bool operator==(const PackedElement& a, const PackedElement& b) { return a.packed_ == b.packed_; }
  friend auto operator<=>(const PackedElement& a, const PackedElement& b) { return a.packed_ <=> b.packed_; }
  template <typename H>
  friend H AbslHashValue(H h, const PackedElement& e) {
    return H::combine(std::move(h), e.packed_);
  }

 private:
  struct Raw {};
  PackedElement(Raw, std::string_view packed) : packed_(packed) {}

  std::string packed_;
  absl::Status status_;
};

}  // namespace fdbjobs::keyspace

#endif  // FDBJOBS_KEYSPACE_PACKED_ELEMENT_H_
