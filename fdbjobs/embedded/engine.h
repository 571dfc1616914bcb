// Engine: one folder, opened by this process. Versions, snapshot reads, commits and watches; nothing of fdb_c above.
//
// All processes that have the folder open see one database. Thread safety: every method may be called from any
// thread. Lifetime: shared by all database handles on the folder; the last one to go stops the threads.
//
//   std::shared_ptr<Engine> engine;
//   std::string why;
//   if (ErrorCode error = Engine::Open("/var/lib/jobs", &engine, &why)) return Fail(error, why);
//   Version at = engine->GetReadVersion();
//   std::optional<std::string> value;
//   if (ErrorCode error = engine->Get(at, "key", &value)) ...
#ifndef FDBJOBS_EMBEDDED_ENGINE_H_
#define FDBJOBS_EMBEDDED_ENGINE_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fdbjobs/embedded/future.h"
#include "fdbjobs/embedded/mutation_list.h"
#include "fdbjobs/embedded/range_set.h"
#include "fdbjobs/embedded/rows.h"
#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

// What one transaction asks to be made of the database.
struct CommitRequest {
  // kNoVersion when the transaction read nothing: it can't conflict then.
  Version read_version = kNoVersion;
  RangeSet read_conflicts;
  // Not null. Shared with the transaction, where it can still be looked at.
  std::shared_ptr<const MutationList> writes;
  // Acknowledge once other processes can see it, without waiting for the sync.
  bool durability_risky = false;
};

struct CommitResult {
  ErrorCode error = 0;
  // The version it committed at; the versionstamp is these eight bytes (big endian) and `batch_order` (two bytes).
  Version version = kNoVersion;
  uint16_t batch_order = 0;
};

class Engine : public Helped {
 public:
  using CommitDone = std::function<void(CommitResult)>;
  // Called with 0 when the watched key differs from what was expected, else with an error.
  using WatchFired = std::function<void(ErrorCode)>;

  // Opens `folder`, creating it when it is missing or empty. One engine per folder and process: a second Open of the
  // same folder returns the same engine. On error `*why` tells what is wrong with which path.
  static ErrorCode Open(const std::string& folder, std::shared_ptr<Engine>* engine, std::string* why);

  virtual ~Engine() = default;

  // A version at which everything that was acknowledged before the call is visible. Never blocks.
  virtual Version GetReadVersion() = 0;

  // The version that a commit made now would get, about. For deciding whether a read version lies in the future.
  virtual Version CurrentVersion() = 0;

  // Snapshot read at `at`. kTransactionTooOld when `at` is out of the window, kFutureVersion when it is not reached.
  virtual ErrorCode Get(Version at, std::string_view key, std::optional<std::string>* value) = 0;

  // Appends the rows of [begin, end) at `at` to `rows`, ascending, or descending from `end` when `reverse`, until
  // `max_rows` rows were appended, or the appended rows reach `max_bytes` (the row that reaches it is included).
  // `*more` tells whether it stopped for one of these limits, in which case there may be further rows.
  virtual ErrorCode GetRange(Version at, std::string_view begin, std::string_view end, bool reverse, size_t max_rows,
                             size_t max_bytes, Rows* rows, bool* more) = 0;

  // Checks, applies and makes durable; calls `done` exactly once, on a thread of the engine or on one that helps out,
  // and never in this call. It must not block.
  virtual void Commit(CommitRequest request, CommitDone done) = 0;
  // Commits what is queued on the calling thread when no other thread is committing. So a lone transaction waits for
  // no other thread, which makes a difference where a sync is fast.
  void HelpOut() override {}
  void GoAhead() override {}

  // 0, or an error while a commit that was answered with kCommitUnknownResult may still come.
  virtual ErrorCode CheckSettled() { return 0; }

  // Fires once, when the acknowledged value of `key` is not `expected`; at once if that is so already. `fired` runs
  // on a thread of the engine (or in this call) and must not block. Returns an id for RemoveWatch.
  virtual uint64_t AddWatch(std::string key, std::optional<std::string> expected, WatchFired fired) = 0;
  // The watch does not fire after this returns, unless it was firing already.
  virtual void RemoveWatch(uint64_t id) = 0;

  // About how many bytes of keys and values [begin, end) holds: exact for small ranges, sampled for large ones.
  virtual ErrorCode EstimateBytes(Version at, std::string_view begin, std::string_view end, int64_t* bytes) = 0;
  // Keys that cut [begin, end) into pieces of about `chunk_bytes`; begin and end themselves included.
  virtual ErrorCode SplitPoints(Version at, std::string_view begin, std::string_view end, int64_t chunk_bytes,
                                std::vector<std::string>* keys) = 0;
};

inline constexpr size_t kNoRowLimit = std::numeric_limits<size_t>::max();

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_ENGINE_H_
