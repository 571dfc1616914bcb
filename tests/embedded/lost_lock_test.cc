// A process that is stopped in the midst of a commit loses the append lock. Nothing that others commit afterwards is
// lost when it goes on, whatever else goes wrong meanwhile.
#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "fdbjobs/embedded/engine_impl.h"
#include "fdbjobs/embedded/error_codes.h"
#include "tests/embedded/failing_disk.h"
#include "tests/embedded/temporary_folder.h"

namespace fdbjobs::embedded {
namespace {

std::unique_ptr<EngineImpl> Open(const std::string& path, const EngineTuning& tuning = {}) {
  auto engine = std::make_unique<EngineImpl>(tuning);
  std::string why;
  EXPECT_EQ(engine->OpenFolder(path, &why), 0) << why;
  return engine;
}

std::future<ErrorCode> StartSet(EngineImpl& engine, const std::string& key, const std::string& value,
                                Version read_version = kNoVersion) {
  auto writes = std::make_shared<MutationList>();
  writes->Add(MutationType::kSet, key, value, true);
  CommitRequest request;
  request.writes = std::move(writes);
  request.read_version = read_version;
  auto promise = std::make_shared<std::promise<ErrorCode>>();
  engine.Commit(std::move(request), [promise](CommitResult got) { promise->set_value(got.error); });
  return promise->get_future();
}

std::future<ErrorCode> StartSet(EngineImpl& engine, const std::string& key) {
  return StartSet(engine, key, "value of " + key);
}

ErrorCode Set(EngineImpl& engine, const std::string& key) { return StartSet(engine, key).get(); }

std::string ValueOf(EngineImpl& engine, const std::string& key) {
  std::optional<std::string> value;
  ErrorCode error;
  // With a short window a read may come too late.
  while ((error = engine.Get(engine.GetReadVersion(), key, &value)) == kTransactionTooOld) {
  }
  EXPECT_EQ(error, 0);
  return value.value_or("none");
}

TEST(LostLock, NobodyWritesWhereTheStoppedOneMayGoOnThoughTheDiskIsFull) {
  TemporaryFolder folder;
  auto stopped = Open(folder.path());
  auto other = Open(folder.path());
  ASSERT_EQ(Set(*stopped, "first"), 0);
  ASSERT_EQ(Set(*other, "second"), 0);
  std::future<void> in_write = FailingDisk::HoldAWriteTo(folder.path() + "/log-");
  std::future<ErrorCode> late = StartSet(*stopped, "late");
  in_write.get();
  FailingDisk::HaveNoRoomFor(folder.path() + "/spare-");
  // The log has to go on in a new segment, for which there is no room.
  EXPECT_EQ(Set(*other, "third"), kIoError);
  EXPECT_EQ(Set(*other, "fourth"), kIoError);
  FailingDisk::BeWell();
  EXPECT_EQ(Set(*other, "fifth"), 0);
  FailingDisk::LetGo();
  EXPECT_EQ(late.get(), 0);
  EXPECT_EQ(Set(*stopped, "last"), 0);
  for (const char* const key : {"first", "second", "fifth", "late", "last"}) {
    EXPECT_EQ(ValueOf(*other, key), std::string("value of ") + key);
  }
  stopped.reset();
  other.reset();
  const auto again = Open(folder.path());
  for (const char* const key : {"first", "second", "fifth", "late", "last"}) {
    EXPECT_EQ(ValueOf(*again, key), std::string("value of ") + key);
  }
  for (const char* const key : {"third", "fourth"}) EXPECT_EQ(ValueOf(*again, key), "none");
}

TEST(LostLock, WhatHasNoRoomInTheNewSegmentIsNotLostBehindWhatTheStoppedOneLeaves) {
  TemporaryFolder folder;
  auto stopped = Open(folder.path());
  auto other = Open(folder.path());
  ASSERT_EQ(Set(*stopped, "first"), 0);
  std::future<void> in_write = FailingDisk::HoldAWriteTo(folder.path() + "/log-");
  std::future<ErrorCode> late = StartSet(*stopped, "late");
  in_write.get();
  // Larger than the segment that is made when the lock is lost: so that one stays empty.
  const std::string large(1 << 20, 'x');
  ASSERT_EQ(StartSet(*other, "large", large).get(), 0);
  FailingDisk::LetGo();
  EXPECT_EQ(late.get(), 0);
  stopped.reset();
  other.reset();
  const auto again = Open(folder.path());
  for (const char* const key : {"first", "late"}) EXPECT_EQ(ValueOf(*again, key), std::string("value of ") + key);
  EXPECT_EQ(ValueOf(*again, "large").size(), large.size());
}

// Returns when the process of the slot has a spare segment ready.
void WaitForSpare(const TemporaryFolder& folder, int slot) {
  while (!std::filesystem::exists(folder.path() + "/spare-" + std::to_string(slot))) std::this_thread::yield();
}

TEST(LostLock, AStoppedOneDoesNotTakeAwayTheSegmentThatOthersGoOnIn) {
  TemporaryFolder folder;
  const std::string log = folder.path() + "/log-";
  const std::string spare = folder.path() + "/spare-1";
  auto first = Open(folder.path());
  auto second = Open(folder.path());
  ASSERT_EQ(Set(*first, "first"), 0);
  ASSERT_EQ(Set(*second, "second"), 0);
  WaitForSpare(folder, 0);
  WaitForSpare(folder, 1);
  std::future<void> in_write = FailingDisk::HoldAWriteTo(log);
  std::future<ErrorCode> late = StartSet(*first, "late");
  in_write.get();
  std::future<void> in_spare = FailingDisk::HoldAWriteTo(spare);
  std::future<ErrorCode> later = StartSet(*second, "later");
  in_spare.get();
  // The first one goes on in time: the segment that the second one makes begins before the end of the log.
  FailingDisk::LetGo(log);
  EXPECT_EQ(late.get(), 0);
  in_spare = FailingDisk::HoldAWriteTo(spare);
  FailingDisk::LetGo(spare);
  // And is made once more.
  in_spare.get();
  EXPECT_EQ(Set(*first, "third"), 0);
  FailingDisk::LetGo();
  EXPECT_EQ(later.get(), 0);
  EXPECT_EQ(Set(*second, "last"), 0);
  const auto expect_all_in = [](EngineImpl& engine) {
    for (const char* const key : {"first", "second", "late", "third", "later", "last"}) {
      EXPECT_EQ(ValueOf(engine, key), std::string("value of ") + key);
    }
  };
  expect_all_in(*first);
  expect_all_in(*second);
  first.reset();
  second.reset();
  expect_all_in(*Open(folder.path()));
}

// Whether the folder has the segment.
bool HasSegment(const TemporaryFolder& folder, uint32_t number) {
  return std::filesystem::exists(folder.path() + "/" + CommitLog::FileName(number));
}

TEST(LostLock, OneThatWasStoppedUntilTheBaseHadGonePastItGoesOn) {
  TemporaryFolder folder;
  const std::string spare = folder.path() + "/spare-0";
  EngineTuning tuning;
  tuning.fold_lag = 30'000;
  tuning.window_versions = 20'000;
  tuning.fold_every_us = tuning.fold_little_every_us = tuning.tick_us = 1'000;
  auto stopped = Open(folder.path());
  auto other = Open(folder.path(), tuning);
  ASSERT_EQ(Set(*stopped, "first"), 0);
  WaitForSpare(folder, 0);
  std::future<void> in_spare = FailingDisk::HoldAWriteTo(spare);
  // Needs the second segment.
  const std::string large(400'000, 'x');
  std::future<ErrorCode> late = StartSet(*stopped, "late", large);
  in_spare.get();
  // The others fill that, and have begun the third when the second is dropped.
  while (!HasSegment(folder, 3)) ASSERT_EQ(StartSet(*other, "large", large).get(), 0);
  while (HasSegment(folder, 2)) std::this_thread::yield();
  FailingDisk::LetGo();
  EXPECT_EQ(late.get(), 0);
  EXPECT_EQ(Set(*stopped, "last"), 0);
  for (EngineImpl* const engine : {stopped.get(), other.get()}) {
    EXPECT_EQ(ValueOf(*engine, "late").size(), large.size());
    EXPECT_EQ(ValueOf(*engine, "last"), "value of last");
  }
}

TEST(LostLock, WhatIsAnsweredAsNotCommittedIsNotFoundWhenTheFolderIsOpenedAgain) {
  TemporaryFolder folder;
  const EngineTuning tuning;
  auto stopped = Open(folder.path());
  auto other = Open(folder.path());
  ASSERT_EQ(Set(*stopped, "first"), 0);
  const Version read = stopped->GetReadVersion();
  std::future<void> in_write = FailingDisk::HoldAWriteTo(folder.path() + "/log-");
  std::future<ErrorCode> late = StartSet(*stopped, "late", "value of late", read);
  in_write.get();
  // Nobody commits: the upkeep of the other one moves the log on. Then the commit is too old to be made again.
  while (!HasSegment(folder, 2) || other->CurrentVersion() <= read + tuning.window_versions) std::this_thread::yield();
  FailingDisk::LetGo();
  EXPECT_EQ(late.get(), kTransactionTooOld);
  EXPECT_EQ(ValueOf(*other, "late"), "none");
  stopped.reset();
  other.reset();
  const auto again = Open(folder.path());
  EXPECT_EQ(ValueOf(*again, "first"), "value of first");
  EXPECT_EQ(ValueOf(*again, "late"), "none");
}

}  // namespace
}  // namespace fdbjobs::embedded
