// The engine against a model: every version of a std::map, through random commits, reads, folds and reopenings.
// Engine-only: it uses the engine below the C ABI.
#include <gtest/gtest.h>

#include <deque>
#include <future>
#include <map>
#include <optional>
#include <random>

#include "fdbjobs/embedded/engine_impl.h"
#include "fdbjobs/embedded/error_codes.h"
#include "tests/embedded/random_seed.h"
#include "tests/embedded/temporary_folder.h"

namespace fdbjobs::embedded {
namespace {

using Map = std::map<std::string, std::string>;

std::shared_ptr<Engine> OpenOrDie(const std::string& path) {
  std::shared_ptr<Engine> engine;
  std::string why;
  EXPECT_EQ(Engine::Open(path, &engine, &why), 0) << why;
  return engine;
}

CommitResult CommitAndWait(Engine* engine, CommitRequest request) {
  std::promise<CommitResult> result;
  engine->Commit(std::move(request), [&](CommitResult got) { result.set_value(got); });
  return result.get_future().get();
}

CommitRequest RequestOf(MutationList writes) {
  CommitRequest request;
  request.writes = std::make_shared<MutationList>(std::move(writes));
  return request;
}

CommitRequest SetRequest(const std::string& key, const std::string& value) {
  MutationList writes;
  writes.Add(MutationType::kSet, key, value, true);
  return RequestOf(std::move(writes));
}

// All rows of [begin, end), in pages; nothing when the version has become too old meanwhile.
std::optional<Map> ReadAll(Engine* engine, Version at, std::string_view begin, std::string_view end, bool reverse) {
  Map all;
  std::string from(begin);
  std::string to(end);
  for (bool more = true; more;) {
    Rows rows;
    const ErrorCode error = engine->GetRange(at, from, to, reverse, 7, kNoRowLimit, &rows, &more);
    if (error == kTransactionTooOld) return std::nullopt;
    EXPECT_EQ(error, 0);
    for (const Rows::Entry& row : rows) all.emplace(row.key_view(), row.value_view());
    if (rows.empty()) break;
    (reverse ? to : from) = reverse ? std::string(rows.back().key_view()) : KeyAfter(rows.back().key_view());
  }
  return all;
}

class EngineModel : public ::testing::Test {
 protected:
  std::string RandomKey() {
    std::string key(1 + random_() % 3, 'a');
    for (char& c : key) c = static_cast<char>('a' + random_() % 4);
    return key;
  }

  void AddMutation(MutationList* writes, Map* model) {
    const std::string key = RandomKey();
    if (random_() % 4 == 0) {
      std::string end = RandomKey();
      const std::string begin = std::min(key, end);
      end = std::max(key, end);
      writes->Add(MutationType::kClearRange, begin, end, true);
      model->erase(model->lower_bound(begin), model->lower_bound(end));
    } else if (random_() % 3 == 0) {
      const std::string one("\1\0\0\0", 4);
      writes->Add(MutationType::kAdd, key, one, true);
      std::string& value = (*model)[key];
      value.resize(4, '\0');
      for (char& c : value) {
        if (++c != 0) break;
      }
    } else {
      std::string value(random_() % 200, static_cast<char>('A' + random_() % 26));
      writes->Add(MutationType::kSet, key, value, true);
      (*model)[key] = value;
    }
  }

  // False when the version has become too old to read, as it may on a slow machine.
  bool Compare(Engine* engine, Version at, const Map& model) {
    const std::string key = RandomKey();
    std::optional<std::string> value;
    const ErrorCode error = engine->Get(at, key, &value);
    if (error == kTransactionTooOld) return false;
    EXPECT_EQ(error, 0);
    auto found = model.find(key);
    EXPECT_EQ(value, found == model.end() ? std::nullopt : std::optional<std::string>(found->second)) << key;
    for (const bool reverse : {false, true}) {
      const std::optional<Map> all = ReadAll(engine, at, "", "\xff", reverse);
      if (!all.has_value()) return false;
      EXPECT_EQ(*all, model);
    }
    return true;
  }

  void CompareNewest(Engine* engine, const Map& model) {
    while (!Compare(engine, engine->GetReadVersion(), model)) {
    }
  }

  TemporaryFolder folder_;
  std::mt19937_64 random_{RandomSeed()};
};

TEST_F(EngineModel, EveryVersionOfTheLastSecondsReadsAsItWasAlsoAfterReopening) {
  std::shared_ptr<Engine> engine = OpenOrDie(folder_.path());
  std::map<Version, Map> history;
  Map model;
  for (int step = 0; step < 1500; ++step) {
    MutationList writes;
    for (uint64_t n = 1 + random_() % 5; n > 0; --n) AddMutation(&writes, &model);
    const CommitResult result = CommitAndWait(engine.get(), RequestOf(std::move(writes)));
    ASSERT_EQ(result.error, 0);
    if (!history.empty()) {
      ASSERT_GT(result.version, history.rbegin()->first);
    }
    history[result.version] = model;
    const Version newest = engine->GetReadVersion();
    ASSERT_GE(newest, result.version);
    if (step % 10 == 0) CompareNewest(engine.get(), model);
    if (step % 10 == 5) {
      auto then = history.lower_bound(newest - 4'000'000 + static_cast<Version>(random_() % 4'000'000));
      if (then != history.end()) Compare(engine.get(), then->first, then->second);
    }
    if (step % 500 == 499) {
      engine = nullptr;
      engine = OpenOrDie(folder_.path());
      ASSERT_GT(engine->GetReadVersion(), newest);
      CompareNewest(engine.get(), model);
    }
  }
}

// With a window of a fifth of a second and constant folding, most of what is read lies in the base.
TEST_F(EngineModel, CommitsThatWereFoldedIntoTheBaseReadAsBefore) {
  EngineTuning tuning;
  tuning.window_versions = 200'000;
  tuning.fold_lag = 210'000;
  tuning.tick_us = 1000;
  tuning.fold_every_us = tuning.fold_little_every_us = 1000;
  tuning.fold_bytes = 2000;
  auto engine = std::make_unique<EngineImpl>(tuning);
  std::string why;
  ASSERT_EQ(engine->OpenFolder(folder_.path(), &why), 0) << why;
  std::map<Version, Map> history;
  Map model;
  for (int step = 0; step < 4000; ++step) {
    MutationList writes;
    for (uint64_t n = 1 + random_() % 5; n > 0; --n) AddMutation(&writes, &model);
    const CommitResult result = CommitAndWait(engine.get(), RequestOf(std::move(writes)));
    ASSERT_EQ(result.error, 0);
    history[result.version] = model;
    const Version newest = engine->GetReadVersion();
    if (step % 10 == 0) CompareNewest(engine.get(), model);
    if (step % 10 == 5) {
      auto then = history.lower_bound(newest - static_cast<Version>(random_() % 150'000));
      if (then != history.end()) Compare(engine.get(), then->first, then->second);
    }
    if (step % 1000 == 999) {
      engine = nullptr;
      engine = std::make_unique<EngineImpl>(tuning);
      ASSERT_EQ(engine->OpenFolder(folder_.path(), &why), 0) << why;
      CompareNewest(engine.get(), model);
    }
  }
  engine = nullptr;
  std::unique_ptr<BaseReader> base;
  ASSERT_EQ(BaseReader::Open(folder_.path() + "/base.sqlite", &base, &why), 0) << why;
  ASSERT_EQ(base->Refresh(), 0);
  EXPECT_GT(base->mark().version, history.begin()->first) << "nothing was folded";
}

// Little is folded after an hour here, so what is folded was much.
TEST_F(EngineModel, MuchIsFoldedSoonerThanLittle) {
  EngineTuning tuning;
  tuning.window_versions = 10'000;
  tuning.fold_lag = 11'000;
  tuning.tick_us = 1000;
  tuning.fold_every_us = 1000;
  tuning.fold_little_every_us = int64_t{3600} * 1'000'000;
  tuning.little_unfolded = 100'000;
  EngineImpl engine(tuning);
  std::string why;
  ASSERT_EQ(engine.OpenFolder(folder_.path(), &why), 0) << why;
  std::unique_ptr<BaseReader> base;
  ASSERT_EQ(BaseReader::Open(folder_.path() + "/base.sqlite", &base, &why), 0) << why;
  size_t bytes = 0;
  do {
    ASSERT_EQ(CommitAndWait(&engine, SetRequest(RandomKey(), std::string(5000, 'v'))).error, 0);
    bytes += 5000;
    ASSERT_EQ(base->Refresh(), 0);
  } while (base->mark().version == 0);
  EXPECT_GE(bytes, 95'000u);
}

TEST_F(EngineModel, AReadThatWasOverwrittenConflictsAndOthersDoNot) {
  std::shared_ptr<Engine> engine = OpenOrDie(folder_.path());
  for (int i = 0; i < 200; ++i) {
    const Version at = engine->GetReadVersion();
    const std::string written = RandomKey();
    const std::string read = RandomKey();
    ASSERT_EQ(CommitAndWait(engine.get(), SetRequest(written, "1")).error, 0);
    CommitRequest request = SetRequest("other", "1");
    request.read_version = at;
    request.read_conflicts.AddKey(read);
    EXPECT_EQ(CommitAndWait(engine.get(), std::move(request)).error, written == read ? kNotCommitted : 0);
  }
}

// Batches of requests that read and write keys and ranges, with conflicts and without: against a plain list.
TEST_F(EngineModel, ConflictsAgreeWithAListOfAllWrites) {
  struct Write {
    std::string begin;
    std::string end;
    Version version;
  };
  struct Pending {
    Version read_version = kNoVersion;
    std::vector<KeyRange> reads;
    std::vector<KeyRange> writes;
    std::future<CommitResult> result = {};
  };
  std::shared_ptr<Engine> engine = OpenOrDie(folder_.path());
  std::vector<Write> written;
  std::deque<Version> versions{engine->GetReadVersion()};
  const auto range = [this] {
    std::string begin = RandomKey();
    std::string end = random_() % 2 == 0 ? KeyAfter(begin) : RandomKey();
    if (begin > end) std::swap(begin, end);
    return KeyRange{begin, end};
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<Pending> batch(1 + random_() % 8);
    for (Pending& pending : batch) {
      pending.read_version = versions[random_() % versions.size()];
      CommitRequest request;
      request.read_version = pending.read_version;
      for (uint64_t n = random_() % 3; n > 0; --n) {
        const KeyRange read = pending.reads.emplace_back(range());
        IsOneKey(read.begin, read.end) ? request.read_conflicts.AddKey(read.begin)
                                       : request.read_conflicts.Add(read.begin, read.end);
      }
      MutationList writes;
      const KeyRange write = range();
      const bool conflict = random_() % 4 != 0;
      if (random_() % 3 == 0) {
        writes.AddConflict(write.begin, write.end);
        pending.writes.push_back(write);
      } else if (IsOneKey(write.begin, write.end) && random_() % 2 == 0) {
        writes.Add(MutationType::kSet, write.begin, "1", conflict);
        if (conflict) pending.writes.push_back(write);
      } else {
        writes.Add(MutationType::kClearRange, write.begin, write.end, conflict);
        if (conflict) pending.writes.push_back(write);
      }
      writes.Add(MutationType::kSet, "elsewhere", "1", false);
      request.writes = std::make_shared<MutationList>(std::move(writes));
      auto promise = std::make_shared<std::promise<CommitResult>>();
      pending.result = promise->get_future();
      engine->Commit(std::move(request), [promise](CommitResult result) { promise->set_value(result); });
    }
    // In the order of the queue, which is that of the versions.
    for (Pending& pending : batch) {
      const CommitResult result = pending.result.get();
      bool expected = false;
      for (const KeyRange& read : pending.reads) {
        for (const Write& write : written) {
          expected |= write.version > pending.read_version && read.begin < read.end && write.begin < read.end &&
                      read.begin < write.end;
        }
      }
      ASSERT_EQ(result.error, expected ? kNotCommitted : 0);
      if (result.error != 0) continue;
      for (const KeyRange& write : pending.writes) {
        if (write.begin < write.end) written.push_back({write.begin, write.end, result.version});
      }
    }
    versions.push_back(engine->GetReadVersion());
    if (versions.size() > 4) versions.pop_front();
  }
}

TEST_F(EngineModel, AReadVersionOlderThanFiveSecondsIsTooOld) {
  std::shared_ptr<Engine> engine = OpenOrDie(folder_.path());
  std::optional<std::string> value;
  EXPECT_EQ(engine->Get(engine->GetReadVersion() - 5'100'000, "a", &value), kTransactionTooOld);
  EXPECT_EQ(engine->Get(engine->GetReadVersion() + 60'000'000, "a", &value), kFutureVersion);
  CommitRequest request = SetRequest("a", "1");
  request.read_version = engine->GetReadVersion() - 5'100'000;
  EXPECT_EQ(CommitAndWait(engine.get(), std::move(request)).error, kTransactionTooOld);
}

TEST_F(EngineModel, TheSameFolderGivesTheSameEngine) {
  std::shared_ptr<Engine> first = OpenOrDie(folder_.path());
  EXPECT_EQ(OpenOrDie(folder_.path() + "/."), first);
}

}  // namespace
}  // namespace fdbjobs::embedded
