#include "fdbjobs/embedded/future.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

#include "fdbjobs/embedded/network.h"

namespace fdbjobs::embedded {
namespace {

// Sleeping on a word of this process alone, which the kernel finds faster than a shared one.
void SleepWhile(const std::atomic<uint32_t>& word, uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void WakeAll(const std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));
static_assert(sizeof(Future::KeyEntry) == 12);

FutureRef Future::Make(std::weak_ptr<Helped> helped) {
  FutureRef future = Make();
  future->helped_ = std::move(helped);
  return future;
}

FutureRef Future::MakeReady(ErrorCode error) {
  FutureRef future(new Future(kReady));
  future->error_ = error;
  return future;
}

FutureRef Future::MakeReady(Result result) {
  FutureRef future(new Future(kReady));
  FillPointers(&result);
  future->result_ = std::move(result);
  return future;
}

Future::~Future() {
  CallbackNode* node = callbacks_.load(std::memory_order_relaxed);
  while (node != nullptr && node != ClosedCallbacks()) delete std::exchange(node, node->next);
  Hook* hook = hook_.load(std::memory_order_relaxed);
  if (IsHook(hook)) delete hook;
}

// Moving a vector leaves its elements where they are, so the pointers hold after the result was moved.
void Future::FillPointers(Result* result) {
  if (auto* strings = std::get_if<StringsResult>(result)) {
    strings->pointers.reserve(strings->strings.size());
    for (const std::string& string : strings->strings) strings->pointers.push_back(string.c_str());
  } else if (auto* keys = std::get_if<KeysResult>(result)) {
    keys->entries.reserve(keys->keys.size());
    for (const std::string& key : keys->keys) {
      keys->entries.push_back({reinterpret_cast<const uint8_t*>(key.data()), static_cast<int>(key.size())});
    }
  }
}

bool Future::Claim() {
  uint32_t state = state_.load(std::memory_order_relaxed);
  while ((state & kPhase) == kPending) {
    if (state_.compare_exchange_weak(state, state | kSetting, std::memory_order_acquire)) return true;
  }
  return false;
}

void Future::Publish() {
  const uint32_t before = state_.exchange(kReady, std::memory_order_acq_rel);
  if ((before & kWaited) != 0) WakeAll(state_);
  CallbackNode* callbacks = callbacks_.exchange(ClosedCallbacks(), std::memory_order_acq_rel);
  if (callbacks == nullptr) return;
  AddReference();
  // Two pointers fit into the task without an allocation.
  Network::Get().Post([this, callbacks] {
    RunCallbacks(callbacks);
    DropReference();
  });
}

bool Future::Set(ErrorCode error) {
  if (!Claim()) return false;
  error_ = error;
  Publish();
  Hook* hook = hook_.exchange(ClosedHook(), std::memory_order_acq_rel);
  if (IsHook(hook)) delete hook;
  return true;
}

bool Future::Set(Result result) {
  // Before Claim, since it may run out of memory.
  FillPointers(&result);
  if (!Claim()) return false;
  result_ = std::move(result);
  Publish();
  Hook* hook = hook_.exchange(ClosedHook(), std::memory_order_acq_rel);
  if (IsHook(hook)) delete hook;
  return true;
}

void Future::Cancel() {
  if (!Claim()) return;
  error_ = kOperationCancelled;
  // From Publish on a callback may destroy the caller's handle.
  AddReference();
  const FutureRef alive(this);
  Publish();
  std::unique_ptr<Hook> hook;
  Hook* taken = hook_.exchange(CancelledHook(), std::memory_order_acq_rel);
  if (!IsHook(taken)) return;
  hook.reset(taken);
  (*hook)();
}

void Future::OnCancel(std::function<void()> hook) {
  auto owned = std::make_unique<Hook>(std::move(hook));
  Hook* current = hook_.load(std::memory_order_acquire);
  do {
    if (current == ClosedHook()) return;
    if (current == CancelledHook()) return (*owned)();
  } while (!hook_.compare_exchange_weak(current, owned.get(), std::memory_order_acq_rel));
  static_cast<void>(owned.release());
  if (IsHook(current)) delete current;
}

ErrorCode Future::BlockUntilReady() {
  uint32_t state = state_.load(std::memory_order_acquire);
  if (IsReady(state)) return kSuccess;
  if (Network::Get().OnNetworkThread()) return kBlockedFromNetworkThread;
  if (const std::shared_ptr<Helped> helped = helped_.lock()) {
    helped->HelpOut();
    state = state_.load(std::memory_order_acquire);
  }
  while (!IsReady(state)) {
    if ((state & kWaited) == 0) {
      if (!state_.compare_exchange_weak(state, state | kWaited, std::memory_order_acquire)) continue;
      state |= kWaited;
    }
    SleepWhile(state_, state);
    state = state_.load(std::memory_order_acquire);
  }
  return kSuccess;
}

ErrorCode Future::SetCallback(Callback callback, void* parameter) {
  if (!IsReady()) {
    // Once the callback is set it may run and destroy this future, so nothing of it is touched after.
    const std::shared_ptr<Helped> helped = helped_.lock();
    auto node = std::make_unique<CallbackNode>(CallbackNode{callback, parameter, nullptr});
    node->next = callbacks_.load(std::memory_order_acquire);
    while (node->next != ClosedCallbacks()) {
      if (callbacks_.compare_exchange_weak(node->next, node.get(), std::memory_order_acq_rel)) {
        static_cast<void>(node.release());
        if (helped != nullptr) helped->GoAhead();
        return kSuccess;
      }
    }
  }
  callback(this, parameter);
  return kSuccess;
}

void Future::RunCallbacks(CallbackNode* newest_first) {
  CallbackNode* oldest_first = nullptr;
  while (newest_first != nullptr) {
    CallbackNode* next = newest_first->next;
    newest_first->next = oldest_first;
    oldest_first = std::exchange(newest_first, next);
  }
  while (oldest_first != nullptr) {
    const std::unique_ptr<CallbackNode> node(std::exchange(oldest_first, oldest_first->next));
    node->callback(this, node->parameter);
  }
}

void Future::ReleaseMemory() {
  if (!IsReady() || error_ != kSuccess) return;
  int32_t borrows = borrows_.load(std::memory_order_relaxed);
  int32_t left;
  do {
    if (borrows == kReleased) return;
    left = borrows <= 1 ? kReleased : borrows - 1;
  } while (!borrows_.compare_exchange_weak(borrows, left, std::memory_order_acq_rel));
  if (left == kReleased) result_ = Nothing{};
}

void Future::Destroy() {
  Cancel();
  DropReference();
}

}  // namespace fdbjobs::embedded
