#include "fdbjobs/keyspace/tuple_utf8.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace fdbjobs::tuple {
namespace {

// The textbook encoder, without any check, as the reference.
std::string Encode(uint32_t code_point) {
  const auto tail = [code_point](int shift) { return static_cast<char>(0x80 | (code_point >> shift & 0x3f)); };
  if (code_point < 0x80) return {static_cast<char>(code_point)};
  if (code_point < 0x800) return {static_cast<char>(0xc0 | code_point >> 6), tail(0)};
  if (code_point < 0x10000) return {static_cast<char>(0xe0 | code_point >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xf0 | code_point >> 18), tail(12), tail(6), tail(0)};
}

TEST(TupleUtf8, EveryCodePointIsValidExceptSurrogates) {
  for (uint32_t code_point = 0; code_point <= 0x10ffff; ++code_point) {
    const bool surrogate = code_point >= 0xd800 && code_point <= 0xdfff;
    ASSERT_EQ(IsValidUtf8(Encode(code_point)), !surrogate) << std::hex << code_point;
  }
}

TEST(TupleUtf8, NothingPastTheLastCodePointIsValid) {
  for (uint32_t code_point = 0x110000; code_point < 0x200000; code_point += 0xfff) {
    ASSERT_FALSE(IsValidUtf8(Encode(code_point))) << std::hex << code_point;
  }
  for (int lead = 0xf5; lead <= 0xff; ++lead) {
    EXPECT_FALSE(IsValidUtf8(std::string(1, static_cast<char>(lead)) + "\x80\x80\x80\x80\x80")) << lead;
  }
}

TEST(TupleUtf8, OverlongFormsAreInvalid) {
  for (const char* overlong :
       {"\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xe0\x9f\xbf", "\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf"}) {
    EXPECT_EQ(FirstInvalidUtf8(overlong), 0u);
  }
}

TEST(TupleUtf8, NamesTheOffsetWhereTheBadCharacterBegins) {
  EXPECT_EQ(FirstInvalidUtf8(""), std::nullopt);
  EXPECT_EQ(FirstInvalidUtf8("plain text, longer than a word"), std::nullopt);
  EXPECT_EQ(FirstInvalidUtf8("abc\x80"), 3u);
  EXPECT_EQ(FirstInvalidUtf8("0123456789abcdef\xff"), 16u);
  EXPECT_EQ(FirstInvalidUtf8("Ô\xe2\x82"), 2u);
  EXPECT_EQ(FirstInvalidUtf8("Ô\xe2\x82x"), 2u);
  EXPECT_EQ(FirstInvalidUtf8("\xf0\x9f\x98"), 0u);
  EXPECT_EQ(FirstInvalidUtf8("\xe2\x28\xa1"), 0u);
}

}  // namespace
}  // namespace fdbjobs::tuple
