// Futures: what the calls of a transaction return. Issue several, then await them together.
//
// Each type is named for what it delivers. `Await` blocks until the result is there and copies it; `AwaitView`, where
// there is one, gives a view into the future's own memory without a copy, valid while the future lives.
//
// Thread safety: a future belongs to one thread at a time. Never block on the network thread (in a callback).
// Lifetime: move-only, one owner. Destroying a future that is not ready cancels what it stands for. A future may
// outlive its transaction: a watch goes on, a read fails. One that was moved from can only be assigned or destroyed.
//
//   ValueFuture a = tr.Get("a", Isolation::kSerializable);      // both are on the way
//   ValueFuture b = tr.Get("b", Isolation::kSerializable);
//   if (absl::Status status = AwaitAll(a, b); !status.ok()) return status;
//   absl::StatusOr<std::optional<std::string_view>> value = a.AwaitView();
#ifndef FDBJOBS_FDB_FUTURE_H_
#define FDBJOBS_FDB_FUTURE_H_

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "fdbjobs/fdb/abi.h"
#include "fdbjobs/fdb/status.h"

namespace fdbjobs::fdb {

// What all futures can do. Make the ones below.
class [[nodiscard]] Future {
 public:
  Future(Future&& other) noexcept { Swap(other); }
  Future& operator=(Future&& other) noexcept {
    Future taken(std::move(other));
    Swap(taken);
    return *this;
  }

  bool IsReady() const;
  // Blocks until it is ready. The error that it was set to, if any.
  absl::Status AwaitReady() const;
  // Blocks until it is ready, but not longer than `timeout`. Whether it is ready.
  bool WaitFor(absl::Duration timeout);
  // Gives up on it: it becomes ready with operation_cancelled (1101), unless it was ready before.
  void Cancel();
  // Runs `callback` once, when it gets ready: on the network thread, or in this call when it is ready already. A
  // future that is cancelled or destroyed before runs it as well. It must not block, and must touch the future only
  // if that is sure to live still. On error it is not run.
  absl::Status OnReady(absl::AnyInvocable<void() &&> callback);

 protected:
  // `operation` is for messages and must be a literal.
  Future(const abi::Api& api, abi::Future* owned, const char* operation, Phase phase = Phase::kOther)
      : api_(&api), handle_(owned), operation_(operation), phase_(phase) {}
  // One that has failed before it was issued.
  Future(const abi::Api& api, abi::ErrorCode error, const char* operation)
      : api_(&api), error_(error), operation_(operation) {}
  ~Future();

  // The error of waiting for it, 0 when it can be read. Blocks.
  abi::ErrorCode Block() const;
  absl::Status ToStatus(abi::ErrorCode code) const { return StatusFromCode(*api_, code, operation_, phase_); }
  const abi::Api& api() const { return *api_; }
  abi::Future* handle() const { return handle_; }

 private:
  class Ready;

  void Swap(Future& other) noexcept;

  const abi::Api* api_ = nullptr;
  abi::Future* handle_ = nullptr;  // null when moved from, or failed before it was issued
  abi::ErrorCode error_ = 0;       // used while handle_ is null
  const char* operation_ = "";
  Phase phase_ = Phase::kOther;
  bool has_callback_ = false;
  std::shared_ptr<Ready> ready_;  // made by WaitFor
};

// commit, watch, on_error
class [[nodiscard]] VoidFuture : public Future {
 public:
  absl::Status Await() const { return AwaitReady(); }

 private:
  friend class Transaction;
  using Future::Future;
};

// read version, sizes
class [[nodiscard]] Int64Future : public Future {
 public:
  absl::StatusOr<int64_t> Await() const;

 private:
  friend class Transaction;
  using Future::Future;
};

// get_key, versionstamp
class [[nodiscard]] KeyFuture : public Future {
 public:
  absl::StatusOr<std::string> Await() const;
  absl::StatusOr<std::string_view> AwaitView() const&;
  absl::StatusOr<std::string_view> AwaitView() const&& = delete;  // the view would dangle

 private:
  friend class Transaction;
  using Future::Future;
};

// get: nullopt when there is no such key
class [[nodiscard]] ValueFuture : public Future {
 public:
  absl::StatusOr<std::optional<std::string>> Await() const;
  absl::StatusOr<std::optional<std::string_view>> AwaitView() const&;
  absl::StatusOr<std::optional<std::string_view>> AwaitView() const&& = delete;  // the view would dangle

 private:
  friend class Transaction;
  using Future::Future;
};

using KeyValueView = abi::KeyValue;

// One batch of a range read. Borrows from its future.
struct RangeBatchView {
  absl::Span<const KeyValueView> rows;
  // Whether the batch ended for a limit, so that there may be further rows.
  bool more = false;
};

// get_range
class [[nodiscard]] RangeFuture : public Future {
 public:
  absl::StatusOr<RangeBatchView> AwaitView() const&;
  absl::StatusOr<RangeBatchView> AwaitView() const&& = delete;  // the view would dangle

 private:
  friend class Transaction;
  using Future::Future;
};

// addresses
class [[nodiscard]] StringsFuture : public Future {
 public:
  absl::StatusOr<std::vector<std::string>> Await() const;

 private:
  friend class Transaction;
  using Future::Future;
};

// split points
class [[nodiscard]] KeysFuture : public Future {
 public:
  absl::StatusOr<std::vector<std::string>> Await() const;

 private:
  friend class Transaction;
  using Future::Future;
};

// Waits until all are ready. The error of the first, in the order given, that has one.
template <std::derived_from<Future>... Futures>
absl::Status AwaitAll(const Futures&... futures) {
  absl::Status first;
  (first.Update(futures.AwaitReady()), ...);
  return first;
}

template <std::derived_from<Future> F>
absl::Status AwaitAll(const std::vector<F>& futures) {
  absl::Status first;
  for (const F& future : futures) first.Update(future.AwaitReady());
  return first;
}

}  // namespace fdbjobs::fdb

#endif  // FDBJOBS_FDB_FUTURE_H_
