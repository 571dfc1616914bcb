#include "fdbjobs/embedded/mutation_list.h"

#include "fdbjobs/embedded/atomic_ops.h"
#include "fdbjobs/embedded/limits.h"

namespace fdbjobs::embedded {

void MutationList::Add(MutationType type, std::string_view key, std::string_view value, bool conflict, bool counted) {
  if (type == MutationType::kClearRange) {
    if (key >= value) return;
    if (IsOneKey(key, value)) return AddClearKey(key, conflict, counted);
    cost_ += kMutationOverhead + static_cast<int64_t>(key.size() + value.size());
    if (conflict && counted) CountConflict(key.size(), value.size());
    return AppendEntry(&bytes_, EntryKind::kClearRange, conflict, key, value);
  }
  cost_ += kMutationOverhead + static_cast<int64_t>(key.size() + value.size());
  if (conflict && counted) CountConflict(key.size(), key.size() + 1);
  if (type == MutationType::kSet) return AppendEntry(&bytes_, EntryKind::kSet, conflict, key, value);
  (IsReadModifyWrite(type) ? atomics_ : stamps_) = true;
  AppendEntry(&bytes_, UnresolvedKind(type), conflict, key, value);
}

void MutationList::AddClearKey(std::string_view key, bool conflict, bool counted) {
  cost_ += kMutationOverhead + static_cast<int64_t>(2 * key.size() + 1);
  if (conflict && counted) CountConflict(key.size(), key.size() + 1);
  AppendEntry(&bytes_, EntryKind::kClear, conflict, key, {});
}

void MutationList::AddConflict(std::string_view begin, std::string_view end, bool counted) {
  if (begin >= end) return;
  if (counted) CountConflict(begin.size(), end.size());
  AppendEntry(&bytes_, EntryKind::kConflictRange, true, begin, end);
}

void MutationList::CountConflict(size_t begin_size, size_t end_size) {
  cost_ += kRangeOverhead + static_cast<int64_t>(begin_size + end_size);
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
