#include "fdbjobs/embedded/atomic_ops.h"

#include <gtest/gtest.h>

#include "fdbjobs/embedded/error_codes.h"
#include "fdbjobs/embedded/limits.h"

namespace fdbjobs::embedded {
namespace {

using namespace std::string_literals;
using Value = std::optional<std::string>;

struct Case {
  MutationType type;
  Value old;
  std::string operand;
  Value expected;
};

class AtomicOpsTable : public testing::TestWithParam<Case> {};

TEST_P(AtomicOpsTable, GivesTheValueOfFoundationDB) {
  const Case& c = GetParam();
  EXPECT_EQ(ApplyAtomic(c.type, c.old, c.operand), c.expected);
}

constexpr auto kAdd = MutationType::kAdd;
constexpr auto kAnd = MutationType::kAnd;
constexpr auto kAndV2 = MutationType::kAndV2;
constexpr auto kOr = MutationType::kOr;
constexpr auto kXor = MutationType::kXor;
constexpr auto kAppend = MutationType::kAppendIfFits;
constexpr auto kMax = MutationType::kMax;
constexpr auto kMin = MutationType::kMin;
constexpr auto kMinV2 = MutationType::kMinV2;
constexpr auto kByteMin = MutationType::kByteMin;
constexpr auto kByteMax = MutationType::kByteMax;
constexpr auto kClear = MutationType::kCompareAndClear;

INSTANTIATE_TEST_SUITE_P(Add, AtomicOpsTable,
                         testing::Values(Case{kAdd, {}, "\x05"s, "\x05"s}, Case{kAdd, ""s, "\x05"s, "\x05"s},
                                         Case{kAdd, "\xff\x00"s, "\x01\x00"s, "\x00\x01"s},
                                         Case{kAdd, "\xff\xff"s, "\x01\x00"s, "\x00\x00"s},
                                         // As many bytes as the operand has.
                                         Case{kAdd, "\x01\x02\x03"s, "\x01"s, "\x02"s},
                                         Case{kAdd, "\xff"s, "\x01\x00\x00"s, "\x00\x01\x00"s},
                                         Case{kAdd, "\x01"s, ""s, ""s}));

INSTANTIATE_TEST_SUITE_P(Bits, AtomicOpsTable,
                         testing::Values(Case{kAnd, {}, "\x0f"s, "\x00"s}, Case{kAndV2, {}, "\x0f"s, "\x0f"s},
                                         Case{kAndV2, ""s, "\x0f"s, "\x00"s},
                                         Case{kAndV2, "\x3c"s, "\x0f\xff"s, "\x0c\x00"s},
                                         Case{kAnd, "\x3c\xff"s, "\x0f"s, "\x0c"s}, Case{kOr, {}, "\x0f"s, "\x0f"s},
                                         Case{kOr, "\x30"s, "\x0f\x01"s, "\x3f\x01"s},
                                         Case{kOr, "\x30\xff"s, "\x0f"s, "\x3f"s}, Case{kXor, {}, "\x0f"s, "\x0f"s},
                                         Case{kXor, "\x3c"s, "\x0f\x01"s, "\x33\x01"s}, Case{kXor, "\x3c"s, ""s, ""s}));

INSTANTIATE_TEST_SUITE_P(
    MinAndMax, AtomicOpsTable,
    testing::Values(Case{kMax, {}, "\x01"s, "\x01"s},
                    // Little endian: the last byte counts most.
                    Case{kMax, "\xff\x01"s, "\x00\x02"s, "\x00\x02"s},
                    Case{kMax, "\x01\x02"s, "\xff\x01"s, "\x01\x02"s}, Case{kMax, "\x09"s, "\x08\x00"s, "\x09\x00"s},
                    Case{kMax, "\x01\xff"s, "\x02"s, "\x02"s}, Case{kMax, "\x09"s, ""s, ""s},
                    Case{kMin, {}, "\x05\x01"s, "\x00\x00"s}, Case{kMinV2, {}, "\x05\x01"s, "\x05\x01"s},
                    Case{kMinV2, ""s, "\x05\x01"s, "\x00\x00"s}, Case{kMinV2, "\xff\x01"s, "\x00\x02"s, "\xff\x01"s},
                    Case{kMinV2, "\x09"s, "\x00\x01"s, "\x09\x00"s}, Case{kMin, "\x09\x00"s, "\x03"s, "\x03"s},
                    Case{kMin, "\x09"s, ""s, ""s}));

INSTANTIATE_TEST_SUITE_P(Bytes, AtomicOpsTable,
                         testing::Values(Case{kByteMin, {}, "m"s, "m"s}, Case{kByteMin, "a"s, "m"s, "a"s},
                                         Case{kByteMin, ""s, "m"s, ""s}, Case{kByteMin, "z"s, "m"s, "m"s},
                                         Case{kByteMax, {}, "m"s, "m"s}, Case{kByteMax, "a"s, "m"s, "m"s},
                                         Case{kByteMax, "\xff"s, "m"s, "\xff"s}, Case{kByteMax, "mm"s, "m"s, "mm"s}));

INSTANTIATE_TEST_SUITE_P(AppendAndClear, AtomicOpsTable,
                         testing::Values(Case{kAppend, {}, ""s, ""s}, Case{kAppend, {}, "ab"s, "ab"s},
                                         Case{kAppend, "ab"s, "cd"s, "abcd"s}, Case{kAppend, "ab"s, ""s, "ab"s},
                                         Case{kClear, {}, "x"s, {}}, Case{kClear, "x"s, "x"s, {}},
                                         Case{kClear, "y"s, "x"s, "y"s}, Case{kClear, ""s, ""s, {}}));

TEST(AtomicOpsTest, AppendsOnlyWhatFits) {
  const std::string full(kValueSizeLimit - 1, 'a');
  EXPECT_EQ(ApplyAtomic(kAppend, full, "b"), full + "b");
  EXPECT_EQ(ApplyAtomic(kAppend, full, "bc"), full);
}

TEST(VersionstampTest, FillsInTenBigEndianBytesAtTheOffset) {
  std::string key = "ab"s + std::string(10, '?') + "yz" + "\x02\x00\x00\x00"s;
  ASSERT_EQ(FillVersionstamp(&key, 0x0102030405060708, 0x090a), kSuccess);
  EXPECT_EQ(key, "ab\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0ayz"s);
}

TEST(VersionstampTest, RefusesAnOffsetThatIsMissingOrOutside) {
  const std::string stamp(10, '\0');
  for (const std::string& bad : {""s, "\x00\x00\x00"s, stamp + "\x01\x00\x00\x00"s, stamp + "\xff\xff\xff\xff"s,
                                 stamp.substr(1) + "\x00\x00\x00\x00"s, stamp + "\x00\x00\x00\x80"s}) {
    std::string bytes = bad;
    EXPECT_EQ(FillVersionstamp(&bytes, 1, 0), kClientInvalidOperation);
    EXPECT_EQ(bytes, bad);
  }
}

}  // namespace
}  // namespace fdbjobs::embedded
