#include "fdbjobs/embedded/window.h"

#include <algorithm>

namespace fdbjobs::embedded {

void Window::Clear(Version version) {
  WriterLock lock(&mutex_);
  keys_.clear();
  pending_.clear();
  clears_.clear();
  pending_clears_.clear();
  segments_.clear();
  applied_ = version;
  pruned_ = version;
  complete_ = false;
}

void Window::Complete() {
  WriterLock lock(&mutex_);
  complete_ = true;
}

void Window::Apply(const std::vector<RecordView>& records, const std::shared_ptr<Segment>& segment) {
  if (records.empty()) return;
  WriterLock lock(&mutex_);
  for (const RecordView& record : records) {
    record.ForEach([&](const EntryView& entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      switch (entry.kind) {
        case EntryKind::kSet:
          Add(entry.key, {record.version, entry.value.data(), static_cast<uint32_t>(entry.value.size())});
          break;
        case EntryKind::kClear:
          Add(entry.key, {record.version, nullptr, 0});
          break;
        case EntryKind::kClearRange:
          AddClear(entry.key, entry.value, record.version);
          break;
        case EntryKind::kConflictRange:
          break;
      }
    });
  }
  applied_ = records.back().version;
  if (segments_.empty() || segments_.back().first != segment) segments_.emplace_back(segment, applied_);
  segments_.back().second = applied_;
}

void Window::Add(std::string_view key, Change change) {
  auto found = keys_.lower_bound(key);
  if (found == keys_.end() || found->first != key) {
    auto history = std::make_unique<History>();
    history->key = std::string(key);
    const std::string_view stable = history->key;
    found = keys_.emplace_hint(found, stable, std::move(history));
  }
  History* const history = found->second.get();
  // The last of several changes in one commit counts.
  if (!history->changes.empty() && history->changes.back().version == change.version) {
    history->changes.back() = change;
    return;
  }
  history->changes.push_back(change);
  pending_.push_back({change.version, history});
}

void Window::AddClear(std::string_view begin, std::string_view end, Version version) {
  if (begin >= end) return;
  for (auto it = keys_.lower_bound(begin); it != keys_.end() && it->first < end; ++it) {
    History* const history = it->second.get();
    // What is cleared already stays so; a change for each clear would make ranges dear that are cleared often.
    if (history->changes.back().value == nullptr) continue;
    if (history->changes.back().version == version) {
      history->changes.back() = {version, nullptr, 0};
    } else {
      history->changes.push_back({version, nullptr, 0});
      pending_.push_back({version, history});
    }
  }
  SplitAt(end);
  for (auto it = SplitAt(begin); it != clears_.end() && it->first < end; ++it) {
    if (it->second.empty() || it->second.back() != version) it->second.push_back(version);
  }
  pending_clears_.push_back(version);
}

Window::ClearMap::iterator Window::SplitAt(std::string_view key) {
  auto at = clears_.lower_bound(key);
  if (at != clears_.end() && at->first == key) return at;
  Clears inherited;
  if (at != clears_.begin()) inherited = std::prev(at)->second;
  return clears_.emplace_hint(at, std::string(key), std::move(inherited));
}

void Window::Prune(Version version) {
  {
    WriterLock lock(&mutex_);
    version = std::min(version, applied_);
    if (version <= pruned_) return;
    // Masks go first and at once: a mask must not outlive a later change of the same key that is pruned below.
    pruned_ = version;
    PruneClears(version);
  }
  // Changes go in steps, so that readers get in between. Those that still stand are true history, and do no harm.
  constexpr size_t kStep = 1000;
  for (bool more = true; more;) {
    WriterLock lock(&mutex_);
    for (size_t i = 0; i < kStep && !pending_.empty() && pending_.front().version <= version; ++i) {
      History* const history = pending_.front().history;
      pending_.pop_front();
      history->changes.erase(history->changes.begin());
      if (history->changes.empty()) keys_.erase(std::string_view(history->key));
    }
    more = !pending_.empty() && pending_.front().version <= version;
    while (!more && !segments_.empty() && segments_.front().second <= version) segments_.pop_front();
  }
}

void Window::PruneClears(Version version) {
  if (pending_clears_.empty() || pending_clears_.front() > version) return;
  while (!pending_clears_.empty() && pending_clears_.front() <= version) pending_clears_.pop_front();
  for (auto it = clears_.begin(); it != clears_.end();) {
    Clears& versions = it->second;
    versions.erase(versions.begin(), std::upper_bound(versions.begin(), versions.end(), version));
    const bool like_the_one_before = it == clears_.begin() ? versions.empty() : versions == std::prev(it)->second;
    it = like_the_one_before ? clears_.erase(it) : std::next(it);
  }
}

const Window::Change* Window::Latest(const History& history, Version at) {
  for (auto it = history.changes.rbegin(); it != history.changes.rend(); ++it) {
    if (it->version <= at) return &*it;
  }
  return nullptr;
}

// Keys that are in the window were cleared one by one; this is for the others, and for reads before a key came in.
bool Window::MaskedAt(std::string_view key, Version at) const {
  if (clears_.empty()) return false;
  auto it = clears_.upper_bound(key);
  if (it == clears_.begin()) return false;
  const Clears& versions = std::prev(it)->second;
  return !versions.empty() && versions.front() <= at;
}

Window::Answer Window::Get(std::string_view key, Version at, Version base_version, std::string* value) const {
  ReaderLock lock(&mutex_);
  if (!complete_) return Answer::kRebuilding;
  if (base_version < pruned_) return Answer::kBaseTooOld;
  if (!keys_.empty()) {
    if (auto found = keys_.find(key); found != keys_.end()) {
      if (const Change* change = Latest(*found->second, at)) {
        if (change->value == nullptr) return Answer::kAbsent;
        value->assign(change->value, change->size);
        return Answer::kValue;
      }
    }
  }
  return MaskedAt(key, at) ? Answer::kAbsent : Answer::kAskBase;
}

Window::Answer Window::Knows(std::string_view begin, std::string_view end, Version base_version) const {
  ReaderLock lock(&mutex_);
  if (!complete_) return Answer::kRebuilding;
  if (base_version < pruned_) return Answer::kBaseTooOld;
  if (!clears_.empty()) return Answer::kValue;
  if (keys_.empty()) return Answer::kAskBase;
  auto it = keys_.lower_bound(begin);
  return it != keys_.end() && it->first < end ? Answer::kValue : Answer::kAskBase;
}

void Window::GetSlice(std::string_view begin, std::string_view end, bool reverse, size_t max_rows, Version at,
                      Version base_version, Slice* slice) const {
  ReaderLock lock(&mutex_);
  slice->rows.clear();
  slice->cleared.clear();
  slice->rebuilding = !complete_;
  slice->base_too_old = base_version < pruned_;
  if (slice->rebuilding || slice->base_too_old) return;
  slice->from = std::string(begin);
  slice->to = std::string(end);
  const auto first = keys_.lower_bound(begin);
  const auto last = keys_.lower_bound(end);
  const auto add = [&](const History& history) {
    const Change* change = Latest(history, at);
    if (change == nullptr) return;
    slice->rows.push_back({history.key, std::nullopt});
    if (change->value != nullptr) slice->rows.back().value.emplace(change->value, change->size);
  };
  if (!reverse) {
    auto it = first;
    for (size_t n = 0; it != last && n < max_rows; ++it, ++n) add(*it->second);
    if (it != last) slice->to = std::string(it->first);
  } else {
    auto it = last;
    for (size_t n = 0; it != first && n < max_rows; ++n) add(*(--it)->second);
    if (it != first) slice->from = std::string(it->first);
    std::reverse(slice->rows.begin(), slice->rows.end());
  }
  CollectCleared(at, slice);
}

void Window::CollectCleared(Version at, Slice* slice) const {
  if (clears_.empty()) return;
  auto it = clears_.upper_bound(slice->from);
  if (it != clears_.begin()) --it;
  for (; it != clears_.end() && it->first < slice->to; ++it) {
    if (it->second.empty() || it->second.front() > at) continue;
    const auto next = std::next(it);
    std::string begin = std::max(it->first, slice->from);
    std::string end = next == clears_.end() ? slice->to : std::min(next->first, slice->to);
    if (begin >= end) continue;
    if (!slice->cleared.empty() && slice->cleared.back().end == begin) {
      slice->cleared.back().end = std::move(end);
    } else {
      slice->cleared.push_back({std::move(begin), std::move(end)});
    }
  }
}

Version Window::applied_version() const {
  ReaderLock lock(&mutex_);
  return applied_;
}

Version Window::pruned_version() const {
  ReaderLock lock(&mutex_);
  return pruned_;
}

size_t Window::keys() const {
  ReaderLock lock(&mutex_);
  return keys_.size();
}

}  // namespace fdbjobs::embedded
