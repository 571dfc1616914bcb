#include "fdbjobs/embedded/batch_builder.h"

#include <algorithm>

#include "fdbjobs/embedded/atomic_ops.h"
#include "fdbjobs/embedded/error_codes.h"
#include "fdbjobs/embedded/log_record.h"

namespace fdbjobs::embedded {

void BatchBuilder::CollectAtomicKeys(const MutationList& writes, AtomicKeys* keys) {
  if (!writes.has_atomics()) return;
  writes.ForEach([&](const EntryView& entry) {
    if (IsUnresolved(entry.kind) && IsReadModifyWrite(UnresolvedType(entry.kind))) keys->insert(entry.key);
  });
}

ErrorCode BatchBuilder::Add(const CommitRequest& request, Version* version) {
  if (ErrorCode error = CheckConflicts(request)) return error;
  const size_t start = BeginRecord(&bytes_);
  if (request.writes->is_plain() && !keeps_overlay()) {
    bytes_.append(request.writes->bytes());
  } else if (ErrorCode error = AppendEntries(*request.writes)) {
    bytes_.resize(start);
    broken_ = true;
    return error;
  }
  *version = next_version_++;
  hash_ = EndRecord(&bytes_, start, *version, hash_);
  return 0;
}

ErrorCode BatchBuilder::CheckConflicts(const CommitRequest& request) {
  // A malformed stamp is found before anything is taken up.
  bool malformed = false;
  if (!request.writes->is_plain()) {
    request.writes->ForEach([&](const EntryView& entry) {
      const bool in_key = entry.kind == UnresolvedKind(MutationType::kSetVersionstampedKey);
      if (!in_key && entry.kind != UnresolvedKind(MutationType::kSetVersionstampedValue)) return;
      malformed |= !VersionstampPosition(in_key ? entry.key : entry.value);
    });
  }
  if (malformed) return kClientInvalidOperation;
  if (request.read_version == kNoVersion) return 0;
  if (request.read_version < std::max(oldest_read_, history_->oldest())) return kTransactionTooOld;
  switch (window_->CheckReads(request.read_conflicts, request.read_version)) {
    case Window::Check::kTooOld:
      return kTransactionTooOld;
    case Window::Check::kWritten:
      return kNotCommitted;
    case Window::Check::kUntouched:
      break;
  }
  const bool conflicts = history_->Conflicts(request.read_conflicts, request.read_version) ||
                         written_.Touch(request.read_conflicts, bytes_);
  return conflicts ? kNotCommitted : kSuccess;
}

ErrorCode BatchBuilder::AppendEntries(const MutationList& writes) {
  ErrorCode error = 0;
  writes.ForEach([&](const EntryView& entry) {
    if (error != 0) return;
    if (IsUnresolved(entry.kind)) {
      error = AppendResolved(entry);
    } else {
      AppendEntry(&bytes_, entry.kind, entry.conflicts, entry.key, entry.value);
      if (keeps_overlay()) NoteInOverlay(entry);
    }
  });
  return error;
}

ErrorCode BatchBuilder::AppendResolved(const EntryView& entry) {
  const MutationType type = UnresolvedType(entry.kind);
  if (!IsReadModifyWrite(type)) return AppendStamped(entry);
  std::optional<std::string> old;
  if (ErrorCode error = Newest(entry.key, &old)) return error;
  const std::optional<std::string> value = ApplyAtomic(type, old, entry.value);
  const EntryView resolved{value ? EntryKind::kSet : EntryKind::kClear, entry.conflicts, entry.key,
                           value ? std::string_view(*value) : std::string_view()};
  AppendEntry(&bytes_, resolved.kind, resolved.conflicts, resolved.key, resolved.value);
  NoteInOverlay(resolved);
  return 0;
}

ErrorCode BatchBuilder::AppendStamped(const EntryView& entry) {
  const bool in_key = UnresolvedType(entry.kind) == MutationType::kSetVersionstampedKey;
  const std::optional<size_t> position = VersionstampPosition(in_key ? entry.key : entry.value);
  if (!position) return kClientInvalidOperation;
  std::string_view key = entry.key;
  std::string_view value = entry.value;
  (in_key ? key : value).remove_suffix(kVersionstampOffsetBytes);
  const size_t key_at = bytes_.size() + kEntryHeaderSize;
  // Nobody could name the stamped key before, so that it always counts as written.
  AppendEntry(&bytes_, EntryKind::kSet, in_key || entry.conflicts, key, value);
  PlaceVersionstamp(bytes_.data() + key_at + (in_key ? 0 : key.size()) + *position, next_version_, 0);
  if (keeps_overlay()) {
    const std::string_view stamped = std::string_view(bytes_).substr(key_at);
    NoteInOverlay({EntryKind::kSet, true, stamped.substr(0, key.size()), stamped.substr(key.size(), value.size())});
  }
  return 0;
}

ErrorCode BatchBuilder::Newest(std::string_view key, std::optional<std::string>* value) const {
  if (auto found = overlay_.keys.find(key); found != overlay_.keys.end()) {
    *value = found->second;
    return 0;
  }
  if (overlay_.cleared.AnyAfter(key, KeyAfter(key), 0)) {
    value->reset();
    return 0;
  }
  return latest_(key, value);
}

void BatchBuilder::NoteInOverlay(const EntryView& entry) {
  switch (entry.kind) {
    case EntryKind::kSet:
      if (!atomic_keys_.contains(entry.key)) break;
      overlay_.keys.insert_or_assign(std::string(entry.key), std::string(entry.value));
      break;
    case EntryKind::kClear:
      if (!atomic_keys_.contains(entry.key)) break;
      overlay_.keys.insert_or_assign(std::string(entry.key), std::nullopt);
      break;
    case EntryKind::kClearRange:
      overlay_.keys.erase(overlay_.keys.lower_bound(entry.key), overlay_.keys.lower_bound(entry.value));
      overlay_.cleared.Add(entry.key, entry.value, next_version_);
      break;
    case EntryKind::kConflictRange:
      break;
  }
}

}  // namespace fdbjobs::embedded
