#include <algorithm>
#include <random>
#include <utility>

#include "fdbjobs/embedded/error_codes.h"
#include "fdbjobs/embedded/options.h"
#include "fdbjobs/embedded/transaction_impl.h"

namespace fdbjobs::embedded {
namespace {

using std::chrono::microseconds;

constexpr microseconds kFirstBackoff{10'000};
// The delay for errors that a new read version cures.
constexpr microseconds kNewVersionDelay{10'000};
constexpr microseconds kMaxBackoffOutOfMemory{30'000'000};

// From this version on a transaction can't be used after an on_error that did not lead to a retry.
constexpr int kFirstGiveUpApiVersion = 610;

// Nothing here fails with it, but on_error takes it from a caller as FoundationDB does.
constexpr ErrorCode kBlobGranuleRequestFailed = 1079;

bool IsOutOfMemory(ErrorCode error) {
  return error == kCommitProxyMemoryLimitExceeded || error == kGrvProxyMemoryLimitExceeded;
}

bool NeedsBackoff(ErrorCode error) {
  switch (error) {
    case kNotCommitted:
    case kCommitUnknownResult:
    case kProcessBehind:
    case kDatabaseLocked:
    case kCommitProxyMemoryLimitExceeded:
    case kBatchTransactionThrottled:
    case kGrvProxyMemoryLimitExceeded:
    case kBlobGranuleRequestFailed:
    case kTagThrottled:
    case kProxyTagThrottled:
      return true;
    default:
      return false;
  }
}

// From 0 to `longest`, so that those who failed together do not come back together.
microseconds Jittered(microseconds longest) {
  thread_local std::minstd_rand random(std::random_device{}());
  return microseconds(std::uniform_int_distribution<int64_t>(0, longest.count())(random));
}

}  // namespace

std::shared_ptr<Transaction> Transaction::Make(std::shared_ptr<DatabaseState> database) {
  return std::make_shared<TransactionImpl>(std::move(database));
}

TransactionImpl::TransactionImpl(std::shared_ptr<DatabaseState> database)
    : database_(std::move(database)),
      engine_(database_->engine().get()),
      api_version_(database_->api_version()),
      options_(*database_),
      backoff_(kFirstBackoff) {}

// FoundationDB refuses an unknown option at once, and tells of a bad value at the next read or commit. Here the caller
// hears of it at once, and then too.
ErrorCode TransactionImpl::SetOption(int option, std::optional<std::string_view> value) {
  if (FindOption(OptionScope::kTransaction, option) == nullptr) return kInvalidOption;
  const std::lock_guard lock(mutex_);
  if (kept_error_ != kSuccess) return kSuccess;
  ErrorCode error = kSuccess;
  if (option == kOptionReadYourWritesDisable && (has_read_ || !writes_.empty())) error = kClientInvalidOperation;
  if (option == kOptionInitializeNewDatabase && read_version_ != kNoVersion) error = kReadVersionAlreadySet;
  if (error == kSuccess) error = options_.Set(option, value);
  Keep(error);
  if (error == kSuccess && option == kOptionTimeout) {
    DisarmTimeout();
    ArmTimeout();
  }
  return error;
}

ErrorCode TransactionImpl::CheckUsable() {
  if (ErrorCode error = CheckNotCommitting()) return error;
  return CheckAlive();
}

ErrorCode TransactionImpl::CheckNotCommitting() {
  if (!commit_started_) return kSuccess;
  if (options_.used_during_commit_protection()) Fail(kUsedDuringCommit);
  return kUsedDuringCommit;
}

ErrorCode TransactionImpl::CheckAlive() {
  if (failed_ == kSuccess && HasTimedOut()) Fail(kTransactionTimedOut);
  return failed_;
}

void TransactionImpl::Fail(ErrorCode error) {
  if (failed_ != kSuccess) return;
  failed_ = error;
  FailWatches(error);
  FailOutstanding(error);
}

void TransactionImpl::FailOutstanding(ErrorCode error) {
  DisarmTimeout();
  for (const FutureRef& future : outstanding_) future->Set(error);
  outstanding_.clear();
}

void TransactionImpl::AddOutstanding(const FutureRef& future) {
  outstanding_.push_back(future);
  ArmTimeout();
}

bool TransactionImpl::HasTimedOut() const {
  return options_.timeout().count() > 0 && Clock::now() >= started_ + options_.timeout();
}

// A timer is needed only while somebody waits; all others see the time-out when they come.
void TransactionImpl::ArmTimeout() {
  if (timer_ != 0 || outstanding_.empty() || options_.timeout().count() == 0) return;
  const auto left = std::chrono::ceil<microseconds>(started_ + options_.timeout() - Clock::now());
  timer_ =
      Network::Get().RunAfter(std::max(left, microseconds(0)), [weak = weak_from_this(), incarnation = incarnation_] {
        const std::shared_ptr<Transaction> held = weak.lock();
        if (held == nullptr) return;
        auto* const self = static_cast<TransactionImpl*>(held.get());
        const std::lock_guard lock(self->mutex_);
        if (self->incarnation_ != incarnation) return;
        self->timer_ = 0;
        if (self->CheckAlive() == kSuccess) self->ArmTimeout();
      });
}

void TransactionImpl::DisarmTimeout() {
  if (timer_ != 0) Network::Get().CancelTimer(std::exchange(timer_, 0));
}

FutureRef TransactionImpl::OnError(ErrorCode error) {
  const std::lock_guard lock(mutex_);
  if (ErrorCode failed = CheckAlive()) return Future::MakeReady(failed);
  if (error == kCommitUnknownResult) {
    // The next try counts on it that the one before has happened or never will.
    if (ErrorCode unsettled = engine_->CheckSettled()) {
      GiveUp();
      return Future::MakeReady(unsettled);
    }
  }
  const bool limit_reached = options_.retry_limit() >= 0 && retries_ >= options_.retry_limit();
  ++retries_;
  const std::optional<microseconds> delay = limit_reached ? std::nullopt : RetryDelay(error);
  if (!delay) {
    GiveUp();
    return Future::MakeReady(error == kSuccess ? kClientInvalidOperation : error);
  }
  FailWatches(kTransactionCancelled);
  return RetryAfter(*delay);
}

std::optional<microseconds> TransactionImpl::RetryDelay(ErrorCode error) {
  const microseconds max_delay = options_.max_retry_delay();
  if (error == kClusterVersionChanged) return microseconds(0);
  if (error == kTransactionTooOld || error == kFutureVersion) return std::min(kNewVersionDelay, max_delay);
  if (!NeedsBackoff(error)) return std::nullopt;
  const microseconds longest = IsOutOfMemory(error) ? kMaxBackoffOutOfMemory : max_delay;
  const microseconds delay = Jittered(std::min(backoff_, longest));
  backoff_ = std::min(backoff_ * 2, longest);
  return delay;
}

FutureRef TransactionImpl::RetryAfter(microseconds delay) {
  FutureRef future = Future::Make();
  if (delay.count() == 0) {
    FinishRetry(future);
    return future;
  }
  AddOutstanding(future);
  // Who comes first, the timer or a reset, decides; the other finds another incarnation.
  const auto if_current = [weak = weak_from_this(), incarnation = incarnation_](auto action) {
    const std::shared_ptr<Transaction> held = weak.lock();
    if (held == nullptr) return;
    auto* const self = static_cast<TransactionImpl*>(held.get());
    const std::lock_guard lock(self->mutex_);
    if (self->incarnation_ == incarnation && self->failed_ == kSuccess) action(self);
  };
  const Network::TimerId timer = Network::Get().RunAfter(
      delay, [if_current, future] { if_current([&](TransactionImpl* self) { self->FinishRetry(future); }); });
  future->OnCancel([if_current, timer] {
    Network::Get().CancelTimer(timer);
    if_current([](TransactionImpl* self) { self->GiveUp(); });
  });
  return future;
}

void TransactionImpl::FinishRetry(const FutureRef& future) {
  // Before StartOver, which fails all futures that are not ready. The caller can't go on before the mutex is free.
  future->Set(kSuccess);
  StartOver();
  options_.ResetForRetry();
}

void TransactionImpl::GiveUp() {
  if (api_version_ >= kFirstGiveUpApiVersion) {
    Fail(kTransactionCancelled);
  } else {
    StartOver();
    options_.ResetForRetry();
  }
}

void TransactionImpl::StartOver() {
  ++incarnation_;
  FailWatches(kTransactionCancelled);
  FailOutstanding(failed_ != kSuccess ? failed_ : kTransactionCancelled);
  versionstamps_.clear();
  read_version_ = kNoVersion;
  read_conflicts_.Clear();
  writes_.Clear();
  mutations_.Clear();
  submitted_ = nullptr;
  approximate_size_ = 0;
  has_read_ = false;
  commit_started_ = false;
  stamped_version_ = kNoVersion;
  kept_error_ = kSuccess;
  failed_ = kSuccess;
}

void TransactionImpl::Reset() {
  const std::lock_guard lock(mutex_);
  StartOver();
  options_.Reset(*database_);
  started_ = Clock::now();
  retries_ = 0;
  backoff_ = kFirstBackoff;
}

void TransactionImpl::Cancel() {
  const std::lock_guard lock(mutex_);
  Fail(kTransactionCancelled);
}

void TransactionImpl::Destroy() {
  const std::lock_guard lock(mutex_);
  StartOver();
  Fail(kTransactionCancelled);
}

}  // namespace fdbjobs::embedded
