#include "fdbjobs/embedded/merged_read.h"

#include <algorithm>
#include <utility>

#include "fdbjobs/embedded/error_codes.h"

namespace fdbjobs::embedded {
namespace {

// How many rows a selector with a large offset holds in memory at a time.
constexpr int64_t kFindChunk = 1000;
// Bounds of what SnapshotRows fetches at a time.
constexpr size_t kFirstFetch = 32;
constexpr size_t kLargestFetch = 4096;
constexpr size_t kFetchBytes = 1 << 20;
// How many segments of own writes one fetch may reach across.
constexpr int kSpanSegments = 256;

// Reads the database at `*version`, of which there is one from then on.
ErrorCode ReadDatabase(Engine* engine, Version* version, std::string_view begin, std::string_view end, bool reverse,
                       size_t max_rows, size_t max_bytes, Rows* rows, bool* more) {
  if (*version == kNoVersion) *version = engine->GetReadVersion();
  return engine->GetRange(*version, begin, end, reverse, max_rows, max_bytes, rows, more);
}

// The rows of the database in one direction, fetched in growing chunks.
class SnapshotRows {
 public:
  SnapshotRows(Engine* engine, Version* version, std::string_view from, bool reverse)
      : engine_(engine), version_(version), reverse_(reverse), from_(from) {}

  // The next row, or null when there is none before `until`. May return a row past `until` that it has already.
  ErrorCode Peek(std::string_view until, const Rows::Entry** row) {
    *row = nullptr;
    while (next_ == chunk_.size()) {
      if (reverse_ ? from_ <= until : from_ >= until) return kSuccess;
      if (ErrorCode error = Fetch(until)) return error;
    }
    *row = &chunk_[next_];
    return kSuccess;
  }

  void Pop() { ++next_; }

  // Leaves out all rows before `bound`, in the direction of the walk.
  void SkipTo(const KeyBound& bound) {
    while (next_ < chunk_.size() &&
           (reverse_ ? Compare(bound, chunk_[next_].key_view()) <= 0 : Compare(bound, chunk_[next_].key_view()) > 0)) {
      ++next_;
    }
    if (reverse_ ? Compare(bound, from_) < 0 : Compare(bound, from_) > 0) from_ = bound.ToString();
  }

 private:
  ErrorCode Fetch(std::string_view until) {
    chunk_ = Rows();
    next_ = 0;
    bool more = false;
    const std::string_view begin = reverse_ ? until : from_;
    const std::string_view end = reverse_ ? from_ : until;
    if (ErrorCode error = ReadDatabase(engine_, version_, begin, end, reverse_, fetch_, kFetchBytes, &chunk_, &more)) {
      return error;
    }
    fetch_ = std::min(fetch_ * 2, kLargestFetch);
    if (!more) {
      from_ = until;
    } else {
      from_ = reverse_ ? std::string(chunk_.back().key_view()) : KeyAfter(chunk_.back().key_view());
    }
    return kSuccess;
  }

  Engine* const engine_;
  Version* const version_;
  const bool reverse_;
  // What lies from here on, in the direction of the walk, has not been fetched.
  std::string from_;
  Rows chunk_;
  size_t next_ = 0;
  size_t fetch_ = kFirstFetch;
};

// Counts what is added to a result, up to its limits.
class LimitedRows {
 public:
  LimitedRows(Rows* rows, size_t max_rows, size_t max_bytes)
      : rows_(rows), rows_left_(max_rows), bytes_left_(max_bytes) {}

  // False when this row reached a limit.
  bool Add(std::string_view key, std::string_view value) {
    rows_->Add(key, value);
    --rows_left_;
    bytes_left_ -= std::min(bytes_left_, key.size() + value.size());
    return rows_left_ > 0 && bytes_left_ > 0;
  }

 private:
  Rows* const rows_;
  size_t rows_left_;
  size_t bytes_left_;
};

// One walk over the segments of own writes and the rows of the database together.
class Merge {
 public:
  Merge(Engine* engine, Version* version, const WriteMap& writes, std::string_view begin, std::string_view end,
        bool reverse)
      : begin_(begin),
        end_(end),
        reverse_(reverse),
        segment_(writes),
        database_(engine, version, reverse ? end : begin, reverse) {
    reverse ? segment_.SeekBefore(end) : segment_.Seek(begin);
  }

  ErrorCode Run(LimitedRows* out, bool* more) {
    *more = false;
    for (; InRange(); Advance(&segment_)) {
      if (segment_.unreadable()) return kAccessedUnreadable;
      if (segment_.kind() == WriteMap::Kind::kUnmodified) {
        if (ErrorCode error = CopyRows(out, more)) return error;
      } else if (segment_.is_key()) {
        if (ErrorCode error = AddKey(out, more)) return error;
      }
      if (*more) return kSuccess;
      database_.SkipTo(reverse_ ? segment_.begin() : segment_.end());
    }
    return kSuccess;
  }

 private:
  bool InRange() const {
    if (!segment_.valid()) return false;
    return reverse_ ? Compare(segment_.end(), begin_) > 0 : Compare(segment_.begin(), end_) < 0;
  }

  void Advance(WriteMap::Cursor* segment) const { reverse_ ? segment->Previous() : segment->Next(); }

  // How far it is worth to fetch from here: not into a range that is not wanted.
  std::string SpanEnd() const {
    WriteMap::Cursor at = segment_;
    const std::string_view last = reverse_ ? begin_ : end_;
    for (int i = 0; i < kSpanSegments; ++i) {
      const KeyBound bound = reverse_ ? at.begin() : at.end();
      if (reverse_ ? Compare(bound, last) <= 0 : Compare(bound, last) >= 0) return std::string(last);
      Advance(&at);
      if (!at.valid()) return std::string(last);
      const bool wanted = at.is_key() || at.kind() == WriteMap::Kind::kUnmodified || !at.is_wide();
      if (!wanted || at.unreadable()) return bound.ToString();
    }
    return (reverse_ ? at.begin() : at.end()).ToString();
  }

  // The next row of the database; null when there is none in this segment.
  ErrorCode Peek(const Rows::Entry** row) {
    if (!SpanCoversSegment()) span_end_ = SpanEnd();
    return database_.Peek(*span_end_, row);
  }

  bool SpanCoversSegment() const {
    if (!span_end_) return false;
    const KeyBound bound = reverse_ ? segment_.begin() : segment_.end();
    if (reverse_) return *span_end_ == begin_ || Compare(bound, *span_end_) >= 0;
    return *span_end_ == end_ || Compare(bound, *span_end_) <= 0;
  }

  bool InSegment(std::string_view key) const {
    return reverse_ ? Compare(segment_.begin(), key) <= 0 : Compare(segment_.end(), key) > 0;
  }

  ErrorCode CopyRows(LimitedRows* out, bool* more) {
    const Rows::Entry* row = nullptr;
    for (;;) {
      if (ErrorCode error = Peek(&row)) return error;
      if (row == nullptr || !InSegment(row->key_view())) return kSuccess;
      *more = !out->Add(row->key_view(), row->value_view());
      if (*more) return kSuccess;
      database_.Pop();
    }
  }

  ErrorCode AddKey(LimitedRows* out, bool* more) {
    const std::string_view key = segment_.begin().key;
    std::optional<std::string> base;
    if (segment_.kind() == WriteMap::Kind::kDependent) {
      const Rows::Entry* row = nullptr;
      if (ErrorCode error = Peek(&row)) return error;
      if (row != nullptr && row->key_view() == key) base.emplace(row->value_view());
    }
    const std::optional<std::string> value = segment_.Value(std::move(base));
    if (value) *more = !out->Add(key, *value);
    return kSuccess;
  }

  const std::string_view begin_;
  const std::string_view end_;
  const bool reverse_;
  WriteMap::Cursor segment_;
  SnapshotRows database_;
  // Up to where `database_` may fetch; unset before the first fetch.
  std::optional<std::string> span_end_;
};

}  // namespace

ErrorCode MergedRead::GetRange(std::string_view begin, std::string_view end, bool reverse, size_t max_rows,
                               size_t max_bytes, Rows* rows, bool* more) const {
  *more = false;
  if (begin >= end) return kSuccess;
  if (writes_ != nullptr) {
    WriteMap::Cursor at(*writes_);
    at.Seek(begin);
    const bool untouched = at.kind() == WriteMap::Kind::kUnmodified && !at.unreadable() && Compare(at.end(), end) >= 0;
    if (!untouched) return GetMergedRange(begin, end, reverse, max_rows, max_bytes, rows, more);
  }
  return ReadDatabase(engine_, version_, begin, end, reverse, max_rows, max_bytes, rows, more);
}

ErrorCode MergedRead::GetMergedRange(std::string_view begin, std::string_view end, bool reverse, size_t max_rows,
                                     size_t max_bytes, Rows* rows, bool* more) const {
  LimitedRows out(rows, max_rows, max_bytes);
  return Merge(engine_, version_, *writes_, begin, end, reverse).Run(&out, more);
}

ErrorCode MergedRead::FindKey(std::string_view key, int64_t offset, std::string_view end, std::string* found,
                              int64_t* remaining) const {
  const bool reverse = offset < 1;
  int64_t left = reverse ? 1 - offset : offset;
  std::string from(std::min(key, end));
  bool more = true;
  while (left > 0 && more) {
    Rows rows;
    const size_t max_rows = static_cast<size_t>(std::min(left, kFindChunk));
    const std::string_view first = reverse ? std::string_view() : from;
    const std::string_view last = reverse ? std::string_view(from) : end;
    if (ErrorCode error = GetRange(first, last, reverse, max_rows, kNoRowLimit, &rows, &more)) return error;
    left -= static_cast<int64_t>(rows.size());
    if (rows.empty()) break;
    *found = std::string(rows.back().key_view());
    from = reverse ? *found : KeyAfter(*found);
  }
  if (left == 0) {
    *remaining = 1;
  } else {
    *found = reverse ? std::string() : std::string(end);
    *remaining = reverse ? 1 - left : left;
  }
  return kSuccess;
}

}  // namespace fdbjobs::embedded
