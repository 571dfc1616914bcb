// ChangeList: what happened to one key of the window, by version.
//
// A key that every commit writes, a counter say, has hundreds of thousands of changes in the window. So the oldest are
// forgotten in constant time on average, and the change that a read sees is found by binary search.
//
// Thread safety: none of its own. Lifetime: of the values, see window.h.
//
//   ChangeList list;
//   list.Push({.version = 7, .value = "x", .size = 1, .conflicts = true});
//   const Change* seen = list.Latest(9);  // that one
//   list.PopOldest();
#ifndef FDBJOBS_EMBEDDED_CHANGE_LIST_H_
#define FDBJOBS_EMBEDDED_CHANGE_LIST_H_

#include <algorithm>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

struct Change {
  Version version;
  const char* value;  // null: cleared
  uint32_t size;
  bool conflicts;  // counts as written
};

class ChangeList {
 public:
  bool empty() const { return gone_ == all_.size(); }
  size_t size() const { return all_.size() - gone_; }
  // Only of a list that is not empty.
  const Change& newest() const { return all_.back(); }
  void ReplaceNewest(const Change& change) { all_.back() = change; }
  // Of a later version than all before.
  void Push(const Change& change) { all_.push_back(change); }

  void PopOldest() {
    ++gone_;
    // Moves no more changes than were popped since it last did.
    if (2 * gone_ < all_.size()) return;
    all_.erase(all_.begin(), all_.begin() + gone_);
    gone_ = 0;
    if (all_.capacity() > kRoomWorthFreeing && all_.capacity() > 4 * all_.size()) all_.shrink_to_fit();
  }

  // The last change up to version `at`, if there is one.
  const Change* Latest(Version at) const {
    if (empty()) return nullptr;
    if (newest().version <= at) return &newest();
    const Change* const after = FirstAfter(at);
    return after == begin() ? nullptr : after - 1;
  }

  // Whether a change after `version` is what `is` asks for.
  template <typename Predicate>
  bool AnyAfter(Version version, Predicate is) const {
    return !empty() && newest().version > version && std::any_of(FirstAfter(version), end(), is);
  }

 private:
  static constexpr size_t kRoomWorthFreeing = 64;

  const Change* begin() const { return all_.data() + gone_; }
  const Change* end() const { return all_.data() + all_.size(); }
  const Change* FirstAfter(Version version) const {
    return std::upper_bound(begin(), end(), version,
                            [](Version wanted, const Change& change) { return wanted < change.version; });
  }

  // Ascending by version. The first `gone_` were popped: their values may be gone, too.
  absl::InlinedVector<Change, 2> all_;
  uint32_t gone_ = 0;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_CHANGE_LIST_H_
