// The order of elements and tuples, by their values. tests/keyspace/tuple_order_test.cc holds it against the bytes.
#include <algorithm>
#include <bit>

#include "fdbjobs/keyspace/tuple.h"

namespace fdbjobs::tuple {
namespace {

// IEEE's total order as an unsigned number: negative ones reversed and below the positive ones.
uint32_t OrderBits(float number) {
  const auto bits = std::bit_cast<uint32_t>(number);
  return (bits >> 31) != 0 ? ~bits : bits | uint32_t{1} << 31;
}

uint64_t OrderBits(double number) {
  const auto bits = std::bit_cast<uint64_t>(number);
  return (bits >> 63) != 0 ? ~bits : bits | uint64_t{1} << 63;
}

// An integer has one form only, so the forms themselves have an order: BigInt below int64_t's range, int64_t,
// uint64_t, BigInt above.
int FormOfInteger(const Element::Value& value) {
  if (std::holds_alternative<int64_t>(value)) return 1;
  if (std::holds_alternative<uint64_t>(value)) return 2;
  return std::get<BigInt>(value).negative() ? 0 : 3;
}

struct SameKind {
  const Element::Value& other;

  std::strong_ordering operator()(std::nullptr_t) const { return std::strong_ordering::equal; }
  std::strong_ordering operator()(float a) const { return OrderBits(a) <=> OrderBits(std::get<float>(other)); }
  std::strong_ordering operator()(double a) const { return OrderBits(a) <=> OrderBits(std::get<double>(other)); }
  template <typename T>
  std::strong_ordering operator()(const T& a) const {
    return a <=> std::get<T>(other);
  }
};

}  // namespace

std::strong_ordering operator<=>(const Element& a, const Element& b) {
  const Kind kind = a.kind();
  if (kind != b.kind()) return kind <=> b.kind();
  if (kind == Kind::kInteger) {
    const auto by_form = FormOfInteger(a.value_) <=> FormOfInteger(b.value_);
    if (by_form != 0) return by_form;
  }
  return std::visit(SameKind{b.value_}, a.value_);
}

std::strong_ordering operator<=>(const Tuple& a, const Tuple& b) {
  return std::lexicographical_compare_three_way(a.elements_.begin(), a.elements_.end(), b.elements_.begin(),
                                                b.elements_.end());
}

}  // namespace fdbjobs::tuple
