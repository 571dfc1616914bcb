// Who conflicts with whom: against a plain list of all writes.
#include "fdbjobs/embedded/conflict_history.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/embedded/random_seed.h"

namespace fdbjobs::embedded {
namespace {

struct Write {
  std::string begin;
  std::string end;
  Version version;
};

TEST(ConflictHistory, AgreesWithAListOfAllWrites) {
  std::mt19937_64 random{RandomSeed()};
  const auto key = [&] {
    std::string bytes(1 + random() % 3, 'a');
    for (char& c : bytes) c = static_cast<char>('a' + random() % 5);
    return bytes;
  };
  ConflictHistory history;
  std::vector<Write> writes;
  Version version = 1000;
  history.Clear(version);
  for (int step = 0; step < 20000; ++step) {
    std::string begin = key();
    std::string end = random() % 2 == 0 ? KeyAfter(begin) : key();
    if (begin > end) std::swap(begin, end);
    if (random() % 2 == 0) {
      version += static_cast<Version>(random() % 20'000);
      history.Add(begin, end, version);
      if (begin < end) writes.push_back({begin, end, version});
    } else {
      const Version read = std::max(history.oldest(), version - static_cast<Version>(random() % 1'000'000));
      bool expected = false;
      for (const Write& write : writes) {
        expected |= begin < end && write.version > read && write.begin < end && begin < write.end;
      }
      ASSERT_EQ(history.Conflicts(begin, end, read), expected) << begin << " " << end << " " << read;
    }
    if (step % 100 == 0) {
      history.DropBefore(version - 1'000'000);
      std::erase_if(writes, [&](const Write& write) { return write.version <= history.oldest(); });
      ASSERT_LE(history.oldest(), std::max<Version>(1000, version - 1'000'000));
    }
  }
}

TEST(ConflictHistory, ForgetsWhatIsDropped) {
  ConflictHistory history;
  history.Clear(0);
  for (Version version = 1; version <= 10'000'000; version += 1000) {
    history.Add(std::to_string(version), std::to_string(version) + "x", version);
  }
  const size_t before = history.boundaries();
  history.DropBefore(9'000'000);
  EXPECT_LT(history.boundaries(), before / 5);
  EXPECT_GT(history.oldest(), 8'500'000);
  history.DropBefore(20'000'000);
  EXPECT_EQ(history.boundaries(), 0u);
}

TEST(WrittenRanges, AnEmptyRangeIsNeitherWrittenNorRead) {
  WrittenRanges written;
  written.Add("b", "b", 5);
  EXPECT_FALSE(written.AnyAfter("a", "z", 0));
  written.Add("b", "c", 5);
  EXPECT_FALSE(written.AnyAfter("b", "b", 0));
  EXPECT_TRUE(written.AnyAfter("a", "bb", 4));
  EXPECT_FALSE(written.AnyAfter("c", "d", 0));
}

}  // namespace
}  // namespace fdbjobs::embedded
