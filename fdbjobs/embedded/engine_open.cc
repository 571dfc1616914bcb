#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "fdbjobs/embedded/engine_impl.h"
#include "fdbjobs/embedded/error_codes.h"

namespace fdbjobs::embedded {

namespace {

// Where the versions of a new folder begin: a version of some seconds ago is a number that may be asked for.
constexpr Version kFirstVersion = 100'000'000;
constexpr char kBaseName[] = "base.sqlite";
constexpr size_t kMostReaders = 16;

using FolderId = std::pair<dev_t, ino_t>;

// The engines of this process. Never destroyed: handles may be closed while the process exits.
struct Registry {
  Mutex mutex;
  std::map<FolderId, std::weak_ptr<Engine>> engines ABSL_GUARDED_BY(mutex);
  // Each deletes an engine that one of its own threads let go of.
  std::vector<std::thread> closing ABSL_GUARDED_BY(mutex);
  bool exiting ABSL_GUARDED_BY(mutex) = false;

  static Registry& Get() {
    static Registry* const registry = new Registry;
    return *registry;
  }

  void JoinClosing() {
    std::vector<std::thread> threads;
    {
      MutexLock lock(&mutex);
      threads.swap(closing);
    }
    for (std::thread& thread : threads) thread.join();
  }
};

// The process does not end in the middle of closing a folder. What is let go of later is left to the end of the
// process.
struct CloseAtExit {
  ~CloseAtExit() {
    Registry& registry = Registry::Get();
    {
      MutexLock lock(&registry.mutex);
      registry.exiting = true;
    }
    registry.JoinClosing();
  }
};

}  // namespace

ErrorCode Engine::Open(const std::string& folder, std::shared_ptr<Engine>* engine, std::string* why) {
  static const CloseAtExit close_at_exit;
  Registry& registry = Registry::Get();
  // Who closes a folder and opens it again finds it closed.
  registry.JoinClosing();
  MutexLock lock(&registry.mutex);
  struct stat status;
  if (stat(folder.c_str(), &status) == 0) {
    if (auto known = registry.engines[{status.st_dev, status.st_ino}].lock()) {
      *engine = std::move(known);
      return 0;
    }
  }
  auto opened = std::make_unique<EngineImpl>();
  // One that fails goes in this call, also on the network thread: Dispose would wait for the registry there.
  if (ErrorCode error = opened->OpenFolder(folder, why)) return error;
  if (stat(folder.c_str(), &status) != 0) return FileError("stat", folder, why);
  std::shared_ptr<EngineImpl> shared(opened.release(), &EngineImpl::Dispose);
  registry.engines[{status.st_dev, status.st_ino}] = shared;
  *engine = std::move(shared);
  return 0;
}

ErrorCode EngineImpl::OpenFolder(const std::string& path, std::string* why) {
  if (ErrorCode error = folder_.StartOpen(path, why)) return error;
  if (ErrorCode error = CheckBaseIsThere(why)) return error;
  if (ErrorCode error = control_.Map(folder_.Path("control"), folder_.first(), why)) return error;
  log_ = std::make_unique<CommitLog>(path, absl::StrCat("spare-", folder_.slot()));
  log_->DropSpares(folder_.first());
  if (ErrorCode error = BaseWriter::Open(folder_.Path(kBaseName), folder_.first(), &writer_, why)) return error;
  if (folder_.first()) {
    if (ErrorCode error = Recover(why)) return error;
  } else if (control_->magic != ControlBlock::kMagic) {
    *why = absl::StrCat(path, " is open in a process with another version of this library");
    return kIncompatibleProtocolVersion;
  }
  lock_ =
      std::make_unique<FencedLock>(&*control_, folder_.slot(), [this](uint16_t slot) { return folder_.IsAlive(slot); });
  sync_ = std::make_unique<LogSync>(&*control_, log_.get(), folder_.slot());
  clock_ = std::make_unique<VersionClock>(&*control_);
  readers_ = std::make_unique<BaseReaders>(folder_.Path(kBaseName), &*control_, kMostReaders,
                                           [this] { return folder_.IsInPlace(); });
  {
    MutexLock lock(&state_mutex_);
    cursor_ = std::make_unique<LogCursor>(log_.get());
    if (ErrorCode error = LoadFromBase(why)) return error;
    if (ErrorCode error = Follow()) {
      *why = cursor_->why();
      return error;
    }
  }
  if (ErrorCode error = folder_.FinishOpen(why)) return error;
  StartThreads();
  return 0;
}

// SQLite would make a new one. The log alone does not have what was moved out of it, and would be dropped.
ErrorCode EngineImpl::CheckBaseIsThere(std::string* why) const {
  const std::string base = folder_.Path(kBaseName);
  struct stat status;
  if (!folder_.marked() || (stat(base.c_str(), &status) == 0 && status.st_size > 0)) return 0;
  *why = absl::StrCat(base, " is missing or empty, though the folder was in use; put it back, or name a new folder");
  return kFileCorrupt;
}

// The first process in: finds the end of the log, and writes the shared words anew.
ErrorCode EngineImpl::Recover(std::string* why) {
  bool begun = false;
  BaseMark mark;
  if (ErrorCode error = writer_->Begin(&begun, &mark); error != 0 || !begun) {
    *why =
        begun || error != 0 ? writer_->why() : absl::StrCat(folder_.Path(kBaseName), " is locked by another program");
    return error != 0 ? error : kIoError;
  }
  if (mark.position.segment == 0) {
    std::shared_ptr<Segment> first;
    if (ErrorCode error = log_->Create({.number = 1}, 0, &first, why)) return error;
    mark.position = {1, static_cast<uint32_t>(kSegmentHeaderSize)};
  }
  LogCursor end(log_.get());
  if (ErrorCode error = FindEndOfLog(mark, &end, why)) return error;
  const Version start = std::max({end.version() + 1, mark.lease + 1, control_->kept_lease.load() + 1, kFirstVersion});
  mark.lease = start + tuning_.lease_versions;
  if (ErrorCode error = writer_->Commit(mark)) {
    *why = writer_->why();
    return error;
  }
  ControlBlock& control = *control_;
  control.version_base = start;
  control.monotonic_base_us = MonotonicMicros();
  control.tail = end.position().packed();
  control.published_version = end.version();
  control.assigned_version = end.version();
  control.durable_version = end.version();
  control.acked_version = end.version();
  control.read_version_max = start;
  control.version_lease = mark.lease;
  control.base_version = mark.version;
  control.base_position = mark.position.packed();
  control.base_epoch = 1;
  return 0;
}

ErrorCode EngineImpl::FindEndOfLog(const BaseMark& mark, LogCursor* end, std::string* why) {
  end->Place(mark.position, mark.hash, mark.version);
  RecordView record;
  LogCursor::Outcome outcome;
  while ((outcome = end->NextUnbounded(&record)) == LogCursor::Outcome::kRecord) {
  }
  if (outcome != LogCursor::Outcome::kEnd) {
    *why = absl::StrCat("the commit log does not go on where the base ends: ", end->why());
    return kFileCorrupt;
  }
  // What is kept must be durable before anybody reads it; what a crash left behind it must not be found again.
  log_->DropFrom(end->position().segment + 1);
  log_->DropBefore(mark.position.segment);
  // Written again, for who had the folder open before may have closed it after a sync that failed.
  const Segment& last = *end->segment();
  const size_t begin = mark.position.segment == end->position().segment ? mark.position.offset : kSegmentHeaderSize;
  if (ErrorCode error = last.WriteAgain(begin, end->position().offset, why)) return error;
  if (ErrorCode error = last.Sync(why)) return error;
  return SyncFolder(folder_.path(), why);
}

ErrorCode EngineImpl::LoadFromBase(std::string* why) {
  BaseReaders::Lease base;
  if (ErrorCode error = readers_->Borrow(&base, why)) return error;
  if (ErrorCode error = readers_->Refresh(&base)) return error;
  const BaseMark& mark = base->mark();
  window_.Clear(mark.version);
  history_.Clear(mark.version);
  cursor_->Place(mark.position, mark.hash, mark.version);
  return 0;
}

void EngineImpl::StartThreads() {
  MutexLock lock(&threads_mutex_);
  threads_.emplace_back([this] { RunCommitter(); });
  threads_.emplace_back([this] { RunCommitter(); });
  threads_.emplace_back([this] { RunUpkeep(); });
  threads_.emplace_back([this] { RunSpareMaker(); });
}

void EngineImpl::Dispose(EngineImpl* engine) {
  // The network thread looks after its watches.
  bool on_own_thread = Network::Get().OnNetworkThread();
  {
    MutexLock lock(&engine->threads_mutex_);
    for (const std::thread& thread : engine->threads_) on_own_thread |= thread.get_id() == std::this_thread::get_id();
  }
  if (!on_own_thread) {
    delete engine;
    return;
  }
  Registry& registry = Registry::Get();
  MutexLock lock(&registry.mutex);
  if (!registry.exiting) registry.closing.emplace_back([engine] { delete engine; });
}

EngineImpl::~EngineImpl() {
  std::vector<std::thread> threads;
  {
    MutexLock lock(&threads_mutex_);
    stopping_ = true;
    threads.swap(threads_);
    if (watching_) Interrupt();
  }
  Network::Get().LayDown(this);
  {
    MutexLock lock(&queue_mutex_);
    queue_filled_.NotifyAll();
  }
  {
    MutexLock lock(&upkeep_mutex_);
    upkeep_wanted_.NotifyAll();
  }
  {
    MutexLock lock(&spare_mutex_);
    spare_wanted_.NotifyAll();
  }
  for (std::thread& thread : threads) thread.join();
  if (log_ != nullptr && folder_.IsInPlace()) log_->DropSpare();
  watches_.FireAll(kTransactionCancelled);
}

}  // namespace fdbjobs::embedded
