#include "fdbjobs/embedded/conflict_history.h"

#include <algorithm>

namespace fdbjobs::embedded {

namespace {
// A bucket is closed when it spans this many versions (a quarter of a second) or holds this many boundaries.
constexpr Version kBucketVersions = 250'000;
constexpr size_t kBucketBoundaries = 8192;
}  // namespace

void WrittenRanges::Add(std::string_view begin, std::string_view end, Version version) {
  if (begin >= end) return;
  auto first = last_write_.lower_bound(begin);
  // What holds from `end` on, should no boundary be there yet, is what held just before it.
  auto after = first;
  while (after != last_write_.end() && after->first < end) ++after;
  if (after == last_write_.end() || after->first != end) {
    const Version held = after == last_write_.begin() ? 0 : std::prev(after)->second;
    after = last_write_.emplace_hint(after, std::string(end), held);
    first = last_write_.lower_bound(begin);
  }
  if (first != last_write_.end() && first->first == begin) {
    first->second = version;
  } else {
    first = last_write_.emplace_hint(first, std::string(begin), version);
  }
  for (++first; first != last_write_.end() && first->first < end;) first = last_write_.erase(first);
}

bool WrittenRanges::AnyAfter(std::string_view begin, std::string_view end, Version version) const {
  if (last_write_.empty() || begin >= end) return false;
  auto it = last_write_.upper_bound(begin);
  if (it != last_write_.begin()) --it;
  for (; it != last_write_.end() && it->first < end; ++it) {
    if (it->second > version) return true;
  }
  return false;
}

void ConflictHistory::Clear(Version version) {
  buckets_.clear();
  oldest_ = version;
}

void ConflictHistory::Add(std::string_view begin, std::string_view end, Version version) {
  if (buckets_.empty() || version - buckets_.back().first > kBucketVersions ||
      (buckets_.back().written.boundaries() > kBucketBoundaries && buckets_.back().last != version)) {
    buckets_.push_back({version, version, {}});
  }
  buckets_.back().last = version;
  buckets_.back().written.Add(begin, end, version);
}

bool ConflictHistory::Conflicts(std::string_view begin, std::string_view end, Version read_version) const {
  for (auto bucket = buckets_.rbegin(); bucket != buckets_.rend() && bucket->last > read_version; ++bucket) {
    if (bucket->written.AnyAfter(begin, end, read_version)) return true;
  }
  return false;
}

bool ConflictHistory::Conflicts(const RangeSet& reads, Version read_version) const {
  if (buckets_.empty() || buckets_.back().last <= read_version) return false;
  return reads.AnyOf(
      [&](std::string_view begin, std::string_view end, bool) { return Conflicts(begin, end, read_version); });
}

void ConflictHistory::DropBefore(Version version) {
  while (!buckets_.empty() && buckets_.front().last <= version) {
    oldest_ = std::max(oldest_, buckets_.front().last);
    buckets_.pop_front();
  }
}

size_t ConflictHistory::boundaries() const {
  size_t sum = 0;
  for (const Bucket& bucket : buckets_) sum += bucket.written.boundaries();
  return sum;
}

}  // namespace fdbjobs::embedded
