#include "fdbjobs/embedded/write_map.h"

#include <gtest/gtest.h>

#include <random>

#include "fdbjobs/embedded/atomic_ops.h"
#include "tests/embedded/fake_engine.h"
#include "tests/embedded/random_seed.h"

namespace fdbjobs::embedded {
namespace {

using Kind = WriteMap::Kind;
using Value = std::optional<std::string>;

constexpr MutationType kSet = MutationType::kSet;
constexpr MutationType kAdd = MutationType::kAdd;
constexpr MutationType kStamp = MutationType::kSetVersionstampedValue;

WriteMap::Cursor At(const WriteMap& writes, std::string_view key) {
  WriteMap::Cursor at(writes);
  at.Seek(key);
  return at;
}

std::vector<Mutation> Flushed(WriteMap* writes) {
  MutationList mutations;
  writes->FlushAll(&mutations);
  return MutationsOf(mutations);
}

TEST(WriteMapTest, ASetIsKnownWithoutTheDatabase) {
  WriteMap writes;
  writes.Mutate("b", kSet, "1", true);
  EXPECT_EQ(At(writes, "a").kind(), Kind::kUnmodified);
  EXPECT_EQ(At(writes, "b").kind(), Kind::kIndependent);
  EXPECT_EQ(At(writes, "b").Value({}), "1");
  EXPECT_EQ(At(writes, KeyAfter("b")).kind(), Kind::kUnmodified);
}

TEST(WriteMapTest, AnAtomicOperationDependsOnTheDatabaseUnlessTheKeyWasSetOrCleared) {
  WriteMap writes;
  writes.Mutate("a", kAdd, "\x01", true);
  writes.Mutate("b", kSet, "\x05", true);
  writes.Mutate("b", kAdd, "\x01", true);
  writes.ClearRange("c", "d", true);
  writes.Mutate("c", kAdd, "\x01", true);
  EXPECT_EQ(At(writes, "a").kind(), Kind::kDependent);
  EXPECT_EQ(At(writes, "a").Value("\x02"), "\x03");
  EXPECT_EQ(At(writes, "b").kind(), Kind::kIndependent);
  EXPECT_EQ(At(writes, "b").Value("\x02"), "\x06");
  EXPECT_EQ(At(writes, "c").kind(), Kind::kIndependent);
  EXPECT_EQ(At(writes, "c").Value("\x02"), "\x01");
}

TEST(WriteMapTest, OperationsOfOneTypeBecomeOne) {
  WriteMap writes;
  for (int i = 0; i < 100; ++i) writes.Mutate("a", kAdd, std::string("\x01\x00", 2), true);
  // Not of the same length: the result would depend on the grouping.
  writes.Mutate("a", kAdd, "\x01", true);
  const std::vector<Mutation> mutations = Flushed(&writes);
  ASSERT_EQ(mutations.size(), 2u);
  EXPECT_EQ(mutations[0].value, std::string("\x64\x00", 2));
  EXPECT_EQ(mutations[1].value, "\x01");
}

TEST(WriteMapTest, CompareAndClearAfterASetMayLeaveNothing) {
  WriteMap writes;
  writes.Mutate("a", kSet, "1", true);
  writes.Mutate("a", MutationType::kCompareAndClear, "1", true);
  EXPECT_EQ(At(writes, "a").Value("old"), Value());
  const std::vector<Mutation> mutations = Flushed(&writes);
  ASSERT_EQ(mutations.size(), 1u);
  EXPECT_EQ(mutations[0].type, MutationType::kClearRange);
}

TEST(WriteMapTest, AVersionstampedValueStaysUnreadableUntilItIsCleared) {
  WriteMap writes;
  writes.Mutate("a", kStamp, std::string(14, '\0'), true);
  EXPECT_TRUE(At(writes, "a").unreadable());
  EXPECT_FALSE(At(writes, KeyAfter("a")).unreadable());
  writes.Mutate("a", kSet, "1", true);
  EXPECT_TRUE(At(writes, "a").unreadable());
  writes.ClearRange("a", "b", true);
  EXPECT_FALSE(At(writes, "a").unreadable());
  EXPECT_EQ(At(writes, "a").kind(), Kind::kCleared);
}

TEST(WriteMapTest, WhatWasDoneBeforeAVersionstampedKeyComesBeforeIt) {
  WriteMap writes;
  writes.Mutate("a", kSet, "1", true);
  writes.Mutate("m", kSet, "2", true);
  writes.ClearRange("k", "l", false);
  MutationList flushed;
  writes.FlushAndMakeUnreadable("k", "n", &flushed);
  const std::vector<Mutation> mutations = MutationsOf(flushed);
  ASSERT_EQ(mutations.size(), 2u);
  EXPECT_EQ(mutations[0].type, MutationType::kClearRange);
  EXPECT_EQ(mutations[1].key, "m");
  ASSERT_EQ(ConflictsOf(flushed).size(), 1u);
  EXPECT_TRUE(At(writes, "m").unreadable());
  EXPECT_EQ(At(writes, "m").kind(), Kind::kUnmodified);
  EXPECT_FALSE(At(writes, "n").unreadable());
  EXPECT_EQ(Flushed(&writes).size(), 1u);
}

// Every key of a small keyspace, each with what was done to it.
class Model {
 public:
  struct Key {
    std::vector<Mutation> operations;
    bool cleared = false;
    bool conflict = false;
    bool unreadable = false;
    // Cleared as a key and not in a range: a segment of its own.
    bool cleared_alone = false;
  };

  Model() {
    for (char c = 'a'; c <= 'f'; ++c) {
      for (int zeros = 0; zeros < 3; ++zeros) keys_[std::string(1, c) + std::string(zeros, '\0')];
    }
  }

  void Mutate(const std::string& key, MutationType type, const std::string& operand, bool conflict) {
    Key& at = keys_.at(key);
    if (type == kSet && !at.unreadable) at.operations.clear();
    at.operations.push_back({type, key, operand});
    at.conflict |= conflict;
    at.unreadable |= type == kStamp;
  }
  void ClearRange(const std::string& begin, const std::string& end, bool conflict) {
    for (auto it = keys_.lower_bound(begin); it != keys_.lower_bound(end); ++it) {
      it->second = {{}, true, it->second.conflict || conflict, false, false};
    }
  }
  void ClearKey(const std::string& key, bool conflict) {
    Key& at = keys_.at(key);
    at = {{}, true, at.conflict || conflict, false, true};
  }
  void AddConflictRange(const std::string& begin, const std::string& end) {
    for (auto it = keys_.lower_bound(begin); it != keys_.lower_bound(end); ++it) it->second.conflict = true;
  }

  Map Apply(const Map& base) const {
    Map after = base;
    for (const auto& [key, state] : keys_) {
      if (state.cleared) after.erase(key);
      ApplyMutations(state.operations, 1, &after);
    }
    return after;
  }

  const std::map<std::string, Key>& keys() const { return keys_; }

 private:
  std::map<std::string, Key> keys_;
};

class WriteMapModelTest : public testing::Test {
 protected:
  std::string RandomKey() { return std::next(model_.keys().begin(), Below(model_.keys().size()))->first; }
  int Below(size_t limit) { return static_cast<int>(random_() % limit); }

  void RandomWrite() {
    static constexpr MutationType kTypes[] = {
        kSet, kSet, kAdd, MutationType::kByteMax, MutationType::kCompareAndClear, MutationType::kAndV2, kStamp};
    const bool conflict = Below(3) != 0;
    std::string begin = RandomKey();
    std::string end = RandomKey();
    if (begin > end) std::swap(begin, end);
    switch (Below(7)) {
      case 0:
        writes_.ClearRange(begin, end, conflict);
        model_.ClearRange(begin, end, conflict);
        break;
      case 1:
        writes_.ClearRange(begin, KeyAfter(begin), conflict);
        model_.ClearRange(begin, KeyAfter(begin), conflict);
        break;
      case 3:
        writes_.ClearKey(begin, conflict);
        model_.ClearKey(begin, conflict);
        break;
      case 2:
        writes_.AddConflictRange(begin, end);
        model_.AddConflictRange(begin, end);
        break;
      default: {
        const MutationType type = kTypes[Below(std::size(kTypes))];
        const std::string operand = type == kStamp ? std::string(14, '\0') : std::string(1 + Below(2), char(Below(3)));
        writes_.Mutate(begin, type, operand, conflict);
        model_.Mutate(begin, type, operand, conflict);
      }
    }
  }

  void ExpectSame(const std::string& key, const WriteMap::Cursor& at, const Model::Key& expected) {
    SCOPED_TRACE(testing::PrintToString(key));
    EXPECT_EQ(at.conflict(), expected.conflict);
    EXPECT_EQ(at.unreadable(), expected.unreadable);
    // A key that was cleared inside of a cleared range may go on as part of it.
    if (!expected.cleared_alone) {
      EXPECT_EQ(at.is_key(), !expected.operations.empty());
    }
    if (!at.is_key()) {
      EXPECT_EQ(at.kind(), expected.cleared ? Kind::kCleared : Kind::kUnmodified);
      return;
    }
    if (expected.unreadable) return;
    for (const Value& base : {Value(), Value("\x02"), Value("\x01\x01")}) {
      Map row;
      if (base && !expected.cleared) row[key] = *base;
      ApplyMutations(expected.operations, 1, &row);
      EXPECT_EQ(at.Value(base), row.empty() ? Value() : Value(row.begin()->second));
    }
  }

  // The segments follow one another without gaps, in both directions.
  void ExpectWalk() {
    WriteMap::Cursor forward(writes_);
    std::vector<std::string> begins;
    std::string reached;
    for (forward.Seek(""); forward.valid(); forward.Next()) {
      EXPECT_EQ(forward.begin().ToString(), reached);
      begins.push_back(reached);
      reached = forward.end().ToString();
      EXPECT_LT(begins.back(), reached);
    }
    WriteMap::Cursor backward(writes_);
    for (backward.SeekBefore("\xff"); backward.valid(); backward.Previous()) {
      ASSERT_FALSE(begins.empty());
      EXPECT_EQ(backward.begin().ToString(), begins.back());
      begins.pop_back();
    }
    EXPECT_TRUE(begins.empty());
  }

  std::mt19937_64 random_{RandomSeed()};
  WriteMap writes_;
  Model model_;
};

TEST_F(WriteMapModelTest, RandomWritesLookLikeTheModel) {
  for (int round = 0; round < 2000 && !HasFailure(); ++round) {
    writes_.Clear();
    model_ = {};
    for (int writes = 1 + Below(12); writes > 0; --writes) RandomWrite();
    if (writes_.empty()) continue;
    for (const auto& [key, state] : model_.keys()) ExpectSame(key, At(writes_, key), state);
    ExpectWalk();

    Map base;
    for (const auto& [key, state] : model_.keys()) {
      if (Below(2) == 0) base[key] = std::string(1 + Below(2), char(Below(3)));
    }
    const Map expected = model_.Apply(base);
    MutationList flushed;
    writes_.FlushAll(&flushed);
    ApplyMutations(MutationsOf(flushed), 1, &base);
    EXPECT_EQ(base, expected);
    EXPECT_TRUE(writes_.empty());
    const std::vector<KeyRange> ranges = ConflictsOf(flushed);
    for (const auto& [key, state] : model_.keys()) {
      const bool covered = std::any_of(ranges.begin(), ranges.end(), [&key = key](const KeyRange& range) {
        return range.begin <= key && key < range.end;
      });
      EXPECT_EQ(covered, state.conflict) << testing::PrintToString(key);
    }
  }
}

}  // namespace
}  // namespace fdbjobs::embedded
