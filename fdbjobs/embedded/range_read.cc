#include "fdbjobs/embedded/range_read.h"

#include <algorithm>
#include <iterator>

#include "fdbjobs/embedded/error_codes.h"
#include "fdbjobs/embedded/limits.h"

namespace fdbjobs::embedded {
namespace {

// FDBStreamingMode.
constexpr int kModeWantAll = -2;
constexpr int kModeIterator = -1;
constexpr int kModeExact = 0;
constexpr int kModeSerial = 4;

// Bytes wanted by mode, from EXACT to SERIAL.
constexpr int kModeBytes[] = {RangeLimits::kUnlimited, 256, 1000, 4096, 80000};
// Bytes wanted by ITERATOR, by iteration; the last one for all that follow.
constexpr int kIterationBytes[] = {4096, 6144, 9216, 13824, 20736, 31104, 46656, 69984, 80000, 120000};

// No answer to a read with a byte limit is longer, whatever was asked for.
constexpr int kReplyBytes = 80000;

}  // namespace

std::string ConflictEnd(std::string_view key) { return key == kSystemEnd ? std::string(key) : KeyAfter(key); }

Selector::Selector(const KeySelectorView& selector) : offset_(selector.offset) {
  if (selector.or_equal) {
    owned_ = ConflictEnd(selector.key);
    key_ = ClippedBound(owned_);
  } else {
    key_ = ClippedBound(selector.key);
  }
}

size_t RangeLimits::max_bytes() const {
  return bytes == kUnlimited ? kNoRowLimit : static_cast<size_t>(std::min(bytes, kReplyBytes));
}

ErrorCode LimitsOf(const RangeRequest& request, RangeLimits* limits) {
  limits->rows = request.limit == 0 ? RangeLimits::kUnlimited : request.limit;
  limits->bytes = request.target_bytes == 0 ? RangeLimits::kUnlimited : request.target_bytes;
  const bool unlimited = limits->rows == RangeLimits::kUnlimited && limits->bytes == RangeLimits::kUnlimited;
  if (unlimited && request.mode == kModeExact) return kExactModeWithoutLimits;

  int mode_bytes = 0;
  const int mode = request.mode == kModeWantAll ? kModeSerial : request.mode;
  if (mode == kModeIterator) {
    if (request.iteration <= 0) return kClientInvalidOperation;
    const int last = static_cast<int>(std::size(kIterationBytes));
    mode_bytes = kIterationBytes[std::min(request.iteration, last) - 1];
  } else if (mode >= kModeExact && mode <= kModeSerial) {
    mode_bytes = kModeBytes[mode];
  } else {
    return kClientInvalidOperation;
  }

  if (limits->bytes == RangeLimits::kUnlimited) {
    limits->bytes = mode_bytes;
  } else if (mode_bytes != RangeLimits::kUnlimited) {
    limits->bytes = std::min(limits->bytes, mode_bytes);
  }
  return kSuccess;
}

ErrorCode ResolveRange(const MergedRead& view, const Selector& begin, const Selector& end, std::string_view max_key,
                       ResolvedRange* resolved) {
  // What is left of each offset; see MergedRead::FindKey. A selector with offset 1 needs no read: whether there is a
  // key at its place makes no difference to a range.
  int64_t begin_left = 1;
  int64_t end_left = 1;
  resolved->begin = std::min(begin.key(), max_key);
  resolved->end = std::min(end.key(), max_key);
  if (begin.offset() != 1) {
    if (ErrorCode error = view.FindKey(begin.key(), begin.offset(), max_key, &resolved->begin, &begin_left)) {
      return error;
    }
  }
  if (end.offset() != 1) {
    if (ErrorCode error = view.FindKey(end.key(), end.offset(), max_key, &resolved->end, &end_left)) return error;
  }
  // When the range is inverted by the offsets alone, it stays empty whatever lies beyond the ends.
  if (resolved->begin >= resolved->end && begin_left >= end_left) return kSuccess;
  resolved->off_begin = begin_left < 1 || end_left < 1;
  resolved->off_end = begin_left > 1 || end_left > 1;
  return kSuccess;
}

KeyRange RangeReadConflict(const Selector& begin, const Selector& end, const ResolvedRange& resolved, bool reverse,
                           std::string_view max_key, const Rows& rows, bool more) {
  std::string_view first = begin.key();
  std::string_view last = end.key();
  if (begin.key() >= end.key()) {
    std::swap(first, last);
  } else if (more) {
    // The rows that were returned are all that matters then; unless a selector counted back over those that were not.
    if (!reverse && end.offset() > 0) last = begin.key();
    if (reverse && begin.offset() <= 1) first = end.key();
  }
  if (resolved.off_begin && begin.offset() <= 0 && !(reverse && more)) first = "";
  if (resolved.off_end && end.offset() > 0 && !(!reverse && more)) last = max_key;
  if (rows.empty()) return {std::string(first), std::string(last)};

  const std::string_view lowest = (reverse ? rows.back() : rows[0]).key_view();
  const std::string_view highest = (reverse ? rows[0] : rows.back()).key_view();
  if (reverse || begin.offset() <= 0) first = std::min(first, lowest);
  const bool past_last = last <= highest && (!reverse || end.offset() > 0);
  return {std::string(first), past_last ? ConflictEnd(highest) : std::string(last)};
}

KeyRange KeyReadConflict(const Selector& selector, std::string_view found) {
  if (selector.offset() <= 0) return {std::string(found), std::string(selector.key())};
  return {std::string(selector.key()), ConflictEnd(found)};
}

}  // namespace fdbjobs::embedded
