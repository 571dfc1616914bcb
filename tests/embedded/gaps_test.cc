// Ranges that are known to hold nothing.
#include "fdbjobs/embedded/gaps.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/embedded/random_seed.h"

namespace fdbjobs::embedded {
namespace {

TEST(GapsTest, SkipsWhatWasNotedFromItsVersionOn) {
  Gaps gaps;
  gaps.Note("a", "m", 100);
  EXPECT_EQ(gaps.Skip("a", 100), "m");
  EXPECT_EQ(gaps.Skip("c", 200), "m");
  EXPECT_EQ(gaps.Skip("a", 99), "a");
  EXPECT_EQ(gaps.Skip("m", 100), "m");
  EXPECT_EQ(gaps.Skip("A", 100), "A");
}

TEST(GapsTest, AReadThatBeganEarlierUsesTheOlderNeighbour) {
  Gaps gaps;
  gaps.Note("a", "m", 100);
  gaps.Note("m", "t", 110);
  EXPECT_EQ(gaps.Skip("a", 105), "m");
  EXPECT_EQ(gaps.Skip("a", 110), "t");
}

TEST(GapsTest, OldNeighboursBecomeOne) {
  Gaps gaps;
  for (int i = 0; i < 100; ++i) {
    const std::string begin(1, static_cast<char>(i));
    gaps.Note(begin, std::string(1, static_cast<char>(i + 1)), 1'000'000 * i);
  }
  EXPECT_LE(gaps.size(), 2u);
  EXPECT_EQ(gaps.Skip(std::string(1, '\0'), 99'000'000), std::string(1, static_cast<char>(100)));
}

// A queue that is read every now and then, and one that is read all the time: both over a long time.
TEST(GapsTest, OnlyTheLastTenthOfASecondIsRememberedOneByOne) {
  for (const Version every : {80'000, 1'000}) {
    SCOPED_TRACE(every);
    Gaps gaps;
    size_t most = 0;
    for (int i = 0; i < 10'000; ++i) {
      const auto name = [](int key) { return std::string{static_cast<char>(key >> 8), static_cast<char>(key & 0xff)}; };
      gaps.Note(name(i), name(i + 1), every * i);
      most = std::max(most, gaps.size());
    }
    EXPECT_LE(most, 2 * (100'000 / every + 2));
    EXPECT_EQ(gaps.Skip(std::string(2, '\0'), every * 10'000), (std::string{10'000 >> 8, 10'000 & 0xff}));
  }
}

TEST(GapsTest, AReadThatBeganEarlierAndCameLaterAddsToTheGap) {
  Gaps gaps;
  gaps.Note("a", "m", 100);
  gaps.Note("m", "t", 90);
  EXPECT_EQ(gaps.Skip("a", 100), "t");
  EXPECT_EQ(gaps.size(), 2u);
}

// A queue that is found empty, so that all of it is a gap, and then gets a key at its end, again and again.
TEST(GapsTest, KeysThatCutAGapAndAreClearedLaterLeaveNoHoles) {
  Gaps gaps;
  const auto name = [](int key) {
    return std::string{'q', static_cast<char>(key >> 8), static_cast<char>(key & 0xff)};
  };
  size_t most = 0;
  for (int i = 0; i < 2'000; ++i) {
    const Version now = 5'000 * i;
    gaps.Cut(name(i));
    // Seventeen dead keys are worth noting; see SnapshotReader.
    if (i % 17 == 16) gaps.Note(gaps.Skip("q", now), "r", now);
    most = std::max(most, gaps.size());
  }
  EXPECT_LE(most, 80u);
}

TEST(GapsTest, AKeyInTheMidstOfARunCutsItAndNothingElse) {
  Gaps gaps;
  gaps.Note("a", "f", 100);
  gaps.Note("f", "m", 110);
  gaps.Note("m", "t", 120);
  gaps.Cut("h");
  EXPECT_EQ(gaps.Skip("a", 105), "f");
  EXPECT_EQ(gaps.Skip("a", 120), "h");
  EXPECT_EQ(gaps.Skip(std::string("h\0", 2), 115), "m");
  EXPECT_EQ(gaps.Skip(std::string("h\0", 2), 120), "t");
  gaps.DropUpTo(110);
  EXPECT_EQ(gaps.Skip("a", 120), "a");
  EXPECT_EQ(gaps.Skip("i", 120), "i");
  EXPECT_EQ(gaps.Skip("m", 120), "t");
}

TEST(GapsTest, AKeyThatIsSetIsFoundAgain) {
  Gaps gaps;
  gaps.Note("a", "m", 100);
  gaps.Cut("k");
  EXPECT_EQ(gaps.Skip("a", 200), "k");
  EXPECT_EQ(gaps.Skip("k", 200), "k");
  EXPECT_EQ(gaps.Skip(std::string("k\0", 2), 200), "m");
  gaps.Cut("a");
  EXPECT_EQ(gaps.Skip("a", 200), "a");
}

// Some keys that are set and cleared as time goes by.
class Keys {
 public:
  static constexpr int kKeys = 24;
  static std::string Name(int key) { return std::string(1, static_cast<char>('a' + key)); }

  Keys() : changes_(kKeys) {}
  void Change(int key, bool live, Version version) { changes_[key].push_back({version, live}); }
  bool IsLive(int key, Version at) const {
    bool live = false;
    for (const auto& [version, after] : changes_[key]) live = version <= at ? after : live;
    return live;
  }
  // Whether [from, to) was empty at `at` and ever since.
  bool IsEmptySince(int from, int to, Version at) const {
    for (int key = from; key < to; ++key) {
      if (IsLive(key, at)) return false;
      for (const auto& [version, live] : changes_[key]) {
        if (version > at && live) return false;
      }
    }
    return true;
  }

 private:
  std::vector<std::vector<std::pair<Version, bool>>> changes_;
};

TEST(GapsTest, NothingThatIsThereIsEverSkipped) {
  std::mt19937_64 random(RandomSeed());
  for (int run = 0; run < 50; ++run) {
    Gaps gaps;
    Keys keys;
    Version now = 0;
    for (int step = 0; step < 400; ++step) {
      now += static_cast<Version>(random() % 60'000);
      const int key = static_cast<int>(random() % Keys::kKeys);
      const bool set = random() % 3 == 0;
      keys.Change(key, set, now);
      if (set) gaps.Cut(Keys::Name(key));
      const int from = static_cast<int>(random() % Keys::kKeys);
      const int to = from + static_cast<int>(random() % 8);
      const Version at = now - static_cast<Version>(random() % 100'000);
      if (keys.IsEmptySince(from, std::min(to, Keys::kKeys), at)) gaps.Note(Keys::Name(from), Keys::Name(to), at);
      if (random() % 50 == 0) gaps.DropUpTo(now - 200'000);
      const int begin = static_cast<int>(random() % Keys::kKeys);
      const Version read = now - static_cast<Version>(random() % 200'000);
      const std::string skipped(gaps.Skip(Keys::Name(begin), read));
      for (int passed = begin; passed < Keys::kKeys && Keys::Name(passed) < skipped; ++passed) {
        ASSERT_FALSE(keys.IsLive(passed, read)) << "run " << run << ", step " << step << ": " << Keys::Name(passed);
      }
    }
  }
}

}  // namespace
}  // namespace fdbjobs::embedded
