// KeySelectorView: names a key by its place among the keys that exist, as FoundationDB's key selectors do.
//
// Thread safety: a plain value. Lifetime: borrows the bytes of `key` until the call that it is given to returns.
//
//   KeyFuture before = tr.GetKey(KeySelectorView::LastLessThan("user/42"), Isolation::kSnapshot);
//   KeyFuture tenth = tr.GetKey(KeySelectorView::FirstGreaterOrEqual("user/") + 9, Isolation::kSnapshot);
#ifndef FDBJOBS_FDB_KEY_SELECTOR_H_
#define FDBJOBS_FDB_KEY_SELECTOR_H_

#include <string_view>

namespace fdbjobs::fdb {

// Start at the last key less than `key` (or equal to it, when or_equal), then go `offset` keys on.
struct KeySelectorView {
  std::string_view key;
  bool or_equal = false;
  int offset = 0;

  static constexpr KeySelectorView LastLessThan(std::string_view key) { return {key, false, 0}; }
  static constexpr KeySelectorView LastLessOrEqual(std::string_view key) { return {key, true, 0}; }
  static constexpr KeySelectorView FirstGreaterThan(std::string_view key) { return {key, true, 1}; }
  static constexpr KeySelectorView FirstGreaterOrEqual(std::string_view key) { return {key, false, 1}; }

  friend constexpr KeySelectorView operator+(KeySelectorView selector, int keys) {
    return {selector.key, selector.or_equal, selector.offset + keys};
  }
  friend constexpr KeySelectorView operator-(KeySelectorView selector, int keys) {
    return {selector.key, selector.or_equal, selector.offset - keys};
  }
};

}  // namespace fdbjobs::fdb

#endif  // FDBJOBS_FDB_KEY_SELECTOR_H_
