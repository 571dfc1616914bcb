#include "fdbjobs/embedded/network.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <thread>
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

}  // namespace
}  // namespace fdbjobs::embedded
