// WriteMap: what a transaction has written so far, laid over the database by its own reads.
//
// The keyspace is cut into segments. A segment is either one key with the operations that were done to it, or a range
// between such keys that was cleared or was not touched. Beside that, every segment knows whether other transactions
// must conflict with it (write conflict), and whether it can be read at all: what a versionstamp will decide can't.
//
// Thread safety: none of its own; the transaction's mutex guards it. Lifetime: owns its bytes, which it frees all at
// once: what was overwritten stays until the map is cleared, as in FoundationDB. A Cursor and the views that it returns
// are valid until the next change of the map.
//
//   WriteMap writes;
//   writes.Mutate("apple", MutationType::kSet, "red", /*conflict=*/true);
//   writes.ClearRange("b", "c", /*conflict=*/true);
//   WriteMap::Cursor at(writes);
//   at.Seek("apple");                                 // kind() == Kind::kIndependent, Value({}) == "red"
#ifndef FDBJOBS_EMBEDDED_WRITE_MAP_H_
#define FDBJOBS_EMBEDDED_WRITE_MAP_H_

#include <map>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "fdbjobs/embedded/mutation_list.h"
#include "fdbjobs/embedded/range_set.h"
#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

// A key, or the first key after a key, without a copy of its bytes.
struct KeyBound {
  std::string_view key;
  bool after = false;

  std::string ToString() const { return after ? KeyAfter(key) : std::string(key); }
};

// <0, 0, >0 as `bound` lies before, at or after `key`.
int Compare(const KeyBound& bound, std::string_view key);

class WriteMap {
 public:
  // What a read of a segment sees.
  enum class Kind {
    kUnmodified,   // a range: what the database has
    kCleared,      // a range: nothing
    kIndependent,  // one key: the value is known without the database
    kDependent,    // one key: atomic operations on what the database has
  };

  WriteMap() = default;
  WriteMap(const WriteMap&) = delete;
  WriteMap& operator=(const WriteMap&) = delete;

  bool empty() const { return entries_.empty(); }
  void Clear();

  // kSet, kSetVersionstampedValue, or an atomic operation that depends on the old value. A key of which something was
  // unreadable stays so, until it is cleared. A write conflict that is there already stays, whatever `conflict` says.
  void Mutate(std::string_view key, MutationType type, std::string_view operand, bool conflict);
  // A cleared key is a segment of its own, of kind kIndependent, without a value.
  void ClearKey(std::string_view key, bool conflict);
  void ClearRange(std::string_view begin, std::string_view end, bool conflict);
  void AddConflictRange(std::string_view begin, std::string_view end);

  // Moves all writes to the end of `mutations`; the map is empty then.
  void FlushAll(MutationList* mutations);
  // For the keys that a versionstamped key may become: moves what was done to [begin, end) to the end of `mutations`,
  // so that it comes before, and makes the range unreadable.
  void FlushAndMakeUnreadable(std::string_view begin, std::string_view end, MutationList* mutations);
  // Adds all write conflict ranges to `conflicts`.
  void CopyConflicts(RangeSet* conflicts) const;

  class Cursor;

 private:
  // One step in the history of a key. kSet without a value: cleared.
  struct Operation {
    MutationType type;
    std::optional<std::string_view> value;  // in memory_
  };
  using Operations = absl::InlinedVector<Operation, 1>;

  struct Flags {
    bool cleared = false;
    bool conflict = false;
    bool unreadable = false;

    bool operator==(const Flags&) const = default;
  };

  // Describes its key, and the range from there up to the next entry.
  struct Entry {
    // Empty: the key is part of the range, and `at` equals `after`.
    Operations operations;
    // Of the key itself; `cleared` has no meaning when there are operations.
    Flags at;
    Flags after;
  };

  // Empty, or there is an entry for "". Any key is described by the last entry that is not above it.
  using Entries = std::pmr::map<std::string_view, Entry>;

  // Copies `bytes` to where they stay until the map is cleared.
  std::string_view Keep(std::string_view bytes);
  // The first key after `key`, in the same place.
  std::string_view KeepAfter(std::string_view key);
  Entries::iterator Find(std::string_view key);
  // Makes an entry for `key`, which changes nothing yet. `before`: what Find returned.
  Entries::iterator Split(std::string_view key) { return Split(Find(key), key); }
  Entries::iterator Split(Entries::iterator before, std::string_view key);
  // Calls `change` for the flags of every key in [begin, end), and joins what has become the same.
  template <typename Change>
  void ChangeRange(std::string_view begin, std::string_view end, Change change);
  void JoinBetween(Entries::iterator first, Entries::iterator last);

  static bool DependsOnDatabase(const Operations& operations);
  void Push(Operations* operations, MutationType type, std::string_view operand);
  void Combine(Operations* operations, MutationType type, std::string_view operand);
  // Adds the mutations and the conflicts of all entries from `first` to before `last`.
  void Emit(Entries::const_iterator first, Entries::const_iterator last, MutationList* mutations) const;
  // The same of one entry, which reaches up to `next`, without counting its conflicts.
  static void EmitEntry(std::string_view key, const Entry& entry, std::string_view next, MutationList* mutations);

  // Of the keys, the values and the nodes of entries_.
  std::pmr::monotonic_buffer_resource memory_;
  Entries entries_{&memory_};
};

// Walks over the segments in either direction. Use it on a map that is not empty.
class WriteMap::Cursor {
 public:
  explicit Cursor(const WriteMap& map) : map_(map), entry_(map.entries_.end()) {}

  // To the segment that `key` is in.
  void Seek(std::string_view key);
  // To the segment with the last keys before `key`, which is not "".
  void SeekBefore(std::string_view key);
  // False after Next on the last segment, or Previous on the first.
  bool valid() const { return entry_ != map_.entries_.end(); }
  void Next();
  void Previous();

  Kind kind() const;
  bool is_key() const { return !in_range_; }
  bool unreadable() const { return flags().unreadable; }
  bool conflict() const { return flags().conflict; }
  // The first key of the segment, and the first key that is not in it any more.
  KeyBound begin() const { return {entry_->first, in_range_ && !entry_->second.operations.empty()}; }
  KeyBound end() const;
  // Whether the segment is a range of more than one key.
  bool is_wide() const;

  // For a segment of one key: its value when the database has `base`.
  std::optional<std::string> Value(std::optional<std::string> base) const;

 private:
  const Flags& flags() const { return in_range_ ? entry_->second.after : entry_->second.at; }
  // Whether there are no keys between the key of `entry_` and the next entry.
  bool RangeIsEmpty() const;

  const WriteMap& map_;
  Entries::const_iterator entry_;
  // False: on the operations of entry_. True: on the range that follows.
  bool in_range_ = true;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_WRITE_MAP_H_
