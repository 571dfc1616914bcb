#include "fdbjobs/embedded/network.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "fdbjobs/embedded/error_codes.h"

namespace fdbjobs::embedded {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

// A network of its own, run by a thread of its own.
class RunningNetwork {
 public:
  RunningNetwork() {
    EXPECT_EQ(network_.Setup(), kSuccess);
    thread_ = std::thread([this] { EXPECT_EQ(network_.Run(), kSuccess); });
  }
  ~RunningNetwork() { StopAndJoin(); }

  void StopAndJoin() {
    if (!thread_.joinable()) return;
    EXPECT_EQ(network_.Stop(), kSuccess);
    thread_.join();
  }
  // Returns when all that was posted before has run.
  void Settle() {
    std::promise<void> done;
    network_.Post([&] { done.set_value(); });
    done.get_future().wait();
  }
  Network* operator->() { return &network_; }

 private:
  Network network_;
  std::thread thread_;
};

// Idle work that waits for nothing but the end of the wait.
class FakeWork : public IdleWork {
 public:
  void WaitAndWork(std::chrono::microseconds longest) override {
    {
      std::unique_lock lock(mutex_);
      inside_ = true;
      changed_.notify_all();
      changed_.wait_for(lock, longest, [this] { return interrupted_; });
      inside_ = interrupted_ = false;
    }
    // With the mutex free: the network calls Interrupt under a lock of its own.
    if (work_) work_();
  }
  void Interrupt() override {
    std::lock_guard lock(mutex_);
    interrupted_ = true;
    changed_.notify_all();
  }
  // Done at the end of each wait. To be called before it is taken up.
  void SetWork(std::function<void()> work) { work_ = std::move(work); }
  void AwaitInside() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return inside_; });
  }
  bool inside() {
    std::lock_guard lock(mutex_);
    return inside_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  bool inside_ = false;
  bool interrupted_ = false;
  // Not changed while it is taken up.
  std::function<void()> work_;
};

void CountCall(void* parameter) { ++*static_cast<int*>(parameter); }

TEST(Network, NothingBeforeSetup) {
  Network network;
  int calls = 0;
  EXPECT_FALSE(network.IsSetUp());
  EXPECT_EQ(network.Run(), kNetworkNotSetup);
  EXPECT_EQ(network.Stop(), kNetworkNotSetup);
  EXPECT_EQ(network.AddCompletionHook(&CountCall, &calls), kNetworkNotSetup);
  EXPECT_EQ(calls, 0);
}

TEST(Network, SetUpOnce) {
  Network network;
  EXPECT_EQ(network.Setup(), kSuccess);
  EXPECT_TRUE(network.IsSetUp());
  EXPECT_EQ(network.Setup(), kNetworkAlreadySetup);
}

TEST(Network, RunsOnce) {
  Network network;
  network.Setup();
  EXPECT_EQ(network.Stop(), kSuccess);
  EXPECT_EQ(network.Run(), kSuccess);
  EXPECT_EQ(network.Run(), kNetworkCannotBeRestarted);
  EXPECT_EQ(network.Setup(), kNetworkAlreadySetup);
}

TEST(Network, StopBeforeRunStillRunsTasksAndHooks) {
  Network network;
  int hooks = 0, tasks = 0;
  network.Post([&] { ++tasks; });
  network.Setup();
  network.AddCompletionHook(&CountCall, &hooks);
  network.AddCompletionHook(&CountCall, &hooks);
  network.Stop();
  EXPECT_EQ(network.Stop(), kSuccess);
  EXPECT_EQ(network.Run(), kSuccess);
  EXPECT_EQ(tasks, 1);
  EXPECT_EQ(hooks, 2);
}

TEST(Network, TasksAfterTheEndAreKept) {
  auto held = std::make_shared<int>(0);
  {
    RunningNetwork network;
    network.StopAndJoin();
    network->Post([held] { ++*held; });
    network->RunAfter(milliseconds(0), [held] { ++*held; });
    EXPECT_EQ(held.use_count(), 3);
  }
  EXPECT_EQ(*held, 0);
}

TEST(Network, TasksRunInOrderOnTheNetworkThread) {
  RunningNetwork network;
  std::vector<int> order;
  for (int i = 0; i < 100; ++i) {
    network->Post([&, i] {
      EXPECT_TRUE(network->OnNetworkThread());
      order.push_back(i);
    });
  }
  network.Settle();
  EXPECT_FALSE(network->OnNetworkThread());
  ASSERT_EQ(order.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

TEST(Network, AnotherNetworksThreadIsNotOurs) {
  RunningNetwork one, other;
  other->Post([&] { EXPECT_FALSE(one->OnNetworkThread()); });
  other.Settle();
}

TEST(Network, TasksOfManyThreads) {
  RunningNetwork network;
  int count = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 1000; ++j) network->Post([&] { ++count; });
    });
  }
  for (std::thread& thread : threads) thread.join();
  network.Settle();
  EXPECT_EQ(count, 4000);
}

TEST(Network, TaskMayPost) {
  RunningNetwork network;
  std::promise<void> done;
  network->Post([&] { network->Post([&] { done.set_value(); }); });
  done.get_future().wait();
}

TEST(Network, TimersRunByTimeThenByOrder) {
  RunningNetwork network;
  std::vector<int> order;
  std::promise<void> done;
  // Set in one task, so that none of them can run before all are there.
  network->Post([&] {
    network->RunAfter(milliseconds(20), [&] { done.set_value(); });
    network->RunAfter(milliseconds(10), [&] { order.push_back(2); });
    network->RunAfter(milliseconds(0), [&] { order.push_back(0); });
    network->RunAfter(milliseconds(0), [&] { order.push_back(1); });
  });
  done.get_future().wait();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
}

TEST(Network, TimerIsNotEarly) {
  RunningNetwork network;
  std::promise<std::chrono::steady_clock::time_point> ran;
  const auto from = std::chrono::steady_clock::now();
  EXPECT_NE(network->RunAfter(milliseconds(5), [&] { ran.set_value(std::chrono::steady_clock::now()); }), 0u);
  EXPECT_GE(ran.get_future().get() - from, milliseconds(5));
}

TEST(Network, EarlierTimerWakesASleeper) {
  RunningNetwork network;
  network->RunAfter(hours(1), [] { FAIL() << "an hour has not passed"; });
  std::promise<void> done;
  network->RunAfter(milliseconds(1), [&] { done.set_value(); });
  done.get_future().wait();
}

TEST(Network, CancelledTimerDoesNotRunAndFreesItsTask) {
  RunningNetwork network;
  auto held = std::make_shared<int>(0);
  const Network::TimerId later = network->RunAfter(hours(1), [held] { ++*held; });
  network->CancelTimer(later);
  EXPECT_EQ(held.use_count(), 1);
  network->Post([&, held] {
    const Network::TimerId due = network->RunAfter(milliseconds(0), [held] { ++*held; });
    network->CancelTimer(due);
    network->CancelTimer(due);
  });
  network.Settle();
  network->CancelTimer(later);
  network->CancelTimer(12345);
  EXPECT_EQ(*held, 0);
}

TEST(Network, TimersRunWhileTasksArePostedWithoutEnd) {
  RunningNetwork network;
  std::atomic<bool> rung = false;
  std::promise<void> done;
  std::function<void()> again = [&] {
    if (rung) {
      done.set_value();
    } else {
      network->Post(again);
    }
  };
  network->Post(again);
  network->RunAfter(milliseconds(1), [&] { rung = true; });
  done.get_future().wait();
}

TEST(Network, HooksRunLastOnTheNetworkThread) {
  static Network* running;
  static bool on_network_thread;
  Network network;
  running = &network;
  network.Setup();
  network.AddCompletionHook([](void*) { on_network_thread = running->OnNetworkThread(); }, nullptr);
  std::thread thread([&] { network.Run(); });
  network.Stop();
  thread.join();
  EXPECT_TRUE(on_network_thread);
}

TEST(Network, OneForTheProcess) { EXPECT_EQ(&Network::Get(), &Network::Get()); }

TEST(NetworkIdleWork, OneAtATimeAndOnlyWhereTheNetworkIsToRun) {
  FakeWork work, other;
  Network never_set_up;
  EXPECT_FALSE(never_set_up.TakeUp(&work));
  RunningNetwork network;
  EXPECT_TRUE(network->TakeUp(&work));
  EXPECT_FALSE(network->TakeUp(&other));
  network->LayDown(&other);
  work.AwaitInside();
  network->LayDown(&work);
  EXPECT_TRUE(network->TakeUp(&other));
  other.AwaitInside();
  network.StopAndJoin();
  EXPECT_FALSE(network->TakeUp(&work));
}

TEST(NetworkIdleWork, WhatIsPostedInterruptsIt) {
  FakeWork work;
  RunningNetwork network;
  ASSERT_TRUE(network->TakeUp(&work));
  for (int i = 0; i < 1000; ++i) {
    if (i % 2 == 0) work.AwaitInside();
    network.Settle();
  }
}

TEST(NetworkIdleWork, TimersAreKeptMeanwhile) {
  FakeWork work;
  RunningNetwork network;
  ASSERT_TRUE(network->TakeUp(&work));
  work.AwaitInside();
  std::promise<void> rang;
  network->RunAfter(milliseconds(5), [&] { rang.set_value(); });
  rang.get_future().wait();
}

TEST(NetworkIdleWork, WhatItPostsItselfRunsWhenItReturns) {
  FakeWork work;
  RunningNetwork network;
  std::promise<void> ran;
  work.SetWork([&, posted = false]() mutable {
    if (!std::exchange(posted, true)) network->Post([&] { ran.set_value(); });
  });
  ASSERT_TRUE(network->TakeUp(&work));
  work.AwaitInside();
  work.Interrupt();
  ran.get_future().wait();
}

TEST(NetworkIdleWork, WhenItIsLaidDownTheNetworkThreadIsOutOfItAndGoesOn) {
  RunningNetwork network;
  for (int i = 0; i < 1000; ++i) {
    FakeWork work;
    ASSERT_TRUE(network->TakeUp(&work));
    if (i % 2 == 0) work.AwaitInside();
    network->LayDown(&work);
    EXPECT_FALSE(work.inside());
    if (i % 4 < 2) network.Settle();
  }
}

}  // namespace
}  // namespace fdbjobs::embedded
