#include "tests/history/checker.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "absl/strings/str_cat.h"

namespace fdbjobs::test {
namespace {

using Problems = std::vector<std::string>;

struct Range {
  std::string begin;
  std::string end;
  bool Overlaps(const Range& other) const { return begin < other.end && other.begin < end; }
};

Range KeyAlone(const std::string& key) { return {key, key + '\0'}; }

// Gives every attempt that committed its stamp and takes it from all others.
void Settle(RecordedHistory* history, Problems* problems) {
  std::map<uint64_t, std::string> left = history->markers;
  for (Attempt& attempt : history->attempts) {
    const auto marker = left.find(attempt.id);
    const bool there = marker != left.end();
    const std::string stamp = there ? marker->second : "";
    if (there) left.erase(marker);
    if (attempt.error == 0 && !attempt.read_only) {
      if (stamp != attempt.stamp || VersionOfStamp(stamp) != attempt.committed_version) {
        problems->push_back(absl::StrCat("committed at ", attempt.committed_version, ", but the marker says \"",
                                         Show(stamp), "\": ", Show(attempt)));
      }
    } else if (attempt.maybe_committed) {
      attempt.stamp = stamp;
    } else if (there) {
      problems->push_back(absl::StrCat("committed in spite of its error, or without a write: ", Show(attempt)));
    }
    if (attempt.read_only && attempt.committed_version != -1) {
      problems->push_back(absl::StrCat("read only, but committed at a version: ", Show(attempt)));
    }
  }
  for (const auto& [id, stamp] : left) problems->push_back(absl::StrCat("a marker of nobody: ", absl::Hex(id)));
}

std::vector<Range> WrittenBy(const Attempt& attempt) {
  std::vector<Range> written;
  for (const Operation& operation : attempt.operations) {
    switch (operation.kind) {
      case Operation::Kind::kSet:
      case Operation::Kind::kClear:
      case Operation::Kind::kAtomic:
      case Operation::Kind::kStampedValue:
        written.push_back(KeyAlone(operation.key));
        break;
      case Operation::Kind::kStampedKey:
        written.push_back(KeyAlone(std::string(operation.key).replace(operation.stamp_at, 10, attempt.stamp)));
        break;
      case Operation::Kind::kClearRange:
      case Operation::Kind::kWriteConflict:
        written.push_back({operation.key, operation.value});
        break;
      default:
        break;
    }
  }
  return written;
}

// What the attempt must conflict on. Behind a write of its own only what the transaction has not written counts, so
// the list ends there (the marker, which is nobody else's, aside).
std::vector<Range> ReadConflictsOf(const Attempt& attempt) {
  std::vector<Range> conflicts;
  bool marker = !attempt.read_only;
  for (const Operation& operation : attempt.operations) {
    if (operation.IsWrite() && !marker) break;
    if (operation.IsWrite()) marker = false;
    if (operation.kind == Operation::Kind::kReadConflict) conflicts.push_back({operation.key, operation.value});
    const bool counts = !operation.snapshot || operation.rechecked;
    if (operation.kind == Operation::Kind::kGet && counts) conflicts.push_back(KeyAlone(operation.key));
  }
  return conflicts;
}

// Plays the history: commits in the order of their stamps, reads of a version behind the commits up to it.
class Player {
 public:
  Player(const RecordedHistory& history, Problems* problems)
      : history_(history), state_(history.first), problems_(problems) {}

  void Play() {
    for (const Event& event : Order()) {
      if (event.is_read) {
        Map copy = state_;
        Replay(*event.attempt, event.attempt->stamp, ReadsToCheck::kAll, &copy, problems_);
      } else {
        Commit(*event.attempt);
      }
    }
    if (state_ != history_.last) problems_->push_back(Difference());
  }

 private:
  struct Event {
    int64_t version;
    bool is_read;
    const Attempt* attempt;
  };
  struct Committed {
    int64_t version;
    uint64_t id;
    std::vector<Range> written;
  };

  std::vector<Event> Order() const {
    std::vector<Event> events;
    for (const Attempt& attempt : history_.attempts) {
      if (attempt.read_version >= 0) events.push_back({attempt.read_version, true, &attempt});
      if (!attempt.stamp.empty()) events.push_back({VersionOfStamp(attempt.stamp), false, &attempt});
    }
    const auto place = [](const Event& event) { return std::tie(event.version, event.is_read, event.attempt->stamp); };
    std::sort(events.begin(), events.end(), [&](const Event& a, const Event& b) { return place(a) < place(b); });
    return events;
  }

  void Commit(const Attempt& attempt) {
    if (!stamps_.insert(attempt.stamp).second) {
      problems_->push_back(absl::StrCat("has the stamp of another: ", Show(attempt)));
    }
    CheckConflicts(attempt);
    Replay(attempt, attempt.stamp, ReadsToCheck::kSerializable, &state_, problems_);
    // Only the data is modelled: the markers, which grow and grow, were looked at before.
    state_.erase(state_.begin(), state_.lower_bound(history_.data_begin));
    state_.erase(state_.lower_bound(history_.data_end), state_.end());
    committed_.push_back({VersionOfStamp(attempt.stamp), attempt.id, WrittenBy(attempt)});
  }

  void CheckConflicts(const Attempt& attempt) {
    if (attempt.read_version < 0) return;
    const std::vector<Range> conflicts = ReadConflictsOf(attempt);
    for (auto other = committed_.rbegin(); other != committed_.rend(); ++other) {
      if (other->version <= attempt.read_version) break;
      for (const Range& written : other->written) {
        if (std::none_of(conflicts.begin(), conflicts.end(), [&](const Range& r) { return r.Overlaps(written); })) {
          continue;
        }
        problems_->push_back(absl::StrCat("should have conflicted with ", absl::Hex(other->id), ", which wrote ",
                                          Show(written.begin), " to ", Show(written.end), ": ", Show(attempt)));
      }
    }
  }

  std::string Difference() const {
    std::string text = "the database is not what the commits make of it:";
    for (const auto& [key, value] : state_) {
      const auto found = history_.last.find(key);
      if (found == history_.last.end()) absl::StrAppend(&text, "\n  lost ", Show(key), " = ", Show(value));
      if (found != history_.last.end() && found->second != value) {
        absl::StrAppend(&text, "\n  ", Show(key), " is ", Show(found->second), ", should be ", Show(value));
      }
    }
    for (const auto& [key, value] : history_.last) {
      if (!state_.contains(key)) absl::StrAppend(&text, "\n  too much: ", Show(key), " = ", Show(value));
    }
    return text;
  }

  const RecordedHistory& history_;
  Map state_;
  std::set<std::string> stamps_;
  std::vector<Committed> committed_;
  Problems* const problems_;
};

// What was acknowledged before an attempt began lies before it.
void CheckRealTime(const std::vector<Attempt>& attempts, Problems* problems) {
  std::vector<const Attempt*> by_start;
  std::vector<const Attempt*> by_end;
  for (const Attempt& attempt : attempts) {
    by_start.push_back(&attempt);
    if (attempt.error == 0 && !attempt.read_only) by_end.push_back(&attempt);
  }
  std::sort(by_start.begin(), by_start.end(),
            [](const Attempt* a, const Attempt* b) { return a->started_us < b->started_us; });
  std::sort(by_end.begin(), by_end.end(),
            [](const Attempt* a, const Attempt* b) { return a->finished_us < b->finished_us; });
  int64_t newest = -1;
  auto ended = by_end.begin();
  for (const Attempt* attempt : by_start) {
    for (; ended != by_end.end() && (*ended)->finished_us < attempt->started_us; ++ended) {
      newest = std::max(newest, (*ended)->committed_version);
    }
    const bool reads_past = attempt->read_version >= 0 && !attempt->version_given && attempt->read_version < newest;
    const bool commits_past = !attempt->stamp.empty() && VersionOfStamp(attempt->stamp) <= newest;
    if (reads_past || commits_past) {
      problems->push_back(
          absl::StrCat("began after ", newest, " was acknowledged, but lies before it: ", Show(*attempt)));
    }
  }
}

}  // namespace

std::vector<std::string> Check(RecordedHistory* history) {
  Problems problems;
  Settle(history, &problems);
  Player(*history, &problems).Play();
  CheckRealTime(history->attempts, &problems);
  return problems;
}

}  // namespace fdbjobs::test
