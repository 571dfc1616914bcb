// The changes of one key.
#include "fdbjobs/embedded/change_list.h"

#include <algorithm>
#include <deque>
#include <random>

#include "gtest/gtest.h"
#include "tests/embedded/random_seed.h"

namespace fdbjobs::embedded {
namespace {

constexpr char kValue[] = "value";

// A plain list of the same changes, searched from the end.
class Model {
 public:
  void Push(const Change& change) { changes_.push_back(change); }
  void PopOldest() { changes_.pop_front(); }
  bool empty() const { return changes_.empty(); }

  Version LatestVersion(Version at) const {
    const auto found =
        std::find_if(changes_.rbegin(), changes_.rend(), [at](const Change& change) { return change.version <= at; });
    return found == changes_.rend() ? 0 : found->version;
  }
  bool WrittenAfter(Version version) const {
    return std::any_of(changes_.begin(), changes_.end(),
                       [version](const Change& change) { return change.version > version && change.conflicts; });
  }

 private:
  std::deque<Change> changes_;
};

void ExpectSame(const ChangeList& list, const Model& model, Version last) {
  ASSERT_EQ(list.empty(), model.empty());
  for (Version at = std::max<Version>(0, last - 40); at <= last + 1; ++at) {
    const Change* const latest = list.Latest(at);
    ASSERT_EQ(latest == nullptr ? 0 : latest->version, model.LatestVersion(at)) << "at " << at;
    const bool written = list.AnyAfter(at, [](const Change& change) { return change.conflicts; });
    ASSERT_EQ(written, model.WrittenAfter(at)) << "after " << at;
  }
}

TEST(ChangeListTest, AnswersAsAPlainListDoes) {
  std::mt19937_64 random(RandomSeed());
  for (int round = 0; round < 20; ++round) {
    ChangeList list;
    Model model;
    Version last = 0;
    const unsigned pushes = 1 + random() % 3;  // of four steps; the others pop
    for (int step = 0; step < 300; ++step) {
      if (list.empty() || random() % 4 < pushes) {
        last += 1 + static_cast<Version>(random() % 3);
        const Change change{last, random() % 3 == 0 ? nullptr : kValue, sizeof kValue, random() % 4 == 0};
        list.Push(change);
        model.Push(change);
      } else {
        list.PopOldest();
        model.PopOldest();
      }
      ExpectSame(list, model, last);
    }
  }
}

// Else to forget the changes of a key that every commit writes takes the square of their number.
TEST(ChangeListTest, MovesFewChangesToForgetMany) {
  constexpr size_t kChanges = 100'000;
  ChangeList list;
  for (size_t i = 0; i < kChanges; ++i) list.Push({static_cast<Version>(i + 1), kValue, sizeof kValue, true});
  size_t moved = 0;
  while (list.size() > 1) {
    const Change* const before = &list.newest();
    list.PopOldest();
    if (&list.newest() != before) moved += list.size();
  }
  EXPECT_EQ(list.newest().version, static_cast<Version>(kChanges));
  EXPECT_LE(moved, 2 * kChanges);
}

}  // namespace
}  // namespace fdbjobs::embedded
