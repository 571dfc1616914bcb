#include <utility>

#include "fdbjobs/embedded/atomic_ops.h"
#include "fdbjobs/embedded/error_codes.h"
#include "fdbjobs/embedded/transaction_impl.h"

namespace fdbjobs::embedded {
namespace {

// From this version on a transaction keeps its read version after the commit.
constexpr int kFirstKeptReadVersionApiVersion = 700;

int64_t RangesSize(const RangeSet& ranges) {
  return static_cast<int64_t>(ranges.size()) * kRangeOverhead + static_cast<int64_t>(ranges.range_bytes());
}

}  // namespace

FutureRef TransactionImpl::Watch(std::string_view key) {
  const std::lock_guard lock(mutex_);
  if (kept_error_ != kSuccess) return Future::MakeReady(kept_error_);
  if (ErrorCode error = CheckUsable()) return Future::MakeReady(error);
  if (!options_.read_your_writes()) return Future::MakeReady(kWatchesDisabled);
  if (key >= options_.max_read_key() && key != kMetadataVersionKey) return Future::MakeReady(kKeyOutsideLegalRange);
  if (key.size() > KeySizeLimit(key)) return Future::MakeReady(kKeyTooLarge);

  std::optional<std::string> value;
  if (ErrorCode error = ReadValue(key, /*snapshot=*/false, &value)) return Future::MakeReady(error);
  std::shared_ptr<PendingWatch> watch = PendingWatch::Make(database_, std::string(key), std::move(value));
  if (watch == nullptr) return Future::MakeReady(kTooManyWatches);
  watches_.push_back(watch);
  return watch->future();
}

FutureRef TransactionImpl::Commit() {
  FutureRef future;
  CommitRequest request;
  uint64_t incarnation = 0;
  {
    std::unique_lock lock(mutex_);
    if (kept_error_ != kSuccess) return Future::MakeReady(kept_error_);
    if (ErrorCode error = CheckUsable()) return Future::MakeReady(error);
    commit_started_ = true;
    writes_.FlushAll(&mutations_);
    const bool read_only = mutations_.empty();
    const ErrorCode error = read_only ? kSuccess : FillRequest(&request);
    if (read_only || error != kSuccess) {
      const Watches started = FinishCommit({.error = error});
      lock.unlock();
      StartAll(started);
      return Future::MakeReady(error);
    }
    future = Future::Make(std::weak_ptr<Helped>(database_->engine()));
    incarnation = incarnation_;
    AddOutstanding(future);
  }
  auto self = std::static_pointer_cast<TransactionImpl>(shared_from_this());
  engine_->Commit(std::move(request), [self, incarnation, future](const CommitResult& result) {
    self->OnCommitDone(incarnation, future, result);
  });
  return future;
}

// Moves all that was written into `request`. What was read and written can still be looked at.
ErrorCode TransactionImpl::FillRequest(CommitRequest* request) {
  if (options_.read_only()) return kTransactionReadOnly;
  request->read_version = read_version_;
  request->durability_risky = options_.durability_risky();
  submitted_ = std::make_shared<const MutationList>(std::move(mutations_));
  mutations_.Clear();
  request->writes = submitted_;
  // What was read twice counts once, but that is looked at only where it matters.
  if (submitted_->cost() + RangesSize(read_conflicts_) > options_.size_limit()) {
    read_conflicts_.Normalize();
    if (submitted_->cost() + RangesSize(read_conflicts_) > options_.size_limit()) return kTransactionTooLarge;
  }
  request->read_conflicts = read_conflicts_;
  return kSuccess;
}

void TransactionImpl::OnCommitDone(uint64_t incarnation, const FutureRef& future, const CommitResult& result) {
  Watches started;
  {
    const std::lock_guard lock(mutex_);
    // Else the transaction was reset meanwhile, which failed the future.
    if (incarnation == incarnation_) started = FinishCommit(result);
  }
  StartAll(started);
  future->Set(result.error);
}

// Returns the watches to be started when the mutex is free again.
TransactionImpl::Watches TransactionImpl::FinishCommit(const CommitResult& result) {
  DisarmTimeout();
  if (api_version_ < kFirstKeptReadVersionApiVersion) read_version_ = kNoVersion;
  if (result.error != kSuccess) {
    FailWatches(result.error);
    SetVersionstamps(kTransactionInvalidVersion);
    return {};
  }
  committed_version_ = stamped_version_ = result.version;
  stamped_order_ = result.batch_order;
  if (result.version == kNoVersion) {
    SetVersionstamps(kNoCommitVersion);
  } else {
    std::string stamp(kVersionstampBytes, '\0');
    PlaceVersionstamp(stamp.data(), result.version, result.batch_order);
    for (const FutureRef& future : versionstamps_) future->Set(Future::Result(Future::KeyResult{stamp}));
    versionstamps_.clear();
  }
  return std::exchange(watches_, {});
}

void TransactionImpl::SetVersionstamps(ErrorCode error) {
  for (const FutureRef& future : versionstamps_) future->Set(error);
  versionstamps_.clear();
}

void TransactionImpl::StartAll(const Watches& watches) {
  for (const std::shared_ptr<PendingWatch>& watch : watches) watch->Start();
}

void TransactionImpl::FailWatches(ErrorCode error) {
  for (const std::shared_ptr<PendingWatch>& watch : watches_) watch->Finish(error);
  watches_.clear();
}

ErrorCode TransactionImpl::GetCommittedVersion(Version* version) {
  const std::lock_guard lock(mutex_);
  *version = committed_version_;
  return kSuccess;
}

FutureRef TransactionImpl::GetVersionstamp() {
  const std::lock_guard lock(mutex_);
  if (ErrorCode error = CheckUsable()) return Future::MakeReady(error);
  FutureRef future = Future::Make();
  versionstamps_.push_back(future);
  AddOutstanding(future);
  return future;
}

FutureRef TransactionImpl::GetApproximateSize() {
  const std::lock_guard lock(mutex_);
  return Future::MakeReady(Future::Result(approximate_size_));
}

}  // namespace fdbjobs::embedded
