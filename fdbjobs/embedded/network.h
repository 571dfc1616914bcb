// Network: what fdb_run_network runs. One thread of the caller's that calls back and keeps the timers.
//
// Thread safety: every method may be called from any thread, Run from one.
// Lifetime: one for the process, never destroyed. Tasks posted after Stop, or before Setup, are kept and not run,
// as FoundationDB leaves futures pending then.
//
//   Network& network = Network::Get();
//   if (ErrorCode error = network.Setup()) return error;
//   std::thread thread([&] { network.Run(); });
//   Network::TimerId timer = network.RunAfter(std::chrono::seconds(5), [future] { future->Set(kTransactionTimedOut);
//   }); network.CancelTimer(timer); network.Stop(); thread.join();
#ifndef FDBJOBS_EMBEDDED_NETWORK_H_
#define FDBJOBS_EMBEDDED_NETWORK_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

// What the network thread waits for when it has nothing else to do.
class IdleWork {
 public:
  // On the network thread: waits, for `longest` at most, and then does what has come up. What it posts meanwhile runs
  // when it returns.
  virtual void WaitAndWork(std::chrono::microseconds longest) = 0;
  // The wait that is under way, or else the next one, is to end at once. From any thread.
  virtual void Interrupt() = 0;

 protected:
  ~IdleWork() = default;
};

class Network {
 public:
  using Task = std::function<void()>;
  using TimerId = uint64_t;

  // The one of the process; tests of this class make their own.
  static Network& Get();
  Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  // kNetworkAlreadySetup the second time (FoundationDB allows one network in a process's life).
  ErrorCode Setup();
  // Blocks until Stop; runs the completion hooks last. kNetworkNotSetup before Setup, kNetworkCannotBeRestarted the
  // second time.
  ErrorCode Run();
  // Tasks that were posted before this call still run. Also before Run, which then returns soon.
  ErrorCode Stop();
  ErrorCode AddCompletionHook(void (*hook)(void*), void* parameter);
  bool IsSetUp() const { return set_up_.load(std::memory_order_acquire); }
  bool OnNetworkThread() const;

  // Runs `task` on the network thread, soon, in order of posting.
  void Post(Task task);
  // Runs `task` on the network thread after `delay`. The id is never 0.
  TimerId RunAfter(std::chrono::microseconds delay, Task task);
  // The task does not start after this returns, unless it had started already.
  void CancelTimer(TimerId id);

  // From now on the network thread is in `work` where it would sleep. False if it has such work already, or is not to
  // run.
  bool TakeUp(IdleWork* work);
  // Returns when the network thread is out of `work` for good. Not on the network thread.
  void LayDown(IdleWork* work);

 private:
  using Clock = std::chrono::steady_clock;
  // By time, then in order of making.
  using TimerKey = std::pair<Clock::time_point, TimerId>;

  // Runs what was posted and what is due, until Stop.
  void Loop();
  // Both give up the lock while a task runs, and return whether one did.
  bool RunPosted(std::unique_lock<std::mutex>* lock);
  bool RunDueTimers(std::unique_lock<std::mutex>* lock);
  void RunCompletionHooks();
  // Until there is something to run, or a little earlier. Gives up the lock meanwhile.
  void Sleep(std::unique_lock<std::mutex>* lock);
  // Wakes the network thread if it sleeps. Call with mutex_ held.
  void Wake();

  std::atomic<bool> set_up_{false};

  // The tasks that run just now; used by the network thread alone.
  std::vector<Task> batch_;

  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable out_of_idle_work_;
  // All below: guarded by mutex_.
  bool started_ = false;
  bool stopped_ = false;
  // The network thread waits for work_, or is in its idle work; it is woken only then.
  bool sleeping_ = false;
  IdleWork* idle_work_ = nullptr;
  // The one that the network thread is in.
  IdleWork* current_idle_work_ = nullptr;
  std::vector<Task> posted_;
  std::map<TimerKey, Task> timers_;
  // Where each timer is in timers_. A timer that has started is in neither.
  std::unordered_map<TimerId, Clock::time_point> due_;
  TimerId last_timer_ = 0;
  std::vector<std::pair<void (*)(void*), void*>> completion_hooks_;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_NETWORK_H_
