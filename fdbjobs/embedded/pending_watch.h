// PendingWatch: one fdb_transaction_watch, from the call until its future is ready.
//
// Before the commit the transaction holds it: own writes may fire it, a reset or a failed commit fails it. After the
// commit the engine holds it until the key changes. The caller may cancel the future at any time.
//
// Thread safety: every method may be called from any thread. Lifetime: counted (shared_ptr). It keeps the database
// open for as long as somebody can wait for it.
//
//   std::shared_ptr<PendingWatch> watch = PendingWatch::Make(database, "key", value);
//   if (watch == nullptr) return Future::MakeReady(kTooManyWatches);
//   ...                             // the transaction commits
//   watch->Start();
#ifndef FDBJOBS_EMBEDDED_PENDING_WATCH_H_
#define FDBJOBS_EMBEDDED_PENDING_WATCH_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "fdbjobs/embedded/database_state.h"
#include "fdbjobs/embedded/future.h"
#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

class PendingWatch : public std::enable_shared_from_this<PendingWatch> {
 public:
  // Null when the database has too many watches already. `value` is what the transaction sees at `key`.
  static std::shared_ptr<PendingWatch> Make(std::shared_ptr<DatabaseState> database, std::string key,
                                            std::optional<std::string> value);
  PendingWatch(std::shared_ptr<DatabaseState> database, std::string key, std::optional<std::string> value);
  ~PendingWatch();
  PendingWatch(const PendingWatch&) = delete;
  PendingWatch& operator=(const PendingWatch&) = delete;

  const FutureRef& future() const { return future_; }
  const std::string& key() const { return key_; }
  const std::optional<std::string>& value() const { return value_; }

  // The transaction is committed: from now on the engine looks after it.
  void Start();
  // Makes the future ready, with 0 when the key has changed.
  void Finish(ErrorCode error);

 private:
  void OnCancelled();
  // Gives back the place among the watches of the database, once.
  void Release();

  const std::shared_ptr<DatabaseState> database_;
  const std::string key_;
  const std::optional<std::string> value_;
  const FutureRef future_;
  std::atomic<bool> released_{false};

  std::mutex mutex_;
  // Guarded by mutex_.
  bool cancelled_ = false;
  std::optional<uint64_t> engine_id_;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_PENDING_WATCH_H_
