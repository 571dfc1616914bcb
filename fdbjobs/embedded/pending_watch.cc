#include "fdbjobs/embedded/pending_watch.h"

#include <utility>

#include "fdbjobs/embedded/engine.h"

namespace fdbjobs::embedded {

std::shared_ptr<PendingWatch> PendingWatch::Make(std::shared_ptr<DatabaseState> database, std::string key,
                                                 std::optional<std::string> value) {
  if (!database->TryAddWatch()) return nullptr;
  auto watch = std::make_shared<PendingWatch>(std::move(database), std::move(key), std::move(value));
  // Weak, since the watch holds the future.
  watch->future_->OnCancel([weak = watch->weak_from_this()] {
    if (const std::shared_ptr<PendingWatch> self = weak.lock()) self->OnCancelled();
  });
  return watch;
}

PendingWatch::PendingWatch(std::shared_ptr<DatabaseState> database, std::string key, std::optional<std::string> value)
    : database_(std::move(database)), key_(std::move(key)), value_(std::move(value)), future_(Future::Make()) {}

PendingWatch::~PendingWatch() { Release(); }

void PendingWatch::Start() {
  if (future_->IsReady()) return;
  const uint64_t id = database_->engine()->AddWatch(
      key_, value_, [self = shared_from_this()](ErrorCode error) { self->Finish(error); });
  bool cancelled = false;
  {
    const std::lock_guard lock(mutex_);
    engine_id_ = id;
    cancelled = cancelled_;
  }
  if (cancelled) database_->engine()->RemoveWatch(id);
}

void PendingWatch::Finish(ErrorCode error) {
  Release();
  future_->Set(error);
}

void PendingWatch::OnCancelled() {
  Release();
  std::optional<uint64_t> id;
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    id = engine_id_;
  }
  if (id) database_->engine()->RemoveWatch(*id);
}

void PendingWatch::Release() {
  if (!released_.exchange(true)) database_->RemoveWatch();
}

}  // namespace fdbjobs::embedded
