#include "tools/bench/bare_groups.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <future>
#include <thread>
#include <utility>

#include "tools/bench/data_set.h"
#include "tools/bench/errors.h"
#include "tools/bench/latency.h"

namespace fdbjobs::bench {
namespace {

constexpr size_t kFileSize = 16 << 20;
// A row and as much around it as the engine's log has.
constexpr size_t kCommitBytes = DataSet::kKeySize + DataSet::kValueSize + 40;
constexpr int kWriters = 2;

}  // namespace

BareGroups::BareGroups(std::string path) : path_(std::move(path)) {
  file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  RequireSystem(file_ >= 0, "create " + path_);
  const std::string zeros(kFileSize, '\0');
  RequireSystem(pwrite(file_, zeros.data(), zeros.size(), 0) == static_cast<ssize_t>(zeros.size()) && fsync(file_) == 0,
                "fill " + path_);
}

BareGroups::~BareGroups() {
  close(file_);
  unlink(path_.c_str());
}

double BareGroups::Run(int threads, double seconds) {
  ended_ = false;
  std::atomic<bool> stop = false;
  std::vector<std::thread> writers;
  for (int i = 0; i < kWriters; ++i) writers.emplace_back([this] { RunWriter(); });
  const Clock::time_point start = Clock::now();
  std::vector<std::future<uint64_t>> running;
  for (int i = 0; i < threads; ++i) {
    running.push_back(std::async(std::launch::async, [this, &stop] { return RunThread(stop); }));
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  stop = true;
  uint64_t commits = 0;
  for (std::future<uint64_t>& thread : running) commits += thread.get();
  const double took = SecondsSince(start);
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  asked_.notify_all();
  for (std::thread& writer : writers) writer.join();
  return static_cast<double>(commits) / took;
}

uint64_t BareGroups::RunThread(const std::atomic<bool>& stop) {
  Answer answer;
  uint64_t commits = 0;
  for (; !stop; ++commits) {
    answer.done = 0;
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(&answer);
      if (queue_.size() == 1) asked_.notify_one();
    }
    while (answer.done == 0) syscall(SYS_futex, &answer.done, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
  }
  return commits;
}

void BareGroups::RunWriter() {
  std::vector<Answer*> group;
  while (TakeAll(&group)) {
    WriteAndSync(group.size() * kCommitBytes);
    for (Answer* answer : group) {
      answer->done = 1;
      syscall(SYS_futex, &answer->done, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    }
    group.clear();
  }
}

bool BareGroups::TakeAll(std::vector<Answer*>* group) {
  std::unique_lock lock(mutex_);
  asked_.wait(lock, [this] { return !queue_.empty() || ended_; });
  group->swap(queue_);
  return !group->empty();
}

void BareGroups::WriteAndSync(size_t bytes) {
  const std::string block(bytes, 'x');
  const std::lock_guard lock(sync_mutex_);
  if (at_ + bytes > kFileSize) at_ = 0;
  RequireSystem(pwrite(file_, block.data(), bytes, static_cast<off_t>(at_)) == static_cast<ssize_t>(bytes) &&
                    fdatasync(file_) == 0,
                "write and sync " + path_);
  at_ += bytes;
}

}  // namespace fdbjobs::bench
