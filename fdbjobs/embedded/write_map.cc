#include "fdbjobs/embedded/write_map.h"

#include <iterator>
#include <utility>

#include "fdbjobs/embedded/atomic_ops.h"
#include "fdbjobs/embedded/limits.h"

namespace fdbjobs::embedded {
namespace {

bool IsKeyAfter(std::string_view after, std::string_view key) {
  return after.size() == key.size() + 1 && after.back() == '\0' && after.starts_with(key);
}

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

WriteMap::Entries::iterator WriteMap::Find(std::string_view key) {
  if (entries_.empty()) entries_.try_emplace(std::string());
  return std::prev(entries_.upper_bound(key));
}

WriteMap::Entries::iterator WriteMap::Split(std::string_view key) {
  const auto before = Find(key);
  if (before->first == key) return before;
  const Flags flags = before->second.after;
  return entries_.try_emplace(std::next(before), std::string(key), Entry{{}, flags, flags});
}

bool WriteMap::DependsOnDatabase(const Operations& operations) {
  return !operations.empty() && IsReadModifyWrite(operations.front().type);
}

void WriteMap::Push(Operations* operations, MutationType type, std::string_view operand) {
  operations->push_back({type, std::string(operand)});
}

// Replaces the last operation by one that does the same as it and the new one together, where there is such a one.
void WriteMap::Combine(Operations* operations, MutationType type, std::string_view operand) {
  Operation& last = operations->back();
  const bool same = last.type == type && type != MutationType::kCompareAndClear &&
                    !(NeedsEqualLengths(type) && last.value->size() != operand.size());
  if (last.type == MutationType::kSet || same) {
    last.value = ApplyAtomic(type, last.value, operand);
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

void WriteMap::ClearRange(std::string_view begin, std::string_view end, bool conflict) {
  if (begin >= end) return;
  if (!conflict) {
    // Keys with a conflict of their own must keep it, so they become ranges of one key.
    const auto last = Split(end);
    for (auto entry = Split(begin); entry != last; ++entry) {
      if (entry->second.at.conflict != entry->second.after.conflict) Split(KeyAfter(entry->first));
    }
  }
  ChangeRange(begin, end, [conflict](Entry* entry) {
    entry->operations.clear();
    const bool conflict_at = entry->at.conflict || conflict;
    entry->at = entry->after = {.cleared = true, .conflict = conflict_at, .unreadable = false};
  });
}

void WriteMap::Emit(std::string_view key, Operations* operations, std::vector<Mutation>* mutations) {
  for (Operation& operation : *operations) {
    if (operation.value) {
      mutations->push_back({operation.type, std::string(key), *std::move(operation.value)});
    } else {
      mutations->push_back({MutationType::kClearRange, std::string(key), KeyAfter(key)});
    }
  }
}

void WriteMap::EmitEntry(const std::string& key, Entry* entry, std::string_view next, std::vector<Mutation>* mutations,
                         RangeSet* conflicts) {
  const bool has_operations = !entry->operations.empty();
  if (has_operations) {
    Emit(key, &entry->operations, mutations);
    if (entry->at.conflict) conflicts->AddKey(key);
  }
  const Flags& after = entry->after;
  if (!after.cleared && !after.conflict) return;
  std::string begin = has_operations ? KeyAfter(key) : key;
  if (begin >= next) return;
  if (after.conflict) conflicts->Add(begin, next);
  if (after.cleared) mutations->push_back({MutationType::kClearRange, std::move(begin), std::string(next)});
}

void WriteMap::FlushAll(std::vector<Mutation>* mutations, RangeSet* conflicts) {
  mutations->reserve(mutations->size() + entries_.size());
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    const auto next = std::next(entry);
    const std::string_view end = next == entries_.end() ? kSpecialEnd : std::string_view(next->first);
    EmitEntry(entry->first, &entry->second, end, mutations, conflicts);
  }
  entries_.clear();
}

void WriteMap::FlushAndMakeUnreadable(std::string_view begin, std::string_view end, std::vector<Mutation>* mutations,
                                      RangeSet* conflicts) {
  if (begin >= end) return;
  const auto last = Split(end);
  for (auto entry = Split(begin); entry != last; ++entry) {
    EmitEntry(entry->first, &entry->second, std::next(entry)->first, mutations, conflicts);
  }
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
  return {next == map_.entries_.end() ? kSpecialEnd : std::string_view(next->first), false};
}

bool WriteMap::Cursor::is_wide() const {
  return in_range_ && (!entry_->second.operations.empty() || !IsKeyAfter(end().key, entry_->first));
}

std::optional<std::string> WriteMap::Cursor::Value(std::optional<std::string> base) const {
  for (const Operation& operation : entry_->second.operations) {
    if (IsReadModifyWrite(operation.type)) {
      base = ApplyAtomic(operation.type, base, *operation.value);
    } else {
      base = operation.value;
    }
  }
  return base;
}

}  // namespace fdbjobs::embedded
