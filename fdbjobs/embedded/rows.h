// Rows: the result of a range read, in the very layout that the C ABI hands out (FDBKeyValue).
//
// Rows owns the bytes that its entries point at; they stay where they are when more rows are added and when the
// Rows is moved. Thread safety: one writer, or any number of readers.
//
//   Rows rows;
//   rows.Add("key", "value");
//   for (const Rows::Entry& row : rows) Use(row.key_view(), row.value_view());
#ifndef FDBJOBS_EMBEDDED_ROWS_H_
#define FDBJOBS_EMBEDDED_ROWS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace fdbjobs::embedded {

class Rows {
 public:
#pragma pack(push, 4)
  // Same layout as FDBKeyValue of fdb_c.h.
  struct Entry {
    const uint8_t* key;
    int key_length;
    const uint8_t* value;
    int value_length;

    std::string_view key_view() const { return {reinterpret_cast<const char*>(key), static_cast<size_t>(key_length)}; }
    std::string_view value_view() const {
      return {reinterpret_cast<const char*>(value), static_cast<size_t>(value_length)};
    }
  };
#pragma pack(pop)

  void Add(std::string_view key, std::string_view value) {
    uint8_t* to = Allocate(key.size() + value.size());
    if (!key.empty()) std::memcpy(to, key.data(), key.size());
    if (!value.empty()) std::memcpy(to + key.size(), value.data(), value.size());
    entries_.push_back({to, static_cast<int>(key.size()), to + key.size(), static_cast<int>(value.size())});
    bytes_ += key.size() + value.size();
  }

  void PopBack() {
    bytes_ -= static_cast<size_t>(entries_.back().key_length + entries_.back().value_length);
    entries_.pop_back();
  }

  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  // Key and value bytes of all rows.
  size_t bytes() const { return bytes_; }
  const Entry& operator[](size_t i) const { return entries_[i]; }
  const Entry& back() const { return entries_.back(); }
  const Entry* data() const { return entries_.data(); }
  const Entry* begin() const { return entries_.data(); }
  const Entry* end() const { return entries_.data() + entries_.size(); }

 private:
  static constexpr size_t kFirstBlock = 4096;
  static constexpr size_t kLargestBlock = 1 << 20;

  uint8_t* Allocate(size_t n) {
    if (n > left_) {
      const size_t size = std::max(n, next_block_);
      blocks_.push_back(std::make_unique_for_overwrite<uint8_t[]>(size));
      free_ = blocks_.back().get();
      left_ = size;
      next_block_ = std::min(next_block_ * 2, kLargestBlock);
    }
    uint8_t* at = free_;
    free_ += n;
    left_ -= n;
    return at;
  }

  std::vector<Entry> entries_;
  std::vector<std::unique_ptr<uint8_t[]>> blocks_;
  uint8_t* free_ = nullptr;
  size_t left_ = 0;
  size_t next_block_ = kFirstBlock;
  size_t bytes_ = 0;
};

static_assert(sizeof(Rows::Entry) == 24);

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_ROWS_H_
