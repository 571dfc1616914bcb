#include "tests/keyspace/tuple_random.h"

#include <bit>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <utility>
#include <vector>

namespace fdbjobs::tests {

using tuple::BigInt;
using tuple::Bytes;
using tuple::Element;
using tuple::Tuple;
using tuple::Uuid;
using tuple::Versionstamp;

uint64_t TestSeed() {
  const char* given = std::getenv("FDBJOBS_TEST_SEED");
  const uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::cout << "FDBJOBS_TEST_SEED=" << seed << std::endl;
  return seed;
}

std::string TupleRandom::Trace() const { return "FDBJOBS_TEST_SEED=" + std::to_string(seed_); }

std::string TupleRandom::RawBytes(size_t max_size) {
  static constexpr char kLikely[] = {'\x00', '\x01', '\x02', '\x05', '\x14', 'a', '\xfe', '\xff'};
  std::string bytes(Below(max_size + 1), '\0');
  for (char& byte : bytes) byte = Below(4) != 0 ? kLikely[Below(std::size(kLikely))] : static_cast<char>(Below(256));
  return bytes;
}

std::string TupleRandom::Text() {
  static constexpr std::string_view kCharacters[] = {{"\0", 1}, "\x01", "a", "b", "Ô", "€", "\xf0\x9f\x98\x80"};
  std::string text;
  for (uint64_t left = Below(5); left > 0; --left) text += kCharacters[Below(std::size(kCharacters))];
  return text;
}

Element TupleRandom::AnyInteger() {
  const bool negative = Below(2) == 0;
  switch (Below(4)) {
    case 0:
      return BigInt::FromUint64(negative, Below(4));
    case 1:
      // One below, at, or above a power of two.
      return BigInt::FromUint64(negative, (uint64_t{1} << Below(64)) + Below(3) - 1);
    case 2:
      return BigInt::FromUint64(negative, generator_() >> Below(64));
    default:
      return BigInt::FromMagnitude(negative, RawBytes(Below(8) == 0 ? tuple::kMaxIntegerBytes : 11)).value();
  }
}

float TupleRandom::AnyFloat() {
  static constexpr uint32_t kEdges[] = {0x00000000, 0x00000001, 0x3f800000, 0x7f7fffff,
                                        0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff};
  const uint32_t bits = Below(2) == 0 ? kEdges[Below(std::size(kEdges))] : static_cast<uint32_t>(generator_());
  return std::bit_cast<float>(bits ^ static_cast<uint32_t>(Below(2)) << 31);
}

double TupleRandom::AnyDouble() {
  static constexpr uint64_t kEdges[] = {0x0000000000000000, 0x0000000000000001, 0x3ff0000000000000, 0x7fefffffffffffff,
                                        0x7ff0000000000000, 0x7ff0000000000001, 0x7ff8000000000000, 0x7fffffffffffffff};
  const uint64_t bits = Below(2) == 0 ? kEdges[Below(std::size(kEdges))] : generator_();
  return std::bit_cast<double>(bits ^ Below(2) << 63);
}

Versionstamp TupleRandom::AnyVersionstamp() {
  const auto user_version = static_cast<uint16_t>(Below(2) == 0 ? Below(3) : Below(65536));
  if (Below(4) == 0) return Versionstamp::Incomplete(user_version);
  Versionstamp stamp;
  stamp.user_version = user_version;
  for (uint8_t& byte : stamp.transaction) byte = static_cast<uint8_t>(Below(2) == 0 ? 0xff : Below(256));
  return stamp;
}

Element TupleRandom::AnyElement(int max_depth) {
  switch (Below(max_depth > 0 ? 11 : 10)) {
    case 0:
      return nullptr;
    case 1:
      return Bytes{RawBytes(4)};
    case 2:
      return Text();
    case 3:
    case 4:
      return AnyInteger();
    case 5:
      return AnyFloat();
    case 6:
      return AnyDouble();
    case 7:
      return Below(2) == 0;
    case 8: {
      Uuid uuid;
      for (uint8_t& byte : uuid.bytes) byte = static_cast<uint8_t>(Below(3) == 0 ? Below(256) : 0);
      return uuid;
    }
    case 9:
      return AnyVersionstamp();
    default:
      return AnyTuple(max_depth - 1);
  }
}

Tuple TupleRandom::AnyTuple(int max_depth) {
  Tuple tuple;
  for (uint64_t left = Below(5); left > 0; --left) tuple.Append(AnyElement(max_depth));
  return tuple;
}

Tuple TupleRandom::Neighbour(const Tuple& tuple) {
  std::vector<Element> elements = tuple.elements();
  if (elements.empty() || Below(4) == 0) {
    elements.push_back(AnyElement());
  } else if (Below(3) == 0) {
    elements.pop_back();
  } else {
    Element& element = elements[Below(elements.size())];
    const auto* nested = element.get_if<Tuple>();
    element = nested != nullptr ? Element(Neighbour(*nested)) : AnyElement();
  }
  return Tuple(std::move(elements));
}

}  // namespace fdbjobs::tests
