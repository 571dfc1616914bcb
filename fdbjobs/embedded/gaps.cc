#include "fdbjobs/embedded/gaps.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fdbjobs::embedded {
namespace {

// Neighbours are made one only when they are this much older than the newest: reads that began a little earlier can
// still use the older one. A tenth of a second.
constexpr Version kSettled = 100'000;
// Past that all are forgotten: somebody sets keys all over them.
constexpr size_t kMost = 10'000;

}  // namespace

Gaps::Map::const_iterator Gaps::Before(std::string_view key) const {
  const auto after = gaps_.upper_bound(key);
  return after == gaps_.begin() ? gaps_.end() : std::prev(after);
}

std::string_view Gaps::Skip(std::string_view begin, Version at) const {
  for (auto gap = Before(begin); gap != gaps_.end() && gap->first <= begin; ++gap) {
    if (gap->second.end <= begin || gap->second.since > at) break;
    begin = gap->second.end;
  }
  return begin;
}

void Gaps::Note(std::string_view begin, std::string_view end, Version since) {
  if (gaps_.size() >= kMost) Clear();
  // What another read has noted meanwhile stays as it is. Only the rest is new.
  if (const auto before = Before(begin); before != gaps_.end() && before->second.end > begin) {
    begin = before->second.end;
  }
  if (const auto after = gaps_.lower_bound(begin); after != gaps_.end() && after->first < end) end = after->first;
  if (begin >= end) return;
  const auto noted = gaps_.emplace(std::string(begin), Gap{std::string(end), since}).first;
  if (noted != gaps_.begin()) JoinSettled(std::prev(noted), since);
}

// Joins the gap to the one that it follows on, if it does.
void Gaps::JoinSettled(Map::iterator gap, Version now) {
  if (gap == gaps_.begin() || gap->second.since > now - kSettled) return;
  const auto before = std::prev(gap);
  if (before->second.end != gap->first) return;
  before->second.end = std::move(gap->second.end);
  before->second.since = std::max(before->second.since, gap->second.since);
  gaps_.erase(gap);
}

void Gaps::Cut(std::string_view key) {
  if (gaps_.empty()) return;
  const auto after = gaps_.upper_bound(key);
  if (after == gaps_.begin()) return;
  const auto gap = std::prev(after);
  if (gap->second.end <= key) return;
  Gap rest{std::move(gap->second.end), gap->second.since};
  std::string behind = KeyAfter(key);
  if (gap->first == key) {
    gaps_.erase(gap);
  } else {
    gap->second.end = std::string(key);
  }
  if (behind < rest.end) gaps_.emplace(std::move(behind), std::move(rest));
}

void Gaps::DropUpTo(Version version) {
  for (auto gap = gaps_.begin(); gap != gaps_.end();) {
    gap = gap->second.since <= version ? gaps_.erase(gap) : std::next(gap);
  }
}

}  // namespace fdbjobs::embedded
