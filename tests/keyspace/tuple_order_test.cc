// Packing keeps order and loses nothing, over random values.
#include <gtest/gtest.h>

#include <compare>
#include <limits>
#include <string>
#include <vector>

#include "fdbjobs/keyspace/tuple.h"
#include "fdbjobs/keyspace/tuple_parse.h"
#include "tests/keyspace/tuple_notation.h"
#include "tests/keyspace/tuple_random.h"

namespace fdbjobs::tests {
namespace {

using tuple::BigInt;
using tuple::Decode;
using tuple::Element;
using tuple::Tuple;

constexpr int kRounds = 20000;

TEST(TupleOrder, RandomTuplesSortAsTheirBytesDo) {
  TupleRandom random(TestSeed());
  SCOPED_TRACE(random.Trace());
  for (int round = 0; round < kRounds; ++round) {
    const Tuple a = random.AnyTuple();
    const Tuple b = round % 2 == 0 ? random.Neighbour(a) : random.AnyTuple();
    ASSERT_EQ(a <=> b, a.Pack().value() <=> b.Pack().value()) << a.ToString() << " and " << b.ToString();
    ASSERT_EQ(a == b, a.Pack().value() == b.Pack().value()) << a.ToString() << " and " << b.ToString();
  }
}

TEST(TupleOrder, RandomElementsSortAsTheirBytesDo) {
  TupleRandom random(TestSeed());
  SCOPED_TRACE(random.Trace());
  for (int round = 0; round < kRounds; ++round) {
    const Element a = random.AnyElement();
    const Element b = random.AnyElement();
    ASSERT_EQ(Compare(a, b), Tuple{a}.Pack().value() <=> Tuple{b}.Pack().value())
        << a.ToString() << " and " << b.ToString();
    ASSERT_EQ(Compare(b, a), 0 <=> Compare(a, b));
  }
}

TEST(TupleOrder, RandomIntegersOfAllSizesSortAsTheirBytesDo) {
  TupleRandom random(TestSeed());
  SCOPED_TRACE(random.Trace());
  for (int round = 0; round < kRounds; ++round) {
    const Element a = random.AnyInteger();
    const Element b = random.AnyInteger();
    ASSERT_EQ(Compare(a, b), Tuple{a}.Pack().value() <=> Tuple{b}.Pack().value())
        << a.ToString() << " and " << b.ToString();
  }
}

TEST(TupleOrder, RandomTuplesComeBackEqualBitForBit) {
  TupleRandom random(TestSeed());
  SCOPED_TRACE(random.Trace());
  for (int round = 0; round < kRounds; ++round) {
    const Tuple tuple = random.AnyTuple();
    const std::string packed = tuple.Pack().value();
    const absl::StatusOr<Tuple> decoded = Decode(packed);
    ASSERT_TRUE(decoded.ok()) << tuple.ToString() << ": " << decoded.status();
    ASSERT_EQ(*decoded, tuple) << tuple.ToString();
    ASSERT_EQ(decoded->Pack().value(), packed) << tuple.ToString();
  }
}

TEST(TupleOrder, PrintingTellsRandomTuplesApart) {
  TupleRandom random(TestSeed());
  SCOPED_TRACE(random.Trace());
  for (int round = 0; round < kRounds / 4; ++round) {
    const Tuple tuple = random.AnyTuple();
    const absl::StatusOr<Tuple> parsed = tuple::ParseTuple(tuple.ToString());
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    ASSERT_EQ(*parsed, tuple) << tuple.ToString();
  }
}

TEST(TupleOrder, IntegersAscendAcrossNativeAndBigForms) {
  const std::string nine(9, '\x01');
  const std::string longest(tuple::kMaxIntegerBytes, '\xff');
  const std::vector<Element> ascending = {
      BigInt::FromMagnitude(true, longest).value(),
      BigInt::FromMagnitude(true, nine).value(),
      BigInt::FromUint64(true, std::numeric_limits<uint64_t>::max()),
      BigInt::FromUint64(true, (uint64_t{1} << 63) + 1),
      std::numeric_limits<int64_t>::min(),
      std::numeric_limits<int64_t>::min() + 1,
      -1,
      0,
      1,
      std::numeric_limits<int64_t>::max(),
      uint64_t{1} << 63,
      std::numeric_limits<uint64_t>::max(),
      BigInt::FromMagnitude(false, nine).value(),
      BigInt::FromMagnitude(false, longest).value(),
  };
  for (size_t i = 1; i < ascending.size(); ++i) {
    EXPECT_LT(ascending[i - 1], ascending[i]);
    EXPECT_LT(Tuple{ascending[i - 1]}.Pack().value(), Tuple{ascending[i]}.Pack().value());
  }
}

TEST(TupleOrder, AStringThatIsNotUtf8SortsByItsBytes) {
  EXPECT_LT(Element("a\xff"), Element("b"));
  EXPECT_LT(Element("a"), Element("a\xff"));
}

}  // namespace
}  // namespace fdbjobs::tests
