// get_range and RangeReader: streaming modes, batches, limits, directions, read-ahead, continuations.
#include "fdbjobs/fdb/range.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_database.h"
#include "tests/support/test_seed.h"

namespace fdbjobs::fdb {
namespace {

using ::fdbjobs::test::IsFdbError;
using ::fdbjobs::test::IsOk;
using ::fdbjobs::test::IsOkAnd;
using ::testing::ElementsAre;

constexpr StreamingMode kModes[] = {StreamingMode::kWantAll, StreamingMode::kIterator, StreamingMode::kExact,
                                    StreamingMode::kSmall,   StreamingMode::kMedium,   StreamingMode::kLarge,
                                    StreamingMode::kSerial};

class RangeTest : public ::fdbjobs::test::DatabaseTest {
 protected:
  static std::string Name(int i) { return "row" + std::to_string(10000 + i); }

  void Fill(int rows, size_t value_bytes) {
    Commit([&](Transaction& tr) {
      for (int i = 0; i < rows; ++i) tr.Set(Key(Name(i)), std::string(value_bytes, static_cast<char>('a' + i % 26)));
    });
  }

  RangeOptions All() {
    end_ = PrefixEnd();
    return {.begin = KeySelectorView::FirstGreaterOrEqual(prefix()), .end = KeySelectorView::FirstGreaterOrEqual(end_)};
  }

  // The names of the rows, all batches together.
  std::vector<std::string> Names(Transaction& tr, const RangeOptions& options, int* batches = nullptr) {
    std::vector<std::string> names;
    RangeReader reader(tr, options);
    while (true) {
      const auto batch = reader.Next();
      EXPECT_THAT(batch, IsOk());
      if (!batch.ok() || batch->empty()) return names;
      for (const KeyValueView& row : *batch) names.emplace_back(row.key().substr(prefix().size()));
      if (batches != nullptr) ++*batches;
    }
  }

  std::vector<std::string> Expected(int first, int last) {
    std::vector<std::string> names;
    for (int i = first; i < last; ++i) names.push_back(Name(i));
    return names;
  }

 private:
  std::string end_;
};

TEST_F(RangeTest, EveryModeAndDirectionReadsEverything) {
  constexpr int kRows = 300;
  Fill(kRows, 500);
  std::vector<std::string> expected = Expected(0, kRows);
  for (StreamingMode mode : kModes) {
    for (bool reverse : {false, true}) {
      for (ReadAhead read_ahead : {ReadAhead::kAuto, ReadAhead::kAlways, ReadAhead::kNever}) {
        OwnedTransaction tr = Begin();
        RangeOptions options = All();
        options.isolation = Isolation::kSnapshot;
        options.mode = mode;
        options.reverse = reverse;
        options.read_ahead = read_ahead;
        if (mode == StreamingMode::kExact) options.limit = kRows + 1;
        std::vector<std::string> names = Names(tr, options);
        if (reverse) std::reverse(names.begin(), names.end());
        EXPECT_EQ(names, expected) << "mode " << static_cast<int>(mode) << (reverse ? " reverse" : "");
      }
    }
  }
}

TEST_F(RangeTest, SmallBatchesAreMoreThanOne) {
  Fill(300, 500);
  OwnedTransaction tr = Begin();
  RangeOptions options = All();
  options.mode = StreamingMode::kSmall;
  int batches = 0;
  EXPECT_EQ(Names(tr, options, &batches).size(), 300u);
  EXPECT_GT(batches, 1);
}

TEST_F(RangeTest, TargetBytesEndABatch) {
  Fill(100, 1000);
  OwnedTransaction tr = Begin();
  RangeOptions options = All();
  options.target_bytes = 5000;
  int batches = 0;
  EXPECT_EQ(Names(tr, options, &batches).size(), 100u);
  EXPECT_GE(batches, 10);
}

TEST_F(RangeTest, LimitHoldsOverAllBatches) {
  Fill(200, 500);
  for (StreamingMode mode : kModes) {
    for (int limit : {1, 7, 100, 200, 500}) {
      OwnedTransaction tr = Begin();
      RangeOptions options = All();
      options.mode = mode;
      options.limit = limit;
      EXPECT_EQ(Names(tr, options), Expected(0, std::min(limit, 200)));
    }
  }
}

TEST_F(RangeTest, ReverseLimitTakesFromTheEnd) {
  Fill(20, 10);
  OwnedTransaction tr = Begin();
  RangeOptions options = All();
  options.limit = 2;
  options.reverse = true;
  EXPECT_THAT(Names(tr, options), ElementsAre(Name(19), Name(18)));
}

TEST_F(RangeTest, ExactModeNeedsALimit) {
  OwnedTransaction tr = Begin();
  RangeOptions options = All();
  options.mode = StreamingMode::kExact;
  RangeReader reader(tr, options);
  EXPECT_THAT(reader.Next(), IsFdbError(error::kExactModeWithoutLimits));
  EXPECT_THAT(reader.Next(), IsFdbError(error::kExactModeWithoutLimits)) << "the error stays";
}

TEST_F(RangeTest, OneBatchTellsWhetherThereIsMore) {
  Fill(3, 10);
  OwnedTransaction tr = Begin();
  RangeRequest request{.begin = All().begin, .end = All().end, .limit = 2, .mode = StreamingMode::kExact};
  const RangeFuture first = tr.GetRange(request);
  ASSERT_THAT(first.AwaitView(), IsOk());
  EXPECT_EQ(first.AwaitView()->rows.size(), 2u);
  EXPECT_TRUE(first.AwaitView()->more);
  request.limit = 4;
  const RangeFuture all = tr.GetRange(request);
  ASSERT_THAT(all.AwaitView(), IsOk());
  EXPECT_EQ(all.AwaitView()->rows.size(), 3u);
  EXPECT_FALSE(all.AwaitView()->more);
}

TEST_F(RangeTest, EmptyAndInvertedRangesHaveNoRows) {
  Fill(3, 10);
  OwnedTransaction tr = Begin();
  const std::string a = Key("a"), b = Key("b");
  EXPECT_THAT(
      Names(tr, {.begin = KeySelectorView::FirstGreaterOrEqual(a), .end = KeySelectorView::FirstGreaterOrEqual(b)}),
      ElementsAre());
  EXPECT_THAT(
      Names(tr, {.begin = KeySelectorView::FirstGreaterOrEqual(b), .end = KeySelectorView::FirstGreaterOrEqual(a)}),
      ElementsAre());
}

TEST_F(RangeTest, SelectorsAreResolvedOnBothEnds) {
  Fill(10, 10);
  OwnedTransaction tr = Begin();
  const std::string first = Key(Name(2)), last = Key(Name(7));
  for (bool reverse : {false, true}) {
    std::vector<std::string> names = Names(tr, {.begin = KeySelectorView::FirstGreaterThan(first) + 1,
                                                .end = KeySelectorView::LastLessOrEqual(last),
                                                .reverse = reverse,
                                                .mode = StreamingMode::kSmall});
    if (reverse) std::reverse(names.begin(), names.end());
    EXPECT_EQ(names, Expected(4, 7));
  }
}

TEST_F(RangeTest, SeesTheTransactionsOwnWrites) {
  Fill(6, 10);
  OwnedTransaction tr = Begin();
  tr.ClearRange(Key(Name(1)), Key(Name(4)));
  tr.Set(Key(Name(2)), "again");
  tr.Set(Key("zzz"), "new");
  EXPECT_THAT(Names(tr, All()), ElementsAre(Name(0), Name(2), Name(4), Name(5), "zzz"));
}

TEST_F(RangeTest, OwnWritesThatAnswerAReadNeedNoReadVersion) {
  const absl::StatusOr<int64_t> version = Begin().GetReadVersion().Await();
  ASSERT_THAT(version, IsOk());
  OwnedTransaction tr = Begin();
  tr.ClearRange(prefix(), PrefixEnd());
  tr.Set(Key(Name(2)), "2");
  EXPECT_THAT(Names(tr, All()), ElementsAre(Name(2)));
  // A transaction that has a read version refuses this.
  tr.SetReadVersion(*version);
  EXPECT_THAT(tr.GetReadVersion().Await(), IsOkAnd(*version));
  EXPECT_THAT(tr.Commit().Await(), IsOk());
}

TEST_F(RangeTest, ContinuationGoesOnInAnotherTransaction) {
  Fill(25, 10);
  for (bool reverse : {false, true}) {
    std::vector<std::string> names;
    std::string begin = prefix(), end = PrefixEnd();
    int transactions = 0;
    while (true) {
      OwnedTransaction tr = Begin();
      RangeReader reader(tr, {.begin = KeySelectorView::FirstGreaterOrEqual(begin),
                              .end = KeySelectorView::FirstGreaterOrEqual(end),
                              .reverse = reverse,
                              .limit = 10,
                              .mode = StreamingMode::kWantAll});
      EXPECT_EQ(reader.continuation(), std::nullopt);
      const auto batch = reader.Next();
      ASSERT_THAT(batch, IsOk());
      for (const KeyValueView& row : *batch) names.emplace_back(row.key().substr(prefix().size()));
      ++transactions;
      const auto next = reader.continuation();
      if (!next.has_value()) break;
      (reverse ? end : begin) = *next;
    }
    EXPECT_EQ(transactions, 3);
    if (reverse) std::reverse(names.begin(), names.end());
    EXPECT_EQ(names, Expected(0, 25));
  }
}

TEST_F(RangeTest, ReadRangeCopiesRows) {
  Commit([this](Transaction& tr) {
    tr.Set(Key("a"), "1");
    tr.Set(Key("b"), "");
  });
  OwnedTransaction tr = Begin();
  const absl::StatusOr<std::vector<KeyValue>> rows = ReadRange(tr, All());
  ASSERT_THAT(rows, IsOk());
  EXPECT_THAT(*rows, ElementsAre(KeyValue{Key("a"), "1"}, KeyValue{Key("b"), ""}));
}

TEST_F(RangeTest, WithoutReadAheadOnlyWhatWasTakenConflicts) {
  Fill(100, 1000);
  for (ReadAhead read_ahead : {ReadAhead::kNever, ReadAhead::kAuto}) {
    OwnedTransaction tr = Begin();
    RangeOptions options = All();
    options.target_bytes = 3000;
    options.read_ahead = read_ahead;
    RangeReader reader(tr, options);
    ASSERT_THAT(reader.Next(), IsOk());
    Put(Name(99), "changed behind what was read");
    tr.Set(Key("result"), "1");
    EXPECT_THAT(tr.Commit().Await(), IsOk());
  }
}

// Random ranges against a map: limits, directions, modes, batch sizes, and writes of the transaction in between.
TEST_F(RangeTest, RandomRangesMatchAMap) {
  std::mt19937_64 random(test::TestSeed());
  const auto pick = [&random](int n) { return static_cast<int>(random() % static_cast<uint64_t>(n)); };
  std::map<std::string, std::string> model;
  Commit([&](Transaction& tr) {
    for (int i = 0; i < 200; ++i) {
      const std::string name = Name(pick(500));
      model[name] = std::string(static_cast<size_t>(pick(300)), 'v');
      tr.Set(Key(name), model[name]);
    }
  });
  for (int round = 0; round < 60; ++round) {
    std::map<std::string, std::string> view = model;
    OwnedTransaction tr = Begin();
    for (int writes = pick(10); writes > 0; --writes) {
      const std::string name = Name(pick(500));
      if (pick(2) == 0) {
        view[name] = "mine";
        tr.Set(Key(name), "mine");
      } else {
        const std::string end = Name(pick(500));
        if (end < name) continue;
        view.erase(view.lower_bound(name), view.lower_bound(end));
        tr.ClearRange(Key(name), Key(end));
      }
    }
    std::string from = Name(pick(500)), to = Name(pick(500));
    if (to < from) std::swap(from, to);
    const std::string begin = Key(from), end = Key(to);
    RangeOptions options{.begin = KeySelectorView::FirstGreaterOrEqual(begin),
                         .end = KeySelectorView::FirstGreaterOrEqual(end),
                         .isolation = pick(2) == 0 ? Isolation::kSnapshot : Isolation::kSerializable,
                         .reverse = pick(2) == 0,
                         .limit = pick(3) == 0 ? 1 + pick(100) : 0,
                         .target_bytes = pick(2) == 0 ? 1 + pick(2000) : 0,
                         .mode = kModes[pick(std::size(kModes))]};
    if (options.mode == StreamingMode::kExact && options.limit == 0) options.limit = 1 + pick(100);
    std::vector<KeyValue> expected;
    for (auto it = view.lower_bound(from); it != view.lower_bound(to); ++it) {
      expected.push_back({Key(it->first), it->second});
    }
    if (options.reverse) std::reverse(expected.begin(), expected.end());
    if (options.limit != 0 && expected.size() > static_cast<size_t>(options.limit)) {
      expected.resize(static_cast<size_t>(options.limit));
    }
    const absl::StatusOr<std::vector<KeyValue>> rows = ReadRange(tr, options);
    ASSERT_THAT(rows, IsOk());
    ASSERT_EQ(*rows == expected, true) << "round " << round << ": " << rows->size() << " rows, expected "
                                       << expected.size() << ", mode " << static_cast<int>(options.mode);
  }
}

// Keys that were cleared at the head are passed over, and those that come back there are found; also at versions of
// some moments ago.
TEST_F(RangeTest, TheHeadOfAQueueIsRightWhileItIsClearedAndFilled) {
  std::mt19937_64 random(::fdbjobs::test::TestSeed());
  const auto pick = [&random](uint64_t below) { return static_cast<int>(random() % below); };
  std::map<std::string, std::string> model;
  std::vector<std::pair<int64_t, std::map<std::string, std::string>>> versions;
  const auto expect_head = [&](Transaction& tr, const std::map<std::string, std::string>& expected, int limit) {
    RangeOptions options = All();
    options.isolation = Isolation::kSnapshot;
    options.limit = limit;
    const absl::StatusOr<std::vector<KeyValue>> rows = ReadRange(tr, options);
    ASSERT_THAT(rows, IsOk());
    ASSERT_EQ(rows->size(), std::min(expected.size(), static_cast<size_t>(limit)));
    auto it = expected.begin();
    for (const KeyValue& row : *rows) {
      ASSERT_EQ(row.key, it->first);
      ASSERT_EQ(row.value, it++->second);
    }
  };
  int next = 0;
  for (int round = 0; round < 400; ++round) {
    OwnedTransaction tr = Begin();
    const int taken = pick(40);
    ASSERT_NO_FATAL_FAILURE(expect_head(tr, model, 1 + taken));
    for (int i = 0; i < taken && !model.empty(); ++i) {
      tr.Clear(model.begin()->first);
      model.erase(model.begin());
    }
    for (int i = pick(41); i > 0; --i, ++next) {
      // Mostly at the end, now and then where others were.
      const std::string key = Key(Name(pick(30) == 0 && next > 0 ? pick(static_cast<uint64_t>(next)) : next));
      tr.Set(key, std::to_string(round));
      model[key] = std::to_string(round);
    }
    ASSERT_THAT(tr.Commit().Await(), IsOk());
    if (const absl::StatusOr<int64_t> version = tr.GetCommittedVersion(); version.ok() && *version > 0) {
      versions.emplace_back(*version, model);
    }
    if (versions.empty() || pick(4) != 0) continue;
    const auto& [version, then] = versions[versions.size() - 1 - random() % std::min<size_t>(versions.size(), 20)];
    OwnedTransaction before = Begin();
    before.SetReadVersion(version);
    ASSERT_NO_FATAL_FAILURE(expect_head(before, then, 1 + pick(30)));
  }
}

}  // namespace
}  // namespace fdbjobs::fdb
