#include <algorithm>
#include <utility>

#include "fdbjobs/embedded/atomic_ops.h"
#include "fdbjobs/embedded/error_codes.h"
#include "fdbjobs/embedded/transaction_impl.h"

namespace fdbjobs::embedded {
namespace {

// FDBConflictRangeType.
constexpr int kConflictRead = 0;
constexpr int kConflictWrite = 1;

// All that may be written to the metadata version: ten bytes of stamp at offset 0.
constexpr size_t kMetadataVersionBytes = kVersionstampBytes + kVersionstampOffsetBytes;

int64_t Size(std::string_view a, std::string_view b) { return static_cast<int64_t>(a.size() + b.size()); }

int64_t MutationSize(std::string_view key, std::string_view value, bool conflict) {
  return Size(key, value) + kMutationOverhead + (conflict ? kRangeOverhead + Size(key, key) + 1 : 0);
}

// What the number that crosses the ABI means, with the meaning of AND and MIN since API version 510; nullopt when it
// is no atomic operation.
std::optional<MutationType> AtomicType(int type) {
  switch (const auto mutation = static_cast<MutationType>(type); mutation) {
    case MutationType::kAnd:
      return MutationType::kAndV2;
    case MutationType::kMin:
      return MutationType::kMinV2;
    case MutationType::kSetVersionstampedKey:
    case MutationType::kSetVersionstampedValue:
      return mutation;
    default:
      if (type < 0 || type > 255 || !IsReadModifyWrite(mutation)) return std::nullopt;
      return mutation;
  }
}

bool IsMetadataVersionStamp(std::optional<MutationType> type, std::string_view operand) {
  return type == MutationType::kSetVersionstampedValue && operand == std::string(kMetadataVersionBytes, '\0');
}

}  // namespace

void TransactionImpl::Keep(ErrorCode error) {
  if (kept_error_ == kSuccess) kept_error_ = error;
}

// After an error was kept, nothing is written any more: the transaction can't commit.

void TransactionImpl::Set(std::string_view key, std::string_view value) {
  const std::lock_guard lock(mutex_);
  if (kept_error_ == kSuccess) Keep(DoSet(key, value));
}

void TransactionImpl::Clear(std::string_view key) {
  const std::lock_guard lock(mutex_);
  if (kept_error_ == kSuccess) Keep(DoClear(key));
}

void TransactionImpl::ClearRange(std::string_view begin, std::string_view end) {
  const std::lock_guard lock(mutex_);
  if (kept_error_ == kSuccess) Keep(DoClearRange(begin, end));
}

void TransactionImpl::AtomicOp(std::string_view key, std::string_view operand, int type) {
  const std::lock_guard lock(mutex_);
  if (kept_error_ == kSuccess) Keep(DoAtomicOp(key, operand, type));
}

ErrorCode TransactionImpl::AddConflictRange(std::string_view begin, std::string_view end, int type) {
  if (begin > end) return kInvertedRange;
  if (type != kConflictRead && type != kConflictWrite) return kClientInvalidOperation;
  const std::lock_guard lock(mutex_);
  if (kept_error_ != kSuccess) return kSuccess;
  const ErrorCode error = type == kConflictRead ? DoReadConflict(begin, end) : DoWriteConflict(begin, end);
  Keep(error);
  return error;
}

ErrorCode TransactionImpl::DoSet(std::string_view key, std::string_view value) {
  if (key == kMetadataVersionKey) return kClientInvalidOperation;
  if (key >= kSystemEnd) return SpecialWriteError();
  const bool conflict = options_.TakeWriteConflict();
  if (ErrorCode error = CheckNotCommitting()) return error;
  if (key >= options_.max_write_key()) return kKeyOutsideLegalRange;
  if (key.size() > KeySizeLimit(key)) return kKeyTooLarge;
  if (value.size() > kValueSizeLimit) return kValueTooLarge;
  approximate_size_ += MutationSize(key, value, conflict);
  AddMutation(MutationType::kSet, key, value, conflict);
  if (!watches_.empty()) FireWatches(key, KeyAfter(key), value);
  return kSuccess;
}

ErrorCode TransactionImpl::DoClear(std::string_view key) {
  const bool conflict = options_.TakeWriteConflict();
  if (ErrorCode error = CheckNotCommitting()) return error;
  if (key >= kSystemEnd) return SpecialWriteError();
  if (key >= options_.max_write_key()) return kKeyOutsideLegalRange;
  // No such key can exist.
  if (key.size() > KeySizeLimit(key)) return kSuccess;
  approximate_size_ += (Size(key, key) + 1 + kRangeOverhead) * (conflict ? 2 : 1);
  if (options_.read_your_writes()) {
    writes_.ClearKey(key, conflict);
  } else {
    mutations_.AddClearKey(key, conflict);
  }
  if (!watches_.empty()) FireWatches(key, KeyAfter(key), std::nullopt);
  return kSuccess;
}

ErrorCode TransactionImpl::DoClearRange(std::string_view begin, std::string_view end) {
  if (begin > end) return kInvertedRange;
  const bool conflict = options_.TakeWriteConflict();
  if (ErrorCode error = CheckNotCommitting()) return error;
  if (begin >= kSystemEnd && end > kSystemEnd && end <= kSpecialEnd) return SpecialWriteError();
  const std::string_view max_key = options_.max_write_key();
  if (begin > max_key || end > max_key) return kKeyOutsideLegalRange;
  approximate_size_ += Size(begin, end) + kMutationOverhead + (conflict ? kRangeOverhead + Size(begin, end) : 0);
  AddClear(ClippedBound(begin), ClippedBound(end), conflict);
  return kSuccess;
}

ErrorCode TransactionImpl::DoAtomicOp(std::string_view key, std::string_view operand, int type) {
  const bool conflict = options_.TakeWriteConflict();
  if (ErrorCode error = CheckNotCommitting()) return error;
  const std::optional<MutationType> mutation = AtomicType(type);
  if (key == kMetadataVersionKey) {
    if (!IsMetadataVersionStamp(mutation, operand)) return kClientInvalidOperation;
  } else if (key >= options_.max_write_key()) {
    return kKeyOutsideLegalRange;
  }
  if (!mutation) return kInvalidMutationType;
  if (key.size() > KeySizeLimit(key)) return kKeyTooLarge;
  if (operand.size() > kValueSizeLimit) return kValueTooLarge;

  if (*mutation == MutationType::kSetVersionstampedKey) return DoVersionstampedKey(key, operand);
  if (*mutation == MutationType::kSetVersionstampedValue && !VersionstampPosition(operand)) {
    return kClientInvalidOperation;
  }
  approximate_size_ += MutationSize(key, operand, conflict);
  AddMutation(*mutation, key, operand, conflict);
  FireWatchesUnknown(key);
  return kSuccess;
}

// The write conflict on the key that comes of it is the committer's, who alone knows the key.
ErrorCode TransactionImpl::DoVersionstampedKey(std::string_view key, std::string_view value) {
  const std::optional<size_t> position = VersionstampPosition(key);
  if (!position) return kClientInvalidOperation;
  approximate_size_ += MutationSize(key, value, false);
  if (options_.read_your_writes()) {
    const KeyRange keys = VersionstampedKeys(key, *position, read_version_ == kNoVersion ? 0 : read_version_);
    writes_.FlushAndMakeUnreadable(keys.begin, std::min<std::string_view>(keys.end, options_.max_read_key()),
                                   &mutations_);
  }
  mutations_.Add(MutationType::kSetVersionstampedKey, key, value, false);
  return kSuccess;
}

ErrorCode TransactionImpl::DoReadConflict(std::string_view begin, std::string_view end) {
  if (ErrorCode error = CheckNotCommitting()) return error;
  const std::string_view max_key = options_.max_read_key();
  const bool metadata = begin == kMetadataVersionKey && end == kMetadataVersionKeyEnd;
  if ((begin > max_key || end > max_key) && !metadata) return kKeyOutsideLegalRange;
  AddReadConflict(ClippedBound(begin), ClippedBound(end));
  return kSuccess;
}

ErrorCode TransactionImpl::DoWriteConflict(std::string_view begin, std::string_view end) {
  if (ErrorCode error = CheckNotCommitting()) return error;
  const std::string_view max_key = options_.max_write_key();
  if (begin > max_key || end > max_key) return kKeyOutsideLegalRange;
  begin = ClippedBound(begin);
  end = ClippedBound(end);
  if (begin >= end) return kSuccess;
  approximate_size_ += Size(begin, end) + kRangeOverhead;
  if (options_.read_your_writes()) {
    writes_.AddConflictRange(begin, end);
  } else {
    mutations_.AddConflict(begin, end);
  }
  return kSuccess;
}

void TransactionImpl::AddMutation(MutationType type, std::string_view key, std::string_view value, bool conflict) {
  if (options_.read_your_writes()) {
    writes_.Mutate(key, type, value, conflict);
  } else {
    mutations_.Add(type, key, value, conflict);
  }
}

void TransactionImpl::AddClear(std::string_view begin, std::string_view end, bool conflict) {
  if (begin >= end) return;
  if (options_.read_your_writes()) {
    writes_.ClearRange(begin, end, conflict);
  } else {
    mutations_.Add(MutationType::kClearRange, begin, end, conflict);
  }
  FireWatches(begin, end, std::nullopt);
}

void TransactionImpl::FireWatches(std::string_view begin, std::string_view end, std::optional<std::string_view> value) {
  std::erase_if(watches_, [&](const std::shared_ptr<PendingWatch>& watch) {
    const bool changed = begin <= watch->key() && watch->key() < end && watch->value() != value;
    if (changed) watch->Finish(kSuccess);
    return changed;
  });
}

// After an atomic operation nobody knows what the value will be.
void TransactionImpl::FireWatchesUnknown(std::string_view key) {
  std::erase_if(watches_, [&](const std::shared_ptr<PendingWatch>& watch) {
    if (watch->key() != key) return false;
    watch->Finish(kSuccess);
    return true;
  });
}

}  // namespace fdbjobs::embedded
