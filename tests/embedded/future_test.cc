#include "fdbjobs/embedded/future.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include "fdbjobs/embedded/network.h"

namespace fdbjobs::embedded {
namespace {

// Futures call back on the one network of the process: it runs while the tests do.
class NetworkThread : public testing::Environment {
 public:
  void SetUp() override {
    ASSERT_EQ(Network::Get().Setup(), kSuccess);
    thread_ = std::thread([] { Network::Get().Run(); });
  }
  void TearDown() override {
    Network::Get().Stop();
    thread_.join();
  }

 private:
  std::thread thread_;
};

testing::Environment* const network_thread = testing::AddGlobalTestEnvironment(new NetworkThread);

// Runs `task` on the network thread and waits for its end.
template <typename Task>
void OnNetworkThread(Task task) {
  std::promise<void> done;
  Network::Get().Post([&] {
    task();
    done.set_value();
  });
  done.get_future().wait();
}

// One call of a callback: where, and what the future said then.
struct Call {
  std::promise<ErrorCode> error;
  bool on_network_thread = false;

  static void Record(FDB_future* future, void* parameter) {
    Call* call = static_cast<Call*>(parameter);
    call->on_network_thread = Network::Get().OnNetworkThread();
    call->error.set_value(static_cast<Future*>(future)->error());
  }
};

// Sets a future when it is helped, and counts.
class HelpedOnce : public Helped {
 public:
  void HelpOut() override {
    ++helps;
    if (future) future->Set(kSuccess);
  }
  void GoAhead() override { ++told; }

  FutureRef future;
  std::atomic<int> helps = 0;
  std::atomic<int> told = 0;
};

TEST(Future, AThreadThatBlocksHelpsFirst) {
  auto helped = std::make_shared<HelpedOnce>();
  helped->future = Future::Make(std::weak_ptr<Helped>(helped));
  EXPECT_EQ(helped->future->BlockUntilReady(), kSuccess);
  EXPECT_EQ(helped->future->BlockUntilReady(), kSuccess);
  EXPECT_EQ(helped->helps, 1);
  EXPECT_EQ(helped->told, 0);
}

TEST(Future, ACallbackDoesNotHelpAndSaysSo) {
  auto helped = std::make_shared<HelpedOnce>();
  FutureRef future = Future::Make(std::weak_ptr<Helped>(helped));
  Call call;
  ASSERT_EQ(future->SetCallback(&Call::Record, &call), kSuccess);
  EXPECT_EQ(helped->told, 1);
  EXPECT_EQ(helped->helps, 0);
  future->Set(kSuccess);
  EXPECT_EQ(call.error.get_future().get(), kSuccess);
}

TEST(Future, WhoWasToBeHelpedMayBeGone) {
  FutureRef future = Future::Make(std::weak_ptr<Helped>(std::make_shared<HelpedOnce>()));
  std::thread setter([&] { future->Set(kTransactionCancelled); });
  EXPECT_EQ(future->BlockUntilReady(), kSuccess);
  EXPECT_EQ(future->error(), kTransactionCancelled);
  setter.join();
}

TEST(Future, PendingUntilSet) {
  FutureRef future = Future::Make();
  const int64_t* number = nullptr;
  EXPECT_FALSE(future->IsReady());
  EXPECT_EQ(future->error(), kFutureNotSet);
  EXPECT_EQ(future->Borrow(&number), kFutureNotSet);
  EXPECT_EQ(future->result_if<int64_t>(), nullptr);

  EXPECT_TRUE(future->Set(Future::Result(int64_t{7})));
  EXPECT_TRUE(future->IsReady());
  EXPECT_EQ(future->error(), kSuccess);
  ASSERT_EQ(future->Borrow(&number), kSuccess);
  EXPECT_EQ(*number, 7);
}

TEST(Future, FirstSetWins) {
  FutureRef future = Future::Make();
  EXPECT_TRUE(future->Set(kNotCommitted));
  EXPECT_FALSE(future->Set(kSuccess));
  EXPECT_FALSE(future->Set(Future::Result(int64_t{1})));
  future->Cancel();
  EXPECT_EQ(future->error(), kNotCommitted);
}

TEST(Future, MadeReady) {
  EXPECT_EQ(Future::MakeReady(kTransactionTooOld)->error(), kTransactionTooOld);
  FutureRef nothing = Future::MakeReady(kSuccess);
  EXPECT_TRUE(nothing->IsReady());
  EXPECT_EQ(nothing->error(), kSuccess);
  EXPECT_EQ(nothing->BlockUntilReady(), kSuccess);
  EXPECT_FALSE(nothing->Set(kNotCommitted));

  FutureRef value = Future::MakeReady(Future::ValueResult{"abc"});
  ASSERT_NE(value->result_if<Future::ValueResult>(), nullptr);
  EXPECT_EQ(value->result_if<Future::ValueResult>()->value, "abc");
  EXPECT_EQ(value->result_if<Future::KeyResult>(), nullptr);
}

TEST(Future, ResultOfAnotherKindIsRefusedAndKept) {
  FutureRef future = Future::MakeReady(Future::KeyResult{"key"});
  const int64_t* number = nullptr;
  EXPECT_EQ(future->Borrow(&number), kClientInvalidOperation);
  const Future::KeyResult* key = nullptr;
  ASSERT_EQ(future->Borrow(&key), kSuccess);
  EXPECT_EQ(key->key, "key");
}

TEST(Future, ArraysPointAtTheirStrings) {
  FutureRef strings = Future::Make();
  strings->Set(Future::StringsResult{{"127.0.0.1:4500", ""}});
  const Future::StringsResult* addresses = nullptr;
  ASSERT_EQ(strings->Borrow(&addresses), kSuccess);
  ASSERT_EQ(addresses->pointers.size(), 2u);
  EXPECT_STREQ(addresses->pointers[0], "127.0.0.1:4500");
  EXPECT_STREQ(addresses->pointers[1], "");

  FutureRef keys = Future::MakeReady(Future::KeysResult{{std::string("a\0b", 3), "c"}});
  const Future::KeysResult* split = nullptr;
  ASSERT_EQ(keys->Borrow(&split), kSuccess);
  ASSERT_EQ(split->entries.size(), 2u);
  EXPECT_EQ(split->entries[0].key_length, 3);
  EXPECT_EQ(split->entries[0].key[2], 'b');
  EXPECT_EQ(split->entries[1].key_length, 1);
}

TEST(Future, ReleaseMemoryCountsBorrows) {
  FutureRef future = Future::MakeReady(Future::KeyResult{"key"});
  const Future::KeyResult* key = nullptr;
  ASSERT_EQ(future->Borrow(&key), kSuccess);
  ASSERT_EQ(future->Borrow(&key), kSuccess);
  future->ReleaseMemory();
  EXPECT_EQ(key->key, "key");
  EXPECT_EQ(future->error(), kSuccess);
  future->ReleaseMemory();
  EXPECT_EQ(future->error(), kFutureReleased);
  EXPECT_EQ(future->Borrow(&key), kFutureReleased);
  EXPECT_EQ(future->result_if<Future::KeyResult>(), nullptr);
  future->ReleaseMemory();
  EXPECT_EQ(future->error(), kFutureReleased);
}

TEST(Future, ReleaseMemoryLeavesErrorsAndPendingFutures) {
  FutureRef failed = Future::MakeReady(kNotCommitted);
  failed->ReleaseMemory();
  EXPECT_EQ(failed->error(), kNotCommitted);
  FutureRef pending = Future::Make();
  pending->ReleaseMemory();
  pending->Set(Future::Result(int64_t{3}));
  EXPECT_EQ(*pending->result_if<int64_t>(), 3);
}

TEST(Future, WakesEveryWaiter) {
  FutureRef future = Future::Make();
  std::atomic<int> woken = 0;
  std::vector<std::thread> waiters;
  for (int i = 0; i < 8; ++i) {
    waiters.emplace_back([future, &woken] {
      EXPECT_EQ(future->BlockUntilReady(), kSuccess);
      EXPECT_EQ(future->error(), kNotCommitted);
      ++woken;
    });
  }
  future->Set(kNotCommitted);
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_EQ(woken, 8);
}

TEST(Future, NetworkThreadMustNotBlock) {
  FutureRef pending = Future::Make();
  FutureRef ready = Future::MakeReady(kSuccess);
  OnNetworkThread([&] {
    EXPECT_EQ(pending->BlockUntilReady(), kBlockedFromNetworkThread);
    EXPECT_EQ(ready->BlockUntilReady(), kSuccess);
  });
}

TEST(Future, CallbackRunsOnTheNetworkThread) {
  FutureRef future = Future::Make();
  Call call;
  ASSERT_EQ(future->SetCallback(&Call::Record, &call), kSuccess);
  future->Set(kCommitUnknownResult);
  EXPECT_EQ(call.error.get_future().get(), kCommitUnknownResult);
  EXPECT_TRUE(call.on_network_thread);
}

TEST(Future, CallbackOfAReadyFutureRunsAtOnce) {
  FutureRef future = Future::MakeReady(kSuccess);
  Call call;
  ASSERT_EQ(future->SetCallback(&Call::Record, &call), kSuccess);
  std::future<ErrorCode> error = call.error.get_future();
  ASSERT_EQ(error.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  EXPECT_EQ(error.get(), kSuccess);
  EXPECT_FALSE(call.on_network_thread);
}

TEST(Future, CallbacksRunInOrder) {
  FutureRef future = Future::Make();
  std::vector<int> order;
  struct Step {
    std::vector<int>* order;
    int number;
  } steps[3] = {{&order, 0}, {&order, 1}, {&order, 2}};
  for (Step& step : steps) {
    future->SetCallback(
        [](FDB_future*, void* parameter) {
          const Step* at = static_cast<Step*>(parameter);
          at->order->push_back(at->number);
        },
        &step);
  }
  future->Set(kSuccess);
  OnNetworkThread([] {});
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
}

TEST(Future, CallbackMayDestroyTheFuture) {
  FutureRef future = Future::Make();
  FutureRef setter = future;
  std::promise<void> destroyed;
  future->SetCallback(
      [](FDB_future* handle, void* parameter) {
        static_cast<Future*>(handle)->Destroy();
        static_cast<std::promise<void>*>(parameter)->set_value();
      },
      &destroyed);
  // From here on the callback owns what was the caller's handle.
  static_cast<void>(future.Release());
  setter->Set(kSuccess);
  destroyed.get_future().wait();
}

TEST(Future, CancelFailsItAndRunsTheHook) {
  FutureRef future = Future::Make();
  int runs = 0;
  future->OnCancel([&] { ++runs; });
  future->Cancel();
  EXPECT_EQ(future->error(), kOperationCancelled);
  EXPECT_EQ(runs, 1);
  future->Cancel();
  EXPECT_EQ(runs, 1);
  future->OnCancel([&] { runs += 10; });
  EXPECT_EQ(runs, 11);
}

TEST(Future, SetDropsTheHook) {
  FutureRef future = Future::Make();
  auto held = std::make_shared<int>(0);
  future->OnCancel([held] { ++*held; });
  EXPECT_EQ(held.use_count(), 2);
  future->Set(kSuccess);
  EXPECT_EQ(held.use_count(), 1);
  future->OnCancel([held] { ++*held; });
  future->Cancel();
  EXPECT_EQ(*held, 0);
}

TEST(Future, LaterHookTakesThePlaceOfAnEarlierOne) {
  FutureRef future = Future::Make();
  int first = 0, second = 0;
  future->OnCancel([&] { ++first; });
  future->OnCancel([&] { ++second; });
  future->Cancel();
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, 1);
}

TEST(Future, DestroyCancelsWhatIsNotReady) {
  FutureRef engine_side = Future::Make();
  int runs = 0;
  engine_side->OnCancel([&] { ++runs; });
  Call call;
  engine_side->SetCallback(&Call::Record, &call);
  FutureRef handle = engine_side;
  handle.Release()->Destroy();
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(engine_side->error(), kOperationCancelled);
  EXPECT_EQ(call.error.get_future().get(), kOperationCancelled);
}

TEST(Future, DestroyOfTheLastReferenceRunsCallbacksFirst) {
  FutureRef handle = Future::Make();
  Call call;
  handle->SetCallback(&Call::Record, &call);
  handle.Release()->Destroy();
  EXPECT_EQ(call.error.get_future().get(), kOperationCancelled);
}

TEST(Future, PendingFutureFreesWhatItHolds) {
  auto held = std::make_shared<int>(0);
  {
    FutureRef future = Future::Make();
    future->OnCancel([held] {});
    future->SetCallback([](FDB_future*, void*) { FAIL() << "nobody set it"; }, nullptr);
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(Future, SetAndCancelRace) {
  for (int i = 0; i < 2000; ++i) {
    FutureRef future = Future::Make();
    int hooks = 0;
    bool won = false;
    std::latch start(2);
    std::thread setter([&] {
      start.arrive_and_wait();
      won = future->Set(Future::ValueResult{"value"});
    });
    start.arrive_and_wait();
    future->OnCancel([&] { ++hooks; });
    future->Cancel();
    EXPECT_EQ(future->BlockUntilReady(), kSuccess);
    setter.join();
    EXPECT_EQ(future->error(), won ? kSuccess : kOperationCancelled);
    EXPECT_EQ(hooks, won ? 0 : 1);
  }
}

TEST(Future, BorrowAndReleaseRace) {
  for (int i = 0; i < 500; ++i) {
    FutureRef future = Future::MakeReady(Future::ValueResult{std::string(100, 'x')});
    const auto use = [&] {
      const Future::ValueResult* result = nullptr;
      const ErrorCode error = future->Borrow(&result);
      if (error != kSuccess) {
        EXPECT_EQ(error, kFutureReleased);
        return;
      }
      EXPECT_EQ(result->value->back(), 'x');
      future->ReleaseMemory();
    };
    std::thread other(use);
    use();
    other.join();
    EXPECT_EQ(future->error(), kFutureReleased);
  }
}

TEST(Future, CallbackAndSetRace) {
  for (int i = 0; i < 1000; ++i) {
    FutureRef future = Future::Make();
    Call call;
    std::thread setter([future] { future->Set(kSuccess); });
    future->SetCallback(&Call::Record, &call);
    EXPECT_EQ(call.error.get_future().get(), kSuccess);
    setter.join();
  }
}

// AddressSanitizer sees a future that Cancel uses too long.
TEST(Future, CancelAndACallbackThatDestroysRace) {
  for (int i = 0; i < 10000; ++i) {
    std::promise<void> destroyed;
    Future* const future = Future::Make().Release();
    future->SetCallback(
        [](FDB_future* handle, void* parameter) {
          static_cast<Future*>(handle)->Destroy();
          static_cast<std::promise<void>*>(parameter)->set_value();
        },
        &destroyed);
    future->Cancel();
    destroyed.get_future().wait();
  }
}

}  // namespace
}  // namespace fdbjobs::embedded
