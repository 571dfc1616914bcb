#include "fdbjobs/monitor/type_watches.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <utility>

#include "fdbjobs/fdb/error_codes.h"
#include "fdbjobs/fdb/status.h"

namespace fdbjobs {

struct TypeWatches::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  // Guarded by mutex.
  bool notified = false;
  std::set<std::string> fired;
};

TypeWatches::TypeWatches() : shared_(std::make_shared<Shared>()) {}
TypeWatches::~TypeWatches() = default;

void TypeWatches::Set(const std::string& name, fdb::VoidFuture watch) {
  Drop(name);
  fdb::VoidFuture& placed = watches_.emplace(name, std::move(watch)).first->second;
  const absl::Status status = placed.OnReady([shared = shared_, name] {
    const std::lock_guard lock(shared->mutex);
    shared->fired.insert(name);
    shared->changed.notify_all();
  });
  if (status.ok()) return;
  const std::lock_guard lock(shared_->mutex);
  shared_->fired.insert(name);
}

void TypeWatches::Drop(const std::string& name) {
  // Its end runs the callback, so the name is taken off the list after that.
  if (watches_.erase(name) == 0) return;
  const std::lock_guard lock(shared_->mutex);
  shared_->fired.erase(name);
}

std::vector<std::string> TypeWatches::TakeFired(bool* refused) {
  std::set<std::string> fired;
  {
    const std::lock_guard lock(shared_->mutex);
    fired.swap(shared_->fired);
    shared_->notified = false;
  }
  std::vector<std::string> names;
  for (const std::string& name : fired) {
    const auto found = watches_.find(name);
    // One that was dropped, or that took the place of the one that fired.
    if (found == watches_.end() || !found->second.IsReady()) continue;
    if (fdb::FdbCode(found->second.AwaitReady()) == fdb::error::kTooManyWatches) *refused = true;
    watches_.erase(found);
    names.push_back(name);
  }
  return names;
}

void TypeWatches::Wait(absl::Duration longest) {
  // Not longer than a day at once: larger numbers overflow in the clock.
  const absl::Duration time = std::clamp(longest, absl::ZeroDuration(), absl::Hours(24));
  std::unique_lock lock(shared_->mutex);
  shared_->changed.wait_for(lock, absl::ToChronoMicroseconds(time),
                            [&] { return shared_->notified || !shared_->fired.empty(); });
}

void TypeWatches::Notify() {
  const std::lock_guard lock(shared_->mutex);
  shared_->notified = true;
  shared_->changed.notify_all();
}

}  // namespace fdbjobs
