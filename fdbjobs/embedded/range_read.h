// What fdb_transaction_get_range means by its arguments: limits, streaming modes, key selectors, and the keys that a
// read depends on.
//
// Thread safety: pure functions over plain values. Lifetime: a Selector borrows the key that it was made from.
#ifndef FDBJOBS_EMBEDDED_RANGE_READ_H_
#define FDBJOBS_EMBEDDED_RANGE_READ_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fdbjobs/embedded/merged_read.h"
#include "fdbjobs/embedded/rows.h"
#include "fdbjobs/embedded/transaction.h"
#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

// The key that ends a conflict range on `key`: the first one after it, but nothing lies after the system keys.
std::string ConflictEnd(std::string_view key);

// A key selector without or_equal: the first key that is not below key(), moved on by offset() - 1.
class Selector {
 public:
  explicit Selector(const KeySelectorView& selector);
  Selector(const Selector&) = delete;
  Selector& operator=(const Selector&) = delete;

  std::string_view key() const { return key_; }
  int64_t offset() const { return offset_; }

 private:
  std::string owned_;
  std::string_view key_;
  int64_t offset_;
};

struct RangeLimits {
  static constexpr int kUnlimited = -1;

  int rows = kUnlimited;
  int bytes = kUnlimited;

  bool IsValid() const { return (rows > 0 || rows == kUnlimited) && (bytes > 0 || bytes == kUnlimited); }
  // For MergedRead::GetRange.
  size_t max_rows() const { return rows == kUnlimited ? kNoRowLimit : static_cast<size_t>(rows); }
  size_t max_bytes() const;
};

// The limits that come of the row limit, the target bytes, the streaming mode and the iteration of a request.
ErrorCode LimitsOf(const RangeRequest& request, RangeLimits* limits);

// Where the two selectors of a range lead.
struct ResolvedRange {
  std::string begin;
  std::string end;
  // A selector ran off the beginning, or off the end, of the keys that may be read.
  bool off_begin = false;
  bool off_end = false;
};

// `max_key` is the end of the keys that may be read.
ErrorCode ResolveRange(const MergedRead& view, const Selector& begin, const Selector& end, std::string_view max_key,
                       ResolvedRange* resolved);

// The keys that a range read depended on, wherever its selectors led, given what it returned.
KeyRange RangeReadConflict(const Selector& begin, const Selector& end, const ResolvedRange& resolved, bool reverse,
                           std::string_view max_key, const Rows& rows, bool more);

// The same for a key selector that led to `found`.
KeyRange KeyReadConflict(const Selector& selector, std::string_view found);

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_RANGE_READ_H_
