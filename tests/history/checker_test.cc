// The checker against histories made by hand: it lets right ones pass and notices what is wrong with the others.
#include "tests/history/checker.h"

#include <string>

#include "fdbjobs/fdb/options.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace fdbjobs::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Kind = Operation::Kind;

std::string StampOf(int64_t version) {
  std::string stamp(10, '\0');
  for (int i = 7; i >= 0; --i, version >>= 8) stamp[i] = static_cast<char>(version);
  return stamp;
}

Operation Get(const std::string& key, std::optional<std::string> found) {
  Operation get;
  get.key = key;
  get.found = std::move(found);
  return get;
}

Operation Set(const std::string& key, const std::string& value) {
  Operation set;
  set.kind = Kind::kSet;
  set.key = key;
  set.value = value;
  return set;
}

// The key space is [d, e); the state at first d1 = "old". Time goes on by itself.
class CheckerTest : public ::testing::Test {
 protected:
  CheckerTest() {
    history_.data_begin = "d";
    history_.data_end = "e";
    history_.first = history_.last = {{"d1", "old"}};
  }

  // Read at `read`, committed at `commit` and acknowledged. The first write is the marker.
  Attempt& Commit(int64_t read, int64_t commit, std::vector<Operation> operations) {
    Attempt attempt;
    attempt.id = ++id_;
    attempt.started_us = ++time_;
    attempt.finished_us = ++time_;
    attempt.read_version = read;
    attempt.commit_tried = true;
    attempt.committed_version = commit;
    attempt.stamp = StampOf(commit);
    operations.insert(operations.begin(), Set("marker", "m"));
    attempt.operations = std::move(operations);
    history_.markers[attempt.id] = attempt.stamp;
    history_.attempts.push_back(std::move(attempt));
    return history_.attempts.back();
  }

  std::vector<std::string> CheckAll() { return Check(&history_); }

  RecordedHistory history_;
  uint64_t id_ = 0;
  int64_t time_ = 0;
};

TEST_F(CheckerTest, ARightHistoryPasses) {
  Commit(100, 110, {Get("d1", "old"), Set("d1", "a"), Get("d1", "a")});
  Commit(120, 130, {Get("d1", "a"), Set("d2", "b")});
  history_.last = {{"d1", "a"}, {"d2", "b"}};
  EXPECT_THAT(CheckAll(), IsEmpty());
}

TEST_F(CheckerTest, ALostUpdateIsNoticed) {
  Commit(100, 110, {Get("d1", "old"), Set("d1", "a")});
  Attempt& lost = Commit(100, 120, {Get("d1", "old"), Set("d1", "b")});
  lost.started_us = 1;  // side by side with the first
  history_.last = {{"d1", "b"}};
  EXPECT_THAT(CheckAll(), ElementsAre(HasSubstr("should have conflicted"), HasSubstr("at its commit")));
}

TEST_F(CheckerTest, AConflictThatLeftTheSameValueIsNoticed) {
  Commit(100, 110, {Set("d1", "old")});
  Commit(100, 120, {Get("d1", "old"), Set("d2", "b")}).started_us = 1;
  history_.last = {{"d1", "old"}, {"d2", "b"}};
  EXPECT_THAT(CheckAll(), ElementsAre(HasSubstr("should have conflicted")));
}

TEST_F(CheckerTest, ASnapshotReadMayBeOldAtTheCommitButNotAtItsReadVersion) {
  Commit(100, 110, {Set("d1", "a")});
  Operation snapshot = Get("d1", "old");
  snapshot.snapshot = true;
  Commit(100, 120, {snapshot, Set("d2", "b")}).started_us = 1;
  history_.last = {{"d1", "a"}, {"d2", "b"}};
  EXPECT_THAT(CheckAll(), IsEmpty());
  history_.attempts.back().read_version = 115;
  EXPECT_THAT(CheckAll(), ElementsAre(HasSubstr("at its read version")));
}

TEST_F(CheckerTest, AStaleReadIsNoticed) {
  Commit(100, 110, {Set("d1", "a")});
  Commit(105, 120, {Set("d2", "b")});
  history_.last = {{"d1", "a"}, {"d2", "b"}};
  EXPECT_THAT(CheckAll(), ElementsAre(HasSubstr("was acknowledged, but lies before it")));
}

TEST_F(CheckerTest, ALostCommitIsNoticed) {
  const uint64_t id = Commit(100, 110, {Set("d1", "a")}).id;
  history_.markers.erase(id);
  history_.last = {{"d1", "old"}};
  EXPECT_THAT(CheckAll(), ElementsAre(HasSubstr("but the marker says"), HasSubstr("the database is not")));
}

TEST_F(CheckerTest, ACommitThatWasRefusedIsNoticed) {
  Attempt& refused = Commit(100, 110, {Set("d1", "a")});
  refused.error = 1020;
  refused.stamp = "";
  history_.last = {{"d1", "a"}};
  EXPECT_THAT(CheckAll(), ElementsAre(HasSubstr("in spite of its error"), HasSubstr("the database is not")));
}

TEST_F(CheckerTest, AMarkerDecidesWhatNobodyKnew) {
  Attempt& unknown = Commit(100, 110, {Set("d1", "a")});
  unknown.error = 1021;
  unknown.maybe_committed = true;
  unknown.stamp = "";
  Attempt& gone = Commit(111, 120, {Set("d1", "b")});
  gone.error = 1021;
  gone.maybe_committed = true;
  gone.stamp = "";
  history_.markers.erase(gone.id);
  history_.last = {{"d1", "a"}};
  EXPECT_THAT(CheckAll(), IsEmpty());
}

TEST_F(CheckerTest, ARangeThatMissedARowIsNoticed) {
  Operation range;
  range.kind = Kind::kGetRange;
  range.begin = {"d", false, 1};
  range.end = {"e", false, 1};
  range.mode = static_cast<int>(fdb::StreamingMode::kIterator);
  Commit(100, 110, {range, Set("d1", "old")});
  EXPECT_THAT(CheckAll(), ElementsAre(HasSubstr("at its read version"), HasSubstr("at its commit")));
  // A batch that says there is more may end early.
  history_.attempts[0].operations[1].more = true;
  EXPECT_THAT(CheckAll(), IsEmpty());
}

TEST_F(CheckerTest, TwoWithOneStampAreNoticed) {
  Commit(100, 110, {Set("d1", "a")});
  Commit(109, 110, {Set("d1", "a")}).started_us = 1;
  history_.last = {{"d1", "a"}};
  EXPECT_THAT(CheckAll(), ElementsAre(HasSubstr("has the stamp of another")));
}

TEST(History, AttemptsComeBackFromTheirBytes) {
  Attempt attempt;
  attempt.id = ~uint64_t{0};
  attempt.stamp = StampOf(77);
  attempt.operations = {Get("a", std::nullopt), Get("b", std::string("\0x", 2)), Set("c", "")};
  attempt.operations[0].rows = {{"k", "v"}, {"", ""}};
  attempt.operations[1].begin = {"s", true, -3};
  const std::vector<Attempt> decoded = Decode(Encode({attempt, attempt}));
  ASSERT_EQ(decoded.size(), 2);
  EXPECT_EQ(Show(decoded[1]), Show(attempt));
  EXPECT_EQ(decoded[1].operations[0].rows, attempt.operations[0].rows);
  EXPECT_EQ(decoded[1].operations[1].begin.offset, -3);
}

TEST(Model, SelectorsCountFromTheirKey) {
  const Map map = {{"a", ""}, {"b", ""}, {"c", ""}};
  EXPECT_EQ(Resolve(map, {"b", false, 1}), "b");
  EXPECT_EQ(Resolve(map, {"b", true, 1}), "c");
  EXPECT_EQ(Resolve(map, {"b", false, 0}), "a");
  EXPECT_EQ(Resolve(map, {"b", true, 0}), "b");
  EXPECT_EQ(Resolve(map, {"bb", false, 0}), "b");
  EXPECT_EQ(Resolve(map, {"a", false, 3}), "c");
  EXPECT_EQ(Resolve(map, {"a", false, 4}), std::nullopt);
  EXPECT_EQ(Resolve(map, {"c", true, -2}), "a");
  EXPECT_EQ(Resolve(map, {"c", true, -3}), std::nullopt);
}

TEST(Model, AtomicOperationsFollowTheDocumentation) {
  using fdb::MutationType;
  const auto after = [](MutationType type, std::optional<std::string> old, const std::string& operand) {
    return AfterAtomic(static_cast<int>(type), old, operand);
  };
  const std::string zeros(2, '\0');
  EXPECT_EQ(after(MutationType::kAdd, "\xff", zeros.substr(1) + "\x01"), "\xff\x01");
  EXPECT_EQ(after(MutationType::kAdd, "\xff\xff\x07", "\x01" + zeros.substr(1)), zeros);
  EXPECT_EQ(after(MutationType::kBitAnd, std::nullopt, "\x0f"), "\x0f");
  EXPECT_EQ(after(MutationType::kBitAnd, "", "\x0f"), zeros.substr(1));
  EXPECT_EQ(after(MutationType::kBitOr, "\x01", "\x02\x04"), "\x03\x04");
  EXPECT_EQ(after(MutationType::kBitXor, "\x03", "\x01"), "\x02");
  EXPECT_EQ(after(MutationType::kAppendIfFits, "ab", "c"), "abc");
  EXPECT_EQ(after(MutationType::kAppendIfFits, std::string(100'000, 'x'), "c"), std::string(100'000, 'x'));
  EXPECT_EQ(after(MutationType::kMax, "\x01\x02", "\x02\x01"), "\x01\x02");
  EXPECT_EQ(after(MutationType::kMin, std::nullopt, "\x05"), "\x05");
  EXPECT_EQ(after(MutationType::kMin, "", "\x05"), zeros.substr(1));
  EXPECT_EQ(after(MutationType::kByteMin, "b", "a"), "a");
  EXPECT_EQ(after(MutationType::kByteMax, "b", "a"), "b");
  EXPECT_EQ(after(MutationType::kCompareAndClear, "a", "a"), std::nullopt);
  EXPECT_EQ(after(MutationType::kCompareAndClear, "b", "a"), "b");
}

}  // namespace
}  // namespace fdbjobs::test
