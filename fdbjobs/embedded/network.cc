#include "fdbjobs/embedded/network.h"

#include <algorithm>

#include "fdbjobs/embedded/error_codes.h"

namespace fdbjobs::embedded {
namespace {

constexpr std::chrono::microseconds kLongestSleep = std::chrono::hours(1);

// The network that this thread runs, if it runs one.
thread_local const Network* running_here = nullptr;

}  // namespace

Network& Network::Get() {
  static Network* const network = new Network;
  return *network;
}

ErrorCode Network::Setup() {
  return set_up_.exchange(true, std::memory_order_acq_rel) ? kNetworkAlreadySetup : kSuccess;
}

ErrorCode Network::Run() {
  if (!IsSetUp()) return kNetworkNotSetup;
  {
    std::lock_guard lock(mutex_);
    if (std::exchange(started_, true)) return kNetworkCannotBeRestarted;
  }
  running_here = this;
  Loop();
  RunCompletionHooks();
  running_here = nullptr;
  return kSuccess;
}

void Network::Loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    const bool stopping = stopped_;
    const bool worked = RunPosted(&lock);
    // What was posted before Stop has run; timers are left.
    if (stopping) return;
    // Timers have their turn after each batch, so that steady posting does not hold them up.
    if (RunDueTimers(&lock) || worked) continue;
    sleeping_ = true;
    Sleep(&lock);
    sleeping_ = false;
  }
}

void Network::Sleep(std::unique_lock<std::mutex>* lock) {
  // A copy: the timer may be cancelled while this thread sleeps.
  const Clock::time_point until = timers_.empty() ? Clock::now() + kLongestSleep : timers_.begin()->first.first;
  if (idle_work_ == nullptr) {
    work_.wait_until(*lock, until);
    return;
  }
  IdleWork* const work = current_idle_work_ = idle_work_;
  lock->unlock();
  const auto left = std::chrono::ceil<std::chrono::microseconds>(until - Clock::now());
  work->WaitAndWork(std::clamp(left, std::chrono::microseconds(0), kLongestSleep));
  lock->lock();
  current_idle_work_ = nullptr;
  out_of_idle_work_.notify_all();
}

bool Network::RunPosted(std::unique_lock<std::mutex>* lock) {
  if (posted_.empty()) return false;
  batch_.swap(posted_);
  lock->unlock();
  for (Task& task : batch_) {
    task();
    task = nullptr;
  }
  batch_.clear();
  lock->lock();
  return true;
}

bool Network::RunDueTimers(std::unique_lock<std::mutex>* lock) {
  if (timers_.empty()) return false;
  bool worked = false;
  const Clock::time_point now = Clock::now();
  while (!timers_.empty() && timers_.begin()->first.first <= now) {
    auto timer = timers_.extract(timers_.begin());
    due_.erase(timer.key().second);
    lock->unlock();
    timer.mapped()();
    timer = {};
    lock->lock();
    worked = true;
  }
  return worked;
}

void Network::RunCompletionHooks() {
  std::unique_lock lock(mutex_);
  // By index: a hook may add another.
  for (size_t i = 0; i < completion_hooks_.size(); ++i) {
    const auto [hook, parameter] = completion_hooks_[i];
    lock.unlock();
    hook(parameter);
    lock.lock();
  }
}

ErrorCode Network::Stop() {
  if (!IsSetUp()) return kNetworkNotSetup;
  std::lock_guard lock(mutex_);
  stopped_ = true;
  Wake();
  return kSuccess;
}

ErrorCode Network::AddCompletionHook(void (*hook)(void*), void* parameter) {
  if (!IsSetUp()) return kNetworkNotSetup;
  std::lock_guard lock(mutex_);
  completion_hooks_.emplace_back(hook, parameter);
  return kSuccess;
}

bool Network::OnNetworkThread() const { return running_here == this; }

void Network::Wake() {
  // What idle work posts itself is seen to when it returns.
  if (!std::exchange(sleeping_, false) || OnNetworkThread()) return;
  if (current_idle_work_ != nullptr) {
    current_idle_work_->Interrupt();
  } else {
    work_.notify_one();
  }
}

bool Network::TakeUp(IdleWork* work) {
  std::lock_guard lock(mutex_);
  if (!IsSetUp() || stopped_ || idle_work_ != nullptr) return false;
  Wake();
  idle_work_ = work;
  return true;
}

void Network::LayDown(IdleWork* work) {
  std::unique_lock lock(mutex_);
  if (idle_work_ != work) return;
  idle_work_ = nullptr;
  if (current_idle_work_ == work) work->Interrupt();
  out_of_idle_work_.wait(lock, [&] { return current_idle_work_ != work; });
}

void Network::Post(Task task) {
  std::lock_guard lock(mutex_);
  posted_.push_back(std::move(task));
  Wake();
}

Network::TimerId Network::RunAfter(std::chrono::microseconds delay, Task task) {
  const Clock::time_point due = Clock::now() + delay;
  std::lock_guard lock(mutex_);
  const TimerId id = ++last_timer_;
  due_.emplace(id, due);
  const auto timer = timers_.emplace(TimerKey(due, id), std::move(task)).first;
  if (timer == timers_.begin()) Wake();
  return id;
}

void Network::CancelTimer(TimerId id) {
  // Dropped after the lock: what the task holds may come back here when it goes.
  Task task;
  std::lock_guard lock(mutex_);
  const auto due = due_.find(id);
  if (due == due_.end()) return;
  auto node = timers_.extract(TimerKey(due->second, id));
  task = std::move(node.mapped());
  due_.erase(due);
}

}  // namespace fdbjobs::embedded
