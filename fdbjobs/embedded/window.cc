#include "fdbjobs/embedded/window.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <thread>

namespace fdbjobs::embedded {

Window::HistoryPtr Window::MakeHistory(std::string_view key) {
  void* const memory = ::operator new(sizeof(History) + key.size());
  HistoryPtr history(new (memory) History(key.size()));
  if (!key.empty()) std::memcpy(static_cast<char*>(memory) + sizeof(History), key.data(), key.size());
  return history;
}

void Window::FreeHistory::operator()(History* history) const {
  history->~History();
  ::operator delete(history);
}

void Window::Clear(Version version) {
  WriterLock lock(&mutex_);
  keys_.clear();
  pending_.clear();
  clears_.clear();
  pending_clears_.clear();
  gaps_.Clear();
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
          gaps_.Cut(entry.key);
          Add(entry.key,
              {record.version, entry.value.data(), static_cast<uint32_t>(entry.value.size()), entry.conflicts});
          break;
        case EntryKind::kClear:
          Add(entry.key, {record.version, nullptr, 0, entry.conflicts});
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
    HistoryPtr history = MakeHistory(key);
    const std::string_view stable = history->key();
    found = keys_.emplace_hint(found, stable, std::move(history));
  }
  History* const history = found->second.get();
  // The last of several changes in one commit counts.
  if (!history->empty() && history->newest().version == change.version) {
    change.conflicts |= history->newest().conflicts;
    history->ReplaceNewest(change);
    return;
  }
  history->Push(change);
  pending_.push_back({change.version, history});
}

void Window::AddClear(std::string_view begin, std::string_view end, Version version) {
  if (begin >= end) return;
  for (auto it = keys_.lower_bound(begin); it != keys_.end() && it->first < end; ++it) {
    History* const history = it->second.get();
    // What is cleared already stays so; a change for each clear would make ranges dear that are cleared often.
    if (history->newest().value == nullptr) continue;
    if (history->newest().version == version) {
      history->ReplaceNewest({version, nullptr, 0, history->newest().conflicts});
    } else {
      history->Push({version, nullptr, 0, false});
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
    gaps_.DropUpTo(version);
  }
  // Changes go in steps, so that reads and commits get in between: with a pause, since a mutex that is let go and taken
  // again at once is hardly ever got by who waits for it. Those that still stand are true history, and do no harm.
  constexpr size_t kStep = 256;
  constexpr std::chrono::microseconds kPause{50};
  for (bool more = true, first = true; more; first = false) {
    if (!first) std::this_thread::sleep_for(kPause);
    // Unmapping and closing a file that was removed takes ten milliseconds, so after the lock.
    std::vector<std::shared_ptr<Segment>> dropped;
    WriterLock lock(&mutex_);
    for (size_t i = 0; i < kStep && !pending_.empty() && pending_.front().version <= version; ++i) {
      History* const history = pending_.front().history;
      pending_.pop_front();
      history->PopOldest();
      if (history->empty()) keys_.erase(history->key());
    }
    more = !pending_.empty() && pending_.front().version <= version;
    while (!more && !segments_.empty() && segments_.front().second <= version) {
      dropped.push_back(std::move(segments_.front().first));
      segments_.pop_front();
    }
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
      if (const Change* change = found->second->Latest(at)) {
        if (change->value == nullptr) return Answer::kAbsent;
        value->assign(change->value, change->size);
        return Answer::kValue;
      }
    }
  }
  return MaskedAt(key, at) ? Answer::kAbsent : Answer::kAskBase;
}

std::string Window::SkipEmpty(std::string_view begin, Version at) const {
  ReaderLock lock(&mutex_);
  return std::string(gaps_.Skip(begin, at));
}

void Window::NoteEmpty(std::string_view begin, std::string_view end, Version at) const {
  WriterLock lock(&mutex_);
  // The window must know of all that came after the read.
  if (!complete_ || at < pruned_) return;
  for (auto it = keys_.lower_bound(begin); it != keys_.end() && it->first < end; ++it) {
    if (it->second->AnyAfter(at, [](const Change& change) { return change.value != nullptr; })) {
      end = it->first;
      break;
    }
  }
  gaps_.Note(begin, end, at);
}

bool Window::WrittenAfter(const History& history, Version version) {
  return history.AnyAfter(version, [](const Change& change) { return change.conflicts; });
}

Window::Check Window::CheckReads(const RangeSet& reads, Version version) const {
  ReaderLock lock(&mutex_);
  if (version < pruned_) return Check::kTooOld;
  if (version >= applied_ || keys_.empty()) return Check::kUntouched;
  const bool written =
      reads.AnyOf([&](std::string_view begin, std::string_view end, bool one_key) ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
        if (one_key) {
          const auto found = keys_.find(begin);
          return found != keys_.end() && WrittenAfter(*found->second, version);
        }
        for (auto it = keys_.lower_bound(begin); it != keys_.end() && it->first < end; ++it) {
          if (WrittenAfter(*it->second, version)) return true;
        }
        return false;
      });
  return written ? Check::kWritten : Check::kUntouched;
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
    const Change* change = history.Latest(at);
    if (change == nullptr) return;
    slice->rows.push_back({std::string(history.key()), std::nullopt});
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
