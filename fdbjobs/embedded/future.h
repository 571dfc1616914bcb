// Future: the object behind an FDBFuture handle. Set once, then ready for ever.
//
// Thread safety: every method may be called from any thread. A callback runs on the network thread, or in the call of
// SetCallback when the future is ready already.
// Lifetime: counted. FutureRef holds one reference; the handle that the C ABI gave out holds another until
// fdb_future_destroy.
// Cost: one allocation. A future that is ready takes no lock and makes no system call, and Set makes one only when a
// thread sleeps in BlockUntilReady.
//
//   FutureRef future = Future::Make();
//   engine->Commit(std::move(request), [future](CommitResult result) { future->Set(result.error); });
//   return future.Release();                  // to the caller of the ABI, who destroys it
#ifndef FDBJOBS_EMBEDDED_FUTURE_H_
#define FDBJOBS_EMBEDDED_FUTURE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "fdbjobs/embedded/error_codes.h"
#include "fdbjobs/embedded/fdb_c_handles.h"
#include "fdbjobs/embedded/rows.h"
#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

class DatabaseState;
class Future;

// Has work to do that futures wait for, and takes help with it.
class Helped {
 public:
  // Called by a thread that would sleep otherwise. Does what is to be done now, if nobody is at it; returns at once
  // else. Must not wait for other futures.
  virtual void HelpOut() = 0;
  // No help is to be expected for this future: it is to be told by a callback.
  virtual void GoAhead() = 0;

 protected:
  ~Helped() = default;
};

// Holds one reference to a Future.
class FutureRef {
 public:
  FutureRef() = default;
  explicit FutureRef(Future* owned) : future_(owned) {}
  FutureRef(const FutureRef& other);
  FutureRef(FutureRef&& other) noexcept : future_(std::exchange(other.future_, nullptr)) {}
  FutureRef& operator=(FutureRef other) noexcept {
    std::swap(future_, other.future_);
    return *this;
  }
  ~FutureRef();

  Future* operator->() const { return future_; }
  Future* get() const { return future_; }
  explicit operator bool() const { return future_ != nullptr; }
  // Gives the reference away.
  [[nodiscard]] Future* Release() { return std::exchange(future_, nullptr); }

 private:
  Future* future_ = nullptr;
};

class Future final : public FDB_future {
 public:
  struct Nothing {};
  struct KeyResult {
    std::string key;
  };
  struct ValueResult {
    std::optional<std::string> value;
  };
  struct RangeResult {
    Rows rows;
    bool more = false;
  };
  struct StringsResult {
    std::vector<std::string> strings;
    // The array that the C ABI hands out; filled in by Set.
    std::vector<const char*> pointers = {};
  };
#pragma pack(push, 4)
  // Same layout as FDBKey of fdb_c.h.
  struct KeyEntry {
    const uint8_t* key;
    int key_length;
  };
#pragma pack(pop)
  struct KeysResult {
    std::vector<std::string> keys;
    // The array that the C ABI hands out; filled in by Set.
    std::vector<KeyEntry> entries = {};
  };
  // For API versions below 610, which open a cluster first.
  struct ClusterResult {
    std::string cluster_file;
  };
  struct DatabaseResult {
    std::shared_ptr<DatabaseState> database;
  };
  using Result = std::variant<Nothing, int64_t, double, KeyResult, ValueResult, RangeResult, StringsResult, KeysResult,
                              ClusterResult, DatabaseResult>;
  using Callback = void (*)(FDB_future*, void*);

  static FutureRef Make() { return FutureRef(new Future(kPending)); }
  // Whoever blocks on it helps `helped` first, if that still exists.
  static FutureRef Make(std::weak_ptr<Helped> helped);
  static FutureRef MakeReady(ErrorCode error);
  static FutureRef MakeReady(Result result);
  // A number would be taken for an error code: write Result(number).
  static FutureRef MakeReady(int64_t) = delete;

  // The first of Set and Cancel wins; the others do nothing and return false.
  bool Set(ErrorCode error);
  bool Set(Result result);
  bool Set(int64_t) = delete;
  // Fails it with kOperationCancelled and runs the hook of OnCancel, if it was not ready.
  void Cancel();
  // What else to undo when the caller cancels, or destroys the handle of a future that is not ready (a watch, a
  // timer). Runs at most once, on the thread of that call, or here when it was cancelled before; never after Set.
  // A later hook takes the place of an earlier one.
  void OnCancel(std::function<void()> hook);

  bool IsReady() const { return IsReady(state_.load(std::memory_order_acquire)); }
  // kBlockedFromNetworkThread when called there on a future that is not ready.
  ErrorCode BlockUntilReady();
  // Any number of callbacks. Each is called once, in the order of setting unless the future was ready already.
  ErrorCode SetCallback(Callback callback, void* parameter);

  // kFutureNotSet while it is not ready, kFutureReleased once the result was released.
  ErrorCode error() const {
    if (!IsReady()) return kFutureNotSet;
    return borrows_.load(std::memory_order_relaxed) == kReleased ? kFutureReleased : error_;
  }
  // Null when the result is of another kind, was released, or is an error. Valid until ReleaseMemory or the end.
  template <typename T>
  const T* result_if() const {
    return error() == kSuccess ? std::get_if<T>(&result_) : nullptr;
  }
  // The result for a caller of the ABI, who may give it back with ReleaseMemory. Fails with error(), or with
  // kClientInvalidOperation when the result is of another kind.
  template <typename T>
  ErrorCode Borrow(const T** result);
  // Takes back one Borrow. The last one frees the result; reading it then gives kFutureReleased. Does nothing to an
  // error, or to a future that is not ready.
  void ReleaseMemory();

  void AddReference() { references_.fetch_add(1, std::memory_order_relaxed); }
  void DropReference();
  // What fdb_future_destroy does: cancels it if it is not ready, and drops the caller's reference.
  void Destroy();

 private:
  // Values of state_. kWaited is a bit beside them: some thread sleeps.
  static constexpr uint32_t kPending = 0;
  static constexpr uint32_t kSetting = 1;  // one thread has won and writes the result
  static constexpr uint32_t kReady = 2;
  static constexpr uint32_t kPhase = 3;
  static constexpr uint32_t kWaited = 4;
  // Value of borrows_ after the last ReleaseMemory.
  static constexpr int32_t kReleased = -1;

  struct CallbackNode {
    Callback callback;
    void* parameter;
    CallbackNode* next;
  };
  using Hook = std::function<void()>;

  explicit Future(uint32_t state) : state_(state) {}
  ~Future();

  static bool IsReady(uint32_t state) { return (state & kPhase) == kReady; }
  // End marks of callbacks_ and hook_; never dereferenced.
  static CallbackNode* ClosedCallbacks() { return reinterpret_cast<CallbackNode*>(1); }
  static Hook* ClosedHook() { return reinterpret_cast<Hook*>(1); }
  static Hook* CancelledHook() { return reinterpret_cast<Hook*>(2); }
  static bool IsHook(const Hook* hook) { return hook != nullptr && hook != ClosedHook() && hook != CancelledHook(); }
  static void FillPointers(Result* result);

  // True for the one caller that may write the result.
  bool Claim();
  // The result is written: lets everybody see it. Whoever calls this holds a reference.
  void Publish();
  bool TryBorrow();
  void RunCallbacks(CallbackNode* newest_first);

  std::atomic<uint32_t> references_{1};
  std::atomic<uint32_t> state_;
  // Written between Claim and Publish, constant after.
  ErrorCode error_ = kSuccess;
  // How many Borrows are outstanding, or kReleased.
  std::atomic<int32_t> borrows_{0};
  // Newest first; ClosedCallbacks() when they have been taken to be run.
  std::atomic<CallbackNode*> callbacks_{nullptr};
  // Owned. ClosedHook() after Set, CancelledHook() after Cancel.
  std::atomic<Hook*> hook_{nullptr};
  // Constant after the making.
  std::weak_ptr<Helped> helped_;
  // Written between Claim and Publish, freed by the last ReleaseMemory.
  Result result_;
};

inline FutureRef::FutureRef(const FutureRef& other) : future_(other.future_) {
  if (future_ != nullptr) future_->AddReference();
}

inline FutureRef::~FutureRef() {
  if (future_ != nullptr) future_->DropReference();
}

inline void Future::DropReference() {
  // The only holder needs no atomic subtraction: nobody else can come by a reference.
  if (references_.load(std::memory_order_acquire) == 1 || references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    delete this;
  }
}

inline bool Future::TryBorrow() {
  int32_t borrows = borrows_.load(std::memory_order_relaxed);
  while (borrows != kReleased) {
    if (borrows_.compare_exchange_weak(borrows, borrows + 1, std::memory_order_acquire)) return true;
  }
  return false;
}

template <typename T>
ErrorCode Future::Borrow(const T** result) {
  if (!IsReady()) return kFutureNotSet;
  if (error_ != kSuccess) return error_;
  if (!TryBorrow()) return kFutureReleased;
  *result = std::get_if<T>(&result_);
  if (*result != nullptr) return kSuccess;
  borrows_.fetch_sub(1, std::memory_order_release);
  return kClientInvalidOperation;
}

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_FUTURE_H_
