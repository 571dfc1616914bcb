#include "fdbjobs/embedded/gaps.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fdbjobs::embedded {
namespace {

// Gaps of a run are made one only when they are this much older than the newest: reads that began a little earlier can
// still use the older ones. A tenth of a second.
constexpr Version kSettled = 100'000;
// Past that many runs all are forgotten: somebody sets keys all over them.
constexpr size_t kMost = 10'000;

// The last run that begins at or before `key`.
template <typename Map>
auto Before(Map& runs, std::string_view key) {
  const auto after = runs.upper_bound(key);
  return after == runs.begin() ? runs.end() : std::prev(after);
}

}  // namespace

size_t Gaps::PlaceOf(const Run& run, std::string_view key) {
  const auto ends_behind = [](std::string_view wanted, const Gap& gap) { return wanted < gap.end; };
  return static_cast<size_t>(std::upper_bound(run.begin(), run.end(), key, ends_behind) - run.begin());
}

size_t Gaps::size() const {
  size_t gaps = 0;
  for (const auto& [begin, run] : runs_) gaps += run.size();
  return gaps;
}

std::string_view Gaps::Skip(std::string_view begin, Version at) const {
  const auto noted_later = [](Version wanted, const Gap& gap) { return wanted < gap.since; };
  for (auto it = Before(runs_, begin); it != runs_.end() && it->first <= begin; ++it) {
    const Run& run = it->second;
    if (EndOf(run) <= begin) break;
    const auto usable = std::upper_bound(run.begin(), run.end(), at, noted_later);
    if (usable == run.begin() || std::prev(usable)->end <= begin) break;
    begin = std::prev(usable)->end;
    if (usable != run.end()) break;
  }
  return begin;
}

void Gaps::Note(std::string_view begin, std::string_view end, Version since) {
  if (begin >= end) return;
  if (runs_.size() >= kMost) Clear();
  auto run = Before(runs_, begin);
  if (run == runs_.end() || EndOf(run->second) < begin) {
    run = runs_.emplace(std::string(begin), Run()).first;
  } else if (EndOf(run->second) >= end) {
    return;
  }
  // A read that began earlier may come later.
  if (!run->second.empty()) since = std::max(since, run->second.back().since);
  run->second.push_back({std::string(end), since});
  TakeInWhatFollows(run);
}

// Adds the runs that begin in `run`, or at its end. A read that can't pass what was noted last does not get to them, so
// they need not be older than that.
void Gaps::TakeInWhatFollows(Map::iterator run) {
  Run& all = run->second;
  const auto first = std::next(run);
  auto last = first;
  for (; last != runs_.end() && last->first <= EndOf(all); ++last) {
    for (Gap& gap : last->second) {
      if (gap.end > EndOf(all)) all.push_back({std::move(gap.end), std::max(all.back().since, gap.since)});
    }
  }
  JoinSettled(&all);
  // Last, since it invalidates all iterators.
  runs_.erase(first, last);
}

// When that halves the run, so that each gap is moved once on average.
void Gaps::JoinSettled(Run* run) {
  const auto settled = [now = run->back().since](const Gap& gap) { return gap.since <= now - kSettled; };
  const auto rest = std::partition_point(run->begin(), run->end(), settled);
  const auto joined = static_cast<size_t>(rest - run->begin());
  if (joined < 2 || 2 * joined < run->size()) return;
  run->erase(run->begin(), rest - 1);
}

void Gaps::Cut(std::string_view key) {
  const auto it = Before(runs_, key);
  if (it == runs_.end() || EndOf(it->second) <= key) return;
  Run& run = it->second;
  const auto place = static_cast<ptrdiff_t>(PlaceOf(run, key));
  const Version since = run[static_cast<size_t>(place)].since;
  std::string behind = KeyAfter(key);
  Run rest;
  if (place == 0) {
    rest = std::exchange(run, {});
  } else {
    rest.assign(std::make_move_iterator(run.begin() + place), std::make_move_iterator(run.end()));
    run.resize(static_cast<size_t>(place));
  }
  // The gap that the key was in ends behind it.
  if (rest.front().end == behind) rest.erase(rest.begin());
  const bool at_its_begin = place == 0 ? it->first == key : EndOf(run) == key;
  if (!at_its_begin) run.push_back({std::string(key), since});
  if (run.empty()) runs_.erase(it);
  if (!rest.empty()) runs_.emplace(std::move(behind), std::move(rest));
}

void Gaps::DropUpTo(Version version) {
  const auto old = [version](const Gap& gap) { return gap.since <= version; };
  for (auto it = runs_.begin(); it != runs_.end();) {
    Run& run = it->second;
    const auto kept = std::partition_point(run.begin(), run.end(), old);
    if (kept == run.begin()) {
      ++it;
      continue;
    }
    std::string begin = std::prev(kept)->end;
    Run rest(std::make_move_iterator(kept), std::make_move_iterator(run.end()));
    it = runs_.erase(it);
    if (!rest.empty()) it = std::next(runs_.emplace(std::move(begin), std::move(rest)).first);
  }
}

}  // namespace fdbjobs::embedded
