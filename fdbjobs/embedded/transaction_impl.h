// TransactionImpl: the one Transaction there is. Its methods are in several files, by concern:
//
//   transaction_reads.cc         read version, get, get_key, get_range, and what they conflict with
//   transaction_special_keys.cc  reads above \xff\xff
//   transaction_writes.cc        set, clear, atomic operations, conflict ranges
//   transaction_commit.cc        watches, commit, versionstamp, size
//   transaction_life.cc          options, on_error, time-out, reset, cancel, the end
//
// Reads run on the calling thread: their futures are ready when they are returned. Only a commit, a versionstamp, a
// watch and the delay of on_error are waited for.
//
// Thread safety and lifetime: see transaction.h. The mutex is never held while the engine commits or while a watch is
// started.
#ifndef FDBJOBS_EMBEDDED_TRANSACTION_IMPL_H_
#define FDBJOBS_EMBEDDED_TRANSACTION_IMPL_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fdbjobs/embedded/database_state.h"
#include "fdbjobs/embedded/merged_read.h"
#include "fdbjobs/embedded/mutation_list.h"
#include "fdbjobs/embedded/network.h"
#include "fdbjobs/embedded/pending_watch.h"
#include "fdbjobs/embedded/range_read.h"
#include "fdbjobs/embedded/range_set.h"
#include "fdbjobs/embedded/transaction.h"
#include "fdbjobs/embedded/transaction_options.h"
#include "fdbjobs/embedded/write_map.h"

namespace fdbjobs::embedded {

class TransactionImpl final : public Transaction {
 public:
  explicit TransactionImpl(std::shared_ptr<DatabaseState> database);

  ErrorCode SetOption(int option, std::optional<std::string_view> value) override;
  FutureRef GetReadVersion() override;
  void SetReadVersion(Version version) override;
  FutureRef Get(std::string_view key, bool snapshot) override;
  FutureRef GetKey(const KeySelectorView& selector, bool snapshot) override;
  FutureRef GetRange(const RangeRequest& request) override;
  FutureRef GetAddressesForKey(std::string_view key) override;
  FutureRef GetEstimatedRangeSizeBytes(std::string_view begin, std::string_view end) override;
  FutureRef GetRangeSplitPoints(std::string_view begin, std::string_view end, int64_t chunk_bytes) override;
  void Set(std::string_view key, std::string_view value) override;
  void Clear(std::string_view key) override;
  void ClearRange(std::string_view begin, std::string_view end) override;
  void AtomicOp(std::string_view key, std::string_view operand, int type) override;
  ErrorCode AddConflictRange(std::string_view begin, std::string_view end, int type) override;
  FutureRef Watch(std::string_view key) override;
  FutureRef Commit() override;
  ErrorCode GetCommittedVersion(Version* version) override;
  FutureRef GetVersionstamp() override;
  FutureRef GetApproximateSize() override;
  FutureRef OnError(ErrorCode error) override;
  void Reset() override;
  void Cancel() override;
  void Destroy() override;

 private:
  using Clock = std::chrono::steady_clock;
  using Watches = std::vector<std::shared_ptr<PendingWatch>>;

  // All below: with mutex_ held.

  // Why the transaction can't be used: a commit was started, or it was cancelled or timed out.
  ErrorCode CheckUsable();
  // The first of these. Such a use fails the commit too, unless an option forbids that.
  ErrorCode CheckNotCommitting();
  // The others.
  ErrorCode CheckAlive();

  // Reads.
  Version ReadVersion();
  MergedRead View(bool own_writes);
  bool SeesOwnWrites(bool snapshot) const;
  ErrorCode ReadValue(std::string_view key, bool snapshot, std::optional<std::string>* value);
  ErrorCode ReadOverWrites(std::string_view key, bool snapshot, std::optional<std::string>* value);
  ErrorCode ReadRange(const RangeRequest& request, const RangeLimits& limits, Future::RangeResult* result);
  void AddReadConflict(std::string_view begin, std::string_view end);
  void AddReadConflictKey(std::string_view key);

  // Special keys.
  bool IsSpecialRead(std::string_view key) const;
  bool IsSpecialRange(const RangeRequest& request) const;
  ErrorCode ReadSpecialRange(const RangeRequest& request, const RangeLimits& limits, Future::RangeResult* result);
  ErrorCode ReadSpecialValue(std::string_view key, std::optional<std::string>* value);
  ErrorCode ReadSpecialModule(std::string_view begin, std::string_view end, Rows* rows);
  void CopyWriteConflicts(const MutationList& mutations, RangeSet* conflicts) const;
  ErrorCode SpecialWriteError() const;

  // Writes. These return the error that is kept for the next read or commit.
  void Keep(ErrorCode error);
  ErrorCode DoSet(std::string_view key, std::string_view value);
  ErrorCode DoClear(std::string_view key);
  ErrorCode DoClearRange(std::string_view begin, std::string_view end);
  ErrorCode DoAtomicOp(std::string_view key, std::string_view operand, int type);
  ErrorCode DoVersionstampedKey(std::string_view key, std::string_view value);
  ErrorCode DoReadConflict(std::string_view begin, std::string_view end);
  ErrorCode DoWriteConflict(std::string_view begin, std::string_view end);
  void AddMutation(MutationType type, std::string_view key, std::string_view value, bool conflict);
  void AddClear(std::string_view begin, std::string_view end, bool conflict);
  // Fires the watches on [begin, end) that see something else there now.
  void FireWatches(std::string_view begin, std::string_view end, std::optional<std::string_view> value);
  void FireWatchesUnknown(std::string_view key);

  // Commit.
  ErrorCode FillRequest(CommitRequest* request);
  Watches FinishCommit(const CommitResult& result);
  void SetVersionstamps(ErrorCode error);
  void FailWatches(ErrorCode error);
  // These two without the mutex.
  void OnCommitDone(uint64_t incarnation, const FutureRef& future, const CommitResult& result);
  static void StartAll(const Watches& watches);

  // Life.
  // Fails what is outstanding, and all later uses until a reset. The first error stays.
  void Fail(ErrorCode error);
  void FailOutstanding(ErrorCode error);
  // Remembers a future that Fail must reach.
  void AddOutstanding(const FutureRef& future);
  bool HasTimedOut() const;
  void ArmTimeout();
  void DisarmTimeout();
  // A new incarnation with nothing read and nothing written.
  void StartOver();
  // What becomes of the transaction after an on_error that did not lead to a retry.
  void GiveUp();
  // How long to wait before a retry; nullopt when a retry can't cure `error`.
  std::optional<std::chrono::microseconds> RetryDelay(ErrorCode error);
  FutureRef RetryAfter(std::chrono::microseconds delay);
  void FinishRetry(const FutureRef& future);

  const std::shared_ptr<DatabaseState> database_;
  Engine* const engine_;
  const int api_version_;

  std::mutex mutex_;

  // All below: guarded by mutex_.

  TransactionOptions options_;
  // Grows by one with every reset and retry, so that what comes late is told from what comes in time.
  uint64_t incarnation_ = 0;

  Version read_version_ = kNoVersion;
  RangeSet read_conflicts_;
  // Own writes that reads must see.
  WriteMap writes_;
  // Own writes that went past writes_, in order; at commit all the others are added.
  MutationList mutations_;
  // What a commit was asked to write: all that there was in mutations_. Null before.
  std::shared_ptr<const MutationList> submitted_;
  // Not committed yet.
  Watches watches_;
  int64_t approximate_size_ = 0;
  // A read went to the database or to own writes: too late for READ_YOUR_WRITES_DISABLE.
  bool has_read_ = false;

  bool commit_started_ = false;
  Version committed_version_ = kNoVersion;
  // What versionstamps have been filled in with; kNoVersion before the commit. A reset forgets it, unlike the above.
  Version stamped_version_ = kNoVersion;
  uint16_t stamped_order_ = 0;
  // An error of a call that could not report it.
  ErrorCode kept_error_ = 0;
  // Cancelled, timed out, or used during a commit.
  ErrorCode failed_ = 0;
  // Futures that Fail must reach; some may be ready already.
  std::vector<FutureRef> outstanding_;
  std::vector<FutureRef> versionstamps_;

  // From here a time-out counts: a retry does not move it, a reset does.
  Clock::time_point started_ = Clock::now();
  Network::TimerId timer_ = 0;
  int64_t retries_ = 0;
  std::chrono::microseconds backoff_;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_TRANSACTION_IMPL_H_
