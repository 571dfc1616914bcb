// What a piece of the log comes to in the base, against a std::map, and what it weighs.
#include "fdbjobs/embedded/fold_piece.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/embedded/random_seed.h"
#include "tests/embedded/temporary_folder.h"

namespace fdbjobs::embedded {
namespace {

class FoldPieceTest : public ::testing::Test {
 protected:
  using Map = std::map<std::string, std::string>;

  void SetUp() override {
    std::string why;
    ASSERT_EQ(BaseWriter::Open(path_, /*create=*/true, &writer_, &why), 0) << why;
  }

  // One commit of one entry.
  void Add(EntryKind kind, const std::string& first, const std::string& second) {
    std::string& body = bodies_.emplace_back();  // the piece has views of it
    AppendEntry(&body, kind, true, first, second);
    piece_.Add(RecordView{.version = 1, .hash = 0, .body = body, .total_size = body.size()}, nullptr);
  }
  void Set(const std::string& key, const std::string& value) { Add(EntryKind::kSet, key, value); }
  void Clear(const std::string& key) { Add(EntryKind::kClear, key, ""); }
  void ClearRange(const std::string& begin, const std::string& end) { Add(EntryKind::kClearRange, begin, end); }

  // Writes the piece and begins another one.
  void Fold() {
    bool begun = false;
    BaseMark mark;
    Pace pace;
    ASSERT_EQ(writer_->Begin(&begun, &mark), 0);
    ASSERT_TRUE(begun);
    ASSERT_EQ(piece_.WriteTo(writer_.get(), stop_, &pace), 0);
    ASSERT_EQ(writer_->Commit(mark), 0);
    piece_ = FoldPiece();
    bodies_.clear();
  }

  Map Base() {
    std::string why;
    std::unique_ptr<BaseReader> reader;
    EXPECT_EQ(BaseReader::Open(path_, &reader, &why), 0) << why;
    EXPECT_EQ(reader->Refresh(), 0);
    EXPECT_EQ(reader->StartScan("", "\xff\xff", false), 0);
    Map map;
    ErrorCode error = 0;
    while (reader->NextRow(&error)) map.emplace(reader->row_key(), reader->row_value());
    EXPECT_EQ(error, 0);
    reader->EndScan();
    return map;
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/base.sqlite";
  std::unique_ptr<BaseWriter> writer_;
  const std::atomic<bool> stop_{false};
  std::deque<std::string> bodies_;
  FoldPiece piece_;
};

TEST_F(FoldPieceTest, WhatWasSetAndClearedWeighsNothing) {
  Set("a", "12345");
  EXPECT_EQ(piece_.weight(), 6u);
  Set("a", "1");
  EXPECT_EQ(piece_.weight(), 2u);
  Clear("a");
  EXPECT_EQ(piece_.weight(), 0u);
  Clear("bc");  // the base may have it
  EXPECT_EQ(piece_.weight(), 2u);
  Set("bc", "4");
  EXPECT_EQ(piece_.weight(), 3u);
  Set("d", "1");
  ClearRange("a", "cc");
  EXPECT_EQ(piece_.weight(), 2u + 3u);  // "d", and the range
}

TEST_F(FoldPieceTest, KeysThatAreNotThereAreClearedInVain) {
  for (const std::string key : {"b", "d", "f"}) Set(key, key);
  Fold();
  // Before, between, at and behind those that are there; and beside some that come in meanwhile.
  for (const std::string key : {"a", "aa", "b", "c", "ca", "cb", "e", "g", "h"}) Clear(key);
  Set("c1", "1");
  Set("ca1", "2");
  Set("g1", "3");
  Fold();
  EXPECT_EQ(Base(), (Map{{"c1", "1"}, {"ca1", "2"}, {"d", "d"}, {"f", "f"}, {"g1", "3"}}));
}

TEST_F(FoldPieceTest, RandomPiecesLeaveWhatAMapDoes) {
  std::mt19937_64 random(RandomSeed());
  const auto key = [&] { return absl::StrCat("key", 100 + random() % 300); };
  Map expected;
  for (int piece = 0; piece < 60; ++piece) {
    const int entries = 1 + static_cast<int>(random() % 200);
    for (int i = 0; i < entries; ++i) {
      const std::string one = key();
      switch (random() % 16) {
        case 0: {
          const std::string other = key();
          if (one >= other) break;
          ClearRange(one, other);
          expected.erase(expected.lower_bound(one), expected.lower_bound(other));
          break;
        }
        case 1:
        case 2:
        case 3:
        case 4:
        case 5:
          Set(one, absl::StrCat(i));
          expected[one] = absl::StrCat(i);
          break;
        default:
          Clear(one);
          expected.erase(one);
      }
    }
    Fold();
    ASSERT_EQ(Base(), expected) << "piece " << piece;
  }
}

}  // namespace
}  // namespace fdbjobs::embedded
