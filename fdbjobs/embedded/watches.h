// Watches: who waits for which key to change.
//
// A commit touches keys when it is read from the log, which may be before it is acknowledged. Touched keys are
// remembered with the version, and compared with what is expected once everything up to that version may be read: so
// whoever is woken sees the change.
//
// Thread safety: any thread. Lifetime: `fired` of a watch is called at most once, then forgotten.
#ifndef FDBJOBS_EMBEDDED_WATCHES_H_
#define FDBJOBS_EMBEDDED_WATCHES_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "fdbjobs/embedded/mutex.h"
#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

class Watches {
 public:
  using Fired = std::function<void(ErrorCode)>;
  // The value of a key at a version.
  using Read = std::function<ErrorCode(std::string_view key, std::optional<std::string>* value)>;

  uint64_t Add(std::string key, std::optional<std::string> expected, Fired fired);
  void Remove(uint64_t id);
  // Fires one watch, whatever its key holds.
  void FireOne(uint64_t id, ErrorCode error);
  // Fires all of them with `error`.
  void FireAll(ErrorCode error);

  bool empty() const { return count_.load() == 0; }

  // A commit of `version` wrote the key, or the range.
  void Touch(std::string_view key, Version version);
  void TouchRange(std::string_view begin, std::string_view end, Version version);
  // All watched keys are to be looked at, since commits were not followed one by one.
  void TouchAll(Version version);

  // Looks at the keys touched up to `version`, reading them by `read`, and fires where the value is not the expected.
  void Check(Version version, const Read& read);
  // Looks at one watch in the same way.
  void CheckOne(uint64_t id, const Read& read);

 private:
  struct Watch {
    std::string key;
    std::optional<std::string> expected;
    Fired fired;
  };
  struct Touched {
    std::string key;
    Version version;
  };
  using ByKey = absl::btree_map<std::string, std::vector<uint64_t>, std::less<>>;

  void CheckKey(const std::string& key, const Read& read);
  Fired Take(uint64_t id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  std::atomic<size_t> count_{0};

  Mutex mutex_;
  uint64_t next_id_ ABSL_GUARDED_BY(mutex_) = 1;
  absl::flat_hash_map<uint64_t, Watch> watches_ ABSL_GUARDED_BY(mutex_);
  ByKey by_key_ ABSL_GUARDED_BY(mutex_);
  std::vector<Touched> touched_ ABSL_GUARDED_BY(mutex_);  // ascending by version
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_WATCHES_H_
