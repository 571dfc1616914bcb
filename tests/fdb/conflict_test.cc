// Optimistic conflicts: which reads and writes of two transactions collide, and which do not.
#include <functional>
#include <string>

#include "fdbjobs/fdb/range.h"
#include "fdbjobs/fdb/transaction.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_database.h"

namespace fdbjobs::fdb {
namespace {

using ::fdbjobs::test::IsFdbError;
using ::fdbjobs::test::IsOk;

class ConflictTest : public ::fdbjobs::test::DatabaseTest {
 protected:
  // Runs `before` in a transaction, commits `meanwhile` in another one, then commits the first with a write of its
  // own.
  absl::Status Race(const std::function<void(Transaction&)>& before,
                    const std::function<void(Transaction&)>& meanwhile) {
    OwnedTransaction tr = Begin();
    EXPECT_THAT(tr.GetReadVersion().Await(), IsOk());
    before(tr);
    OwnedTransaction other = Begin();
    meanwhile(other);
    EXPECT_THAT(other.Commit().Await(), IsOk());
    tr.Set(Key("result"), "1");
    return tr.Commit().Await();
  }

  void Get(Transaction& tr, const char* suffix, Isolation isolation) {
    EXPECT_THAT(tr.Get(Key(suffix), isolation).Await(), IsOk());
  }
};

TEST_F(ConflictTest, AReadOfWhatAnotherWrote) {
  const absl::Status status = Race([&](Transaction& tr) { Get(tr, "a", Isolation::kSerializable); },
                                   [&](Transaction& tr) { tr.Set(Key("a"), "x"); });
  EXPECT_THAT(status, IsFdbError(error::kNotCommitted));
  EXPECT_TRUE(IsRetryable(status));
  EXPECT_FALSE(MaybeCommitted(status));
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(Read("result"), std::nullopt);
}

TEST_F(ConflictTest, ClearsAndAtomicOperationsOfOthersConflictWithReads) {
  EXPECT_THAT(Race([&](Transaction& tr) { Get(tr, "b", Isolation::kSerializable); },
                   [&](Transaction& tr) { tr.ClearRange(Key("a"), Key("c")); }),
              IsFdbError(error::kNotCommitted));
  EXPECT_THAT(Race([&](Transaction& tr) { Get(tr, "n", Isolation::kSerializable); },
                   [&](Transaction& tr) { tr.Add(Key("n"), 1); }),
              IsFdbError(error::kNotCommitted));
}

TEST_F(ConflictTest, OtherKeysDoNot) {
  EXPECT_THAT(Race([&](Transaction& tr) { Get(tr, "a", Isolation::kSerializable); },
                   [&](Transaction& tr) { tr.Set(Key("b"), "x"); }),
              IsOk());
}

TEST_F(ConflictTest, SnapshotReadsDoNot) {
  EXPECT_THAT(Race([&](Transaction& tr) { Get(tr, "a", Isolation::kSnapshot); },
                   [&](Transaction& tr) { tr.Set(Key("a"), "x"); }),
              IsOk());
}

TEST_F(ConflictTest, BlindWritesDoNot) {
  EXPECT_THAT(Race([&](Transaction& tr) { tr.Set(Key("a"), "mine"); }, [&](Transaction& tr) { tr.Set(Key("a"), "x"); }),
              IsOk());
  EXPECT_EQ(Read("a"), "mine");
}

TEST_F(ConflictTest, AReadOfOnesOwnWriteDoesNot) {
  EXPECT_THAT(Race(
                  [&](Transaction& tr) {
                    tr.Set(Key("a"), "mine");
                    Get(tr, "a", Isolation::kSerializable);
                  },
                  [&](Transaction& tr) { tr.Set(Key("a"), "x"); }),
              IsOk());
}

TEST_F(ConflictTest, TransactionsThatOnlyReadNeverConflict) {
  OwnedTransaction tr = Begin();
  Get(tr, "a", Isolation::kSerializable);
  Put("a", "x");
  EXPECT_THAT(tr.Commit().Await(), IsOk());
}

TEST_F(ConflictTest, ARangeConflictsAsFarAsItWasRead) {
  Commit([this](Transaction& tr) {
    for (const char* key : {"a", "c", "e"}) tr.Set(Key(key), "");
  });
  const std::string begin = Key("a"), end = Key("z");
  const auto read_two = [&](Transaction& tr) {
    EXPECT_THAT(ReadRange(tr, {.begin = KeySelectorView::FirstGreaterOrEqual(begin),
                               .end = KeySelectorView::FirstGreaterOrEqual(end),
                               .limit = 2}),
                IsOk());
  };
  EXPECT_THAT(Race(read_two, [&](Transaction& tr) { tr.Set(Key("b"), "between"); }), IsFdbError(error::kNotCommitted));
  Commit([this](Transaction& tr) { tr.Clear(Key("b")); });
  EXPECT_THAT(Race(read_two, [&](Transaction& tr) { tr.Set(Key("d"), "behind"); }), IsOk());
}

TEST_F(ConflictTest, ASelectorConflictsWithWhatItPassed) {
  Commit([this](Transaction& tr) {
    tr.Set(Key("a"), "");
    tr.Set(Key("e"), "");
  });
  const auto next = [&](Transaction& tr) {
    EXPECT_THAT(tr.GetKey(KeySelectorView::FirstGreaterThan(Key("a")), Isolation::kSerializable).Await(), IsOk());
  };
  EXPECT_THAT(Race(next, [&](Transaction& tr) { tr.Set(Key("c"), ""); }), IsFdbError(error::kNotCommitted));
  EXPECT_THAT(Race(next, [&](Transaction& tr) { tr.Set(Key("x"), ""); }), IsOk());
}

TEST_F(ConflictTest, AddedReadConflicts) {
  const auto write_b = [&](Transaction& tr) { tr.Set(Key("b"), "x"); };
  EXPECT_THAT(Race([&](Transaction& tr) { EXPECT_THAT(tr.AddReadConflictKey(Key("b")), IsOk()); }, write_b),
              IsFdbError(error::kNotCommitted));
  EXPECT_THAT(Race([&](Transaction& tr) { EXPECT_THAT(tr.AddReadConflictRange(Key("a"), Key("c")), IsOk()); }, write_b),
              IsFdbError(error::kNotCommitted));
  EXPECT_THAT(Race([&](Transaction& tr) { EXPECT_THAT(tr.AddReadConflictRange(Key("a"), Key("b")), IsOk()); }, write_b),
              IsOk());
}

TEST_F(ConflictTest, AddedWriteConflicts) {
  const auto read_b = [&](Transaction& tr) { Get(tr, "b", Isolation::kSerializable); };
  EXPECT_THAT(Race(read_b, [&](Transaction& tr) { EXPECT_THAT(tr.AddWriteConflictKey(Key("b")), IsOk()); }),
              IsFdbError(error::kNotCommitted));
  EXPECT_THAT(Race(read_b, [&](Transaction& tr) { EXPECT_THAT(tr.AddWriteConflictRange(Key("a"), Key("c")), IsOk()); }),
              IsFdbError(error::kNotCommitted));
}

TEST_F(ConflictTest, AnInvertedConflictRangeIsRefused) {
  OwnedTransaction tr = Begin();
  EXPECT_THAT(tr.AddReadConflictRange(Key("b"), Key("a")), IsFdbError(error::kInvertedRange));
  EXPECT_THAT(tr.AddWriteConflictRange(Key("b"), Key("a")), IsFdbError(error::kInvertedRange));
}

TEST_F(ConflictTest, TheNextWriteCanGoWithoutAConflict) {
  const auto read_a = [&](Transaction& tr) { Get(tr, "a", Isolation::kSerializable); };
  EXPECT_THAT(Race(read_a,
                   [&](Transaction& tr) {
                     EXPECT_THAT(tr.SetOption(TransactionFlag::kNextWriteNoWriteConflictRange), IsOk());
                     tr.Set(Key("a"), "x");
                   }),
              IsOk());
}

}  // namespace
}  // namespace fdbjobs::fdb
