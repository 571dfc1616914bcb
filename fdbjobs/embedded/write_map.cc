#include "fdbjobs/embedded/write_map.h"

#include <cstring>
#include <iterator>
#include <utility>

#include "fdbjobs/embedded/atomic_ops.h"
#include "fdbjobs/embedded/limits.h"

namespace fdbjobs::embedded {
namespace {

bool IsKeyAfter(std::string_view after, std::string_view key) { return IsOneKey(key, after); }

// Operations of one type can be made one only if the order of grouping does not matter. For these types that is so
// when the operands have the same length.
bool NeedsEqualLengths(MutationType type) {
  switch (type) {
    case MutationType::kAdd:
    case MutationType::kOr:
    case MutationType::kXor:
    case MutationType::kMax:
    case MutationType::kMin:
    case MutationType::kMinV2:
      return true;
    default:
      return false;
  }
}

}  // namespace

int Compare(const KeyBound& bound, std::string_view key) {
  const int order = bound.key.compare(key);
  if (!bound.after) return order;
  if (order >= 0) return 1;
  // Nothing lies between a key and the first key after it.
  return IsKeyAfter(key, bound.key) ? 0 : -1;
}

void WriteMap::Clear() {
  entries_.clear();
  memory_.release();
}

std::string_view WriteMap::Keep(std::string_view bytes) {
  if (bytes.empty()) return {};
  char* const kept = static_cast<char*>(memory_.allocate(bytes.size(), 1));
  std::memcpy(kept, bytes.data(), bytes.size());
  return {kept, bytes.size()};
}

std::string_view WriteMap::KeepAfter(std::string_view key) {
  char* const kept = static_cast<char*>(memory_.allocate(key.size() + 1, 1));
  if (!key.empty()) std::memcpy(kept, key.data(), key.size());
  kept[key.size()] = '\0';
  return {kept, key.size() + 1};
}

WriteMap::Entries::iterator WriteMap::Find(std::string_view key) {
  if (entries_.empty()) entries_.try_emplace(std::string_view());
  return std::prev(entries_.upper_bound(key));
}

WriteMap::Entries::iterator WriteMap::Split(Entries::iterator before, std::string_view key) {
  if (before->first == key) return before;
  const auto entry = entries_.try_emplace(std::next(before), Keep(key));
  entry->second.at = entry->second.after = before->second.after;
  return entry;
}

bool WriteMap::DependsOnDatabase(const Operations& operations) {
  return !operations.empty() && IsReadModifyWrite(operations.front().type);
}

void WriteMap::Push(Operations* operations, MutationType type, std::string_view operand) {
  operations->push_back({type, Keep(operand)});
}

// Replaces the last operation by one that does the same as it and the new one together, where there is such a one.
void WriteMap::Combine(Operations* operations, MutationType type, std::string_view operand) {
  Operation& last = operations->back();
  const bool same = last.type == type && type != MutationType::kCompareAndClear &&
                    !(NeedsEqualLengths(type) && last.value->size() != operand.size());
  if (last.type == MutationType::kSet || same) {
    std::optional<std::string> before;
    if (last.value) before.emplace(*last.value);
    const std::optional<std::string> after = ApplyAtomic(type, before, operand);
    last.value.reset();
    if (after) last.value = Keep(*after);
  } else {
    Push(operations, type, operand);
  }
}

void WriteMap::Mutate(std::string_view key, MutationType type, std::string_view operand, bool conflict) {
  const auto entry = Split(key);
  Operations& operations = entry->second.operations;
  Flags& at = entry->second.at;
  at.conflict |= conflict;
  at.unreadable |= type == MutationType::kSetVersionstampedValue;

  if (operations.empty() && at.cleared && IsReadModifyWrite(type)) {
    operations.push_back({MutationType::kSet, std::nullopt});
    Combine(&operations, type, operand);
  } else if (operations.empty() || at.unreadable) {
    // What an unreadable key will hold is not known, so all that was done to it is kept.
    Push(&operations, type, operand);
  } else if (type == MutationType::kSet) {
    operations.clear();
    Push(&operations, type, operand);
  } else {
    Combine(&operations, type, operand);
  }
}

template <typename Change>
void WriteMap::ChangeRange(std::string_view begin, std::string_view end, Change change) {
  if (begin >= end) return;
  const auto first = Split(begin);
  const auto last = Split(end);
  for (auto entry = first; entry != last; ++entry) change(&entry->second);
  JoinBetween(first, last);
}

// Drops entries that say nothing new: no operations, and the same as the range before.
void WriteMap::JoinBetween(Entries::iterator first, Entries::iterator last) {
  const auto end = std::next(last);
  auto before = first == entries_.begin() ? first++ : std::prev(first);
  while (first != end) {
    if (first->second.operations.empty() && first->second.after == before->second.after) {
      first = entries_.erase(first);
    } else {
      before = first++;
    }
  }
}

void WriteMap::AddConflictRange(std::string_view begin, std::string_view end) {
  ChangeRange(begin, end, [](Entry* entry) { entry->at.conflict = entry->after.conflict = true; });
}

void WriteMap::ClearKey(std::string_view key, bool conflict) {
  const auto before = Find(key);
  const Flags& around = before->second.after;
  const bool nothing_new =
      before->first != key && around.cleared && !around.unreadable && (around.conflict || !conflict);
  if (nothing_new) return;
  Entry& entry = Split(before, key)->second;
  entry.operations.assign(1, {MutationType::kSet, std::nullopt});
  entry.at.conflict |= conflict;
  entry.at.unreadable = false;
}

void WriteMap::ClearRange(std::string_view begin, std::string_view end, bool conflict) {
  if (begin >= end) return;
  if (!conflict) {
    // Keys with a conflict of their own must keep it, so they become ranges of one key.
    const auto last = Split(end);
    for (auto entry = Split(begin); entry != last; ++entry) {
      if (entry->second.at.conflict != entry->second.after.conflict) Split(KeepAfter(entry->first));
    }
  }
  ChangeRange(begin, end, [conflict](Entry* entry) {
    entry->operations.clear();
    const bool conflict_at = entry->at.conflict || conflict;
    entry->at = entry->after = {.cleared = true, .conflict = conflict_at, .unreadable = false};
  });
}

void WriteMap::EmitEntry(std::string_view key, const Entry& entry, std::string_view next, MutationList* mutations) {
  for (const Operation& operation : entry.operations) {
    if (operation.value) {
      mutations->Add(operation.type, key, *operation.value, entry.at.conflict, /*counted=*/false);
    } else {
      mutations->AddClearKey(key, entry.at.conflict, /*counted=*/false);
    }
  }
  const Flags& after = entry.after;
  if (!after.cleared && !after.conflict) return;
  const std::string begin = entry.operations.empty() ? std::string(key) : KeyAfter(key);
  if (after.cleared) {
    mutations->Add(MutationType::kClearRange, begin, next, after.conflict, /*counted=*/false);
  } else {
    mutations->AddConflict(begin, next, /*counted=*/false);
  }
}

void WriteMap::Emit(Entries::const_iterator first, Entries::const_iterator last, MutationList* mutations) const {
  // Conflict ranges that touch are one, whatever was written there: where it begins, and whether there is one.
  size_t begin_size = 0;
  bool conflict = false;
  const auto go_on = [&](size_t size, bool conflict_here) {
    if (conflict && !conflict_here) mutations->CountConflict(begin_size, size);
    if (!conflict && conflict_here) begin_size = size;
    conflict = conflict_here;
  };
  std::string_view next;
  for (auto entry = first; entry != last; ++entry) {
    const auto& [key, what] = *entry;
    next = std::next(entry) == entries_.end() ? kSpecialEnd : std::next(entry)->first;
    const bool has_key = !what.operations.empty();
    if (has_key) go_on(key.size(), what.at.conflict);
    if (!has_key || !IsKeyAfter(next, key)) go_on(key.size() + (has_key ? 1 : 0), what.after.conflict);
    EmitEntry(key, what, next, mutations);
  }
  go_on(next.size(), false);
}

void WriteMap::FlushAll(MutationList* mutations) {
  Emit(entries_.begin(), entries_.end(), mutations);
  Clear();
}

void WriteMap::FlushAndMakeUnreadable(std::string_view begin, std::string_view end, MutationList* mutations) {
  if (begin >= end) return;
  const auto last = Split(end);
  Emit(Split(begin), last, mutations);
  ChangeRange(begin, end, [](Entry* entry) {
    entry->operations.clear();
    entry->at = entry->after = {.cleared = false, .conflict = false, .unreadable = true};
  });
}

void WriteMap::CopyConflicts(RangeSet* conflicts) const {
  if (entries_.empty()) return;
  Cursor at(*this);
  for (at.Seek(""); at.valid(); at.Next()) {
    if (at.conflict()) conflicts->Add(at.begin().ToString(), at.end().ToString());
  }
}

bool WriteMap::Cursor::RangeIsEmpty() const {
  const auto next = std::next(entry_);
  return next != map_.entries_.end() && !entry_->second.operations.empty() && IsKeyAfter(next->first, entry_->first);
}

void WriteMap::Cursor::Seek(std::string_view key) {
  entry_ = std::prev(map_.entries_.upper_bound(key));
  in_range_ = entry_->second.operations.empty() || entry_->first != key;
}

void WriteMap::Cursor::SeekBefore(std::string_view key) {
  entry_ = std::prev(map_.entries_.lower_bound(key));
  in_range_ = entry_->second.operations.empty() || !IsKeyAfter(key, entry_->first);
}

void WriteMap::Cursor::Next() {
  if (!in_range_ && !RangeIsEmpty()) {
    in_range_ = true;
    return;
  }
  ++entry_;
  in_range_ = valid() && entry_->second.operations.empty();
}

void WriteMap::Cursor::Previous() {
  if (in_range_ && !entry_->second.operations.empty()) {
    in_range_ = false;
    return;
  }
  if (entry_ == map_.entries_.begin()) {
    entry_ = map_.entries_.end();
    return;
  }
  --entry_;
  in_range_ = !RangeIsEmpty();
}

WriteMap::Kind WriteMap::Cursor::kind() const {
  if (in_range_) return entry_->second.after.cleared ? Kind::kCleared : Kind::kUnmodified;
  return DependsOnDatabase(entry_->second.operations) ? Kind::kDependent : Kind::kIndependent;
}

KeyBound WriteMap::Cursor::end() const {
  if (!in_range_) return {entry_->first, true};
  const auto next = std::next(entry_);
  return {next == map_.entries_.end() ? kSpecialEnd : next->first, false};
}

bool WriteMap::Cursor::is_wide() const {
  return in_range_ && (!entry_->second.operations.empty() || !IsKeyAfter(end().key, entry_->first));
}

std::optional<std::string> WriteMap::Cursor::Value(std::optional<std::string> base) const {
  for (const Operation& operation : entry_->second.operations) {
    if (IsReadModifyWrite(operation.type)) {
      base = ApplyAtomic(operation.type, base, *operation.value);
    } else if (operation.value) {
      base.emplace(*operation.value);
    } else {
      base.reset();
    }
  }
  return base;
}

}  // namespace fdbjobs::embedded
