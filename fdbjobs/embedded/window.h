// Window: what the commits of the last seconds changed, by key and version, above the base in SQLite.
//
// It also tells which keys were written since a version, for conflicts. A read at version `at` asks the window first;
// what the window does not know, the base answers. The base lags behind by at least five seconds, so that one version
// of each key there is enough.
//
// Invariant: the window holds every change after pruned_version() and up to applied_version(). So window and base
// together are right for a base of version b and a read at v whenever pruned_version() <= b <= v.
//
// Thread safety: Apply, Prune and Clear take the mutex exclusively, reads share it.
// Lifetime: values are views into log segments, which the window keeps until it prunes past them.
#ifndef FDBJOBS_EMBEDDED_WINDOW_H_
#define FDBJOBS_EMBEDDED_WINDOW_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_map.h"
#include "absl/container/inlined_vector.h"
#include "fdbjobs/embedded/change_list.h"
#include "fdbjobs/embedded/commit_log.h"
#include "fdbjobs/embedded/gaps.h"
#include "fdbjobs/embedded/log_record.h"
#include "fdbjobs/embedded/mutex.h"
#include "fdbjobs/embedded/range_set.h"
#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

class Window {
 public:
  enum class Answer { kValue, kAbsent, kAskBase, kBaseTooOld, kRebuilding };

  // A key of a slice: its value, or nothing where it is cleared.
  struct SliceRow {
    std::string key;
    std::optional<std::string> value;
  };
  // What the window knows of a part of the key space, at one version.
  struct Slice {
    bool base_too_old = false;
    bool rebuilding = false;
    // The slice speaks for [from, to) of what was asked.
    std::string from;
    std::string to;
    std::vector<SliceRow> rows;     // ascending
    std::vector<KeyRange> cleared;  // ranges of the base that are masked; ascending, disjoint
  };

  // Starts over, with a base of `version`. Until Complete, nothing can be read.
  void Clear(Version version);
  // Everything that was committed was applied.
  void Complete();

  // Adds the records, which follow the last applied one, all from `segment`.
  void Apply(const std::vector<RecordView>& records, const std::shared_ptr<Segment>& segment);

  // Forgets the changes up to `version`, which the base has.
  void Prune(Version version);

  // kAskBase: a base of `base_version` decides. kBaseTooOld: take a newer one and ask again. kRebuilding: this process
  // was away for more than the window, and so is every read that it had begun.
  Answer Get(std::string_view key, Version at, Version base_version, std::string* value) const;

  // A part of [begin, end) from its start (from its end when `reverse`), with at most `max_rows` rows.
  void GetSlice(std::string_view begin, std::string_view end, bool reverse, size_t max_rows, Version at,
                Version base_version, Slice* slice) const;

  // Where a read of [begin, ...) at version `at` may begin: before that there is nothing. See gaps.h.
  std::string SkipEmpty(std::string_view begin, Version at) const;
  // A read at version `at` has found nothing in [begin, end), of window and base together. Costs as much as a look at
  // the window's keys there.
  void NoteEmpty(std::string_view begin, std::string_view end, Version at) const;

  // Whether a key in `reads` was written after `version`, all of which is said of the entries that count as written.
  // kTooOld: so much was forgotten since that nobody can tell. Cleared ranges are not looked at: see ConflictHistory.
  enum class Check { kUntouched, kWritten, kTooOld };
  Check CheckReads(const RangeSet& reads, Version version) const;

  // Whether nothing is known of [begin, end): the base alone decides. kBaseTooOld as for Get.
  Answer Knows(std::string_view begin, std::string_view end, Version base_version) const;

  Version applied_version() const;
  Version pruned_version() const;
  size_t keys() const;

 private:
  // The bytes of the key follow the struct, in the same allocation.
  struct History : ChangeList {
    explicit History(size_t size) : key_size(static_cast<uint32_t>(size)) {}
    std::string_view key() const { return {reinterpret_cast<const char*>(this + 1), key_size}; }

    const uint32_t key_size;
  };
  struct FreeHistory {
    void operator()(History* history) const;
  };
  using HistoryPtr = std::unique_ptr<History, FreeHistory>;
  struct Pending {
    Version version;
    History* history;
  };
  // Versions at which [its key, next key of the map) was cleared, ascending.
  using Clears = absl::InlinedVector<Version, 1>;
  using ClearMap = absl::btree_map<std::string, Clears, std::less<>>;

  void Add(std::string_view key, Change change) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void AddClear(std::string_view begin, std::string_view end, Version version) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  ClearMap::iterator SplitAt(std::string_view key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void PruneClears(Version version) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool MaskedAt(std::string_view key, Version at) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  static HistoryPtr MakeHistory(std::string_view key);
  static bool WrittenAfter(const History& history, Version version);
  void CollectCleared(Version at, Slice* slice) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);

  mutable SharedMutex mutex_;
  Version applied_ ABSL_GUARDED_BY(mutex_) = 0;
  Version pruned_ ABSL_GUARDED_BY(mutex_) = 0;
  bool complete_ ABSL_GUARDED_BY(mutex_) = false;
  // Keys are views of History::key().
  absl::btree_map<std::string_view, HistoryPtr> keys_ ABSL_GUARDED_BY(mutex_);
  // One for each Change, in order of version: what Prune takes from.
  std::deque<Pending> pending_ ABSL_GUARDED_BY(mutex_);
  // Partition of the key space; absent below the first key.
  ClearMap clears_ ABSL_GUARDED_BY(mutex_);
  std::deque<Version> pending_clears_ ABSL_GUARDED_BY(mutex_);
  // What reads have learned; nothing that can be read changes by it.
  mutable Gaps gaps_ ABSL_GUARDED_BY(mutex_);
  // Segments with the last version applied from each.
  std::deque<std::pair<std::shared_ptr<Segment>, Version>> segments_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_WINDOW_H_
