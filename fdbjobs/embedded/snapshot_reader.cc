#include "fdbjobs/embedded/snapshot_reader.h"

#include <algorithm>
#include <vector>

#include "fdbjobs/embedded/engine.h"
#include "fdbjobs/embedded/error_codes.h"

namespace fdbjobs::embedded {

namespace {
// Window rows that are copied at a time.
constexpr size_t kSliceRows = 256;
// Dead keys before the first row that make it worth while to note the gap.
constexpr size_t kDeadWorthNoting = 16;
}  // namespace

ErrorCode SnapshotReader::Borrow() {
  std::string why;
  return readers_->Borrow(&base_, &why);
}

ErrorCode SnapshotReader::RefreshBase() { return readers_->Refresh(&base_); }

// A base that is ahead of the read has forgotten what was there then.
ErrorCode SnapshotReader::CheckBase() const { return base_->mark().version > at_ ? kTransactionTooOld : 0; }

ErrorCode SnapshotReader::Get(std::string_view key, std::optional<std::string>* value) {
  if (ErrorCode error = Borrow()) return error;
  value->emplace();
  for (;;) {
    switch (window_->Get(key, at_, base_->mark().version, &**value)) {
      case Window::Answer::kValue:
        return 0;
      case Window::Answer::kAbsent:
        value->reset();
        return 0;
      case Window::Answer::kAskBase:
        if (ErrorCode error = CheckBase()) return error;
        return base_->Get(key, value);
      case Window::Answer::kRebuilding:
        return kTransactionTooOld;
      case Window::Answer::kBaseTooOld:
        if (ErrorCode error = RefreshBase()) return error;
    }
  }
}

ErrorCode SnapshotReader::GetRange(std::string_view begin, std::string_view end, bool reverse, size_t max_rows,
                                   size_t max_bytes, Rows* rows, bool* more) {
  *more = false;
  if (begin >= end) return 0;
  const Limits limits{max_rows == kNoRowLimit ? kNoRowLimit : rows->size() + max_rows,
                      max_bytes == kNoRowLimit ? kNoRowLimit : rows->bytes() + max_bytes};
  if (ErrorCode error = Borrow()) return error;
  std::string from = reverse ? std::string(begin) : window_->SkipEmpty(begin, at_);
  if (from >= end) return 0;
  Window::Answer answer;
  while ((answer = window_->Knows(from, end, base_->mark().version)) == Window::Answer::kBaseTooOld) {
    if (ErrorCode error = RefreshBase()) return error;
  }
  if (answer == Window::Answer::kRebuilding) return kTransactionTooOld;
  if (ErrorCode error = CheckBase()) return error;
  if (answer == Window::Answer::kAskBase) return ScanBase(from, end, reverse, limits, rows, more);

  const size_t rows_before = rows->size();
  std::string to(end);
  Window::Slice slice;
  while (from < to && !*more) {
    window_->GetSlice(from, to, reverse, kSliceRows, at_, base_->mark().version, &slice);
    if (slice.rebuilding) return kTransactionTooOld;
    if (slice.base_too_old) {
      if (ErrorCode error = RefreshBase()) return error;
      if (ErrorCode error = CheckBase()) return error;
      continue;
    }
    const bool none_yet = rows->size() == rows_before;
    if (ErrorCode error = MergeSlice(slice, reverse, limits, rows, more)) return error;
    const bool found = rows->size() > rows_before;
    // Full without a row: it was not looked at.
    if (none_yet && !reverse && (found || !*more)) NoteGap(slice, found ? (*rows)[rows_before].key_view() : slice.to);
    (reverse ? to : from) = reverse ? slice.from : slice.to;
  }
  return 0;
}

// The slice has no row before `first`.
void SnapshotReader::NoteGap(const Window::Slice& slice, std::string_view first) const {
  if (slice.rows.size() < kDeadWorthNoting || slice.rows[kDeadWorthNoting - 1].key >= first) return;
  window_->NoteEmpty(slice.from, first, at_);
}

ErrorCode SnapshotReader::ScanBase(std::string_view begin, std::string_view end, bool reverse, const Limits& limits,
                                   Rows* rows, bool* full) {
  if (ErrorCode error = base_->StartScan(begin, end, reverse)) return error;
  ErrorCode error = 0;
  while (!(*full = limits.Reached(*rows)) && base_->NextRow(&error)) rows->Add(base_->row_key(), base_->row_value());
  base_->EndScan();
  return error;
}

// Cuts the slice at its cleared ranges; inside them the base is not asked at all.
ErrorCode SnapshotReader::MergeSlice(const Window::Slice& slice, bool reverse, const Limits& limits, Rows* rows,
                                     bool* full) {
  struct Piece {
    std::string_view begin;
    std::string_view end;
    bool with_base;
  };
  std::vector<Piece> pieces;
  std::string_view at = slice.from;
  for (const KeyRange& cleared : slice.cleared) {
    if (at < cleared.begin) pieces.push_back({at, cleared.begin, true});
    pieces.push_back({cleared.begin, cleared.end, false});
    at = cleared.end;
  }
  if (at < slice.to) pieces.push_back({at, slice.to, true});
  if (reverse) std::reverse(pieces.begin(), pieces.end());
  for (const Piece& piece : pieces) {
    if (ErrorCode error = MergePiece(piece.begin, piece.end, piece.with_base, reverse, limits, slice, rows, full)) {
      return error;
    }
    if (*full) return 0;
  }
  return 0;
}

ErrorCode SnapshotReader::MergePiece(std::string_view begin, std::string_view end, bool with_base, bool reverse,
                                     const Limits& limits, const Window::Slice& slice, Rows* rows, bool* full) {
  const auto key_below = [](const Window::SliceRow& row, std::string_view key) { return row.key < key; };
  const auto index_of = [&](std::string_view key) {
    return std::lower_bound(slice.rows.begin(), slice.rows.end(), key, key_below) - slice.rows.begin();
  };
  // The window's rows of the piece that are not yet emitted: [low, high).
  auto low = index_of(begin);
  auto high = index_of(end);
  const auto next = [&]() -> const Window::SliceRow& { return slice.rows[reverse ? high - 1 : low]; };
  const auto comes_first = [&](std::string_view base_key) {
    return reverse ? std::string_view(next().key) > base_key : std::string_view(next().key) < base_key;
  };
  const auto emit = [&] {
    if (next().value.has_value()) rows->Add(next().key, *next().value);
    reverse ? --high : ++low;
  };

  ErrorCode error = 0;
  if (with_base) error = base_->StartScan(begin, end, reverse);
  bool base_row = with_base && base_->NextRow(&error);
  while (!(*full = limits.Reached(*rows)) && (base_row || low < high)) {
    if (!base_row || (low < high && comes_first(base_->row_key()))) {
      emit();
      continue;
    }
    if (low < high && next().key == base_->row_key()) {
      emit();
    } else {
      rows->Add(base_->row_key(), base_->row_value());
    }
    base_row = base_->NextRow(&error);
  }
  if (with_base) base_->EndScan();
  return error;
}

}  // namespace fdbjobs::embedded
