#include "fdbjobs/keyspace/tuple_parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/keyspace/tuple_random.h"

namespace fdbjobs::tests {
namespace {

using ::testing::HasSubstr;
using tuple::BigInt;
using tuple::Bytes;
using tuple::Element;
using tuple::IsPlainWord;
using tuple::ParseArgument;
using tuple::ParseElement;
using tuple::ParseTuple;
using tuple::PrintArgument;
using tuple::Tuple;

Element Parsed(const std::string& text) {
  const absl::StatusOr<Element> element = ParseElement(text);
  EXPECT_TRUE(element.ok()) << text << ": " << element.status();
  return element.ok() ? *element : Element("unreadable");
}

std::string ErrorOf(const std::string& text) {
  const absl::StatusOr<Element> element = ParseElement(text);
  EXPECT_FALSE(element.ok()) << text << " is read as " << element->ToString();
  EXPECT_EQ(element.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(element.status().message());
}

TEST(TupleParse, ReadsBackEveryRandomElementThatIsPrinted) {
  TupleRandom random(TestSeed());
  SCOPED_TRACE(random.Trace());
  for (int round = 0; round < 20000; ++round) {
    const Element element = random.AnyElement();
    ASSERT_EQ(Parsed(element.ToString()), element);
    const absl::StatusOr<Element> argument = ParseArgument(PrintArgument(element));
    ASSERT_TRUE(argument.ok()) << PrintArgument(element) << ": " << argument.status();
    ASSERT_EQ(*argument, element) << PrintArgument(element);
  }
}

TEST(TupleParse, ReadsBackStringsOfAnyBytes) {
  TupleRandom random(TestSeed());
  SCOPED_TRACE(random.Trace());
  for (int round = 0; round < 5000; ++round) {
    const std::string bytes = random.RawBytes(6);
    ASSERT_EQ(Parsed(Element(bytes).ToString()), Element(bytes));
    ASSERT_EQ(ParseArgument(PrintArgument(bytes)).value(), Element(bytes));
  }
}

TEST(TupleParse, ReadsAnyTextWithoutHarm) {
  TupleRandom random(TestSeed());
  SCOPED_TRACE(random.Trace());
  for (int round = 0; round < 20000; ++round) {
    std::string text = random.AnyElement().ToString();
    for (uint64_t left = 1 + random.Below(3); left > 0 && !text.empty(); --left) {
      const size_t at = random.Below(text.size());
      if (random.Below(2) == 0) {
        text.erase(at, 1 + random.Below(3));
      } else {
        text[at] = static_cast<char>(random.Below(256));
      }
    }
    const absl::StatusOr<Element> element = ParseElement(text);
    if (element.ok()) {
      ASSERT_EQ(Parsed(element->ToString()), *element) << text;
    }
  }
}

TEST(TupleParse, AllowsSpacesInTuplesAndBothFormsOfIntegers) {
  EXPECT_EQ(Parsed("( 1,\"a\" ,( ) )"), Element(Tuple{1, "a", Tuple()}));
  EXPECT_EQ(Parsed("0x10"), Element(16));
  EXPECT_EQ(Parsed("-0xFF"), Element(-255));
  EXPECT_EQ(Parsed("0x123"), Element(0x123));
  EXPECT_EQ(Parsed("18446744073709551615"), Element(std::numeric_limits<uint64_t>::max()));
  EXPECT_EQ(Parsed("-9223372036854775808"), Element(std::numeric_limits<int64_t>::min()));
  EXPECT_EQ(Parsed("18446744073709551616"), Parsed("0x010000000000000000"));
  EXPECT_EQ(Parsed("-340282366920938463463374607431768211456"), Parsed("-0x0100000000000000000000000000000000"));
  EXPECT_EQ(ParseTuple("()").value(), Tuple());
  EXPECT_EQ(ParseTuple("(1)").value(), Tuple{1});
}

TEST(TupleParse, NamesTheOffsetAndWhatIsAllowed) {
  EXPECT_EQ(ErrorOf("(1, x)"),
            "not a tuple value: at offset 4 is 'x', expected an element: null, true, false, an integer, \"text\", "
            "b\"bytes\", float(1.5), double(1.5), uuid(...), versionstamp(..., 0) or (a, tuple)");
  EXPECT_EQ(ErrorOf("(1 2)"), "not a tuple value: at offset 3 is '2', expected a comma or the ) that ends the tuple");
  EXPECT_EQ(ErrorOf("(1"), "not a tuple value: at offset 2 is the end, expected a comma or the ) that ends the tuple");
  EXPECT_EQ(ErrorOf("\"a"), "not a tuple value: at offset 2 is the end, expected the \" that ends the text");
  EXPECT_EQ(ErrorOf("\"a\\n\""),
            "not a tuple value: at offset 2 is '\\', expected one of the escapes \\\" \\\\ and \\xHH");
  EXPECT_EQ(ErrorOf("1 "), "not a tuple value: at offset 1 is byte 0x20, expected the end");
  EXPECT_EQ(ErrorOf("(1)\n"), "not a tuple value: at offset 3 is byte 0x0a, expected the end");
  EXPECT_THAT(ErrorOf(""), HasSubstr("at offset 0 is the end, expected an element"));
  EXPECT_THAT(ErrorOf("nullable"), HasSubstr("at offset 0 is 'n', expected an element"));
  EXPECT_THAT(ErrorOf("(1,)"), HasSubstr("at offset 3 is ')', expected an element"));
  EXPECT_THAT(ErrorOf("b\"\\x0"), HasSubstr("at offset 2"));
}

TEST(TupleParse, RefusesNumbersThatAreNone) {
  for (const char* text : {"007", "-0", "-", "0x", "12ab", "0xgg", "--1"}) {
    EXPECT_THAT(ErrorOf(text), HasSubstr("expected an integer")) << text;
  }
  EXPECT_THAT(ErrorOf("1.5"), HasSubstr("at offset 1 is '.', expected the end"));
  EXPECT_THAT(ErrorOf("0x01" + std::string(510, '0')), HasSubstr("expected an integer of at most 255 bytes"));
  EXPECT_THAT(ErrorOf(std::string(100000, '9')), HasSubstr("expected an integer of at most 255 bytes"));
  for (const char* text : {"float()", "float(x)", "double(1.5", "double(nan)", "float(1 )", "float(+1)"}) {
    EXPECT_THAT(ErrorOf(text), HasSubstr("expected a number")) << text;
  }
  EXPECT_THAT(ErrorOf("float(1e99)"), HasSubstr("a number that the type can hold"));
  EXPECT_THAT(ErrorOf("float(nan:0)"), HasSubstr("the bits of a NaN"));
  EXPECT_THAT(ErrorOf("double(nan:zz)"), HasSubstr("the bits of a NaN"));
}

TEST(TupleParse, RefusesUuidsAndVersionstampsThatAreNone) {
  for (const char* text : {"uuid()", "uuid(0011)", "uuid(00112233445566778899aabbccddeeff)",
                           "uuid(00112233-4455-6677-8899-aabbccddeefg)", "uuid(00112233-4455-6677-8899-aabbccddeeff"}) {
    EXPECT_THAT(ErrorOf(text), HasSubstr("expected a UUID")) << text;
  }
  for (const char* text : {"versionstamp(0, 1)", "versionstamp(incomplete)", "versionstamp(, 1)"}) {
    EXPECT_THAT(ErrorOf(text), HasSubstr("expected 20 hexadecimal digits or incomplete")) << text;
  }
  for (const char* text :
       {"versionstamp(incomplete, 65536)", "versionstamp(incomplete, )", "versionstamp(incomplete, -1)"}) {
    EXPECT_THAT(ErrorOf(text), HasSubstr("expected a user version from 0 to 65535")) << text;
  }
}

TEST(TupleParse, ReadsAsDeepAsCanBePacked) {
  const auto nested = [](size_t levels) { return std::string(levels, '(') + std::string(levels, ')'); };
  EXPECT_TRUE(Tuple{Parsed(nested(100))}.Pack().ok());
  EXPECT_EQ(ErrorOf(nested(101)),
            "not a tuple value: at offset 100 is '(', expected no nesting deeper than 100 levels");
  EXPECT_TRUE(ParseTuple(nested(101)).value().Pack().ok());
  EXPECT_FALSE(ParseTuple(nested(102)).ok());
}

TEST(TupleArgument, ReadsAPlainWordAsAString) {
  for (const char* word : {"thumbnails", "2024-01-31", "a/b.c:7@x", "007", "1.5", "0x", "12ab", "nullable", "uuid",
                           "Ô€", "00112233-4455-6677-8899-aabbccddeeff", "+1", "a=b", "50%"}) {
    EXPECT_TRUE(IsPlainWord(word)) << word;
    EXPECT_EQ(ParseArgument(word).value(), Element(word));
    EXPECT_EQ(PrintArgument(word), word);
  }
}

TEST(TupleArgument, ReadsALiteralAsWhatItIs) {
  EXPECT_EQ(ParseArgument("7").value(), Element(7));
  EXPECT_EQ(ParseArgument("-7").value(), Element(-7));
  EXPECT_EQ(ParseArgument("null").value(), Element());
  EXPECT_EQ(ParseArgument("true").value(), Element(true));
  EXPECT_EQ(ParseArgument("\"7\"").value(), Element("7"));
  EXPECT_EQ(ParseArgument("b\"\\x00\"").value(), Element(Bytes{std::string(1, '\0')}));
  EXPECT_EQ(ParseArgument("(1,\"a\")").value(), Element(Tuple{1, "a"}));
}

TEST(TupleArgument, PrintsQuotesWhereTheWordWouldBeReadAsSomethingElse) {
  for (const char* text : {"7", "-7", "null", "true", "0x10", "-x", "", "two words", "a,b", "a\"b", "(", "\t", "a$b"}) {
    EXPECT_FALSE(IsPlainWord(text)) << text;
    EXPECT_EQ(PrintArgument(text).front(), '"') << text;
    EXPECT_EQ(ParseArgument(PrintArgument(text)).value(), Element(text));
  }
}

TEST(TupleArgument, RefusesWhatIsNeither) {
  for (const char* text :
       {"", "two words", "a,b", "-x", "-0", "a$b", "uuid(1)", "(1", "\"a", "b\"", "caf\xc3", "a\x1b[m"}) {
    const absl::StatusOr<Element> element = ParseArgument(text);
    EXPECT_EQ(element.status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
  EXPECT_EQ(
      ParseArgument("-x").status().message(),
      "neither a literal nor a plain word (letters, digits and -_./:@+=%, not - first): \"-x\"; as a string it is "
      "written in double quotes");
}

TEST(TupleArgument, NothingThatATerminalWouldObeyIsPrinted) {
  EXPECT_EQ(PrintArgument("a\x1b[2J"), R"("a\x1b[2J")");
  EXPECT_EQ(PrintArgument("a\xc2\x9b"
                          "2J"),
            R"("a\xc2\x9b2J")");
  EXPECT_EQ(PrintArgument("\xe2\x80\xae"
                          "evil"),
            R"("\xe2\x80\xaeevil")");
  EXPECT_EQ(PrintArgument("\xe2\x81\xa6"), R"("\xe2\x81\xa6")");
  EXPECT_EQ(PrintArgument("\xe2\x80\x93"), "\xe2\x80\x93");
}

}  // namespace
}  // namespace fdbjobs::tests
