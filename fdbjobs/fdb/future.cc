#include "fdbjobs/fdb/future.h"

#include <condition_variable>
#include <mutex>

#include "fdbjobs/fdb/bytes.h"

namespace fdbjobs::fdb {
namespace {

using Callback = absl::AnyInvocable<void() &&>;

void RunCallback(abi::Future*, void* parameter) {
  const std::unique_ptr<Callback> callback(static_cast<Callback*>(parameter));
  std::move (*callback)();
}

}  // namespace

// Tells one thread what the network thread saw.
class Future::Ready {
 public:
  void Notify() {
    const std::lock_guard lock(mutex_);
    ready_ = true;
    changed_.notify_all();
  }

  bool WaitFor(absl::Duration timeout) {
    std::unique_lock lock(mutex_);
    const auto is_ready = [this] { return ready_; };
    // The clock can't count as far as a very long duration reaches.
    constexpr absl::Duration kForEver = absl::Hours(24 * 365);
    if (timeout < kForEver) return changed_.wait_for(lock, absl::ToChronoNanoseconds(timeout), is_ready);
    changed_.wait(lock, is_ready);
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ready_ = false;
};

Future::~Future() {
  if (handle_ == nullptr) return;
  // A callback frees its own memory, so it has to run; destroying alone does not promise that.
  if (has_callback_) api_->future_cancel(handle_);
  api_->future_destroy(handle_);
}

void Future::Swap(Future& other) noexcept {
  std::swap(api_, other.api_);
  std::swap(handle_, other.handle_);
  std::swap(error_, other.error_);
  std::swap(operation_, other.operation_);
  std::swap(phase_, other.phase_);
  std::swap(has_callback_, other.has_callback_);
  std::swap(ready_, other.ready_);
}

bool Future::IsReady() const { return handle_ == nullptr || api_->future_is_ready(handle_) != 0; }

abi::ErrorCode Future::Block() const { return handle_ == nullptr ? error_ : api_->future_block_until_ready(handle_); }

absl::Status Future::AwaitReady() const {
  abi::ErrorCode code = Block();
  if (code == 0 && handle_ != nullptr) code = api_->future_get_error(handle_);
  return code == 0 ? absl::OkStatus() : ToStatus(code);
}

bool Future::WaitFor(absl::Duration timeout) {
  if (IsReady()) return true;
  if (ready_ == nullptr) {
    auto ready = std::make_shared<Ready>();
    if (!OnReady([ready] { ready->Notify(); }).ok()) return false;
    ready_ = std::move(ready);
  }
  return ready_->WaitFor(timeout);
}

void Future::Cancel() {
  if (handle_ != nullptr) api_->future_cancel(handle_);
}

absl::Status Future::OnReady(Callback callback) {
  if (handle_ == nullptr) {
    std::move(callback)();
    return absl::OkStatus();
  }
  // The callback may destroy this future before the call below returns, so nothing of it is touched afterwards.
  const abi::Api& api = *api_;
  has_callback_ = true;
  auto heap = std::make_unique<Callback>(std::move(callback));
  const abi::ErrorCode code = api.future_set_callback(handle_, &RunCallback, heap.get());
  if (code != 0) return StatusFromCode(api, code, "set callback");
  heap.release();
  return absl::OkStatus();
}

absl::StatusOr<int64_t> Int64Future::Await() const {
  abi::ErrorCode code = Block();
  int64_t value = 0;
  if (code == 0) code = api().future_get_int64(handle(), &value);
  if (code != 0) return ToStatus(code);
  return value;
}

absl::StatusOr<std::string_view> KeyFuture::AwaitView() const& {
  abi::ErrorCode code = Block();
  const uint8_t* key = nullptr;
  int length = 0;
  if (code == 0) code = api().future_get_key(handle(), &key, &length);
  if (code != 0) return ToStatus(code);
  return View(key, length);
}

absl::StatusOr<std::string> KeyFuture::Await() const {
  const absl::StatusOr<std::string_view> view = AwaitView();
  if (!view.ok()) return view.status();
  return std::string(*view);
}

absl::StatusOr<std::optional<std::string_view>> ValueFuture::AwaitView() const& {
  abi::ErrorCode code = Block();
  abi::Bool present = 0;
  const uint8_t* value = nullptr;
  int length = 0;
  if (code == 0) code = api().future_get_value(handle(), &present, &value, &length);
  if (code != 0) return ToStatus(code);
  if (!present) return std::optional<std::string_view>();
  return std::optional<std::string_view>(View(value, length));
}

absl::StatusOr<std::optional<std::string>> ValueFuture::Await() const {
  const absl::StatusOr<std::optional<std::string_view>> view = AwaitView();
  if (!view.ok()) return view.status();
  if (!view->has_value()) return std::optional<std::string>();
  return std::optional<std::string>(std::in_place, **view);
}

absl::StatusOr<RangeBatchView> RangeFuture::AwaitView() const& {
  abi::ErrorCode code = Block();
  const abi::KeyValue* rows = nullptr;
  int count = 0;
  abi::Bool more = 0;
  if (code == 0) code = api().future_get_keyvalue_array(handle(), &rows, &count, &more);
  if (code != 0) return ToStatus(code);
  return RangeBatchView{absl::MakeConstSpan(rows, static_cast<size_t>(count)), more != 0};
}

absl::StatusOr<std::vector<std::string>> StringsFuture::Await() const {
  abi::ErrorCode code = Block();
  const char** strings = nullptr;
  int count = 0;
  if (code == 0) code = api().future_get_string_array(handle(), &strings, &count);
  if (code != 0) return ToStatus(code);
  return std::vector<std::string>(strings, strings + count);
}

absl::StatusOr<std::vector<std::string>> KeysFuture::Await() const {
  abi::ErrorCode code = Block();
  const abi::Key* keys = nullptr;
  int count = 0;
  if (code == 0) code = api().future_get_key_array(handle(), &keys, &count);
  if (code != 0) return ToStatus(code);
  std::vector<std::string> result;
  result.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) result.emplace_back(keys[i].view());
  return result;
}

}  // namespace fdbjobs::fdb
