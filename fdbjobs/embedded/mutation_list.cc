#include "fdbjobs/embedded/mutation_list.h"

#include "fdbjobs/embedded/atomic_ops.h"
#include "fdbjobs/embedded/limits.h"

namespace fdbjobs::embedded {
namespace {

int64_t RangeCost(size_t begin_size, size_t end_size) {
  return kRangeOverhead + static_cast<int64_t>(begin_size + end_size);
}

int64_t KeyCost(size_t key_size, bool conflict) { return conflict ? RangeCost(key_size, key_size + 1) : 0; }

}  // namespace

void MutationList::Add(MutationType type, std::string_view key, std::string_view value, bool conflict) {
  if (type == MutationType::kClearRange) {
    if (key >= value) return;
    if (IsOneKey(key, value)) return AddClearKey(key, conflict);
    cost_ += kMutationOverhead + static_cast<int64_t>(key.size() + value.size());
    if (conflict) cost_ += RangeCost(key.size(), value.size());
    return AppendEntry(&bytes_, EntryKind::kClearRange, conflict, key, value);
  }
  cost_ += kMutationOverhead + static_cast<int64_t>(key.size() + value.size()) + KeyCost(key.size(), conflict);
  if (type == MutationType::kSet) return AppendEntry(&bytes_, EntryKind::kSet, conflict, key, value);
  (IsReadModifyWrite(type) ? atomics_ : stamps_) = true;
  AppendEntry(&bytes_, UnresolvedKind(type), conflict, key, value);
}

void MutationList::AddClearKey(std::string_view key, bool conflict) {
  cost_ += kMutationOverhead + static_cast<int64_t>(2 * key.size() + 1) + KeyCost(key.size(), conflict);
  AppendEntry(&bytes_, EntryKind::kClear, conflict, key, {});
}

void MutationList::AddConflict(std::string_view begin, std::string_view end) {
  if (begin >= end) return;
  cost_ += RangeCost(begin.size(), end.size());
  AppendEntry(&bytes_, EntryKind::kConflictRange, true, begin, end);
}

void MutationList::CopyConflicts(RangeSet* conflicts) const {
  ForEach([&](const EntryView& entry) {
    if (!entry.conflicts) return;
    if (entry.kind == EntryKind::kClearRange || entry.kind == EntryKind::kConflictRange) {
      conflicts->Add(entry.key, entry.value);
    } else {
      conflicts->AddKey(entry.key);
    }
  });
}

}  // namespace fdbjobs::embedded
