// FakeEngine: an Engine over std::map with all its versions in memory, for tests of what lies above it.
//
// A commit is applied before Commit returns, or held back until the test releases it. No conflict is ever found: a test
// looks at the request instead. Thread safety: every method may be called from any thread.
#ifndef FDBJOBS_TESTS_EMBEDDED_FAKE_ENGINE_H_
#define FDBJOBS_TESTS_EMBEDDED_FAKE_ENGINE_H_

#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fdbjobs/embedded/atomic_ops.h"
#include "fdbjobs/embedded/engine.h"
#include "fdbjobs/embedded/error_codes.h"

namespace fdbjobs::embedded {

using Map = std::map<std::string, std::string>;

// One mutation, in strings of its own.
struct Mutation {
  MutationType type;
  std::string key;
  std::string value;
};

inline std::vector<Mutation> MutationsOf(const MutationList& list) {
  std::vector<Mutation> mutations;
  list.ForEach([&](const EntryView& entry) {
    const std::string key(entry.key);
    const std::string value(entry.value);
    switch (entry.kind) {
      case EntryKind::kSet:
        mutations.push_back({MutationType::kSet, key, value});
        break;
      case EntryKind::kClear:
        mutations.push_back({MutationType::kClearRange, key, KeyAfter(key)});
        break;
      case EntryKind::kClearRange:
        mutations.push_back({MutationType::kClearRange, key, value});
        break;
      case EntryKind::kConflictRange:
        break;
      default:
        mutations.push_back({UnresolvedType(entry.kind), key, value});
    }
  });
  return mutations;
}

// Ascending and joined.
inline std::vector<KeyRange> ConflictsOf(const MutationList& list) {
  RangeSet conflicts;
  list.CopyConflicts(&conflicts);
  return conflicts.Ranges();
}

// What `mutations` make of `map`, in order.
inline void ApplyMutations(const std::vector<Mutation>& mutations, Version version, Map* map) {
  for (Mutation mutation : mutations) {
    if (mutation.type == MutationType::kClearRange) {
      map->erase(map->lower_bound(mutation.key), map->lower_bound(mutation.value));
      continue;
    }
    if (mutation.type == MutationType::kSetVersionstampedKey) (void)FillVersionstamp(&mutation.key, version, 0);
    if (mutation.type == MutationType::kSetVersionstampedValue) (void)FillVersionstamp(&mutation.value, version, 0);
    std::optional<std::string> old;
    if (const auto found = map->find(mutation.key); found != map->end()) old = found->second;
    if (auto value = ApplyAtomic(mutation.type, old, mutation.value)) {
      (*map)[mutation.key] = *std::move(value);
    } else {
      map->erase(mutation.key);
    }
  }
}

class FakeEngine : public Engine {
 public:
  static constexpr Version kFirstVersion = 1000;

  explicit FakeEngine(Map rows = {}) { versions_[kFirstVersion] = std::move(rows); }

  Version GetReadVersion() override {
    const std::lock_guard lock(mutex_);
    ++read_versions_;
    return versions_.rbegin()->first;
  }
  Version CurrentVersion() override { return GetReadVersion(); }
  ErrorCode CheckSettled() override {
    const std::lock_guard lock(mutex_);
    return settled_;
  }
  void SetSettled(ErrorCode error) {
    const std::lock_guard lock(mutex_);
    settled_ = error;
  }

  ErrorCode Get(Version at, std::string_view key, std::optional<std::string>* value) override {
    const std::lock_guard lock(mutex_);
    const Map* map = nullptr;
    if (ErrorCode error = Find(at, &map)) return error;
    value->reset();
    if (const auto found = map->find(std::string(key)); found != map->end()) *value = found->second;
    return kSuccess;
  }

  ErrorCode GetRange(Version at, std::string_view begin, std::string_view end, bool reverse, size_t max_rows,
                     size_t max_bytes, Rows* rows, bool* more) override {
    const std::lock_guard lock(mutex_);
    ++range_reads_;
    const Map* map = nullptr;
    if (ErrorCode error = Find(at, &map)) return error;
    *more = false;
    if (begin >= end) return kSuccess;
    const auto first = map->lower_bound(std::string(begin));
    const auto last = map->lower_bound(std::string(end));
    const size_t rows_before = rows->size();
    const size_t bytes_before = rows->bytes();
    const auto add = [&](const auto& row) {
      rows->Add(row.first, row.second);
      *more = rows->size() - rows_before >= max_rows || rows->bytes() - bytes_before >= max_bytes;
      return !*more;
    };
    if (reverse) {
      for (auto row = last; row != first && add(*std::prev(row)); --row) continue;
    } else {
      for (auto row = first; row != last && add(*row); ++row) continue;
    }
    return kSuccess;
  }

  void Commit(CommitRequest request, CommitDone done) override {
    CommitResult result;
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
      if (hold_commits_) {
        held_.push_back(std::move(done));
        return;
      }
      result = Apply(request);
    }
    done(result);
  }

  uint64_t AddWatch(std::string key, std::optional<std::string> expected, WatchFired fired) override {
    const std::lock_guard lock(mutex_);
    watches_[++last_watch_] = {std::move(key), std::move(expected), std::move(fired)};
    return last_watch_;
  }
  void RemoveWatch(uint64_t id) override {
    WatchFired freed_outside_the_lock;
    const std::lock_guard lock(mutex_);
    if (const auto found = watches_.find(id); found != watches_.end()) {
      freed_outside_the_lock = std::move(found->second.fired);
      watches_.erase(found);
    }
  }

  ErrorCode EstimateBytes(Version at, std::string_view begin, std::string_view end, int64_t* bytes) override {
    Rows rows;
    bool more = false;
    if (ErrorCode error = GetRange(at, begin, end, false, kNoRowLimit, kNoRowLimit, &rows, &more)) return error;
    *bytes = static_cast<int64_t>(rows.bytes());
    return kSuccess;
  }
  ErrorCode SplitPoints(Version, std::string_view begin, std::string_view end, int64_t,
                        std::vector<std::string>* keys) override {
    *keys = {std::string(begin), std::string(end)};
    return kSuccess;
  }

  // For the test.

  struct Watch {
    std::string key;
    std::optional<std::string> expected;
    WatchFired fired;
  };

  void HoldCommits() { hold_commits_ = true; }
  // Ends all commits that were held back.
  void ReleaseCommits(const CommitResult& result) {
    std::vector<CommitDone> held;
    {
      const std::lock_guard lock(mutex_);
      held.swap(held_);
    }
    for (const CommitDone& done : held) done(result);
  }
  // All following commits end so.
  void FailCommits(ErrorCode error) { commit_error_ = error; }
  void FireWatches() {
    std::map<uint64_t, Watch> watches;
    {
      const std::lock_guard lock(mutex_);
      watches.swap(watches_);
    }
    for (auto& [id, watch] : watches) watch.fired(kSuccess);
  }
  const std::map<uint64_t, Watch>& watches() const { return watches_; }
  const std::vector<CommitRequest>& requests() const { return requests_; }
  const Map& rows() const { return versions_.rbegin()->second; }
  int read_versions() const { return read_versions_; }
  int range_reads() const { return range_reads_; }

 private:
  ErrorCode Find(Version at, const Map** map) const {
    if (at > versions_.rbegin()->first) return kFutureVersion;
    const auto after = versions_.upper_bound(at);
    if (after == versions_.begin()) return kTransactionTooOld;
    *map = &std::prev(after)->second;
    return kSuccess;
  }

  CommitResult Apply(const CommitRequest& request) {
    if (commit_error_ != kSuccess) return {.error = commit_error_};
    const Version version = versions_.rbegin()->first + 100;
    Map map = rows();
    ApplyMutations(MutationsOf(*request.writes), version, &map);
    versions_[version] = std::move(map);
    return {.error = kSuccess, .version = version, .batch_order = 0};
  }

  std::mutex mutex_;
  ErrorCode settled_ = kSuccess;
  std::map<Version, Map> versions_;
  std::vector<CommitRequest> requests_;
  std::vector<CommitDone> held_;
  std::map<uint64_t, Watch> watches_;
  uint64_t last_watch_ = 0;
  int read_versions_ = 0;
  int range_reads_ = 0;
  bool hold_commits_ = false;
  ErrorCode commit_error_ = kSuccess;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_TESTS_EMBEDDED_FAKE_ENGINE_H_
