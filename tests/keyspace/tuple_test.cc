// Elements and tuples as values, and what packing a whole tuple promises.
#include "fdbjobs/keyspace/tuple.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>

namespace fdbjobs::tuple {
namespace {

std::string Message(const absl::Status& status) { return std::string(status.message()); }

Tuple NestedLevels(int levels) {
  Tuple tuple;
  for (int i = 0; i < levels; ++i) tuple = Tuple(std::vector<Element>{Element(std::move(tuple))});
  return tuple;
}

TEST(Element, TakesTheKindOfWhatItIsMadeFrom) {
  EXPECT_EQ(Element().kind(), Kind::kNull);
  EXPECT_EQ(Element(nullptr).kind(), Kind::kNull);
  EXPECT_EQ(Element(Bytes{"a"}).kind(), Kind::kBytes);
  EXPECT_EQ(Element("a").kind(), Kind::kString);
  EXPECT_EQ(Element(std::string("a")).kind(), Kind::kString);
  EXPECT_EQ(Element(std::string_view("a")).kind(), Kind::kString);
  EXPECT_EQ(Element(Tuple()).kind(), Kind::kTuple);
  EXPECT_EQ(Element(uint8_t{1}).kind(), Kind::kInteger);
  EXPECT_EQ(Element(-1L).kind(), Kind::kInteger);
  EXPECT_EQ(Element(BigInt()).kind(), Kind::kInteger);
  EXPECT_EQ(Element(1.0f).kind(), Kind::kFloat);
  EXPECT_EQ(Element(1.0).kind(), Kind::kDouble);
  EXPECT_EQ(Element(true).kind(), Kind::kBool);
  EXPECT_EQ(Element(Uuid()).kind(), Kind::kUuid);
  EXPECT_EQ(Element(Versionstamp()).kind(), Kind::kVersionstamp);
}

TEST(Element, IsNotMadeFromPointersOrCharacters) {
  static_assert(!std::is_convertible_v<int*, Element>);
  static_assert(!std::is_convertible_v<char, Element>);
  static_assert(!std::is_convertible_v<char32_t, Element>);
}

TEST(Element, AnIntegerHasOneFormWhateverItWasMadeFrom) {
  EXPECT_EQ(Element(BigInt::FromUint64(false, 5)), Element(5));
  EXPECT_EQ(Element(BigInt::FromUint64(true, 5)), Element(-5));
  EXPECT_EQ(Element(BigInt::FromUint64(true, 0)), Element(0));
  EXPECT_EQ(Element(BigInt::FromMagnitude(false, std::string(300, '\0')).value()), Element(0));
  EXPECT_EQ(Element(uint64_t{7}).get_if<uint64_t>(), nullptr);
  EXPECT_EQ(*Element(uint64_t{7}).get_if<int64_t>(), 7);

  const uint64_t half = uint64_t{1} << 63;
  EXPECT_NE(Element(BigInt::FromUint64(true, half)).get_if<int64_t>(), nullptr);
  EXPECT_NE(Element(BigInt::FromUint64(true, half + 1)).get_if<BigInt>(), nullptr);
  EXPECT_NE(Element(BigInt::FromUint64(false, half - 1)).get_if<int64_t>(), nullptr);
  EXPECT_NE(Element(BigInt::FromUint64(false, half)).get_if<uint64_t>(), nullptr);
  EXPECT_NE(Element(BigInt::FromMagnitude(false, "\x01" + std::string(8, '\0')).value()).get_if<BigInt>(), nullptr);
}

TEST(Element, GivesAnIntegerWhereItFits) {
  EXPECT_EQ(Element(-1).AsInt64(), -1);
  EXPECT_EQ(Element(-1).AsUint64(), std::nullopt);
  EXPECT_EQ(Element(1).AsUint64(), 1u);
  const uint64_t large = std::numeric_limits<uint64_t>::max();
  EXPECT_EQ(Element(large).AsInt64(), std::nullopt);
  EXPECT_EQ(Element(large).AsUint64(), large);
  EXPECT_EQ(Element("1").AsInt64(), std::nullopt);
  EXPECT_EQ(Element("1").AsUint64(), std::nullopt);
}

TEST(BigInt, DropsLeadingZerosAndTheSignOfZero) {
  const BigInt five = BigInt::FromMagnitude(true, std::string("\0\0\x05", 3)).value();
  EXPECT_EQ(five.magnitude(), "\x05");
  EXPECT_TRUE(five.negative());
  EXPECT_EQ(BigInt::FromMagnitude(true, std::string(2, '\0')).value(), BigInt());
  EXPECT_FALSE(BigInt::FromUint64(true, 0).negative());
}

TEST(BigInt, Takes255BytesAndNoMore) {
  const std::string longest(kMaxIntegerBytes, '\xff');
  for (const bool negative : {false, true}) {
    const Tuple tuple{BigInt::FromMagnitude(negative, longest).value()};
    const std::string packed = tuple.Pack().value();
    EXPECT_EQ(packed, (negative ? std::string("\x0b\x00", 2) : "\x1d\xff") +
                          std::string(kMaxIntegerBytes, negative ? '\x00' : '\xff'));
    EXPECT_EQ(Decode(packed).value(), tuple);
    const absl::StatusOr<BigInt> longer = BigInt::FromMagnitude(negative, "\x01" + longest);
    EXPECT_EQ(Message(longer.status()), "tuple: an integer of 256 bytes, expected at most 255");
  }
}

TEST(Versionstamp, IsIncompleteOnlyWithTenFullBytes) {
  Versionstamp stamp = Versionstamp::Incomplete(7);
  EXPECT_FALSE(stamp.complete());
  EXPECT_EQ(stamp.user_version, 7);
  stamp.transaction[9] = 0xfe;
  EXPECT_TRUE(stamp.complete());
  EXPECT_TRUE(Versionstamp().complete());
}

TEST(Tuple, IsBuiltByListAndByAppend) {
  const Tuple list{"a", 1, nullptr, Tuple{true}};
  Tuple appended;
  appended.Append("a").Append(1).Append(nullptr).Append(Tuple{true});
  EXPECT_EQ(appended, list);
  EXPECT_EQ(Tuple().Append("a").Append(1), (Tuple{"a", 1}));
  EXPECT_EQ(list.size(), 4u);
  EXPECT_EQ(list[1], Element(1));
  EXPECT_FALSE(list.empty());
}

TEST(Tuple, InBracesIsNestedAndInParenthesesIsCopied) {
  const Tuple inner{1, 2};
  EXPECT_EQ((Tuple{inner}).ToString(), "((1, 2))");
  EXPECT_EQ(Tuple(inner).ToString(), "(1, 2)");
}

TEST(Tuple, PrintsTheNotationOfThePage) {
  const Tuple tuple{nullptr, Bytes{std::string("\0\"", 2)}, "Ô\n", -5, 1.5, 0.1f, Tuple{}, true};
  EXPECT_EQ(tuple.ToString(), R"((null, b"\x00\"", "Ô\x0a", -5, double(1.5), float(0.1), (), true))");
}

TEST(Tuple, RefusesToPackAStringThatIsNotUtf8) {
  const Tuple tuple{1, Tuple{"ab\xff"}};
  const absl::Status status = tuple.Pack().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Message(status), R"(tuple: string "ab\xff" is not UTF-8 at offset 2: byte 0xff)");
  EXPECT_EQ(tuple.Range().status(), status);
  EXPECT_EQ(Tuple(tuple).Append(Versionstamp::Incomplete(0)).PackWithVersionstamp().status(), status);
}

TEST(Tuple, KeepsAStringThatIsNotUtf8WhenAsked) {
  const Tuple tuple{"ab\xff", Versionstamp::Incomplete(0)};
  EXPECT_EQ(Decode(tuple.Pack(Utf8::kKeep).value()).value(), tuple);
  EXPECT_TRUE(tuple.Range("", Utf8::kKeep).ok());
  EXPECT_TRUE(tuple.PackWithVersionstamp("", std::nullopt, Utf8::kKeep).ok());
}

TEST(Tuple, NestsAHundredLevelsAndNoMore) {
  const Tuple deepest = NestedLevels(kMaxNesting);
  EXPECT_EQ(Decode(deepest.Pack().value()).value(), deepest);
  EXPECT_EQ(Message(NestedLevels(kMaxNesting + 1).Pack().status()), "tuple: nested deeper than 100 levels");
}

TEST(Tuple, VersionstampedBytesShowWhatIsPacked) {
  const Tuple tuple{"a", Versionstamp::Incomplete(3)};
  const VersionstampedBytes stamped = tuple.PackWithVersionstamp("prefix").value();
  EXPECT_EQ(stamped.packed(), "prefix" + tuple.Pack().value());
  EXPECT_EQ(stamped.offset, std::string("prefix\x02\x61\x00\x33", 10).size());
  EXPECT_EQ(stamped.operand.size(), stamped.packed().size() + 4);
}

TEST(Tuple, AnOffsetNeedsExactlyOneIncompleteVersionstamp) {
  EXPECT_EQ(Message(Tuple{Versionstamp()}.PackWithVersionstamp().status()),
            "tuple: 0 incomplete versionstamps, expected exactly one");
  const Tuple two{Versionstamp::Incomplete(0), Tuple{Versionstamp::Incomplete(1)}};
  EXPECT_EQ(Message(two.PackWithVersionstamp().status()), "tuple: 2 incomplete versionstamps, expected exactly one");
  EXPECT_EQ(Decode(two.Pack().value()).value(), two);
}

TEST(Tuple, ARangeHoldsWhatExtendsTheTupleAndNothingElse) {
  const Tuple tuple{"a", 1};
  const KeyRange range = tuple.Range("prefix").value();
  const auto holds = [&range](const Tuple& other) {
    const std::string key = "prefix" + other.Pack().value();
    return range.begin <= key && key < range.end;
  };
  EXPECT_TRUE(holds({"a", 1, nullptr}));
  EXPECT_TRUE(holds({"a", 1, Versionstamp::Incomplete(65535), "z"}));
  EXPECT_FALSE(holds({"a", 1}));
  EXPECT_FALSE(holds({"a", 2}));
  EXPECT_FALSE(holds({"a", 256}));
  EXPECT_FALSE(holds({"a"}));
}

}  // namespace
}  // namespace fdbjobs::tuple
