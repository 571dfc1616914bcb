#include "fdbjobs/embedded/fold_piece.h"

#include "fdbjobs/embedded/error_codes.h"

namespace fdbjobs::embedded {

void FoldPiece::Add(const RecordView& record, const std::shared_ptr<Segment>& segment) {
  if (segments_.empty() || segments_.back() != segment) segments_.push_back(segment);
  record.ForEach([this](const EntryView& entry) {
    switch (entry.kind) {
      case EntryKind::kSet:
        Write(entry.key, entry.value);
        break;
      case EntryKind::kClear:
        Write(entry.key, std::nullopt);
        break;
      case EntryKind::kClearRange:
        ClearRange(entry.key, entry.value);
        break;
      case EntryKind::kConflictRange:
        break;
    }
  });
}

void FoldPiece::Write(std::string_view key, std::optional<std::string_view> value) {
  const auto [found, is_new] = keys_.try_emplace(key);
  Last& last = found->second;
  if (!is_new) weight_ -= WeightOf(key, last);
  last.value = value;
  if (value.has_value()) last.was_set = true;
  weight_ += WeightOf(key, last);
}

void FoldPiece::ClearRange(std::string_view begin, std::string_view end) {
  const auto first = keys_.lower_bound(begin);
  const auto last = keys_.lower_bound(end);
  for (auto it = first; it != last; ++it) weight_ -= WeightOf(it->first, it->second);
  keys_.erase(first, last);
  ranges_.emplace_back(begin, end);
  weight_ += begin.size() + end.size();
}

ErrorCode FoldPiece::WriteTo(BaseWriter* base, const std::atomic<bool>& stop, Pace* pace) const {
  for (const auto& [begin, end] : ranges_) {
    if (ErrorCode error = base->ClearRange(begin, end)) return error;
  }
  for (const auto& [key, last] : keys_) {
    pace->MaybeRest();
    if (stop.load(std::memory_order_relaxed)) return kOperationCancelled;
    if (ErrorCode error = last.value.has_value() ? base->Put(key, *last.value) : base->Clear(key)) return error;
  }
  return 0;
}

}  // namespace fdbjobs::embedded
