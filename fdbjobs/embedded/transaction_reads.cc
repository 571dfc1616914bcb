#include <utility>

#include "fdbjobs/embedded/error_codes.h"
#include "fdbjobs/embedded/transaction_impl.h"

namespace fdbjobs::embedded {
namespace {

// There is no server: this is where a caller that wants to be near its data should run.
constexpr std::string_view kAddress = "127.0.0.1";
constexpr std::string_view kAddressWithPort = "127.0.0.1:0";

}  // namespace

Version TransactionImpl::ReadVersion() {
  if (read_version_ == kNoVersion) read_version_ = engine_->GetReadVersion();
  return read_version_;
}

MergedRead TransactionImpl::View(bool own_writes) { return {engine_, &read_version_, own_writes ? &writes_ : nullptr}; }

bool TransactionImpl::SeesOwnWrites(bool snapshot) const {
  return snapshot ? options_.snapshot_read_your_writes() : options_.read_your_writes();
}

FutureRef TransactionImpl::GetReadVersion() {
  const std::lock_guard lock(mutex_);
  if (kept_error_ != kSuccess) return Future::MakeReady(kept_error_);
  if (ErrorCode error = CheckAlive()) return Future::MakeReady(error);
  return Future::MakeReady(Future::Result(ReadVersion()));
}

void TransactionImpl::SetReadVersion(Version version) {
  const std::lock_guard lock(mutex_);
  if (kept_error_ != kSuccess) return;
  if (read_version_ != kNoVersion) return Keep(kReadVersionAlreadySet);
  if (version <= 0) return Keep(kVersionInvalid);
  read_version_ = version;
}

FutureRef TransactionImpl::Get(std::string_view key, bool snapshot) {
  Future::Result result(std::in_place_type<Future::ValueResult>);
  std::optional<std::string>* const value = &std::get<Future::ValueResult>(result).value;

  const std::lock_guard lock(mutex_);
  if (kept_error_ != kSuccess) return Future::MakeReady(kept_error_);
  if (IsSpecialRead(key)) {
    if (ErrorCode error = ReadSpecialValue(key, value)) return Future::MakeReady(error);
    return Future::MakeReady(std::move(result));
  }
  if (ErrorCode error = CheckUsable()) return Future::MakeReady(error);
  if (key >= options_.max_read_key() && key != kMetadataVersionKey) return Future::MakeReady(kKeyOutsideLegalRange);
  // No such key can exist.
  if (key.size() > KeySizeLimit(key)) return Future::MakeReady(std::move(result));
  if (ErrorCode error = ReadValue(key, snapshot, value)) return Future::MakeReady(error);
  return Future::MakeReady(std::move(result));
}

// What the transaction sees at `key`; unless `snapshot`, it conflicts with whoever changes that.
ErrorCode TransactionImpl::ReadValue(std::string_view key, bool snapshot, std::optional<std::string>* value) {
  has_read_ = true;
  if (!writes_.empty() && SeesOwnWrites(snapshot)) return ReadOverWrites(key, snapshot, value);
  if (ErrorCode error = engine_->Get(ReadVersion(), key, value)) return error;
  if (!snapshot) AddReadConflictKey(key);
  return kSuccess;
}

ErrorCode TransactionImpl::ReadOverWrites(std::string_view key, bool snapshot, std::optional<std::string>* value) {
  WriteMap::Cursor at(writes_);
  at.Seek(key);
  if (at.unreadable() && !options_.bypass_unreadable()) return kAccessedUnreadable;
  const WriteMap::Kind kind = at.kind();
  if (kind == WriteMap::Kind::kCleared) return kSuccess;
  if (kind != WriteMap::Kind::kIndependent) {
    if (ErrorCode error = engine_->Get(ReadVersion(), key, value)) return error;
    if (!snapshot) AddReadConflictKey(key);
  }
  if (at.is_key()) *value = at.Value(std::move(*value));
  return kSuccess;
}

FutureRef TransactionImpl::GetKey(const KeySelectorView& selector, bool snapshot) {
  const std::lock_guard lock(mutex_);
  if (kept_error_ != kSuccess) return Future::MakeReady(kept_error_);
  if (ErrorCode error = CheckUsable()) return Future::MakeReady(error);
  const std::string_view max_key = options_.max_read_key();
  if (selector.key > max_key) return Future::MakeReady(kKeyOutsideLegalRange);

  has_read_ = true;
  const Selector normal(selector);
  Future::KeyResult found;
  int64_t remaining = 0;
  const MergedRead view = View(SeesOwnWrites(snapshot));
  if (ErrorCode error = view.FindKey(normal.key(), normal.offset(), max_key, &found.key, &remaining)) {
    return Future::MakeReady(error);
  }
  if (!snapshot) {
    const KeyRange conflict = KeyReadConflict(normal, found.key);
    AddReadConflict(conflict.begin, conflict.end);
  }
  return Future::MakeReady(Future::Result(std::move(found)));
}

FutureRef TransactionImpl::GetRange(const RangeRequest& request) {
  RangeLimits limits;
  if (ErrorCode error = LimitsOf(request, &limits)) return Future::MakeReady(error);
  Future::Result result(std::in_place_type<Future::RangeResult>);
  Future::RangeResult* const range = &std::get<Future::RangeResult>(result);

  const std::lock_guard lock(mutex_);
  if (kept_error_ != kSuccess) return Future::MakeReady(kept_error_);
  if (IsSpecialRange(request)) {
    if (ErrorCode error = ReadSpecialRange(request, limits, range)) return Future::MakeReady(error);
    return Future::MakeReady(std::move(result));
  }
  if (ErrorCode error = CheckUsable()) return Future::MakeReady(error);
  const std::string_view max_key = options_.max_read_key();
  if (request.begin.key > max_key || request.end.key > max_key) return Future::MakeReady(kKeyOutsideLegalRange);
  if (!limits.IsValid()) return Future::MakeReady(kRangeLimitsInvalid);
  if (ErrorCode error = ReadRange(request, limits, range)) return Future::MakeReady(error);
  return Future::MakeReady(std::move(result));
}

ErrorCode TransactionImpl::ReadRange(const RangeRequest& request, const RangeLimits& limits,
                                     Future::RangeResult* result) {
  const Selector begin(request.begin);
  const Selector end(request.end);
  // Empty whatever the database holds, so there is nothing to conflict with.
  if (begin.offset() >= end.offset() && begin.key() >= end.key()) return kSuccess;

  has_read_ = true;
  const std::string_view max_key = options_.max_read_key();
  const MergedRead view = View(SeesOwnWrites(request.snapshot));
  ResolvedRange resolved;
  if (ErrorCode error = ResolveRange(view, begin, end, max_key, &resolved)) return error;
  if (ErrorCode error = view.GetRange(resolved.begin, resolved.end, request.reverse, limits.max_rows(),
                                      limits.max_bytes(), &result->rows, &result->more)) {
    return error;
  }
  if (!request.snapshot) {
    const KeyRange conflict =
        RangeReadConflict(begin, end, resolved, request.reverse, max_key, result->rows, result->more);
    AddReadConflict(conflict.begin, conflict.end);
  }
  return kSuccess;
}

void TransactionImpl::AddReadConflictKey(std::string_view key) {
  approximate_size_ += static_cast<int64_t>(2 * key.size() + 1) + kRangeOverhead;
  read_conflicts_.AddKey(key);
}

// Leaves out what own writes answered without the database.
void TransactionImpl::AddReadConflict(std::string_view begin, std::string_view end) {
  if (begin >= end) return;
  const int64_t size = static_cast<int64_t>(begin.size() + end.size()) + kRangeOverhead;
  if (writes_.empty()) {
    approximate_size_ += size;
    read_conflicts_.Add(begin, end);
    return;
  }
  WriteMap::Cursor at(writes_);
  for (at.Seek(begin); at.valid() && Compare(at.begin(), end) < 0; at.Next()) {
    if (at.kind() != WriteMap::Kind::kUnmodified && at.kind() != WriteMap::Kind::kDependent) continue;
    approximate_size_ += size;
    const std::string from = Compare(at.begin(), begin) > 0 ? at.begin().ToString() : std::string(begin);
    const std::string to = Compare(at.end(), end) < 0 ? at.end().ToString() : std::string(end);
    read_conflicts_.Add(from, to);
  }
}

FutureRef TransactionImpl::GetAddressesForKey(std::string_view key) {
  const std::lock_guard lock(mutex_);
  if (kept_error_ != kSuccess) return Future::MakeReady(kept_error_);
  if (ErrorCode error = CheckUsable()) return Future::MakeReady(error);
  Future::StringsResult addresses;
  if (key < kSystemEnd) addresses.strings.emplace_back(options_.include_port() ? kAddressWithPort : kAddress);
  return Future::MakeReady(Future::Result(std::move(addresses)));
}

// These two ask about the database as it is now: the read version of the transaction does not matter.

FutureRef TransactionImpl::GetEstimatedRangeSizeBytes(std::string_view begin, std::string_view end) {
  const std::lock_guard lock(mutex_);
  if (kept_error_ != kSuccess) return Future::MakeReady(kept_error_);
  if (begin > end) return Future::MakeReady(kInvertedRange);
  if (ErrorCode error = CheckUsable()) return Future::MakeReady(error);
  int64_t bytes = 0;
  if (ErrorCode error = engine_->EstimateBytes(engine_->GetReadVersion(), begin, end, &bytes)) {
    return Future::MakeReady(error);
  }
  return Future::MakeReady(Future::Result(bytes));
}

FutureRef TransactionImpl::GetRangeSplitPoints(std::string_view begin, std::string_view end, int64_t chunk_bytes) {
  const std::lock_guard lock(mutex_);
  if (kept_error_ != kSuccess) return Future::MakeReady(kept_error_);
  if (begin > end) return Future::MakeReady(kInvertedRange);
  if (ErrorCode error = CheckUsable()) return Future::MakeReady(error);
  const std::string_view max_key = options_.max_read_key();
  if (begin > max_key || end > max_key) return Future::MakeReady(kKeyOutsideLegalRange);
  if (chunk_bytes <= 0) return Future::MakeReady(kClientInvalidOperation);
  Future::KeysResult keys;
  if (ErrorCode error = engine_->SplitPoints(engine_->GetReadVersion(), begin, end, chunk_bytes, &keys.keys)) {
    return Future::MakeReady(error);
  }
  return Future::MakeReady(Future::Result(std::move(keys)));
}

}  // namespace fdbjobs::embedded
