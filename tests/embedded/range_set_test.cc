#include "fdbjobs/embedded/range_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "tests/embedded/random_seed.h"

namespace fdbjobs::embedded {

bool operator==(const KeyRange& a, const KeyRange& b) { return a.begin == b.begin && a.end == b.end; }

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(RangeSetTest, JoinsRangesThatOverlapOrTouch) {
  RangeSet set;
  set.Add("c", "e");
  set.Add("a", "b");
  set.Add("d", "f");
  set.Add("b", "bb");
  set.Add("x", "z");
  set.Add("y", "yy");
  EXPECT_THAT(set.Ranges(), ElementsAre(KeyRange{"a", "bb"}, KeyRange{"c", "f"}, KeyRange{"x", "z"}));
}

TEST(RangeSetTest, AKeyIsTheRangeUpToTheNextKey) {
  RangeSet set;
  set.AddKey("b");
  set.AddKey("a");
  set.AddKey("b");
  set.AddKey("");
  EXPECT_THAT(set.Ranges(),
              ElementsAre(KeyRange{"", KeyAfter("")}, KeyRange{"a", KeyAfter("a")}, KeyRange{"b", KeyAfter("b")}));
}

TEST(RangeSetTest, EmptyAndInvertedRangesAddNothing) {
  RangeSet set;
  set.Add("a", "a");
  set.Add("b", "a");
  EXPECT_TRUE(set.empty());
  EXPECT_THAT(set.Ranges(), IsEmpty());
}

TEST(RangeSetTest, CanBeUsedAgainAfterClear) {
  RangeSet set;
  set.Add("b", "c");
  set.Add("a", "b");
  set.Clear();
  EXPECT_TRUE(set.empty());
  set.AddKey("z");
  EXPECT_THAT(set.Ranges(), ElementsAre(KeyRange{"z", KeyAfter("z")}));
}

// So many bytes that ranges are joined on the way.
TEST(RangeSetTest, TheSameKeysOverAndOverStayTheSameKeys) {
  RangeSet set;
  for (int i = 0; i < 10'000; ++i) set.AddKey(std::string(4000, static_cast<char>('a' + i % 3)));
  const std::string a(4000, 'a');
  const std::string b(4000, 'b');
  const std::string c(4000, 'c');
  EXPECT_THAT(set.Ranges(), ElementsAre(KeyRange{a, KeyAfter(a)}, KeyRange{b, KeyAfter(b)}, KeyRange{c, KeyAfter(c)}));
}

TEST(RangeSetTest, RandomRangesCoverTheSameKeysAsAModel) {
  std::mt19937_64 random(RandomSeed());
  const auto key = [&](uint64_t number) { return std::string{char('a' + number / 64), char('0' + number % 64)}; };
  for (int round = 0; round < 20; ++round) {
    RangeSet set;
    std::set<uint64_t> model;
    for (int i = 0; i < 3000; ++i) {
      const uint64_t begin = random() % 1000;
      const uint64_t end = begin + random() % (i % 100 == 0 ? 20 : 3);
      set.Add(key(begin), key(end));
      for (uint64_t covered = begin; covered < end; ++covered) model.insert(covered);
      if (i % 1000 == 0) set.Ranges();
    }
    std::set<uint64_t> got;
    const std::vector<KeyRange> ranges = set.Ranges();
    for (size_t i = 0; i < ranges.size(); ++i) {
      EXPECT_LT(ranges[i].begin, ranges[i].end);
      if (i > 0) {
        EXPECT_LT(ranges[i - 1].end, ranges[i].begin);
      }
      for (uint64_t number = 0; number < 1020; ++number) {
        if (ranges[i].begin <= key(number) && key(number) < ranges[i].end) got.insert(number);
      }
    }
    EXPECT_EQ(got, model);
  }
}

}  // namespace
}  // namespace fdbjobs::embedded
