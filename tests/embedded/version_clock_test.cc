// Versions: never back, reads never above a commit under way, commits always above a read.
#include "fdbjobs/embedded/version_clock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tests/embedded/temporary_folder.h"

namespace fdbjobs::embedded {
namespace {

class VersionClockTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    ASSERT_EQ(control_.Map(folder_.path() + "/control", true, &why), 0) << why;
    control_->version_base = 1000;
    control_->monotonic_base_us = MonotonicMicros();
    control_->version_lease = Version{1} << 60;
  }

  TemporaryFolder folder_;
  ControlMapping control_;
};

TEST_F(VersionClockTest, AboutAMillionPassInASecond) {
  VersionClock clock(&*control_);
  const int64_t before_us = MonotonicMicros();
  const Version first = clock.ReadVersion();
  while (MonotonicMicros() - before_us < 20'000) {
  }
  const Version second = clock.ReadVersion();
  const int64_t passed_us = MonotonicMicros() - before_us;
  EXPECT_GE(second - first, 10'000);
  EXPECT_LE(second - first, passed_us);
}

TEST_F(VersionClockTest, ACommitUnderWayIsAboveEveryReadVersionUntilItIsAcknowledged) {
  VersionClock clock(&*control_);
  const Version read = clock.ReadVersion();
  const Version commit = clock.AssignFirst(3);
  EXPECT_GT(commit, read);
  EXPECT_GE(clock.ReadVersion(), read);
  EXPECT_LT(clock.ReadVersion(), commit);
  EXPECT_FALSE(clock.Pin(commit));
  control_->acked_version = commit + 2;
  EXPECT_GE(clock.ReadVersion(), commit + 2);
  EXPECT_TRUE(clock.Pin(commit));
}

TEST_F(VersionClockTest, VersionsThatWereNotUsedDoNotHoldReadsBack) {
  VersionClock clock(&*control_);
  const Version commit = clock.AssignFirst(5);
  clock.SettleAssigned(commit + 4, 0);
  EXPECT_GE(clock.ReadVersion(), commit);
}

TEST_F(VersionClockTest, ReadVersionsStopAtTheLease) {
  VersionClock clock(&*control_);
  control_->version_lease = 1234;
  while (clock.Now() <= 1234) {
  }
  EXPECT_EQ(clock.ReadVersion(), 1234);
}

TEST_F(VersionClockTest, ManyReadersAndACommitterKeepTheRules) {
  std::atomic<bool> stop{false};
  std::atomic<int> broken{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      VersionClock clock(&*control_);
      Version last = 0;
      while (!stop) {
        const Version acked = control_->acked_version.load();
        const Version version = clock.ReadVersion();
        if (version < last || version < acked) ++broken;
        last = version;
      }
    });
  }
  VersionClock clock(&*control_);
  Version last = 0;
  for (int i = 0; i < 20000; ++i) {
    const Version read_before = control_->read_version_max.load();
    const Version first = clock.AssignFirst(2);
    if (first <= last || first <= read_before) ++broken;
    last = first + 1;
    control_->acked_version = last;
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(broken, 0);
}

}  // namespace
}  // namespace fdbjobs::embedded
