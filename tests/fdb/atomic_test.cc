// atomic_op: one table of operations, applied to stored values, and to values written in the same transaction.
#include <optional>
#include <string>
#include <vector>

#include "fdbjobs/fdb/transaction.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_database.h"

namespace fdbjobs::fdb {
namespace {

using ::fdbjobs::test::IsFdbError;
using ::fdbjobs::test::IsOk;

using AtomicTest = ::fdbjobs::test::DatabaseTest;
using Value = std::optional<std::string>;

struct Case {
  const char* what;
  MutationType type;
  Value before;
  std::string operand;
  Value after;
};

std::string Bin(std::initializer_list<int> bytes) { return std::string(bytes.begin(), bytes.end()); }

const std::vector<Case>& Cases() {
  static const auto* const cases = new std::vector<Case>{
      {"add to nothing", MutationType::kAdd, std::nullopt, Bin({5, 0}), Bin({5, 0})},
      {"add carries", MutationType::kAdd, Bin({255, 0}), Bin({1, 0}), Bin({0, 1})},
      {"add overflows", MutationType::kAdd, Bin({255, 255}), Bin({2, 0}), Bin({1, 0})},
      {"add extends", MutationType::kAdd, Bin({255}), Bin({1, 0}), Bin({0, 1})},
      {"add truncates", MutationType::kAdd, Bin({1, 2, 3}), Bin({1}), Bin({2})},
      {"and with nothing stores", MutationType::kBitAnd, std::nullopt, Bin({7}), Bin({7})},
      {"and", MutationType::kBitAnd, Bin({6, 255}), Bin({3, 15}), Bin({2, 15})},
      {"and extends with zeros", MutationType::kBitAnd, Bin({7}), Bin({3, 15}), Bin({3, 0})},
      {"or with nothing", MutationType::kBitOr, std::nullopt, Bin({8}), Bin({8})},
      {"or", MutationType::kBitOr, Bin({6}), Bin({9}), Bin({15})},
      {"xor", MutationType::kBitXor, Bin({6, 1}), Bin({3, 1}), Bin({5, 0})},
      {"append to nothing", MutationType::kAppendIfFits, std::nullopt, "tail", "tail"},
      {"append", MutationType::kAppendIfFits, "head ", "tail", "head tail"},
      {"append that does not fit", MutationType::kAppendIfFits, std::string(99'999, 'x'), "ab",
       std::string(99'999, 'x')},
      {"max with nothing", MutationType::kMax, std::nullopt, Bin({3, 0}), Bin({3, 0})},
      {"max is little endian", MutationType::kMax, Bin({255, 1}), Bin({0, 2}), Bin({0, 2})},
      {"max keeps", MutationType::kMax, Bin({0, 3}), Bin({255, 2}), Bin({0, 3})},
      {"min with nothing stores", MutationType::kMin, std::nullopt, Bin({9, 9}), Bin({9, 9})},
      {"min is little endian", MutationType::kMin, Bin({255, 1}), Bin({0, 2}), Bin({255, 1})},
      {"min takes", MutationType::kMin, Bin({0, 3}), Bin({255, 2}), Bin({255, 2})},
      {"byte min with nothing stores", MutationType::kByteMin, std::nullopt, "m", "m"},
      {"byte min is lexicographic", MutationType::kByteMin, "b", "aaa", "aaa"},
      {"byte min keeps", MutationType::kByteMin, "a", "b", "a"},
      {"byte max with nothing stores", MutationType::kByteMax, std::nullopt, "m", "m"},
      {"byte max is lexicographic", MutationType::kByteMax, "aaa", "b", "b"},
      {"byte max keeps the longer", MutationType::kByteMax, "ab", "a", "ab"},
      {"compare and clear clears", MutationType::kCompareAndClear, "same", "same", std::nullopt},
      {"compare and clear keeps", MutationType::kCompareAndClear, "other", "same", "other"},
      {"compare and clear of nothing", MutationType::kCompareAndClear, std::nullopt, "same", std::nullopt},
  };
  return *cases;
}

TEST_F(AtomicTest, OnStoredValues) {
  for (const Case& c : Cases()) {
    Commit([&](Transaction& tr) {
      tr.Clear(Key("k"));
      if (c.before) tr.Set(Key("k"), *c.before);
    });
    Commit([&](Transaction& tr) { tr.AtomicOp(c.type, Key("k"), c.operand); });
    EXPECT_EQ(Read("k"), c.after) << c.what;
  }
}

TEST_F(AtomicTest, OnValuesWrittenInTheSameTransaction) {
  for (const Case& c : Cases()) {
    OwnedTransaction tr = Begin();
    tr.Clear(Key("k"));
    if (c.before) tr.Set(Key("k"), *c.before);
    tr.AtomicOp(c.type, Key("k"), c.operand);
    const absl::StatusOr<Value> seen = tr.Get(Key("k"), Isolation::kSerializable).Await();
    ASSERT_THAT(seen, IsOk());
    EXPECT_EQ(*seen, c.after) << c.what << ", read back";
    ASSERT_THAT(tr.Commit().Await(), IsOk());
    EXPECT_EQ(Read("k"), c.after) << c.what << ", committed";
  }
}

TEST_F(AtomicTest, OperationsOfOneTransactionAddUp) {
  Put("n", Bin({1, 0, 0, 0, 0, 0, 0, 0}));
  Commit([this](Transaction& tr) {
    tr.Add(Key("n"), 10);
    tr.Add(Key("n"), -3);
    tr.Add(Key("fresh"), -1);
  });
  EXPECT_EQ(Read("n"), Bin({8, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(Read("fresh"), std::string(8, '\xff'));
}

TEST_F(AtomicTest, ConflictsWithNobody) {
  OwnedTransaction first = Begin(), second = Begin();
  ASSERT_THAT(first.GetReadVersion().Await(), IsOk());
  ASSERT_THAT(second.GetReadVersion().Await(), IsOk());
  first.Add(Key("n"), 1);
  second.Add(Key("n"), 1);
  EXPECT_THAT(first.Commit().Await(), IsOk());
  EXPECT_THAT(second.Commit().Await(), IsOk());
  EXPECT_EQ(Read("n"), Bin({2, 0, 0, 0, 0, 0, 0, 0}));
}

TEST_F(AtomicTest, AnUnknownOperationFailsTheTransaction) {
  OwnedTransaction tr = Begin();
  tr.AtomicOp(static_cast<MutationType>(99), Key("n"), "x");
  EXPECT_THAT(tr.Commit().Await(), IsFdbError(error::kInvalidMutationType));
}

}  // namespace
}  // namespace fdbjobs::fdb
