// BareGroups: the most that threads can commit in groups on a machine, with no engine at all.
//
// Each thread asks for the bytes of one commit to be written, sleeps until they are durable, is woken by itself, and
// asks again. One of two writers takes all that was asked for, writes it into a file that was filled before, and calls
// fdatasync once. What is left between these figures and those of an engine is the engine's own work.
//
// Thread safety: one run at a time. Lifetime: removes its file at the end.
//
//   BareGroups bare(folder + "/bare");
//   double commits_per_second = bare.Run(/*threads=*/64, /*seconds=*/1);
#ifndef FDBJOBS_TOOLS_BENCH_BARE_GROUPS_H_
#define FDBJOBS_TOOLS_BENCH_BARE_GROUPS_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace fdbjobs::bench {

class BareGroups {
 public:
  explicit BareGroups(std::string path);
  BareGroups(const BareGroups&) = delete;
  BareGroups& operator=(const BareGroups&) = delete;
  ~BareGroups();

  // Commits a second.
  double Run(int threads, double seconds);

 private:
  // A word per thread that it sleeps on, on a cache line of its own.
  struct alignas(64) Answer {
    std::atomic<uint32_t> done = 0;
  };

  uint64_t RunThread(const std::atomic<bool>& stop);
  void RunWriter();
  // False when there is no more to come.
  bool TakeAll(std::vector<Answer*>* group);
  void WriteAndSync(size_t bytes);

  const std::string path_;
  int file_ = -1;

  std::mutex mutex_;
  std::condition_variable asked_;
  std::vector<Answer*> queue_;  // guarded by mutex_
  bool ended_ = false;          // guarded by mutex_

  std::mutex sync_mutex_;
  size_t at_ = 0;  // guarded by sync_mutex_
};

}  // namespace fdbjobs::bench

#endif  // FDBJOBS_TOOLS_BENCH_BARE_GROUPS_H_
