#include "fdbjobs/embedded/batch_builder.h"

#include <algorithm>
#include <tuple>

#include "fdbjobs/embedded/atomic_ops.h"
#include "fdbjobs/embedded/error_codes.h"
#include "fdbjobs/embedded/log_record.h"

namespace fdbjobs::embedded {

ErrorCode BatchBuilder::Add(const CommitRequest& request, Version* version) {
  if (ErrorCode error = CheckConflicts(request)) return error;
  body_.clear();
  conflicts_.clear();
  for (const KeyRange& range : request.write_conflicts) conflicts_.push_back({range.begin, range.end, false});
  std::sort(conflicts_.begin(), conflicts_.end(), [](const PendingConflict& a, const PendingConflict& b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  for (const Mutation& mutation : request.mutations) {
    if (ErrorCode error = AppendMutation(mutation)) {
      broken_ = true;
      return error;
    }
  }
  AppendOtherConflicts();
  *version = next_version_++;
  hash_ = AppendRecord(&bytes_, *version, body_, hash_);
  return 0;
}

ErrorCode BatchBuilder::CheckConflicts(const CommitRequest& request) const {
  // A malformed stamp is found before anything is taken up.
  for (const Mutation& mutation : request.mutations) {
    const bool key = mutation.type == MutationType::kSetVersionstampedKey;
    if (!key && mutation.type != MutationType::kSetVersionstampedValue) continue;
    if (!VersionstampPosition(key ? mutation.key : mutation.value)) return kClientInvalidOperation;
  }
  if (request.read_version == kNoVersion) return 0;
  if (request.read_version < std::max(oldest_read_, history_->oldest())) return kTransactionTooOld;
  for (const KeyRange& range : request.read_conflicts) {
    if (history_->Conflicts(range.begin, range.end, request.read_version)) return kNotCommitted;
    if (written_.AnyAfter(range.begin, range.end, request.read_version)) return kNotCommitted;
  }
  return 0;
}

ErrorCode BatchBuilder::AppendMutation(const Mutation& mutation) {
  switch (mutation.type) {
    case MutationType::kSet:
      WriteKey(mutation.key, mutation.value, ConsumeKeyConflict(mutation.key));
      return 0;
    case MutationType::kClearRange:
      WriteClear(mutation.key, mutation.value, ConsumeConflict(mutation.key, mutation.value));
      return 0;
    case MutationType::kSetVersionstampedKey:
    case MutationType::kSetVersionstampedValue:
      return AppendStamped(mutation);
    default: {
      std::optional<std::string> old;
      if (ErrorCode error = Newest(mutation.key, &old)) return error;
      WriteKey(mutation.key, ApplyAtomic(mutation.type, old, mutation.value), ConsumeKeyConflict(mutation.key));
      return 0;
    }
  }
}

ErrorCode BatchBuilder::AppendStamped(const Mutation& mutation) {
  const bool in_key = mutation.type == MutationType::kSetVersionstampedKey;
  std::string key = mutation.key;
  std::string value = mutation.value;
  if (ErrorCode error = FillVersionstamp(in_key ? &key : &value, next_version_, 0)) return error;
  // Nobody could name the stamped key before, so that it always counts as written.
  const bool conflicts = in_key || ConsumeKeyConflict(key);
  WriteKey(key, std::move(value), conflicts);
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

void BatchBuilder::WriteKey(std::string_view key, std::optional<std::string> value, bool conflicts) {
  if (value.has_value()) {
    AppendEntry(&body_, EntryKind::kSet, conflicts, key, *value);
  } else {
    AppendEntry(&body_, EntryKind::kClear, conflicts, key, {});
  }
  if (conflicts) {
    scratch_.assign(key);
    scratch_.push_back('\0');
    AddWritten(key, scratch_);
  }
  if (keep_overlay_) overlay_.keys.insert_or_assign(std::string(key), std::move(value));
}

void BatchBuilder::WriteClear(std::string_view begin, std::string_view end, bool conflicts) {
  if (begin >= end) return;
  const bool one_key = end.size() == begin.size() + 1 && end.back() == '\0' && end.substr(0, begin.size()) == begin;
  if (one_key) {
    AppendEntry(&body_, EntryKind::kClear, conflicts, begin, {});
    if (keep_overlay_) overlay_.keys.insert_or_assign(std::string(begin), std::nullopt);
  } else {
    AppendEntry(&body_, EntryKind::kClearRange, conflicts, begin, end);
    if (keep_overlay_) {
      overlay_.keys.erase(overlay_.keys.lower_bound(begin), overlay_.keys.lower_bound(end));
      overlay_.cleared.Add(begin, end, next_version_);
    }
  }
  if (conflicts) AddWritten(begin, end);
}

void BatchBuilder::AddWritten(std::string_view begin, std::string_view end) { written_.Add(begin, end, next_version_); }

bool BatchBuilder::ConsumeConflict(std::string_view begin, std::string_view end) {
  auto at = std::lower_bound(conflicts_.begin(), conflicts_.end(), std::tie(begin, end),
                             [](const PendingConflict& conflict, const auto& wanted) {
                               return std::tie(conflict.begin, conflict.end) < wanted;
                             });
  if (at == conflicts_.end() || at->begin != begin || at->end != end) return false;
  at->consumed = true;
  return true;
}

bool BatchBuilder::ConsumeKeyConflict(std::string_view key) {
  scratch_.assign(key);
  scratch_.push_back('\0');
  return ConsumeConflict(key, scratch_);
}

void BatchBuilder::AppendOtherConflicts() {
  for (const PendingConflict& conflict : conflicts_) {
    if (conflict.consumed || conflict.begin >= conflict.end) continue;
    AppendEntry(&body_, EntryKind::kConflictRange, true, conflict.begin, conflict.end);
    AddWritten(conflict.begin, conflict.end);
  }
}

}  // namespace fdbjobs::embedded
