// Random transactions against a naive model: a copy of the whole map with the writes applied.
//
// What a read returns must be what the model says. What it conflicts with must be enough: no change of a key outside
// of the conflict ranges may change the result. And not too much: for plain ranges exactly what was read.
// Engine-only: it uses Transaction below the C ABI, over a fake engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "fdbjobs/embedded/limits.h"
#include "tests/embedded/random_seed.h"
#include "tests/embedded/transaction_fixture.h"

namespace fdbjobs::embedded {
namespace {

using Range = TestTransaction::Range;

// All keys that occur. Some are neighbours without a key between them.
std::vector<std::string> Universe() {
  std::vector<std::string> keys = {"", std::string(1, '\0')};
  for (char c = 'a'; c <= 'h'; ++c) {
    keys.push_back(std::string(1, c));
    if (c % 2 == 0) keys.push_back(std::string(1, c) + '\0');
    if (c % 3 == 0) keys.push_back(std::string(1, c) + "x");
  }
  keys.push_back("\xfe");
  return keys;
}

struct Write {
  Mutation mutation;
  bool conflict = true;
};

struct ModelSelector {
  std::string key;
  bool or_equal = false;
  int offset = 1;

  KeySelectorView view() const { return {key, or_equal, offset}; }
};

struct Read {
  enum Kind { kGet, kGetKey, kGetRange } kind = kGet;
  ModelSelector begin;
  ModelSelector end;
  int limit = 0;
  int target_bytes = 0;
  int mode = -1;
  bool reverse = false;
  bool snapshot = false;
};

struct Scenario {
  Map base;
  std::vector<Write> writes;
  Read read;
  bool read_your_writes = true;
  bool snapshot_read_your_writes = true;

  bool SeesOwnWrites() const { return read_your_writes && (!read.snapshot || snapshot_read_your_writes); }
};

// The naive answer.
class Model {
 public:
  explicit Model(const Scenario& scenario) : rows_(scenario.base) {
    if (!scenario.SeesOwnWrites()) return;
    for (const Write& write : scenario.writes) ApplyMutations({write.mutation}, 1, &rows_);
  }

  std::string Answer(const Read& read) const {
    switch (read.kind) {
      case Read::kGet: {
        const auto found = rows_.find(read.begin.key);
        return found == rows_.end() ? "<none>" : found->second;
      }
      case Read::kGetKey:
        return Resolve(read.begin);
      default:
        return AnswerRange(read);
    }
  }

 private:
  std::string Resolve(const ModelSelector& selector) const {
    auto at = selector.or_equal ? rows_.upper_bound(selector.key) : rows_.lower_bound(selector.key);
    for (int i = selector.offset; i > 1; --i) {
      if (at == rows_.end()) break;
      ++at;
    }
    for (int i = selector.offset; i < 1; ++i) {
      if (at == rows_.begin()) return "";
      --at;
    }
    return at == rows_.end() ? std::string(kSystemBegin) : at->first;
  }

  static size_t MaxBytes(const Read& read) {
    static constexpr size_t kByMode[] = {80000, 4096, kNoRowLimit, 256, 1000, 4096, 80000};
    const size_t by_mode = kByMode[read.mode + 2];
    return read.target_bytes == 0 ? by_mode : std::min<size_t>(by_mode, static_cast<size_t>(read.target_bytes));
  }

  std::string AnswerRange(const Read& read) const {
    const std::string begin = Resolve(read.begin);
    const std::string end = Resolve(read.end);
    std::vector<std::pair<std::string, std::string>> rows;
    if (begin < end) rows.assign(rows_.lower_bound(begin), rows_.lower_bound(end));
    if (read.reverse) std::reverse(rows.begin(), rows.end());
    std::string text;
    size_t bytes = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      text += (i == 0 ? "" : " ") + rows[i].first + "=" + rows[i].second;
      bytes += rows[i].first.size() + rows[i].second.size();
      const bool enough_rows = read.limit > 0 && i + 1 >= static_cast<size_t>(read.limit);
      if (enough_rows || bytes >= MaxBytes(read)) return text + "...";
    }
    return text;
  }

  Map rows_;
};

void DoWrite(const TestTransaction& transaction, const Write& write) {
  const Mutation& m = write.mutation;
  if (!write.conflict) transaction->SetOption(30, std::nullopt);
  switch (m.type) {
    case MutationType::kSet:
      return transaction->Set(m.key, m.value);
    case MutationType::kClearRange:
      return m.value == KeyAfter(m.key) ? transaction->Clear(m.key) : transaction->ClearRange(m.key, m.value);
    default:
      return transaction->AtomicOp(m.key, m.value, static_cast<int>(m.type));
  }
}

struct Outcome {
  std::string answer;
  std::vector<Range> conflicts;
  Map committed;
};

Outcome RunScenario(const Scenario& scenario) {
  const TestDatabase database(scenario.base);
  const TestTransaction transaction(database);
  if (!scenario.read_your_writes) transaction->SetOption(51, std::nullopt);
  if (!scenario.snapshot_read_your_writes) transaction->SetOption(601, std::nullopt);
  for (const Write& write : scenario.writes) DoWrite(transaction, write);
  const Read& read = scenario.read;
  Outcome outcome;
  switch (read.kind) {
    case Read::kGet:
      outcome.answer = transaction.Get(read.begin.key, read.snapshot);
      break;
    case Read::kGetKey:
      outcome.answer = transaction.GetKey(read.begin.view(), read.snapshot);
      break;
    case Read::kGetRange:
      outcome.answer = transaction.GetRange({.begin = read.begin.view(),
                                             .end = read.end.view(),
                                             .limit = read.limit,
                                             .target_bytes = read.target_bytes,
                                             .mode = read.mode,
                                             .snapshot = read.snapshot,
                                             .reverse = read.reverse});
      break;
  }
  outcome.conflicts = transaction.ReadConflicts();
  EXPECT_EQ(transaction.Commit(), kSuccess);
  outcome.committed = database.engine->rows();
  return outcome;
}

bool Covers(const std::vector<Range>& ranges, const std::string& key) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const Range& range) { return range.first <= key && key < range.second; });
}

std::string Describe(const Scenario& scenario) {
  const auto print = [](std::string_view bytes) { return testing::PrintToString(std::string(bytes)); };
  std::string text = "base:";
  for (const auto& [key, value] : scenario.base) text += " " + print(key);
  for (const Write& write : scenario.writes) {
    text += "\nwrite " + std::to_string(static_cast<int>(write.mutation.type)) + " " + print(write.mutation.key) + " " +
            print(write.mutation.value);
  }
  const Read& read = scenario.read;
  for (const ModelSelector* selector : {&read.begin, &read.end}) {
    text += "\nselector " + print(selector->key) + (selector->or_equal ? " or equal " : " ") +
            std::to_string(selector->offset);
  }
  return text + "\nkind " + std::to_string(read.kind) + " limit " + std::to_string(read.limit) + " bytes " +
         std::to_string(read.target_bytes) + " mode " + std::to_string(read.mode) + (read.reverse ? " reverse" : "") +
         (read.snapshot ? " snapshot" : "") + (scenario.read_your_writes ? "" : " without read-your-writes");
}

class TransactionModelTest : public testing::Test {
 protected:
  size_t Below(size_t limit) { return random_() % limit; }
  bool OneIn(size_t n) { return Below(n) == 0; }
  const std::string& RandomKey() { return universe_[Below(universe_.size())]; }
  std::string RandomValue() { return std::string(1 + Below(3), char('0' + Below(10))); }

  ModelSelector RandomSelector(bool plain) {
    if (plain) return {RandomKey()};
    ModelSelector selector{RandomKey(), OneIn(2), static_cast<int>(Below(9)) - 4};
    if (OneIn(20)) selector.key = std::string(kSystemBegin);
    if (OneIn(50)) selector.offset *= 1000;
    return selector;
  }

  Write RandomWrite() {
    static constexpr MutationType kTypes[] = {MutationType::kAdd, MutationType::kByteMax, MutationType::kAppendIfFits,
                                              MutationType::kCompareAndClear};
    Write write{{MutationType::kSet, RandomKey(), RandomValue()}, !OneIn(4)};
    Mutation& m = write.mutation;
    switch (Below(5)) {
      case 0:
        m.type = MutationType::kClearRange;
        m.value = RandomKey();
        if (m.value < m.key) std::swap(m.key, m.value);
        break;
      case 1:
        m = {MutationType::kClearRange, m.key, KeyAfter(m.key)};
        break;
      case 2:
        m.type = kTypes[Below(std::size(kTypes))];
        break;
      default:
        break;
    }
    return write;
  }

  Read RandomRead() {
    Read read;
    read.kind = static_cast<Read::Kind>(Below(3));
    const bool plain = OneIn(3);
    read.begin = RandomSelector(plain || read.kind == Read::kGet);
    read.end = RandomSelector(plain);
    read.limit = OneIn(2) ? static_cast<int>(1 + Below(6)) : 0;
    read.target_bytes = OneIn(3) ? static_cast<int>(1 + Below(20)) : 0;
    read.mode = static_cast<int>(Below(7)) - 2;
    if (read.mode == 0 && read.limit == 0 && read.target_bytes == 0) read.limit = 100;
    read.reverse = OneIn(2);
    read.snapshot = OneIn(5);
    return read;
  }

  Scenario RandomScenario() {
    Scenario scenario;
    const size_t density = 1 + Below(4);
    for (const std::string& key : universe_) {
      if (OneIn(density)) scenario.base[key] = RandomValue();
    }
    for (size_t writes = Below(8); writes > 0; --writes) scenario.writes.push_back(RandomWrite());
    scenario.read = RandomRead();
    scenario.read_your_writes = !OneIn(6);
    scenario.snapshot_read_your_writes = !OneIn(3);
    return scenario;
  }

  // A change of any key that the read did not conflict with leaves the answer as it was.
  void ExpectEnoughConflicts(const Scenario& scenario, const Outcome& outcome) {
    if (scenario.read.snapshot) {
      EXPECT_TRUE(outcome.conflicts.empty());
      return;
    }
    for (const std::string& key : universe_) {
      if (Covers(outcome.conflicts, key)) continue;
      Scenario changed = scenario;
      if (changed.base.erase(key) == 0) changed.base[key] = "new";
      EXPECT_EQ(Model(changed).Answer(scenario.read), outcome.answer)
          << "no conflict with a change of " << testing::PrintToString(key);
    }
  }

  // Whether the answer at `key` is known from own writes alone.
  bool IsIndependent(const Scenario& scenario, const std::string& key) {
    if (!scenario.read_your_writes) return false;
    bool independent = false;
    for (const auto& [mutation, conflict] : scenario.writes) {
      if (mutation.type == MutationType::kSet) independent |= mutation.key == key;
      if (mutation.type == MutationType::kClearRange) independent |= mutation.key <= key && key < mutation.value;
    }
    return independent;
  }

  // For a range between two keys: exactly what was read, without what own writes answered.
  void ExpectExactConflicts(const Scenario& scenario, const Outcome& outcome) {
    const Read& read = scenario.read;
    const bool plain = !read.begin.or_equal && !read.end.or_equal && read.begin.offset == 1 && read.end.offset == 1;
    if (read.kind != Read::kGetRange || !plain || read.snapshot || read.begin.key >= read.end.key) return;
    std::string begin = read.begin.key;
    std::string end = read.end.key;
    if (outcome.answer.ends_with("...")) {
      const size_t last_row = outcome.answer.rfind(' ') + 1;
      const std::string last = outcome.answer.substr(last_row, outcome.answer.rfind('=') - last_row);
      (read.reverse ? begin : end) = read.reverse ? last : KeyAfter(last);
    }
    for (const std::string& key : universe_) {
      const bool expected = begin <= key && key < end && !IsIndependent(scenario, key);
      EXPECT_EQ(Covers(outcome.conflicts, key), expected) << testing::PrintToString(key);
    }
  }

  std::mt19937_64 random_{RandomSeed()};
  const std::vector<std::string> universe_ = Universe();
};

TEST_F(TransactionModelTest, RandomReadsOverRandomWrites) {
  for (int round = 0; round < 5'000 && !HasFailure(); ++round) {
    const Scenario scenario = RandomScenario();
    SCOPED_TRACE("round " + std::to_string(round) + "\n" + Describe(scenario));
    const Outcome outcome = RunScenario(scenario);
    EXPECT_EQ(outcome.answer, Model(scenario).Answer(scenario.read));
    ExpectEnoughConflicts(scenario, outcome);
    ExpectExactConflicts(scenario, outcome);

    Map committed = scenario.base;
    for (const Write& write : scenario.writes) ApplyMutations({write.mutation}, 1, &committed);
    EXPECT_EQ(outcome.committed, committed);
  }
}

// Enough rows that a read is put together from several fetches, with own writes all over it.
TEST_F(TransactionModelTest, LongRangesWithManyOwnWrites) {
  const auto key = [](size_t number) { return "k" + std::to_string(10'000 + number); };
  for (int round = 0; round < 20 && !HasFailure(); ++round) {
    Scenario scenario;
    for (size_t i = 0; i < 3000; ++i) {
      if (!OneIn(3)) scenario.base[key(i)] = RandomValue();
    }
    for (size_t writes = Below(1500); writes > 0; --writes) {
      Write write = RandomWrite();
      const size_t at = Below(3000);
      write.mutation.key = key(at);
      if (write.mutation.type == MutationType::kClearRange) write.mutation.value = key(at + (OneIn(10) ? 200 : 1));
      scenario.writes.push_back(write);
    }
    scenario.read = {Read::kGetRange, {key(Below(1000))}, {key(2000 + Below(1000))}};
    scenario.read.mode = 0;
    scenario.read.limit = static_cast<int>(1 + Below(3000));
    scenario.read.reverse = OneIn(2);
    EXPECT_EQ(RunScenario(scenario).answer, Model(scenario).Answer(scenario.read));
    scenario.read = {Read::kGetKey, {key(1500), OneIn(2), static_cast<int>(Below(4000)) - 2000}, {}};
    EXPECT_EQ(RunScenario(scenario).answer, Model(scenario).Answer(scenario.read));
  }
}

const auto* const kNetwork = testing::AddGlobalTestEnvironment(new NetworkEnvironment);

}  // namespace
}  // namespace fdbjobs::embedded
