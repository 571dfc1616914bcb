// The append lock: one holder at a time, taken away from the dead and the stopped.
#include "fdbjobs/embedded/fenced_lock.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/embedded/temporary_folder.h"

namespace fdbjobs::embedded {
namespace {

class FencedLockTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    ASSERT_EQ(control_.Map(folder_.path() + "/control", true, &why), 0) << why;
  }

  TemporaryFolder folder_;
  ControlMapping control_;
};

TEST_F(FencedLockTest, OneHolderAtATime) {
  int counter = 0;
  std::vector<std::thread> threads;
  for (uint16_t slot = 0; slot < 4; ++slot) {
    threads.emplace_back([&, slot] {
      FencedLock lock(
          &*control_, slot, [](uint16_t) { return true; }, std::chrono::hours(1));
      for (int i = 0; i < 5000; ++i) {
        const FencedLock::Grant grant = lock.Acquire();
        ++counter;
        lock.Release(grant);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter, 20000);
}

TEST_F(FencedLockTest, ADeadHolderLosesItAtOnceAndTheNewOneIsTold) {
  FencedLock dead(&*control_, 1, [](uint16_t) { return true; });
  const FencedLock::Grant old = dead.Acquire();
  FencedLock heir(
      &*control_, 2, [](uint16_t slot) { return slot != 1; }, std::chrono::hours(1));
  const FencedLock::Grant grant = heir.Acquire();
  EXPECT_TRUE(grant.stolen);
  dead.Release(old);
  EXPECT_EQ(control_->lock.load(), grant.word) << "the old holder must not release the new one's lock";
  heir.Release(grant);
  EXPECT_EQ(control_->lock.load(), 0u);
}

TEST_F(FencedLockTest, AStoppedHolderLosesItWhenPatienceEnds) {
  FencedLock stopped(&*control_, 1, [](uint16_t) { return true; });
  stopped.Acquire();
  FencedLock heir(
      &*control_, 2, [](uint16_t) { return true; }, std::chrono::milliseconds(30));
  EXPECT_TRUE(heir.Acquire().stolen);
}

TEST_F(FencedLockTest, AFreeLockIsNotStolen) {
  FencedLock lock(&*control_, 1, [](uint16_t) { return false; });
  const FencedLock::Grant first = lock.Acquire();
  EXPECT_FALSE(first.stolen);
  lock.Release(first);
  EXPECT_FALSE(lock.Acquire().stolen);
}

}  // namespace
}  // namespace fdbjobs::embedded
