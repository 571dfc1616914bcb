#include "fdbjobs/embedded/watches.h"

#include <algorithm>
#include <utility>

namespace fdbjobs::embedded {

uint64_t Watches::Add(std::string key, std::optional<std::string> expected, Fired fired) {
  MutexLock lock(&mutex_);
  const uint64_t id = next_id_++;
  by_key_[key].push_back(id);
  watches_.emplace(id, Watch{std::move(key), std::move(expected), std::move(fired)});
  count_.store(watches_.size());
  return id;
}

Watches::Fired Watches::Take(uint64_t id) {
  auto found = watches_.find(id);
  if (found == watches_.end()) return nullptr;
  Fired fired = std::move(found->second.fired);
  auto of_key = by_key_.find(found->second.key);
  std::erase(of_key->second, id);
  if (of_key->second.empty()) by_key_.erase(of_key);
  watches_.erase(found);
  count_.store(watches_.size());
  return fired;
}

void Watches::Remove(uint64_t id) {
  Fired dropped;  // destroyed after the mutex is free: it may hold the last reference to something
  MutexLock lock(&mutex_);
  dropped = Take(id);
}

void Watches::FireOne(uint64_t id, ErrorCode error) {
  Fired fired;
  {
    MutexLock lock(&mutex_);
    fired = Take(id);
  }
  if (fired) fired(error);
}

void Watches::FireAll(ErrorCode error) {
  std::vector<Fired> all;
  {
    MutexLock lock(&mutex_);
    for (auto& [id, watch] : watches_) all.push_back(std::move(watch.fired));
    watches_.clear();
    by_key_.clear();
    touched_.clear();
    count_.store(0);
  }
  for (const Fired& fired : all) fired(error);
}

void Watches::Touch(std::string_view key, Version version) {
  MutexLock lock(&mutex_);
  if (by_key_.contains(key)) touched_.push_back({std::string(key), version});
}

void Watches::TouchRange(std::string_view begin, std::string_view end, Version version) {
  MutexLock lock(&mutex_);
  for (auto it = by_key_.lower_bound(begin); it != by_key_.end() && it->first < end; ++it) {
    touched_.push_back({it->first, version});
  }
}

void Watches::TouchAll(Version version) {
  MutexLock lock(&mutex_);
  for (const auto& [key, ids] : by_key_) touched_.push_back({key, version});
}

void Watches::Check(Version version, const Read& read) {
  std::vector<Touched> due;
  {
    MutexLock lock(&mutex_);
    auto end = std::find_if(touched_.begin(), touched_.end(),
                            [version](const Touched& touched) { return touched.version > version; });
    due.assign(std::make_move_iterator(touched_.begin()), std::make_move_iterator(end));
    touched_.erase(touched_.begin(), end);
  }
  for (size_t i = 0; i < due.size(); ++i) CheckKey(due[i].key, read);
}

void Watches::CheckKey(const std::string& key, const Read& read) {
  std::optional<std::string> value;
  const ErrorCode error = read(key, &value);
  std::vector<Fired> fired;
  {
    MutexLock lock(&mutex_);
    auto found = by_key_.find(key);
    if (found == by_key_.end()) return;
    const std::vector<uint64_t> ids = found->second;
    for (uint64_t id : ids) {
      if (error != 0 || watches_.at(id).expected != value) fired.push_back(Take(id));
    }
  }
  for (const Fired& one : fired) one(error);
}

void Watches::CheckOne(uint64_t id, const Read& read) {
  std::string key;
  {
    MutexLock lock(&mutex_);
    auto found = watches_.find(id);
    if (found == watches_.end()) return;
    key = found->second.key;
  }
  CheckKey(key, read);
}

}  // namespace fdbjobs::embedded
