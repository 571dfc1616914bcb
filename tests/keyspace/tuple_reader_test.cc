#include "fdbjobs/keyspace/tuple_reader.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <string>

#include "fdbjobs/keyspace/tuple_writer.h"
#include "tests/keyspace/tuple_notation.h"
#include "tests/keyspace/tuple_random.h"

namespace fdbjobs::tuple {
namespace {

std::string Message(const absl::Status& status) { return std::string(status.message()); }

bool PointsInto(std::string_view view, const std::string& whole) {
  return view.data() >= whole.data() && view.data() + view.size() <= whole.data() + whole.size();
}

TEST(TupleReader, ReadsOneElementAtATime) {
  Uuid uuid;
  uuid.bytes[0] = 1;
  const Tuple tuple{nullptr,       Bytes{"b"}, "s", -1, 1, 1.5f, 2.5, true, uuid, Versionstamp::Incomplete(2),
                    Tuple{nullptr}};
  const std::string packed = tuple.Pack().value();
  TupleReader reader(packed);
  std::string scratch;
  EXPECT_TRUE(reader.ReadNull().ok());
  EXPECT_EQ(reader.ReadBytes(&scratch).value(), "b");
  EXPECT_EQ(reader.ReadString(&scratch).value(), "s");
  EXPECT_EQ(reader.ReadInt64().value(), -1);
  EXPECT_EQ(reader.ReadUint64().value(), 1u);
  EXPECT_EQ(reader.ReadFloat().value(), 1.5f);
  EXPECT_EQ(reader.ReadDouble().value(), 2.5);
  EXPECT_TRUE(reader.ReadBool().value());
  EXPECT_EQ(reader.ReadUuid().value(), uuid);
  EXPECT_EQ(reader.ReadVersionstamp().value(), Versionstamp::Incomplete(2));
  EXPECT_TRUE(reader.EnterNested().ok());
  EXPECT_TRUE(reader.ReadNull().ok());
  EXPECT_TRUE(reader.AtEnd());
  EXPECT_TRUE(reader.LeaveNested().ok());
  EXPECT_TRUE(reader.AtEnd());
  EXPECT_EQ(reader.offset(), packed.size());
}

TEST(TupleReader, GivesViewsOfTheInputUnlessAZeroIsEscapedThere) {
  const std::string packed = Tuple{"plain", std::string("a\0\0b\0", 5), Bytes{"plain"}}.Pack().value();
  TupleReader reader(packed);
  std::string scratch;
  EXPECT_TRUE(PointsInto(reader.ReadString(&scratch).value(), packed));
  const std::string_view escaped = reader.ReadString(&scratch).value();
  EXPECT_EQ(escaped, std::string_view("a\0\0b\0", 5));
  EXPECT_TRUE(PointsInto(escaped, scratch));
  EXPECT_TRUE(PointsInto(reader.ReadBytes(&scratch).value(), packed));
}

TEST(TupleReader, PeekTellsTheKindOfTheNextElement) {
  tests::TupleRandom random(tests::TestSeed());
  SCOPED_TRACE(random.Trace());
  for (int round = 0; round < 2000; ++round) {
    const Element element = random.AnyElement();
    const std::string packed = Tuple{element, Tuple{element}}.Pack().value();
    TupleReader reader(packed);
    ASSERT_EQ(reader.Peek(), element.kind());
    ASSERT_EQ(reader.ReadElement().value(), element);
    ASSERT_TRUE(reader.EnterNested().ok());
    ASSERT_EQ(reader.Peek(), element.kind());
    ASSERT_EQ(reader.ReadElement().value(), element);
    ASSERT_EQ(reader.Peek(), std::nullopt);
    ASSERT_TRUE(reader.LeaveNested().ok());
    ASSERT_EQ(reader.Peek(), std::nullopt);
  }
}

TEST(TupleReader, RawElementsTogetherAreTheInput) {
  tests::TupleRandom random(tests::TestSeed());
  SCOPED_TRACE(random.Trace());
  for (int round = 0; round < 2000; ++round) {
    const std::string packed = random.AnyTuple().Pack().value();
    TupleReader reader(packed);
    std::string raw;
    while (!reader.AtEnd()) raw += reader.ReadRaw().value();
    ASSERT_EQ(raw, packed);
  }
}

TEST(TupleReader, ARawNullIsOneZeroAlsoInANestedTuple) {
  const std::string packed = Tuple{Tuple{nullptr, 1}}.Pack().value();
  TupleReader reader(packed);
  ASSERT_TRUE(reader.EnterNested().ok());
  EXPECT_EQ(reader.ReadRaw().value(), std::string_view("\0", 1));
  EXPECT_EQ(reader.ReadRaw().value(), "\x15\x01");
  EXPECT_TRUE(reader.LeaveNested().ok());
}

TEST(TupleReader, NumbersKeepTheirBits) {
  for (const uint32_t bits : {0x80000000u, 0x7f800001u, 0xffc12345u}) {
    std::string packed;
    TupleWriter(&packed).AddFloat(std::bit_cast<float>(bits));
    EXPECT_EQ(std::bit_cast<uint32_t>(TupleReader(packed).ReadFloat().value()), bits);
  }
  for (const uint64_t bits : {0x8000000000000000u, 0x7ff0000000000001u, 0xfff8123456789abcu}) {
    std::string packed;
    TupleWriter(&packed).AddDouble(std::bit_cast<double>(bits));
    EXPECT_EQ(std::bit_cast<uint64_t>(TupleReader(packed).ReadDouble().value()), bits);
  }
}

TEST(TupleReader, IntegersAreReadWhereTheyFitAndRefusedWhereNot) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const auto packed = [](const Element& element) { return Tuple{element}.Pack().value(); };
  for (const int64_t fits : {kMin, kMin + 1, int64_t{-256}, int64_t{-1}, int64_t{0}, int64_t{255}, kMax}) {
    EXPECT_EQ(TupleReader(packed(fits)).ReadInt64().value(), fits);
  }
  const std::string past = packed(static_cast<uint64_t>(kMax) + 1);
  EXPECT_EQ(TupleReader(past).ReadUint64().value(), static_cast<uint64_t>(kMax) + 1);
  EXPECT_EQ(Message(TupleReader(past).ReadInt64().status()),
            "tuple unreadable at offset 0: byte 0x1c (integer), expected an integer that fits in int64");
  EXPECT_FALSE(TupleReader(packed(BigInt::FromUint64(true, (uint64_t{1} << 63) + 1))).ReadInt64().ok());
  const std::string big = packed(BigInt::FromMagnitude(false, "123456789").value());
  EXPECT_FALSE(TupleReader(big).ReadInt64().ok());
  EXPECT_FALSE(TupleReader(big).ReadUint64().ok());
  EXPECT_EQ(Message(TupleReader(packed(-1)).ReadUint64().status()),
            "tuple unreadable at offset 0: byte 0x13 (integer), expected an integer that fits in uint64");
  EXPECT_EQ(TupleReader("\x13\xff").ReadUint64().value(), 0u);
}

TEST(TupleReader, EachReadNamesWhatItExpected) {
  const std::string packed = Tuple{1, "s"}.Pack().value();
  TupleReader reader(packed);
  ASSERT_TRUE(reader.ReadInt64().ok());
  std::string scratch;
  const auto expected = [](const char* what) {
    return std::string("tuple unreadable at offset 2: byte 0x02 (string), expected ") + what;
  };
  EXPECT_EQ(Message(reader.ReadNull()), expected("a null"));
  EXPECT_EQ(Message(reader.ReadBytes(&scratch).status()), expected("bytes"));
  EXPECT_EQ(Message(reader.ReadInt64().status()), expected("an integer"));
  EXPECT_EQ(Message(reader.ReadUint64().status()), expected("an integer"));
  EXPECT_EQ(Message(reader.ReadFloat().status()), expected("a float"));
  EXPECT_EQ(Message(reader.ReadDouble().status()), expected("a double"));
  EXPECT_EQ(Message(reader.ReadBool().status()), expected("a bool"));
  EXPECT_EQ(Message(reader.ReadUuid().status()), expected("a UUID"));
  EXPECT_EQ(Message(reader.ReadVersionstamp().status()), expected("a versionstamp"));
  EXPECT_EQ(Message(reader.EnterNested()), expected("a nested tuple"));
  EXPECT_EQ(Message(reader.LeaveNested()), expected("the 0x00 that ends a nested tuple"));
  EXPECT_EQ(reader.ReadString(&scratch).value(), "s");
  EXPECT_EQ(Message(reader.ReadString(&scratch).status()),
            "tuple unreadable at offset 5: end of input, expected a string");
}

TEST(TupleReader, TheEndOfANestedTupleIsNoNull) {
  const std::string packed = Tuple{Tuple{}, 1}.Pack().value();
  TupleReader reader(packed);
  ASSERT_TRUE(reader.EnterNested().ok());
  EXPECT_EQ(Message(reader.ReadNull()),
            "tuple unreadable at offset 1: byte 0x00 (end of the nested tuple), expected a null");
  EXPECT_EQ(Message(reader.ReadElement().status()),
            "tuple unreadable at offset 1: byte 0x00 (end of the nested tuple), expected an element or the end of the "
            "nested tuple");
  EXPECT_TRUE(reader.LeaveNested().ok());
}

TEST(TupleReader, AFailedReadLeavesItWhereItWas) {
  // A good integer, then a nested tuple that breaks off two levels down.
  const std::string bad = tests::FromHex("15 01 05 05 14 25");
  TupleReader reader(bad);
  ASSERT_TRUE(reader.ReadInt64().ok());
  EXPECT_FALSE(reader.ReadElement().ok());
  EXPECT_EQ(reader.offset(), 2u);
  EXPECT_FALSE(reader.ReadRaw().ok());
  EXPECT_EQ(reader.offset(), 2u);
  EXPECT_FALSE(reader.ReadRest().ok());
  EXPECT_EQ(reader.offset(), 2u);
  EXPECT_FALSE(reader.LeaveNested().ok());
  ASSERT_TRUE(reader.EnterNested().ok());
  ASSERT_TRUE(reader.EnterNested().ok());
  EXPECT_EQ(reader.ReadInt64().value(), 0);
}

}  // namespace
}  // namespace fdbjobs::tuple
