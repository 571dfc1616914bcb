// Decoding of bytes that nobody packed: never a crash, and an error that names an offset in the input.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "fdbjobs/keyspace/tuple.h"
#include "fdbjobs/keyspace/tuple_reader.h"
#include "tests/keyspace/tuple_notation.h"
#include "tests/keyspace/tuple_random.h"

namespace fdbjobs::tests {
namespace {

using tuple::Decode;
using tuple::Tuple;
using tuple::TupleReader;
using tuple::Utf8;

constexpr int kRounds = 20000;
constexpr char kError[] = "tuple unreadable at offset ";

// The offset that an error of Decode names.
size_t OffsetOf(const absl::Status& status) {
  const std::string message(status.message());
  EXPECT_EQ(message.rfind(kError, 0), 0u) << message;
  return static_cast<size_t>(std::strtoull(message.c_str() + sizeof kError - 1, nullptr, 10));
}

// Either a tuple that packs and comes back the same, or an error at an offset that is in the input or at its end.
void ExpectSafe(const std::string& bytes) {
  const absl::StatusOr<Tuple> decoded = Decode(bytes);
  if (decoded.ok()) {
    const absl::StatusOr<std::string> packed = decoded->Pack(Utf8::kKeep);
    ASSERT_TRUE(packed.ok()) << ToHex(bytes) << ": " << packed.status();
    ASSERT_LE(packed->size(), bytes.size()) << ToHex(bytes);
    ASSERT_EQ(Decode(*packed).value(), *decoded) << ToHex(bytes);
    return;
  }
  const size_t offset = OffsetOf(decoded.status());
  ASSERT_LE(offset, bytes.size()) << ToHex(bytes);
  // What comes before the first element that failed can be read.
  TupleReader reader(bytes);
  while (reader.ReadElement().ok()) continue;
  ASSERT_LE(reader.offset(), offset) << ToHex(bytes);
  ASSERT_TRUE(Decode(bytes.substr(0, reader.offset())).ok()) << ToHex(bytes);
}

TEST(TupleDecode, RandomBytesAreSafe) {
  TupleRandom random(TestSeed());
  SCOPED_TRACE(random.Trace());
  for (int round = 0; round < kRounds; ++round) ASSERT_NO_FATAL_FAILURE(ExpectSafe(random.RawBytes(40)));
}

TEST(TupleDecode, AllInputsOfTwoBytesAreSafe) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      ASSERT_NO_FATAL_FAILURE(ExpectSafe({static_cast<char>(first), static_cast<char>(second)}));
    }
  }
}

TEST(TupleDecode, ChangedTuplesAreSafe) {
  TupleRandom random(TestSeed());
  SCOPED_TRACE(random.Trace());
  for (int round = 0; round < kRounds; ++round) {
    std::string bytes = random.AnyTuple().Pack().value();
    for (uint64_t changes = 1 + random.Below(3); changes > 0 && !bytes.empty(); --changes) {
      const size_t at = random.Below(bytes.size());
      switch (random.Below(3)) {
        case 0:
          bytes[at] = static_cast<char>(random.Below(256));
          break;
        case 1:
          bytes.erase(at, 1 + random.Below(4));
          break;
        default:
          bytes.insert(at, random.RawBytes(4));
      }
    }
    ASSERT_NO_FATAL_FAILURE(ExpectSafe(bytes));
  }
}

TEST(TupleDecode, ATupleThatIsCutOffIsAShorterTupleOrAnErrorAtItsEnd) {
  TupleRandom random(TestSeed());
  SCOPED_TRACE(random.Trace());
  for (int round = 0; round < kRounds / 20; ++round) {
    const Tuple tuple = random.AnyTuple();
    const std::string packed = tuple.Pack().value();
    for (size_t size = 0; size < packed.size(); ++size) {
      const absl::StatusOr<Tuple> decoded = Decode(packed.substr(0, size));
      if (decoded.ok()) {
        ASSERT_LT(*decoded, tuple) << tuple.ToString() << " cut to " << size;
      } else {
        ASSERT_EQ(OffsetOf(decoded.status()), size) << tuple.ToString() << ": " << decoded.status();
      }
    }
  }
}

TEST(TupleDecode, HostileNestingIsRefusedAtTheFirstLevelTooMany) {
  const std::string hostile(1'000'000, '\x05');
  EXPECT_EQ(OffsetOf(Decode(hostile).status()), 100u);
  EXPECT_EQ(OffsetOf(TupleReader(hostile).ReadRaw().status()), 100u);
}

TEST(TupleDecode, WideTuplesAreRead) {
  const std::string nulls(100'000, '\0');
  EXPECT_EQ(Decode(nulls).value().size(), nulls.size());
}

}  // namespace
}  // namespace fdbjobs::tests
