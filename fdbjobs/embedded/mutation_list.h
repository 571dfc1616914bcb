// MutationList: what a transaction writes, in order, laid out as the body of a log record.
//
// So the committer, of which there is one at a time, has little more to do than to copy it. Entries are those of the
// log (log_record.h), and mutations that only the committer can finish: atomic operations and versionstamps.
//
// Thread safety: none of its own; constant once it is part of a CommitRequest. Lifetime: owns its bytes.
//
//   MutationList writes;
//   writes.Add(MutationType::kSet, "apple", "red", /*conflict=*/true);
//   writes.AddConflict("b", "c");
//   writes.ForEach([](const EntryView& entry) { ... });
#ifndef FDBJOBS_EMBEDDED_MUTATION_LIST_H_
#define FDBJOBS_EMBEDDED_MUTATION_LIST_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fdbjobs/embedded/log_record.h"
#include "fdbjobs/embedded/range_set.h"
#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

class MutationList {
 public:
  // kSet: key and value. kClearRange: begin and end. Others: key and operand. For kSetVersionstamped*, the four
  // little-endian bytes at the end of the key (or the operand) are the offset of the ten bytes to fill in.
  // `conflict`: who has read what this changes conflicts. The key that comes of kSetVersionstampedKey always does.
  // The conflict range is part of the cost, unless it is not `counted`: then CountConflict is for the caller, who knows
  // which ranges are parts of one.
  void Add(MutationType type, std::string_view key, std::string_view value, bool conflict, bool counted = true);
  void AddClearKey(std::string_view key, bool conflict, bool counted = true);
  // [begin, end) counts as written, though nothing is.
  void AddConflict(std::string_view begin, std::string_view end, bool counted = true);
  void CountConflict(size_t begin_size, size_t end_size);
  void Clear() { *this = MutationList(); }

  bool empty() const { return bytes_.empty(); }
  const std::string& bytes() const { return bytes_; }
  // Whether all entries are such as the log has.
  bool is_plain() const { return !stamps_ && !atomics_; }
  // Whether there are mutations that depend on the old value.
  bool has_atomics() const { return atomics_; }
  // What it counts for in the size of a transaction.
  int64_t cost() const { return cost_; }

  // Adds what counts as written to `conflicts`, without the keys that versionstamps make.
  void CopyConflicts(RangeSet* conflicts) const;

  // Calls `visit(const EntryView&)` for each entry, in order.
  template <typename Visit>
  void ForEach(Visit visit) const {
    ForEachEntry(bytes_, visit);
  }

 private:
  std::string bytes_;
  int64_t cost_ = 0;
  bool stamps_ = false;
  bool atomics_ = false;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_MUTATION_LIST_H_
