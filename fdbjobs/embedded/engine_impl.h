// EngineImpl: puts the parts of the engine together.
//
// The way of a commit: queue -> (append lock) -> conflict check, versions -> commit log -> window -> sync -> answer.
// The way of a read: window, then base. In the background: commit log -> base.
//
// Threads: two committers take turns, so that one batch is put together while the other waits for its sync; a thread
// that waits for its commit does their work when both sleep; one for upkeep; one that makes segments of the log ahead;
// the network thread looks after watches, or another thread if it looks after those of another folder already. Locks
// are taken in this order: batch_mutex_, the append lock of the folder, state_mutex_, then those inside the parts.
// queue_mutex_ is held alone.
#ifndef FDBJOBS_EMBEDDED_ENGINE_IMPL_H_
#define FDBJOBS_EMBEDDED_ENGINE_IMPL_H_

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "fdbjobs/embedded/base_store.h"
#include "fdbjobs/embedded/batch_builder.h"
#include "fdbjobs/embedded/commit_log.h"
#include "fdbjobs/embedded/conflict_history.h"
#include "fdbjobs/embedded/control_block.h"
#include "fdbjobs/embedded/engine.h"
#include "fdbjobs/embedded/faults.h"
#include "fdbjobs/embedded/fenced_lock.h"
#include "fdbjobs/embedded/folder.h"
#include "fdbjobs/embedded/log_sync.h"
#include "fdbjobs/embedded/mutex.h"
#include "fdbjobs/embedded/network.h"
#include "fdbjobs/embedded/version_clock.h"
#include "fdbjobs/embedded/watches.h"
#include "fdbjobs/embedded/window.h"

namespace fdbjobs::embedded {

// The times and sizes of the engine. Tests make them small; everybody else takes them as they are.
struct EngineTuning {
  // How old a read version may be.
  Version window_versions = kWindowVersions;
  // How far the base stays behind: more than a read version may.
  Version fold_lag = kWindowVersions + 500'000;
  // Upkeep looks around this often, and folds at most this often; less often while less of the log than that waits.
  int64_t tick_us = 100'000;
  int64_t fold_every_us = 1'000'000;
  int64_t fold_little_every_us = 5'000'000;
  uint64_t little_unfolded = uint64_t{128} << 20;
  // For how long versions are given out that a crash of the machine must not bring back.
  Version lease_versions = 600'000'000;
  // How long commits wake the watcher after the last watch has fired: the next one mostly comes soon.
  int64_t listen_us = 1'000'000;
  // Bytes of keys and values that are folded in one SQLite transaction; see Fold.
  size_t fold_bytes = 8 << 20;
  // Bytes of the log that may wait to be folded before commits have to wait, and how long they wait before they fail.
  uint64_t most_unfolded = uint64_t{512} << 20;
  int64_t longest_wait_us = 5'000'000;
};

class EngineImpl : public Engine, private IdleWork {
 public:
  explicit EngineImpl(const EngineTuning& tuning = {}) : tuning_(tuning) {}
  ~EngineImpl() override;

  // Deletes it. Also from one of its own threads, where a commit's answer may have let go of it last: then a thread of
  // its own does that, since the destructor waits for all others.
  static void Dispose(EngineImpl* engine);

  ErrorCode OpenFolder(const std::string& path, std::string* why);

  Version GetReadVersion() override;
  Version CurrentVersion() override { return clock_->Now(); }
  ErrorCode Get(Version at, std::string_view key, std::optional<std::string>* value) override;
  ErrorCode GetRange(Version at, std::string_view begin, std::string_view end, bool reverse, size_t max_rows,
                     size_t max_bytes, Rows* rows, bool* more) override;
  void Commit(CommitRequest request, CommitDone done) override;
  void HelpOut() override;
  void GoAhead() override;
  ErrorCode CheckSettled() override;
  uint64_t AddWatch(std::string key, std::optional<std::string> expected, WatchFired fired) override;
  void RemoveWatch(uint64_t id) override;
  ErrorCode EstimateBytes(Version at, std::string_view begin, std::string_view end, int64_t* bytes) override;
  ErrorCode SplitPoints(Version at, std::string_view begin, std::string_view end, int64_t chunk_bytes,
                        std::vector<std::string>* keys) override;

 private:
  struct Queued {
    CommitRequest request;
    CommitDone done;
    CommitFault fault;
    CommitResult result;
  };
  using Batch = std::vector<Queued>;

  // Opening (engine_open.cc).
  ErrorCode CheckBaseIsThere(std::string* why) const;
  ErrorCode Recover(std::string* why);
  ErrorCode FindEndOfLog(const BaseMark& mark, LogCursor* end, std::string* why);
  ErrorCode LoadFromBase(std::string* why) ABSL_EXCLUSIVE_LOCKS_REQUIRED(state_mutex_);
  void StartThreads();

  // Reading (engine_read.cc).
  ErrorCode PrepareRead(Version at);
  ErrorCode WaitUntilStable(Version at);
  ErrorCode EnsureFollowed();
  ErrorCode Follow() ABSL_EXCLUSIVE_LOCKS_REQUIRED(state_mutex_);
  void NoteRecord(const RecordView& record) ABSL_EXCLUSIVE_LOCKS_REQUIRED(state_mutex_);
  bool TryFollow(ErrorCode* error);
  // The watcher's work, on the network thread or on a thread of its own.
  void WaitAndWork(std::chrono::microseconds longest) override;
  void Interrupt() override;
  void RunWatcher();
  bool HearsCommits();
  // False if others were at work on the state; to be called again soon.
  bool CheckWatches();

  // Committing (engine_commit.cc).
  void RunCommitter();
  bool WaitForWork();
  // Takes what is queued, appends it and answers, on the calling thread.
  void CommitQueued(Batch* batch);
  bool HelpIsLikely() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(queue_mutex_);
  void TakeBatch(Batch* batch) ABSL_EXCLUSIVE_LOCKS_REQUIRED(batch_mutex_);
  void Append(Batch* batch) ABSL_EXCLUSIVE_LOCKS_REQUIRED(batch_mutex_);
  // Under the append lock. False when the lock was lost before the batch was published.
  bool AppendLocked(Batch* batch, std::string* why) ABSL_EXCLUSIVE_LOCKS_REQUIRED(batch_mutex_);
  ErrorCode Fence(LogPosition* tail, bool* lost, std::string* why) ABSL_EXCLUSIVE_LOCKS_REQUIRED(state_mutex_);
  static void LeaveOpen(Batch* batch);
  void BuildBatch(Batch* batch, BatchBuilder* builder);
  ErrorCode WriteBatch(const BatchBuilder& builder, LogPosition* tail, bool* lost, std::string* why)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(state_mutex_);
  void TakeBack(const Segment& segment, uint32_t offset);
  ErrorCode StartSegment(size_t room, LogPosition* tail, bool* lost, std::string* why)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(state_mutex_);
  void Answer(Batch* batch);
  // Makes all that was published durable, by whomever, and writes it again if that is in doubt.
  ErrorCode FinishPublished(std::string* why);
  ErrorCode ReadLatest(std::string_view key, std::optional<std::string>* value);
  bool HasRoom() const;
  void WaitForRoom();
  void AskForSpare();

  // Upkeep (engine_upkeep.cc).
  void RunUpkeep();
  bool CommitsStandStill();
  void FinishWhatOthersLeft();
  void LookHowMuchIsUnfolded();
  bool IsTimeToFold();
  void FoldOldCommits();
  void ForgetOldCommits();
  void GiveMemoryBack();
  void ExtendLease();
  ErrorCode WriteLease(Version lease, std::string* why);
  void RunSpareMaker();

  const EngineTuning tuning_;

  // Constant after opening; each synchronises itself.
  Folder folder_;
  // Looked at by the upkeep. While it is not, nothing is committed: a process that opens the path now would begin a
  // database of its own there.
  std::atomic<bool> in_place_{true};
  ControlMapping control_;
  std::unique_ptr<CommitLog> log_;
  std::unique_ptr<FencedLock> lock_;
  std::unique_ptr<LogSync> sync_;
  std::unique_ptr<VersionClock> clock_;
  std::unique_ptr<BaseReaders> readers_;
  Window window_;
  Watches watches_;

  // Bytes of the log that are not in the base, when upkeep has looked last.
  std::atomic<uint64_t> unfolded_{0};
  // How far the window has come: the packed position. Equal to the tail of the log means nothing to follow.
  std::atomic<uint64_t> followed_{0};
  std::atomic<bool> stopping_{false};

  Mutex state_mutex_;
  std::unique_ptr<LogCursor> cursor_ ABSL_GUARDED_BY(state_mutex_);
  ConflictHistory history_ ABSL_GUARDED_BY(state_mutex_);

  // Held while a batch is taken from the queue and appended, so that the order of the queue is kept.
  Mutex batch_mutex_;
  bool has_committed_ ABSL_GUARDED_BY(batch_mutex_) = false;

  Mutex queue_mutex_;
  CondVar queue_filled_;
  std::vector<Queued> queue_ ABSL_GUARDED_BY(queue_mutex_);
  // How many threads are in CommitQueued. One that helps out comes in only when there is no other.
  std::atomic<int> committing_{0};
  // A committer looks into the queue every now and then without being called: so a lone commit need not call it, but
  // can leave the work to the thread that waits for the commit, and is not lost when none does.
  bool looking_ ABSL_GUARDED_BY(queue_mutex_) = false;
  // How often a thread helped out.
  std::atomic<uint64_t> helps_{0};

  Mutex spare_mutex_;
  CondVar spare_wanted_;
  // Set by the first commit, and when a segment was used up. A process that does not commit needs no spare.
  bool wants_spare_ ABSL_GUARDED_BY(spare_mutex_) = false;

  Mutex upkeep_mutex_;
  CondVar upkeep_wanted_;
  // Used by the upkeep thread alone.
  std::unique_ptr<BaseWriter> writer_;
  int64_t last_fold_us_ = 0;
  uint64_t last_epoch_ = 0;
  Version unfinished_since_ = 0;
  // Most keys in the window since memory was last given back.
  size_t most_keys_ = 0;
  // When it was last not worth giving back; the last commit that was acknowledged, and when that was seen.
  int64_t not_worth_trimming_us_ = 0;
  Version last_acked_ = 0;
  int64_t last_commit_us_ = 0;

  // Whether commits wake the watcher.
  std::atomic<bool> hears_commits_{true};
  // Used by the watcher alone: acked_count when it looked last, when there was a watch last, and whether it could look.
  uint32_t watched_count_ = 0;
  int64_t last_watched_us_ = 0;
  bool watches_checked_ = true;

  Mutex threads_mutex_;
  std::vector<std::thread> threads_ ABSL_GUARDED_BY(threads_mutex_);
  bool watching_ ABSL_GUARDED_BY(threads_mutex_) = false;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_ENGINE_IMPL_H_
