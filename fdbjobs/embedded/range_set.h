// RangeSet: a set of key ranges, for what a transaction read and what it wrote.
//
// Made for the common case of a few ranges that are added once and looked at once, at commit, or never: adding copies
// the bytes to the end of one buffer, and ranges are sorted and joined only when somebody asks for them.
//
// Thread safety: none of its own. Lifetime: owns its bytes.
//
//   RangeSet reads;
//   reads.AddKey("apple");                 // ["apple", "apple\0")
//   reads.Add("b", "d");
//   reads.Add("c", "e");
//   for (const KeyRange& range : reads.Ranges()) ...   // ["apple", "apple\0"), ["b", "e")
#ifndef FDBJOBS_EMBEDDED_RANGE_SET_H_
#define FDBJOBS_EMBEDDED_RANGE_SET_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

class RangeSet {
 public:
  // Adds the one key.
  void AddKey(std::string_view key);
  // Adds [begin, end); nothing when begin >= end.
  void Add(std::string_view begin, std::string_view end);
  void Clear();
  bool empty() const { return items_.empty(); }

  // Ascending; ranges that overlap or touch are joined.
  std::vector<KeyRange> Ranges();

  // Whether `test(begin, end, one_key)` holds for one of the ranges, which come as they were added or joined.
  // `one_key`: the range is one that AddKey added.
  template <typename Test>
  bool AnyOf(Test test) const {
    for (const Item& item : items_) {
      const bool one_key =
          item.begin == item.end && item.end_size == item.begin_size + 1 && bytes_[item.end + item.begin_size] == '\0';
      if (test(BeginOf(item), EndOf(item), one_key)) return true;
    }
    return false;
  }

  // Bytes of all begins and ends, and how many ranges there are: of what was added, or joined.
  size_t size() const { return items_.size(); }
  size_t range_bytes() const;
  // Sorts and joins, and drops the bytes of what was joined.
  void Normalize();

 private:
  // Positions in bytes_. The two strings of a single key share their bytes.
  struct Item {
    uint32_t begin;
    uint32_t begin_size;
    uint32_t end;
    uint32_t end_size;
  };

  // Below so many bytes nobody minds the duplicates: sorting costs more than a read.
  static constexpr size_t kFirstNormalize = 16 << 20;

  std::string_view BeginOf(const Item& item) const { return {bytes_.data() + item.begin, item.begin_size}; }
  std::string_view EndOf(const Item& item) const { return {bytes_.data() + item.end, item.end_size}; }
  uint32_t AppendBytes(std::string_view bytes);
  void AddItem(const Item& item);
  size_t MemoryBytes() const { return bytes_.size() + items_.size() * sizeof(Item); }
  void Compact();

  std::string bytes_;
  std::vector<Item> items_;
  // True while items_ is ascending and disjoint.
  bool normal_ = true;
  // How many bytes there may be before the next Add joins ranges: a transaction that reads the same keys over and
  // over does not grow without end.
  size_t normalize_at_ = kFirstNormalize;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_RANGE_SET_H_
