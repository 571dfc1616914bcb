// A disk whose syncs fail for a while: nothing that is acknowledged afterwards is lost with the power, and nobody is
// told that a commit failed which may still come.
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "fdbjobs/embedded/engine_impl.h"
#include "fdbjobs/embedded/error_codes.h"
#include "fdbjobs/embedded/last_error.h"
#include "tests/embedded/failing_disk.h"
#include "tests/embedded/random_seed.h"
#include "tests/embedded/temporary_folder.h"

namespace fdbjobs::embedded {
namespace {

using Keys = std::set<std::string>;

class SyncFailure : public ::testing::Test {
 protected:
  void SetUp() override { engine_ = Open(folder_.path()); }
  void TearDown() override { FailingDisk::BeWell(); }

  static std::unique_ptr<EngineImpl> Open(const std::string& path) {
    auto engine = std::make_unique<EngineImpl>();
    std::string why;
    const ErrorCode error = engine->OpenFolder(path, &why);
    if (error != 0) throw std::runtime_error(why);
    return engine;
  }

  std::future<ErrorCode> StartSet(const std::string& key, const std::string& value = "x", bool risky = false) {
    auto writes = std::make_shared<MutationList>();
    writes->Add(MutationType::kSet, key, value, true);
    CommitRequest request;
    request.writes = std::move(writes);
    request.durability_risky = risky;
    auto result = std::make_shared<std::promise<ErrorCode>>();
    engine_->Commit(std::move(request), [result](CommitResult got) { result->set_value(got.error); });
    return result->get_future();
  }
  ErrorCode Set(const std::string& key, const std::string& value = "x", bool risky = false) {
    return StartSet(key, value, risky).get();
  }

  // All keys that can be read.
  static Keys KeysOf(EngineImpl& engine) {
    Rows rows;
    bool more = false;
    EXPECT_EQ(engine.GetRange(engine.GetReadVersion(), "", "\xff", false, kNoRowLimit, kNoRowLimit, &rows, &more), 0);
    Keys keys;
    for (const Rows::Entry& row : rows) keys.emplace(row.key_view());
    return keys;
  }
  Keys KeysNow() { return KeysOf(*engine_); }

  Keys KeysAfterPowerFailure() {
    TemporaryFolder copy;
    FailingDisk::CopyAsAfterPowerFailure(folder_.path(), copy.path());
    return KeysOf(*Open(copy.path()));
  }

  TemporaryFolder folder_;
  std::unique_ptr<EngineImpl> engine_;
};

TEST_F(SyncFailure, ThatCommitHasAnUnknownResultAndLaterOnesAreRefused) {
  ASSERT_EQ(Set("a"), 0);
  FailingDisk::FailSyncsIn(folder_.path());
  EXPECT_EQ(Set("b"), kCommitUnknownResult);
  EXPECT_EQ(Set("c"), kIoError);
  EXPECT_NE(std::string(LastErrorDetail()).find("can't sync " + folder_.path()), std::string::npos)
      << LastErrorDetail();
  EXPECT_EQ(KeysNow(), Keys{"a"});
  EXPECT_EQ(KeysAfterPowerFailure(), Keys{"a"});
}

TEST_F(SyncFailure, CommitsGoOnWhenTheDiskIsWellAndStandOnWhatWasWrittenBefore) {
  ASSERT_EQ(Set("a"), 0);
  FailingDisk::FailSyncsIn(folder_.path());
  EXPECT_EQ(Set("b"), kCommitUnknownResult);
  EXPECT_EQ(Set("c"), kIoError);
  FailingDisk::BeWell();
  EXPECT_EQ(Set("d"), 0);
  EXPECT_EQ(KeysNow(), (Keys{"a", "b", "d"}));
  EXPECT_EQ(KeysAfterPowerFailure(), (Keys{"a", "b", "d"}));
}

TEST_F(SyncFailure, ADiskThatFailsForAMomentFailsNoCommit) {
  ASSERT_EQ(Set("a"), 0);
  FailingDisk::FailASyncIn(folder_.path());
  EXPECT_EQ(Set("b"), 0);
  EXPECT_EQ(KeysNow(), (Keys{"a", "b"}));
  EXPECT_EQ(KeysAfterPowerFailure(), (Keys{"a", "b"}));
  EXPECT_EQ(Set("c"), 0);
  EXPECT_EQ(KeysAfterPowerFailure(), (Keys{"a", "b", "c"}));
}

TEST_F(SyncFailure, ACommitOfUnknownResultIsNotSettledBeforeItCanBeRead) {
  ASSERT_EQ(Set("a"), 0);
  EXPECT_EQ(engine_->CheckSettled(), 0);
  FailingDisk::FailSyncsIn(folder_.path());
  EXPECT_EQ(Set("b"), kCommitUnknownResult);
  EXPECT_EQ(engine_->CheckSettled(), kIoError);
  EXPECT_EQ(KeysNow(), Keys{"a"});
  FailingDisk::BeWell();
  // Nobody commits: upkeep sees to it.
  while (engine_->CheckSettled() != 0) std::this_thread::yield();
  EXPECT_EQ(KeysNow(), (Keys{"a", "b"}));
  EXPECT_EQ(KeysAfterPowerFailure(), (Keys{"a", "b"}));
}

TEST_F(SyncFailure, WhatWasAnsweredWithoutASyncIsSyncedSoon) {
  ASSERT_EQ(Set("a"), 0);
  ASSERT_EQ(Set("b", "x", /*risky=*/true), 0);
  while (KeysAfterPowerFailure() != Keys{"a", "b"}) std::this_thread::yield();
}

TEST_F(SyncFailure, WhatIsFoundWhenTheFolderIsOpenedAgainIsWrittenAgain) {
  ASSERT_EQ(Set("a"), 0);
  FailingDisk::FailSyncsIn(folder_.path());
  EXPECT_EQ(Set("b"), kCommitUnknownResult);
  engine_.reset();
  FailingDisk::BeWell();
  engine_ = Open(folder_.path());
  EXPECT_EQ(KeysNow(), (Keys{"a", "b"}));
  EXPECT_EQ(KeysAfterPowerFailure(), (Keys{"a", "b"}));
  EXPECT_EQ(Set("c"), 0);
  EXPECT_EQ(KeysAfterPowerFailure(), (Keys{"a", "b", "c"}));
}

TEST_F(SyncFailure, TheLogDoesNotMoveToTheNextSegmentMeanwhile) {
  const std::string large(90'000, 'x');
  ASSERT_EQ(Set("a", large), 0);
  ASSERT_EQ(Set("b", large), 0);
  FailingDisk::FailSyncsIn(folder_.path());
  // The first segment has room for two.
  EXPECT_EQ(Set("c", large), kIoError);
  EXPECT_EQ(Set("d"), kIoError);
  FailingDisk::BeWell();
  EXPECT_EQ(Set("e", large), 0);
  EXPECT_EQ(KeysNow(), (Keys{"a", "b", "e"}));
  EXPECT_EQ(KeysAfterPowerFailure(), (Keys{"a", "b", "e"}));
}

TEST_F(SyncFailure, WhatIsRefusedBecauseItsBatchCannotBeWrittenIsNotFoundWhenTheFolderIsOpenedAgain) {
  const std::string log = folder_.path() + "/log-";
  std::future<void> in_write = FailingDisk::HoldAWriteTo(log);
  std::future<ErrorCode> first = StartSet("a");
  in_write.get();
  // These wait for that one, and go into the log together.
  std::future<ErrorCode> small = StartSet("b");
  std::future<ErrorCode> large = StartSet("c", std::string(10'000, 'x'));
  FailingDisk::FailLargeWritesTo(log, 1'000);
  FailingDisk::LetGo();
  EXPECT_EQ(first.get(), 0);
  EXPECT_EQ(small.get(), kIoError);
  EXPECT_EQ(large.get(), kIoError);
  FailingDisk::BeWell();
  engine_.reset();
  EXPECT_EQ(KeysAfterPowerFailure(), Keys{"a"});
  engine_ = Open(folder_.path());
  EXPECT_EQ(KeysNow(), Keys{"a"});
}

// Several threads commit while the disk is well and ill by turns, and the power fails at any moment.
TEST_F(SyncFailure, WhatWasAcknowledgedIsThereWhenThePowerFailsAtAnyMoment) {
  const uint64_t seed = RandomSeed();
  std::mutex mutex;
  Keys acknowledged;  // guarded by mutex
  std::vector<std::thread> threads;
  for (uint64_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      std::mt19937_64 random(seed + thread);
      for (int i = 0; i < 200; ++i) {
        if (random() % 16 == 0) FailingDisk::FailSyncsIn(folder_.path());
        if (random() % 8 == 0) FailingDisk::BeWell();
        const std::string key = std::to_string(thread) + "/" + std::to_string(i);
        const ErrorCode error = Set(key, std::string(random() % 2'000, 'x'));
        EXPECT_TRUE(error == 0 || error == kCommitUnknownResult || error == kIoError) << error;
        const std::lock_guard lock(mutex);
        if (error == 0) acknowledged.insert(key);
      }
    });
  }
  const auto expect_acknowledged = [&] {
    Keys expected;
    {
      const std::lock_guard lock(mutex);
      expected = acknowledged;
    }
    const Keys found = KeysAfterPowerFailure();
    for (const std::string& key : expected) EXPECT_TRUE(found.contains(key)) << key << " is lost";
  };
  for (int i = 0; i < 10; ++i) expect_acknowledged();
  for (std::thread& thread : threads) thread.join();
  expect_acknowledged();
  EXPECT_FALSE(acknowledged.empty());
}

}  // namespace
}  // namespace fdbjobs::embedded
