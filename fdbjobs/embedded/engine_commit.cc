#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "fdbjobs/embedded/engine_impl.h"
#include "fdbjobs/embedded/error_codes.h"
#include "fdbjobs/embedded/last_error.h"
#include "fdbjobs/embedded/snapshot_reader.h"

namespace fdbjobs::embedded {

namespace {
constexpr size_t kMostInBatch = 4096;
constexpr size_t kMostBatchBytes = 16 << 20;
// A committer looks this often into the queue, and that many times after the last help, before it sleeps until called.
constexpr auto kLookEvery = std::chrono::milliseconds(2);
constexpr int kMostLooks = 5;

template <typename Batch>
BatchBuilder::AtomicKeys AtomicKeysOf(const Batch& batch) {
  BatchBuilder::AtomicKeys keys;
  for (const auto& queued : batch) BatchBuilder::CollectAtomicKeys(*queued.request.writes, &keys);
  return keys;
}

}  // namespace

void EngineImpl::Commit(CommitRequest request, CommitDone done) {
  Queued queued{std::move(request), std::move(done), NextCommitFault(), {}};
  MutexLock lock(&queue_mutex_);
  queue_.push_back(std::move(queued));
  // A committer that sleeps is called by the first in the queue, one that looks by the second.
  if (!looking_ ? queue_.size() == 1 : (queue_.size() == 2 || !HelpIsLikely())) queue_filled_.NotifyOne();
}

void EngineImpl::RunCommitter() {
  Batch batch;
  for (;;) {
    if (!WaitForWork()) return;
    WaitForRoom();
    committing_.fetch_add(1);
    CommitQueued(&batch);
  }
}

void EngineImpl::CommitQueued(Batch* batch) {
  {
    MutexLock lock(&batch_mutex_);
    TakeBatch(batch);
    if (!batch->empty()) Append(batch);  // else another thread was faster
  }
  Answer(batch);
  committing_.fetch_sub(1);
  batch->clear();
}

void EngineImpl::HelpOut() {
  if (committing_.load() != 0) return;
  {
    MutexLock lock(&queue_mutex_);
    if (queue_.empty()) return;
    if (!HelpIsLikely()) return queue_filled_.NotifyOne();
  }
  int none = 0;
  if (!committing_.compare_exchange_strong(none, 1)) return;
  helps_.fetch_add(1, std::memory_order_relaxed);
  Batch batch;
  CommitQueued(&batch);
}

void EngineImpl::GoAhead() {
  MutexLock lock(&queue_mutex_);
  if (!queue_.empty() && looking_) queue_filled_.NotifyOne();
}

// Whether a thread that waits for what is queued will do it. Whoever helps out can't be called off, as a waiting thread
// can by a timeout or a cancel: so only where the disk is all that there is to wait for.
bool EngineImpl::HelpIsLikely() const {
  return committing_.load() == 0 && queue_.size() == 1 && queue_.front().fault.delay.count() == 0 && HasRoom();
}

// False when the engine stops and everything was taken.
bool EngineImpl::WaitForWork() {
  MutexLock lock(&queue_mutex_);
  int looks = kMostLooks;
  while (queue_.empty() && !stopping_) {
    if (looking_ || looks == 0) {
      queue_filled_.Wait(&queue_mutex_);
      continue;
    }
    const uint64_t helps = helps_.load(std::memory_order_relaxed);
    looking_ = true;
    queue_filled_.WaitFor(&queue_mutex_, kLookEvery);
    looking_ = false;
    looks = helps_.load(std::memory_order_relaxed) != helps ? kMostLooks : looks - 1;
  }
  return !queue_.empty();
}

void EngineImpl::TakeBatch(Batch* batch) {
  MutexLock lock(&queue_mutex_);
  size_t bytes = 0;
  size_t count = 0;
  while (count < queue_.size() && count < kMostInBatch && bytes < kMostBatchBytes) {
    bytes += queue_[count++].request.writes->bytes().size();
  }
  if (count == queue_.size()) {
    batch->swap(queue_);
    return;
  }
  batch->assign(std::make_move_iterator(queue_.begin()), std::make_move_iterator(queue_.begin() + count));
  queue_.erase(queue_.begin(), queue_.begin() + count);
}

bool EngineImpl::HasRoom() const { return unfolded_.load() <= tuning_.most_unfolded; }

void EngineImpl::WaitForRoom() {
  if (HasRoom()) return;
  const int64_t until = MonotonicMicros() + tuning_.longest_wait_us;
  while (!stopping_ && !HasRoom() && MonotonicMicros() < until) absl::SleepFor(absl::Milliseconds(1));
}

void EngineImpl::Append(Batch* batch) {
  std::chrono::microseconds delay{0};
  for (const Queued& queued : *batch) delay = std::max(delay, queued.fault.delay);
  if (delay.count() > 0) absl::SleepFor(absl::FromChrono(delay));
  if (!std::exchange(has_committed_, true)) AskForSpare();
  for (bool published = false; !published;) {
    const FencedLock::Grant grant = lock_->Acquire();
    // Known to all until it is done, since whoever does it may fail, or die.
    if (grant.stolen) control_->unfenced.store(grant.word);
    std::string why;
    published = AppendLocked(batch, &why);
    lock_->Release(grant);
    if (!why.empty()) SetEngineError(why);
  }
}

// The log must not end where one who lost the lock may still write.
ErrorCode EngineImpl::Fence(LogPosition* tail, bool* lost, std::string* why) {
  uint64_t unfenced = control_->unfenced.load();
  if (unfenced == 0) return 0;
  if (ErrorCode error = StartSegment(0, tail, lost, why); error != 0 || *lost) return error;
  // Unless the lock was taken from this process, too.
  control_->unfenced.compare_exchange_strong(unfenced, 0);
  return 0;
}

bool EngineImpl::AppendLocked(Batch* batch, std::string* why) {
  MutexLock lock(&state_mutex_);
  const auto refuse_all = [&](ErrorCode error) {
    for (Queued& queued : *batch) queued.result = {error, kNoVersion, 0};
    return true;
  };
  if (sync_->InDoubt()) {
    // Nothing may stand on records that a power failure can take back.
    if (ErrorCode error = sync_->WriteAgain(why)) return refuse_all(error);
  }
  // An empty batch finishes what others published.
  if (!batch->empty() && !in_place_) {
    *why = absl::StrCat(folder_.path(),
                        " was moved, removed or replaced while it was open; commits go on when it is back");
    return refuse_all(kFileNotFound);
  }
  if (!batch->empty() && !HasRoom()) return refuse_all(kProcessBehind);
  if (ErrorCode error = Follow()) return refuse_all(error);
  // One who died right after publishing may not have come to this.
  RaiseTo(control_->published_version, cursor_->version());
  LogPosition tail = cursor_->position();
  bool lost = false;
  if (ErrorCode error = Fence(&tail, &lost, why)) return refuse_all(error);
  if (lost) return false;
  const Version first = clock_->AssignFirst(static_cast<int>(batch->size()));
  if (first == kNoVersion) return false;
  const Version assigned = first + static_cast<Version>(batch->size()) - 1;
  history_.DropBefore(first - tuning_.window_versions);
  BatchBuilder builder(
      &window_, &history_,
      [this](std::string_view key, std::optional<std::string>* value) { return ReadLatest(key, value); }, first,
      first - tuning_.window_versions, cursor_->hash(), AtomicKeysOf(*batch));
  BuildBatch(batch, &builder);
  ErrorCode error = 0;
  if (!builder.empty()) error = WriteBatch(builder, &tail, &lost, why);
  clock_->SettleAssigned(assigned, builder.empty() || error != 0 || lost ? cursor_->version() : builder.last_version());
  if (lost) return false;
  if (error != 0) return refuse_all(error);
  if (Follow() != 0) LeaveOpen(batch);
  return true;
}

// What was published can't be refused any more.
void EngineImpl::LeaveOpen(Batch* batch) {
  for (Queued& queued : *batch) {
    if (queued.result.error == 0) queued.result.error = kCommitUnknownResult;
  }
}

void EngineImpl::BuildBatch(Batch* batch, BatchBuilder* builder) {
  for (Queued& queued : *batch) {
    queued.result = {};
    if (queued.fault.before != 0 || builder->broken()) {
      queued.result.error = queued.fault.before != 0 ? queued.fault.before : kIoError;
      continue;
    }
    queued.result.error = builder->Add(queued.request, &queued.result.version);
  }
}

// Writes the records behind `*tail` and publishes them. `*lost`: another process took the lock meanwhile, and nothing
// was published.
ErrorCode EngineImpl::WriteBatch(const BatchBuilder& builder, LogPosition* tail, bool* lost, std::string* why) {
  const std::string& bytes = builder.bytes();
  std::shared_ptr<Segment> segment;
  if (ErrorCode error = log_->Find(tail->segment, &segment, why)) return error;
  // More than once only if another process had begun a smaller one.
  while (tail->offset + bytes.size() > segment->size()) {
    if (ErrorCode error = StartSegment(bytes.size(), tail, lost, why); error != 0 || *lost) return error;
    if (ErrorCode error = log_->Find(tail->segment, &segment, why)) return error;
  }
  const ErrorCode error = segment->Write(bytes, tail->offset, why);
  uint64_t expected = tail->packed();
  const LogPosition end{tail->segment, tail->offset + static_cast<uint32_t>(bytes.size())};
  *lost = error == 0 && !control_->tail.compare_exchange_strong(expected, end.packed());
  if (error != 0 || *lost) {
    TakeBack(*segment, tail->offset);
    return error;
  }
  cursor_->Trust(*tail, end);
  *tail = end;
  RaiseTo(control_->published_version, builder.last_version());
  return 0;
}

// What was written and not published may be refused yet. So it must not be found behind the last record, should the
// folder be closed before another commit comes. Nobody else writes there.
void EngineImpl::TakeBack(const Segment& segment, uint32_t offset) {
  std::string why;
  if (segment.Write(std::string(kRecordHeaderSize, '\0'), offset, &why) == 0) (void)sync_->SyncSegment(segment, &why);
}

// Ends the segment at `*tail`, which is all that was published, and goes on in a new one.
ErrorCode EngineImpl::StartSegment(size_t room, LogPosition* tail, bool* lost, std::string* why) {
  std::shared_ptr<Segment> old;
  if (ErrorCode error = log_->Find(tail->segment, &old, why)) return error;
  // A sync covers the last segment only, so what is in this one must be durable before there is a later one.
  if (ErrorCode error = sync_->SyncSegment(*old, why)) return error;
  const SegmentHeader header{tail->segment + 1, tail->offset, cursor_->hash(), cursor_->version()};
  std::shared_ptr<Segment> segment;
  const ErrorCode error = log_->Create(header, room, &segment, why);
  AskForSpare();
  uint64_t expected = tail->packed();
  const LogPosition start{header.number, static_cast<uint32_t>(kSegmentHeaderSize)};
  *lost = error == 0 ? !control_->tail.compare_exchange_strong(expected, start.packed())
                     : control_->tail.load() != expected;
  if (!*lost) {
    if (error == 0) *tail = start;
    return error;
  }
  // Whoever has the lock now may make another segment of it, and what has failed here matters to nobody.
  log_->Forget(header.number);
  why->clear();
  return 0;
}

void EngineImpl::AskForSpare() {
  MutexLock lock(&spare_mutex_);
  wants_spare_ = true;
  spare_wanted_.NotifyOne();
}

ErrorCode EngineImpl::ReadLatest(std::string_view key, std::optional<std::string>* value) {
  return SnapshotReader(&window_, readers_.get(), std::numeric_limits<Version>::max()).Get(key, value);
}

// Waits for the sync, if anybody in the batch wants that, and answers.
void EngineImpl::Answer(Batch* batch) {
  Version risky = kNoVersion;
  Version durable = kNoVersion;
  for (Queued& queued : *batch) {
    if (queued.result.error != 0) continue;
    Version& last = queued.request.durability_risky ? risky : durable;
    last = std::max(last, queued.result.version);
  }
  const auto answer = [batch](bool risky_ones, ErrorCode error) {
    for (Queued& queued : *batch) {
      if (queued.request.durability_risky != risky_ones || !queued.done) continue;
      if (queued.result.error == 0) queued.result.error = error != 0 ? error : queued.fault.after;
      queued.done(queued.result);
      queued.done = nullptr;
    }
  };
  if (risky != kNoVersion) sync_->Acknowledge(risky);
  answer(true, 0);
  ErrorCode error = 0;
  if (durable != kNoVersion) {
    std::string why;
    // Once more, since many disks fail for a moment only. If that fails too, it comes when the disk is well: it was
    // published.
    if (sync_->UpTo(durable, &why) != 0 && FinishPublished(&why) != 0) error = kCommitUnknownResult;
    if (error != 0) SetEngineError(why);
  }
  answer(false, error);
}

ErrorCode EngineImpl::FinishPublished(std::string* why) {
  {
    MutexLock lock(&batch_mutex_);
    Batch nobody;
    Append(&nobody);
  }
  return sync_->UpTo(control_->published_version.load(), why);
}

ErrorCode EngineImpl::CheckSettled() { return sync_->InDoubt() ? kIoError : 0; }

}  // namespace fdbjobs::embedded
