// ConflictHistory: which ranges of keys were written at which version, for the last seconds. Decides who conflicts.
//
// For ranges that were cleared, or declared written; writes of single keys are found in the window (window.h).
//
// Writes go into buckets by time. A check looks only at the buckets that are not older than the read version, and in
// each of them only at the boundaries inside the range that was read: so it costs in proportion to what the transaction
// read and what was committed since, not to the database. Old buckets are dropped whole.
//
// Thread safety: none; the holder of the append lock of the process uses it. Lifetime: owns copies of the keys.
//
//   history.Add("a", "b", 10);
//   history.Conflicts("a", "a\0", 9);   // true: written after the read
//   history.Conflicts("a", "a\0", 10);  // false
#ifndef FDBJOBS_EMBEDDED_CONFLICT_HISTORY_H_
#define FDBJOBS_EMBEDDED_CONFLICT_HISTORY_H_

#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include "absl/container/btree_map.h"
#include "fdbjobs/embedded/range_set.h"
#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

// A set of written ranges, each with the version of its last write.
class WrittenRanges {
 public:
  void Add(std::string_view begin, std::string_view end, Version version);
  // Whether something in [begin, end) was written after `version`.
  bool AnyAfter(std::string_view begin, std::string_view end, Version version) const;
  size_t boundaries() const { return last_write_.size(); }

 private:
  // From this key up to the next one, the last write was at this version (0: none).
  absl::btree_map<std::string, Version, std::less<>> last_write_;
};

class ConflictHistory {
 public:
  // Starts over: reads before `version` can't be checked.
  void Clear(Version version);
  // Versions must not go back.
  void Add(std::string_view begin, std::string_view end, Version version);
  bool Conflicts(std::string_view begin, std::string_view end, Version read_version) const;
  // Whether one of `reads` does.
  bool Conflicts(const RangeSet& reads, Version read_version) const;
  // Forgets writes up to `version`, or somewhat less.
  void DropBefore(Version version);
  // A read below this version is too old to be checked.
  Version oldest() const { return oldest_; }
  size_t boundaries() const;

 private:
  struct Bucket {
    Version first;
    Version last;
    WrittenRanges written;
  };

  std::deque<Bucket> buckets_;
  Version oldest_ = 0;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_CONFLICT_HISTORY_H_
