// What the upkeep of a folder must manage when it can't write to SQLite, and what it clears away.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "fdbjobs/embedded/engine_impl.h"
#include "fdbjobs/embedded/error_codes.h"
#include "tests/embedded/temporary_folder.h"

namespace fdbjobs::embedded {
namespace {

std::unique_ptr<EngineImpl> Open(const std::string& path, const EngineTuning& tuning = {}) {
  auto engine = std::make_unique<EngineImpl>(tuning);
  std::string why;
  EXPECT_EQ(engine->OpenFolder(path, &why), 0) << why;
  return engine;
}

ErrorCode Set(EngineImpl& engine, const std::string& key, const std::string& value) {
  auto writes = std::make_shared<MutationList>();
  writes->Add(MutationType::kSet, key, value, true);
  CommitRequest request;
  request.writes = std::move(writes);
  std::promise<ErrorCode> error;
  engine.Commit(std::move(request), [&](CommitResult got) { error.set_value(got.error); });
  return error.get_future().get();
}

// Another program that writes to SQLite's file, and does not come to an end.
class SqliteLock {
 public:
  explicit SqliteLock(const std::string& folder) {
    EXPECT_EQ(sqlite3_open((folder + "/base.sqlite").c_str(), &db_), SQLITE_OK);
    sqlite3_busy_timeout(db_, 10'000);
    EXPECT_EQ(sqlite3_exec(db_, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db_);
  }
  ~SqliteLock() { sqlite3_close(db_); }

 private:
  sqlite3* db_ = nullptr;
};

TEST(EngineUpkeep, ReadsGoOnWhenTheLeaseOfVersionsCannotBeWrittenToSqlite) {
  TemporaryFolder folder;
  EngineTuning tuning;
  tuning.lease_versions = 100'000;
  tuning.tick_us = 1'000;
  auto engine = Open(folder.path(), tuning);
  ASSERT_EQ(Set(*engine, "key", "value"), 0);
  const Version begin = engine->GetReadVersion();
  Version last = begin;
  {
    const SqliteLock lock(folder.path());
    while (last < begin + 10 * tuning.lease_versions) {
      const Version version = engine->GetReadVersion();
      ASSERT_GE(version, last);
      ASSERT_GE(version, engine->CurrentVersion() - 10 * tuning.lease_versions) << "read versions stand still";
      last = version;
      std::optional<std::string> value;
      ASSERT_EQ(engine->Get(version, "key", &value), 0);
      EXPECT_EQ(value, "value");
    }
    engine.reset();
  }
  // The lease was kept all the same.
  EXPECT_GT(Open(folder.path(), tuning)->GetReadVersion(), last);
}

TEST(EngineUpkeep, TheLeaseOfVersionsIsKeptWhenTheFolderCannotBeOpenedAtFirst) {
  TemporaryFolder folder;
  EngineTuning tuning;
  tuning.lease_versions = 100'000;
  tuning.tick_us = 1'000;
  auto engine = Open(folder.path(), tuning);
  const Version begin = engine->GetReadVersion();
  Version last = begin;
  {
    const SqliteLock lock(folder.path());
    while (last < begin + 10 * tuning.lease_versions) last = engine->GetReadVersion();
    engine.reset();
  }
  const std::string base = folder.path() + "/base.sqlite";
  std::filesystem::rename(base, base + "-away");
  std::filesystem::create_directory(base);
  std::string why;
  EXPECT_NE(EngineImpl(tuning).OpenFolder(folder.path(), &why), 0);
  std::filesystem::remove(base);
  std::filesystem::rename(base + "-away", base);
  EXPECT_GT(Open(folder.path(), tuning)->GetReadVersion(), last);
}

TEST(EngineUpkeep, CommitsWaitForRoomAndFailForAWhileWhenThereComesNone) {
  TemporaryFolder folder;
  EngineTuning tuning;
  tuning.window_versions = 20'000;
  tuning.fold_lag = 30'000;
  tuning.tick_us = 1'000;
  tuning.fold_every_us = tuning.fold_little_every_us = 1'000;
  tuning.most_unfolded = 200'000;
  tuning.longest_wait_us = 20'000;
  const auto engine = Open(folder.path(), tuning);
  const std::string value(10'000, 'x');
  {
    const SqliteLock lock(folder.path());
    int commits = 0;
    ErrorCode error = 0;
    // A little more than there is room for, since upkeep looks every now and then only.
    while (error == 0 && commits < 100'000) error = Set(*engine, "key" + std::to_string(commits++), value);
    EXPECT_EQ(error, kProcessBehind);
    EXPECT_GE(commits, 20);
  }
  while (Set(*engine, "key", value) != 0) std::this_thread::yield();
  for (int i = 0; i < 100; ++i) {
    while (Set(*engine, "key", value) != 0) std::this_thread::yield();
  }
}

TEST(EngineUpkeep, SparesOfProcessesThatWereKilledAreRemoved) {
  TemporaryFolder folder;
  Open(folder.path()).reset();
  const auto spares = [&] {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      count += entry.path().filename().string().starts_with("spare-") ? 1 : 0;
    }
    return count;
  };
  for (const char* const name : {"/spare-0", "/spare-7", "/spare-7-next", "/spare-123"}) {
    std::ofstream(folder.path() + name) << "left behind";
  }
  const auto first = Open(folder.path());
  EXPECT_EQ(spares(), 0);
  std::ofstream(folder.path() + "/spare-1") << "of a second process that was killed";
  std::ofstream(folder.path() + "/spare-2") << "of a third one that lives";
  const auto second = Open(folder.path());
  EXPECT_EQ(spares(), 1);
}

TEST(EngineUpkeep, WhoWasLeftInAFolderThatWasReplacedTakesNothingFromTheNewOne) {
  TemporaryFolder parent;
  const std::string path = parent.path() + "/db";
  const std::string elsewhere = parent.path() + "/elsewhere";
  EngineTuning tuning;
  tuning.tick_us = 1'000;
  tuning.fold_every_us = tuning.fold_little_every_us = 1'000;
  auto left = Open(path, tuning);
  const std::string large(400'000, 'x');
  // Beyond the first segment.
  for (const char* const key : {"a", "b", "c"}) ASSERT_EQ(Set(*left, key, large), 0);
  std::filesystem::rename(path, elsewhere);
  auto fresh = Open(path);
  ASSERT_EQ(Set(*fresh, "key", "value"), 0);
  while (!std::filesystem::exists(path + "/spare-0")) std::this_thread::yield();
  std::unique_ptr<BaseReader> base;
  std::string why;
  ASSERT_EQ(BaseReader::Open(elsewhere + "/base.sqlite", &base, &why), 0) << why;
  do {
    ASSERT_EQ(base->Refresh(), 0);
  } while (base->mark().position.segment < 2);
  base.reset();
  left.reset();
  EXPECT_TRUE(std::filesystem::exists(path + "/" + CommitLog::FileName(1)));
  // With the spare that it has.
  EXPECT_EQ(Set(*fresh, "large", large), 0);
  fresh.reset();
  fresh = Open(path);
  std::optional<std::string> value;
  EXPECT_EQ(fresh->Get(fresh->GetReadVersion(), "key", &value), 0);
  EXPECT_EQ(value, "value");
}

TEST(EngineUpkeep, ReadsInAFolderThatWasReplacedDoNotSeeTheNewOne) {
  TemporaryFolder parent;
  const std::string path = parent.path() + "/db";
  EngineTuning tuning;
  tuning.window_versions = 20'000;
  tuning.fold_lag = 30'000;
  tuning.tick_us = 1'000;
  tuning.fold_every_us = tuning.fold_little_every_us = 1'000;
  const auto left = Open(path, tuning);
  ASSERT_EQ(Set(*left, "key", "value"), 0);
  std::unique_ptr<BaseReader> base;
  std::string why;
  ASSERT_EQ(BaseReader::Open(path + "/base.sqlite", &base, &why), 0) << why;
  do {
    ASSERT_EQ(base->Refresh(), 0);
  } while (base->mark().version == 0);
  base.reset();
  std::filesystem::rename(path, parent.path() + "/elsewhere");
  const auto fresh = Open(path);
  // More at a time than before, until one of them needs a file that is not there any more.
  std::atomic<bool> refused{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (!refused) {
        std::optional<std::string> value;
        const ErrorCode error = left->Get(left->GetReadVersion(), "key", &value);
        if (error == kTransactionTooOld) continue;
        EXPECT_TRUE(error == kFileNotFound || value == "value") << error << " " << value.value_or("none");
        if (error != 0) refused = true;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace fdbjobs::embedded
