#include "fdbjobs/keyspace/tuple_writer.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/keyspace/tuple_notation.h"
#include "tests/keyspace/tuple_random.h"

namespace fdbjobs::tuple {
namespace {

using tests::ToHex;

std::string Message(const absl::Status& status) { return std::string(status.message()); }

TEST(TupleWriter, WritesWhatTheTupleOfTheSameElementsPacksTo) {
  const BigInt big = BigInt::FromMagnitude(true, "123456789").value();
  Uuid uuid;
  uuid.bytes[15] = 9;
  std::string written;
  TupleWriter writer(&written);
  writer.AddNull().AddBytes(std::string("a\0b", 3)).AddString("text").AddInt(-7).AddUint(~uint64_t{0}).AddBigInt(big);
  writer.AddBigInt(BigInt::FromUint64(true, 300)).AddFloat(-1.5f).AddDouble(2.5).AddBool(true).AddBool(false);
  writer.AddUuid(uuid).AddVersionstamp(Versionstamp::Incomplete(5));
  writer.BeginNested().AddNull().BeginNested().EndNested().AddInt(0).EndNested();
  ASSERT_TRUE(writer.Finish().ok());
  const Tuple tuple{nullptr,
                    Bytes{std::string("a\0b", 3)},
                    "text",
                    -7,
                    ~uint64_t{0},
                    big,
                    -300,
                    -1.5f,
                    2.5,
                    true,
                    false,
                    uuid,
                    Versionstamp::Incomplete(5),
                    Tuple{nullptr, Tuple{}, 0}};
  EXPECT_EQ(ToHex(written), ToHex(tuple.Pack().value()));
  EXPECT_EQ(Decode(written).value(), tuple);
}

TEST(TupleWriter, AppendsBehindWhatTheStringHolds) {
  std::string key = "prefix";
  TupleWriter writer(&key);
  ASSERT_TRUE(writer.AddInt(1).Finish().ok());
  EXPECT_EQ(key, "prefix\x15\x01");
}

TEST(TupleWriter, CountsTheOffsetFromTheStringsFirstByte) {
  std::string key = "prefix";
  TupleWriter writer(&key);
  writer.BeginNested().AddVersionstamp(Versionstamp::Incomplete(1)).EndNested();
  EXPECT_EQ(writer.FinishWithVersionstamp(0x0203).value(), 8u);
  EXPECT_EQ(ToHex(key), ToHex("prefix") + "0533ffffffffffffffffffff0203" + "00" + "08000000");
}

TEST(TupleWriter, PutsLargeOffsetsInLittleEndianOrder) {
  std::string key(0x010203, 'x');
  TupleWriter writer(&key);
  EXPECT_EQ(writer.AddVersionstamp(Versionstamp::Incomplete(0)).FinishWithVersionstamp().value(), 0x010204u);
  EXPECT_EQ(ToHex(key.substr(key.size() - 4)), "04020100");
}

TEST(TupleWriter, TheFirstErrorStopsItAndIsReported) {
  std::string key;
  TupleWriter writer(&key);
  writer.AddInt(1).AddString("\xff");
  const std::string so_far = key;
  writer.AddNull().AddBytes("a").AddString("\xfe").AddInt(1).AddUint(1).AddBigInt(BigInt()).AddFloat(1).AddDouble(1);
  writer.AddBool(true).AddUuid({}).AddVersionstamp({}).BeginNested().EndNested().EndNested().AddElement("a");
  writer.AddElements({1, 2}).AddRaw("\x14");
  EXPECT_EQ(key, so_far);
  EXPECT_EQ(Message(writer.Finish()), R"(tuple: string "\xff" is not UTF-8 at offset 0: byte 0xff)");
  EXPECT_EQ(writer.FinishWithVersionstamp().status(), writer.Finish());
}

TEST(TupleWriter, ReportsNestedTuplesThatDoNotMatch) {
  std::string key;
  TupleWriter open(&key);
  EXPECT_EQ(Message(open.BeginNested().BeginNested().EndNested().Finish()), "tuple: 1 nested tuples were not ended");
  TupleWriter closed(&key);
  EXPECT_EQ(Message(closed.EndNested().Finish()), "tuple: EndNested without BeginNested");
}

TEST(TupleWriter, RawElementsAreWrittenAsTheyAreButNullsFollowTheNesting) {
  tests::TupleRandom random(tests::TestSeed());
  SCOPED_TRACE(random.Trace());
  for (int round = 0; round < 2000; ++round) {
    const Element element = random.AnyElement();
    const std::string packed = Tuple{element}.Pack().value();
    std::string written;
    TupleWriter writer(&written);
    writer.AddRaw(packed).BeginNested().AddRaw(packed).EndNested();
    ASSERT_TRUE(writer.Finish().ok());
    ASSERT_EQ(ToHex(written), ToHex(Tuple{element, Tuple{element}}.Pack().value())) << element.ToString();
  }
}

}  // namespace
}  // namespace fdbjobs::tuple
