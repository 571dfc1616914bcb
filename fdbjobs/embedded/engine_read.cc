#include <algorithm>
#include <climits>

#include "fdbjobs/embedded/engine_impl.h"
#include "fdbjobs/embedded/error_codes.h"
#include "fdbjobs/embedded/futex.h"
#include "fdbjobs/embedded/snapshot_reader.h"

namespace fdbjobs::embedded {

namespace {
// Records that are applied to the window at a time: readers get in between.
constexpr size_t kApplyRecords = 256;
// Ranges up to this many rows are measured, larger ones estimated.
constexpr size_t kExactRows = 1000;
// How long a read waits for commits that are under way below its version.
constexpr int64_t kStablePatienceUs = 1'000'000;
// How often the watcher looks without being woken, and how soon again when it could not look.
constexpr std::chrono::microseconds kLookEvery = std::chrono::milliseconds(100);
constexpr std::chrono::microseconds kLookAgainAfter = std::chrono::microseconds(200);
}  // namespace

Version EngineImpl::GetReadVersion() {
  const Version version = clock_->ReadVersion();
  // An error shows at the first read.
  (void)EnsureFollowed();
  return version;
}

ErrorCode EngineImpl::EnsureFollowed() {
  if (followed_.load(std::memory_order_acquire) == control_->tail.load(std::memory_order_acquire)) return 0;
  MutexLock lock(&state_mutex_);
  return Follow();
}

bool EngineImpl::TryFollow(ErrorCode* error) {
  *error = 0;
  if (followed_.load(std::memory_order_acquire) == control_->tail.load(std::memory_order_acquire)) return true;
  if (!state_mutex_.TryLock()) return false;
  *error = Follow();
  state_mutex_.Unlock();
  return true;
}

ErrorCode EngineImpl::Follow() {
  const LogPosition tail = LogPosition::Unpack(control_->tail.load());
  std::vector<RecordView> records;
  std::shared_ptr<Segment> segment;
  const auto flush = [&] {
    window_.Apply(records, segment);
    records.clear();
  };
  for (;;) {
    RecordView record;
    LogCursor::Outcome outcome = cursor_->Next(tail, &record);
    // A segment that was dropped may be there again, without its records: made by one who was stopped in that
    // meanwhile.
    if (outcome == LogCursor::Outcome::kDamaged &&
        cursor_->position().segment < LogPosition::Unpack(control_->base_position.load()).segment) {
      outcome = LogCursor::Outcome::kGone;
    }
    if (outcome == LogCursor::Outcome::kGone) {
      // This process was away for so long that the base has gone past it.
      std::string why;
      if (ErrorCode error = LoadFromBase(&why)) return error;
      watches_.TouchAll(cursor_->version());
      records.clear();
      continue;
    }
    if (outcome != LogCursor::Outcome::kRecord || records.size() >= kApplyRecords || cursor_->segment() != segment) {
      flush();
    }
    if (outcome == LogCursor::Outcome::kDamaged) return kFileCorrupt;
    if (outcome == LogCursor::Outcome::kEnd) break;
    segment = cursor_->segment();
    records.push_back(record);
    NoteRecord(record);
  }
  window_.Complete();
  followed_.store(tail.packed(), std::memory_order_release);
  return 0;
}

void EngineImpl::NoteRecord(const RecordView& record) {
  const bool watched = !watches_.empty();
  record.ForEach([&](const EntryView& entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(state_mutex_) {
    const bool one_key = entry.kind == EntryKind::kSet || entry.kind == EntryKind::kClear;
    // Single keys are found in the window.
    if (entry.conflicts && !one_key) history_.Add(entry.key, entry.value, record.version);
    if (!watched) return;
    if (one_key) watches_.Touch(entry.key, record.version);
    if (entry.kind == EntryKind::kClearRange) watches_.TouchRange(entry.key, entry.value, record.version);
  });
}

ErrorCode EngineImpl::PrepareRead(Version at) {
  if (ErrorCode fault = ReadFault()) return fault;
  const Version now = clock_->Now();
  if (at < now - tuning_.window_versions) return kTransactionTooOld;
  if (at > control_->read_version_max.load() && at > control_->acked_version.load()) {
    // A version that the caller set, which nobody was given: it may lie ahead.
    if (at > now) return kFutureVersion;
    if (ErrorCode error = WaitUntilStable(at)) return error;
  }
  return EnsureFollowed();
}

ErrorCode EngineImpl::WaitUntilStable(Version at) {
  const int64_t start = MonotonicMicros();
  while (!clock_->Pin(at)) {
    if (MonotonicMicros() - start > kStablePatienceUs) return kFutureVersion;
    const uint32_t count = control_->acked_count.load();
    control_->acked_waiters.fetch_add(1);
    if (!clock_->Pin(at)) FutexWait(control_->acked_count, count, std::chrono::milliseconds(10));
    control_->acked_waiters.fetch_sub(1);
  }
  return 0;
}

ErrorCode EngineImpl::Get(Version at, std::string_view key, std::optional<std::string>* value) {
  if (ErrorCode error = PrepareRead(at)) return error;
  return SnapshotReader(&window_, readers_.get(), at).Get(key, value);
}

ErrorCode EngineImpl::GetRange(Version at, std::string_view begin, std::string_view end, bool reverse, size_t max_rows,
                               size_t max_bytes, Rows* rows, bool* more) {
  if (ErrorCode error = PrepareRead(at)) return error;
  return SnapshotReader(&window_, readers_.get(), at).GetRange(begin, end, reverse, max_rows, max_bytes, rows, more);
}

ErrorCode EngineImpl::EstimateBytes(Version at, std::string_view begin, std::string_view end, int64_t* bytes) {
  Rows rows;
  bool more = false;
  if (ErrorCode error = GetRange(at, begin, end, false, kExactRows, kNoRowLimit, &rows, &more)) return error;
  *bytes = static_cast<int64_t>(rows.bytes());
  if (!more) return 0;
  BaseReaders::Lease base;
  std::string why;
  if (ErrorCode error = readers_->Borrow(&base, &why)) return error;
  int64_t sampled = 0;
  if (ErrorCode error = base->SumSample(begin, end, 0, &sampled, nullptr)) return error;
  *bytes = std::max(*bytes, sampled);
  return 0;
}

ErrorCode EngineImpl::SplitPoints(Version at, std::string_view begin, std::string_view end, int64_t chunk_bytes,
                                  std::vector<std::string>* keys) {
  keys->assign({std::string(begin)});
  Rows rows;
  bool more = false;
  if (ErrorCode error = GetRange(at, begin, end, false, kExactRows, kNoRowLimit, &rows, &more)) return error;
  if (more) {
    BaseReaders::Lease base;
    std::string why;
    if (ErrorCode error = readers_->Borrow(&base, &why)) return error;
    int64_t sampled = 0;
    if (ErrorCode error = base->SumSample(begin, end, chunk_bytes, &sampled, keys)) return error;
  } else {
    int64_t since_cut = 0;
    for (const Rows::Entry& row : rows) {
      if (since_cut >= chunk_bytes) {
        keys->emplace_back(row.key_view());
        since_cut = 0;
      }
      since_cut += row.key_length + row.value_length;
    }
  }
  if (keys->back() != end) keys->emplace_back(end);
  return 0;
}

uint64_t EngineImpl::AddWatch(std::string key, std::optional<std::string> expected, WatchFired fired) {
  {
    MutexLock lock(&threads_mutex_);
    if (!watching_ && !stopping_) {
      watching_ = true;
      if (!Network::Get().TakeUp(this)) threads_.emplace_back([this] { RunWatcher(); });
    }
  }
  const uint64_t id = watches_.Add(key, std::move(expected), std::move(fired));
  if (!hears_commits_.load()) Interrupt();
  if (WatchFault()) {
    watches_.FireOne(id, 0);
    return id;
  }
  {
    // What was followed before the watch was there has not touched it, and the look below does not see what is not
    // acknowledged yet: so it is to be looked at once more when all of that is.
    MutexLock lock(&state_mutex_);
    if (cursor_->version() > control_->acked_version.load()) watches_.Touch(key, cursor_->version());
  }
  // Registered first, looked at second: a change in between is seen by one of the two.
  const Version at = GetReadVersion();
  watches_.CheckOne(id, [&](std::string_view watched, std::optional<std::string>* value) {
    if (ErrorCode error = EnsureFollowed()) return error;
    return SnapshotReader(&window_, readers_.get(), at).Get(watched, value);
  });
  return id;
}

void EngineImpl::RemoveWatch(uint64_t id) { watches_.Remove(id); }

bool EngineImpl::CheckWatches() {
  if (watches_.empty()) return true;
  const Version acked = control_->acked_version.load();
  // At the acknowledged version, or later if commits that were acknowledged meanwhile are there.
  const Version at = clock_->ReadVersion();
  // Not longer: one who holds the state may wait for the disk, and the network thread has timers to keep.
  ErrorCode error;
  if (!TryFollow(&error)) return false;
  if (error != 0) return true;
  watches_.Check(acked, [&](std::string_view key, std::optional<std::string>* value) {
    return SnapshotReader(&window_, readers_.get(), at).Get(key, value);
  });
  return true;
}

// Not when there has been no watch for a while: then commits of others need not wake this process.
bool EngineImpl::HearsCommits() {
  const int64_t now = MonotonicMicros();
  if (!watches_.empty()) last_watched_us_ = now;
  if (now - last_watched_us_ < tuning_.listen_us) return true;
  // In this order, and AddWatch in the other, so that one of the two notices.
  hears_commits_ = false;
  if (watches_.empty()) return false;
  hears_commits_ = true;
  return true;
}

void EngineImpl::WaitAndWork(std::chrono::microseconds longest) {
  const uint32_t slot_bit = ControlBlock::SlotBit(folder_.slot());
  if (HearsCommits()) {
    // Now and then without being woken, since who has acknowledged a commit may have died before it came to that.
    const std::chrono::microseconds wait = std::min(longest, watches_checked_ ? kLookEvery : kLookAgainAfter);
    control_->acked_waiters.fetch_add(1);
    FutexWaitBits(control_->acked_count, watched_count_, wait, slot_bit | ControlBlock::kAckedBit);
    control_->acked_waiters.fetch_sub(1);
  } else {
    FutexWaitBits(control_->acked_count, watched_count_, longest, slot_bit);
  }
  hears_commits_ = true;
  watched_count_ = control_->acked_count.load();
  watches_checked_ = CheckWatches();
}

void EngineImpl::Interrupt() {
  control_->acked_count.fetch_add(1);
  FutexWakeBits(control_->acked_count, INT_MAX, ControlBlock::SlotBit(folder_.slot()));
}

void EngineImpl::RunWatcher() {
  while (!stopping_) WaitAndWork(kLookEvery);
}

}  // namespace fdbjobs::embedded
