// The pool of readers of the base.
#include "fdbjobs/embedded/base_store.h"

#include <unistd.h>

#include <atomic>
#include <fstream>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "fdbjobs/embedded/control_block.h"
#include "gtest/gtest.h"
#include "tests/embedded/temporary_folder.h"

namespace fdbjobs::embedded {
namespace {

// Whether the thread of this process sleeps: waits for something.
bool Sleeps(pid_t thread) {
  std::ifstream status("/proc/self/task/" + std::to_string(thread) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("State:")) return line.find('S', 6) != std::string::npos;
  }
  return false;
}

// Readers that come back all at once wake as many who wait. Otherwise this never ends: they let go of theirs only when
// all have one.
TEST(BaseReadersTest, ReadersThatComeBackTogetherWakeAllWhoWait) {
  constexpr size_t kReaders = 4;
  TemporaryFolder folder;
  const std::string path = folder.path() + "/base.sqlite";
  std::string why;
  std::unique_ptr<BaseWriter> writer;
  ASSERT_EQ(BaseWriter::Open(path, /*create=*/true, &writer, &why), 0) << why;
  const auto control = std::make_unique<ControlBlock>();
  BaseReaders readers(path, control.get(), kReaders);
  std::vector<BaseReaders::Lease> held(kReaders);
  for (BaseReaders::Lease& lease : held) ASSERT_EQ(readers.Borrow(&lease, &why), 0) << why;

  std::latch all_have_one(kReaders);
  std::vector<std::atomic<pid_t>> waiting(kReaders);
  std::vector<std::thread> threads;
  for (std::atomic<pid_t>& id : waiting) {
    threads.emplace_back([&readers, &all_have_one, &id] {
      BaseReaders::Lease lease;
      std::string error;
      id = gettid();
      EXPECT_EQ(readers.Borrow(&lease, &error), 0) << error;
      all_have_one.arrive_and_wait();
    });
  }
  for (const std::atomic<pid_t>& id : waiting) {
    while (id == 0 || !Sleeps(id)) std::this_thread::yield();
  }
  held.clear();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace fdbjobs::embedded
