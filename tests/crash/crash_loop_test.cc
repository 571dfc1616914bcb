// Engine only. Writers are killed at random moments, again and again: what was acknowledged is there, nothing is half
// there, and the others go on.
//
// FDBJOBS_CRASH_KILLS  how many are killed, for long runs
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "absl/strings/numbers.h"
#include "fdbjobs/fdb/database.h"
#include "gtest/gtest.h"
#include "tests/crash/writers.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_seed.h"

namespace fdbjobs::test {
namespace {

constexpr uint32_t kWriters = 3;
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int kKills = 30;
#else
constexpr int kKills = 300;
#endif

int Kills() {
  const char* const given = std::getenv("FDBJOBS_CRASH_KILLS");
  int number = 0;
  return given != nullptr && absl::SimpleAtoi(given, &number) ? number : kKills;
}

class CrashLoopTest : public ::testing::Test {
 protected:
  CrashLoopTest() : random_(TestSeed()), writers_(Name(), TestSeed()) {}

  ~CrashLoopTest() override {
    std::printf("%lld commits were acknowledged\n", static_cast<long long>(writers_.commits()));
  }

  std::string Name() const { return "embedded:" + folder_.path(); }

  fdb::Database OpenOrDie() {
    absl::StatusOr<fdb::Database> database = fdb::Database::Open(Name());
    if (!database.ok()) {
      std::fprintf(stderr, "%s\n", database.status().ToString().c_str());
      std::abort();
    }
    return *std::move(database);
  }

  uint32_t AnyWriter() { return static_cast<uint32_t>(random_() % kWriters); }
  bool OneIn(int count) { return random_() % count == 0; }

  // Mostly short. Some live long enough to move old commits into the base, which begins after a tenth of a second.
  std::chrono::microseconds RandomLifetime() {
    const bool is_long = OneIn(6);
    return std::chrono::microseconds((is_long ? 100'000 : 5'000) + random_() % (is_long ? 150'000 : 55'000));
  }

  // Lets writer `waited_for` live for a while: from its first commit on, or from its start on, so that processes that
  // are just opening the folder die as well.
  void LetLive(uint32_t waited_for) {
    if (OneIn(2)) {
      ASSERT_TRUE(writers_.WaitForCommits(waited_for, 1));
    }
    writers_.RunFor(RandomLifetime());
  }

  TempFolder folder_;
  std::mt19937_64 random_;
  Writers writers_;
};

TEST_F(CrashLoopTest, OneIsKilledAndTheOthersGoOn) {
  const fdb::Database database = OpenOrDie();
  for (uint32_t writer = 0; writer < kWriters; ++writer) writers_.Start(writer);
  for (int kill = 0; kill < Kills() && !HasFailure(); ++kill) {
    const uint32_t victim = AnyWriter();
    LetLive(victim);
    writers_.Kill(victim);
    writers_.ExpectAllIn(database);
    ASSERT_TRUE(writers_.WaitForCommitsOfAll(writers_.running(), 1));
    writers_.Start(victim);
  }
  writers_.KillAll();
  writers_.ExpectAllIn(database);
}

TEST_F(CrashLoopTest, AllAreKilledAtOnceAndTheNextFindsEverything) {
  for (int kill = 0; kill < Kills() && !HasFailure(); kill += kWriters) {
    for (uint32_t writer = 0; writer < kWriters; ++writer) writers_.Start(writer);
    LetLive(AnyWriter());
    writers_.KillAll();
    // Now and then the next ones find what two crashes left.
    if (OneIn(4)) continue;
    writers_.ExpectAllIn(OpenOrDie());
  }
  writers_.ExpectAllIn(OpenOrDie());
}

TEST_F(CrashLoopTest, AStoppedWriterHoldsNobodyUpAndGoesOnLater) {
  const fdb::Database database = OpenOrDie();
  for (uint32_t writer = 0; writer < kWriters; ++writer) writers_.Start(writer);
  for (int stop = 0; stop < Kills() / 10 && !HasFailure(); ++stop) {
    ASSERT_TRUE(writers_.WaitForCommitsOfAll(writers_.running(), 1));
    const uint32_t victim = AnyWriter();
    writers_.RunFor(std::chrono::microseconds(random_() % 20'000));
    writers_.Signal(victim, SIGSTOP);
    std::vector<uint32_t> others = writers_.running();
    std::erase(others, victim);
    ASSERT_TRUE(writers_.WaitForCommitsOfAll(others, 20));
    writers_.ExpectAllIn(database);
    if (OneIn(3)) {
      // Who comes new while it is stopped gets in and goes on as well.
      writers_.Kill(others.front());
      writers_.Start(others.front());
      ASSERT_TRUE(writers_.WaitForCommits(others.front(), 1));
    }
    writers_.Signal(victim, SIGCONT);
    ASSERT_TRUE(writers_.WaitForCommits(victim, 5));
    writers_.ExpectAllIn(database);
  }
  writers_.KillAll();
  writers_.ExpectAllIn(database);
}

}  // namespace
}  // namespace fdbjobs::test
