// DatabaseState: the object behind an FDBDatabase handle. The engine, the options, the number of watches.
//
// Thread safety: every method may be called from any thread.
// Lifetime: counted (shared_ptr); the handle and every transaction that was made from it hold one reference.
//
//   auto database = std::make_shared<DatabaseState>(engine, api_version, folder);
//   if (ErrorCode error = database->SetOption(20, "\x64\0\0\0\0\0\0\0"sv)) ...   // MAX_WATCHES
//   for (const auto& [code, value] : database->transaction_defaults()->options) transaction->SetOption(code, value);
#ifndef FDBJOBS_EMBEDDED_DATABASE_STATE_H_
#define FDBJOBS_EMBEDDED_DATABASE_STATE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fdbjobs/embedded/engine.h"
#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

// What a new transaction starts with, and what a reset one goes back to.
struct TransactionDefaults {
  struct Option {
    // Of the transaction's options, not of the database's.
    int code;
    std::optional<std::string> value;
  };
  // Each code at most once, in the order in which they were set; the values have been checked.
  std::vector<Option> options;
  // Snapshot reads see the transaction's own writes while this is above 0. Every SNAPSHOT_RYW_ENABLE adds one and
  // every SNAPSHOT_RYW_DISABLE takes one away, those of the transaction too.
  int snapshot_ryw = 1;
};

class DatabaseState {
 public:
  DatabaseState(std::shared_ptr<Engine> engine, int api_version, std::string folder);

  const std::shared_ptr<Engine>& engine() const { return engine_; }
  int api_version() const { return api_version_; }
  const std::string& folder() const { return folder_; }

  // kInvalidOption, kInvalidOptionValue or kUnsupportedOperation when it was refused. Transactions that exist already
  // do not change.
  ErrorCode SetOption(int option, std::optional<std::string_view> value);

  // Never null. What it points at does not change any more.
  std::shared_ptr<const TransactionDefaults> transaction_defaults() const;

  // Counts one more outstanding watch. False, and not counted, when MAX_WATCHES are outstanding: kTooManyWatches.
  bool TryAddWatch();
  // That watch fired, failed or was cancelled.
  void RemoveWatch();

 private:
  // Replaces the defaults by a changed copy.
  template <typename Change>
  void ChangeDefaults(Change change);
  static void ReplaceOption(int code, std::optional<std::string_view> value, TransactionDefaults* defaults);

  const std::shared_ptr<Engine> engine_;
  const int api_version_;
  const std::string folder_;

  std::atomic<int64_t> max_watches_{10'000};
  std::atomic<int64_t> watches_{0};

  mutable std::mutex mutex_;
  // Guarded by mutex_. Replaced as a whole, so that transactions share it without a copy.
  std::shared_ptr<const TransactionDefaults> defaults_;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_DATABASE_STATE_H_
