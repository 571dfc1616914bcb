// Threads that wait for a commit do the committers' work: every commit is made once, whoever waits for it and how.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "fdbjobs/embedded/atomic_ops.h"
#include "fdbjobs/embedded/engine_impl.h"
#include "tests/embedded/random_seed.h"
#include "tests/embedded/temporary_folder.h"

namespace fdbjobs::embedded {
namespace {

constexpr char kCounter[] = "counter";

struct Answered {
  CommitResult result;
  std::thread::id thread;
};

class EngineHelp : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    ASSERT_EQ(engine_->OpenFolder(folder_.path(), &why), 0) << why;
  }

  // Adds one to the counter.
  std::future<Answered> Start(bool risky = false) {
    auto writes = std::make_shared<MutationList>();
    writes->Add(MutationType::kAdd, kCounter, std::string("\1\0\0\0\0\0\0\0", 8), true);
    CommitRequest request;
    request.writes = std::move(writes);
    request.durability_risky = risky;
    auto promise = std::make_shared<std::promise<Answered>>();
    engine_->Commit(std::move(request), [promise](CommitResult result) {
      promise->set_value({result, std::this_thread::get_id()});
    });
    return promise->get_future();
  }

  // Until this thread has made a commit of its own: from then on, for a while, no committer is called for a lone one.
  int CommitUntilHelped() {
    for (int commits = 1;; ++commits) {
      std::future<Answered> commit = Start();
      engine_->HelpOut();
      const Answered answered = commit.get();
      EXPECT_EQ(answered.result.error, 0);
      if (answered.thread == std::this_thread::get_id()) return commits;
    }
  }

  uint64_t Counter() {
    std::optional<std::string> value;
    EXPECT_EQ(engine_->Get(engine_->GetReadVersion(), kCounter, &value), 0);
    uint64_t count = 0;
    for (size_t i = value ? value->size() : 0; i > 0; --i) count = count << 8 | static_cast<uint8_t>((*value)[i - 1]);
    return count;
  }

  TemporaryFolder folder_;
  std::unique_ptr<EngineImpl> engine_ = std::make_unique<EngineImpl>();
};

TEST_F(EngineHelp, AThreadThatWaitsMakesItsOwnCommit) {
  const int commits = CommitUntilHelped();
  EXPECT_EQ(Counter(), static_cast<uint64_t>(commits));
}

TEST_F(EngineHelp, ACommitThatNobodyWaitsForIsMade) {
  for (int i = 0; i < 10; ++i) {
    CommitUntilHelped();
    const Answered answered = Start().get();
    EXPECT_EQ(answered.result.error, 0);
    EXPECT_NE(answered.thread, std::this_thread::get_id());
  }
}

TEST_F(EngineHelp, ACommitThatIsToldByACallbackIsMade) {
  for (int i = 0; i < 10; ++i) {
    CommitUntilHelped();
    std::future<Answered> commit = Start();
    engine_->GoAhead();
    EXPECT_EQ(commit.get().result.error, 0);
  }
}

TEST_F(EngineHelp, HelpWithNothingToDoReturns) {
  for (int i = 0; i < 1000; ++i) engine_->HelpOut();
  EXPECT_EQ(Counter(), 0u);
}

TEST_F(EngineHelp, EveryCommitIsMadeOnceWhateverMixOfThreadsWaits) {
  const uint64_t seed = RandomSeed();
  constexpr int kThreads = 6;
  constexpr int kRounds = 150;
  std::atomic<uint64_t> started = 0;
  const auto run = [&](uint64_t thread) {
    std::mt19937_64 random(seed + thread);
    for (int round = 0; round < kRounds; ++round) {
      std::vector<std::future<Answered>> commits(1 + random() % 3);
      for (std::future<Answered>& commit : commits) {
        commit = Start(/*risky=*/random() % 4 == 0);
        ++started;
        if (random() % 4 == 0) engine_->GoAhead();
        if (random() % 2 == 0) engine_->HelpOut();
      }
      if (random() % 2 == 0) engine_->HelpOut();
      for (std::future<Answered>& commit : commits) EXPECT_EQ(commit.get().result.error, 0);
      // Long enough now and then for a committer to stop looking.
      if (random() % 50 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(random() % 20));
    }
  };
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < kThreads; ++i) threads.emplace_back(run, i);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Counter(), started.load());
}

}  // namespace
}  // namespace fdbjobs::embedded
