#include "fdbjobs/embedded/range_set.h"

#include <algorithm>

namespace fdbjobs::embedded {

uint32_t RangeSet::AppendBytes(std::string_view bytes) {
  const auto at = static_cast<uint32_t>(bytes_.size());
  bytes_.append(bytes);
  return at;
}

size_t RangeSet::range_bytes() const {
  size_t bytes = 0;
  for (const Item& item : items_) bytes += item.begin_size + item.end_size;
  return bytes;
}

void RangeSet::AddKey(std::string_view key) {
  if (!items_.empty() && BeginOf(items_.back()) <= key && key < EndOf(items_.back())) return;
  const uint32_t at = AppendBytes(key);
  bytes_.push_back('\0');
  const auto size = static_cast<uint32_t>(key.size());
  AddItem({at, size, at, size + 1});
}

void RangeSet::Add(std::string_view begin, std::string_view end) {
  if (begin >= end) return;
  if (!items_.empty() && BeginOf(items_.back()) <= begin && end <= EndOf(items_.back())) return;
  const uint32_t begin_at = AppendBytes(begin);
  const uint32_t end_at = AppendBytes(end);
  AddItem({begin_at, static_cast<uint32_t>(begin.size()), end_at, static_cast<uint32_t>(end.size())});
}

void RangeSet::AddItem(const Item& item) {
  normal_ = normal_ && (items_.empty() || EndOf(items_.back()) < BeginOf(item));
  items_.push_back(item);
  if (MemoryBytes() >= normalize_at_) {
    Normalize();
    normalize_at_ = std::max(kFirstNormalize, MemoryBytes() * 2);
  }
}

void RangeSet::Clear() {
  bytes_.clear();
  items_.clear();
  normal_ = true;
  normalize_at_ = kFirstNormalize;
}

void RangeSet::Normalize() {
  if (normal_) return;
  std::sort(items_.begin(), items_.end(), [this](const Item& a, const Item& b) { return BeginOf(a) < BeginOf(b); });
  size_t kept = 0;
  for (size_t i = 1; i < items_.size(); ++i) {
    if (BeginOf(items_[i]) > EndOf(items_[kept])) {
      items_[++kept] = items_[i];
    } else if (EndOf(items_[i]) > EndOf(items_[kept])) {
      items_[kept].end = items_[i].end;
      items_[kept].end_size = items_[i].end_size;
    }
  }
  items_.resize(kept + 1);
  normal_ = true;
  Compact();
}

void RangeSet::Compact() {
  std::string compact;
  for (Item& item : items_) {
    const std::string_view begin = BeginOf(item);
    const std::string_view end = EndOf(item);
    const bool shared = end.substr(0, begin.size()) == begin;
    const auto at = static_cast<uint32_t>(compact.size());
    if (!shared) compact.append(begin);
    item.begin = at;
    item.end = static_cast<uint32_t>(compact.size());
    compact.append(end);
  }
  bytes_ = std::move(compact);
}

std::vector<KeyRange> RangeSet::Ranges() {
  Normalize();
  std::vector<KeyRange> ranges;
  ranges.reserve(items_.size());
  for (const Item& item : items_) ranges.push_back({std::string(BeginOf(item)), std::string(EndOf(item))});
  return ranges;
}

}  // namespace fdbjobs::embedded
