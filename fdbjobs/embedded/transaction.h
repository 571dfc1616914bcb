// Transaction: the object behind an FDBTransaction handle. Read-your-writes, options, conflict ranges, life cycle.
//
// Thread safety: every method may be called from any thread; calls on one transaction are serialised by its mutex.
// Lifetime: counted (shared_ptr) since commits, watches and timers outlive the handle.
#ifndef FDBJOBS_EMBEDDED_TRANSACTION_H_
#define FDBJOBS_EMBEDDED_TRANSACTION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "fdbjobs/embedded/engine.h"
#include "fdbjobs/embedded/future.h"
#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

// The first key that is (>= key, or > key when or_equal) in the sense of FDBKeySelector, moved by `offset`.
struct KeySelectorView {
  std::string_view key;
  bool or_equal;
  int offset;
};

struct RangeRequest {
  KeySelectorView begin;
  KeySelectorView end;
  int limit = 0;         // rows; 0: none
  int target_bytes = 0;  // 0: none
  int mode = -1;         // FDBStreamingMode
  int iteration = 1;
  bool snapshot = false;
  bool reverse = false;
};

// What a database handle keeps for its transactions: the engine, the API version, defaults for options, the watch
// count.
class DatabaseState;

class Transaction : public std::enable_shared_from_this<Transaction> {
 public:
  static std::shared_ptr<Transaction> Make(std::shared_ptr<DatabaseState> database);
  virtual ~Transaction() = default;

  // `value` as the ABI gave it; nullopt when it gave a null pointer.
  virtual ErrorCode SetOption(int option, std::optional<std::string_view> value) = 0;

  virtual FutureRef GetReadVersion() = 0;
  virtual void SetReadVersion(Version version) = 0;
  virtual FutureRef Get(std::string_view key, bool snapshot) = 0;
  virtual FutureRef GetKey(const KeySelectorView& selector, bool snapshot) = 0;
  virtual FutureRef GetRange(const RangeRequest& request) = 0;
  virtual FutureRef GetAddressesForKey(std::string_view key) = 0;
  virtual FutureRef GetEstimatedRangeSizeBytes(std::string_view begin, std::string_view end) = 0;
  virtual FutureRef GetRangeSplitPoints(std::string_view begin, std::string_view end, int64_t chunk_bytes) = 0;

  // Errors of these are kept and reported by the next commit or read, as the functions of the ABI return void.
  virtual void Set(std::string_view key, std::string_view value) = 0;
  virtual void Clear(std::string_view key) = 0;
  virtual void ClearRange(std::string_view begin, std::string_view end) = 0;
  virtual void AtomicOp(std::string_view key, std::string_view operand, int type) = 0;
  virtual ErrorCode AddConflictRange(std::string_view begin, std::string_view end, int type) = 0;

  virtual FutureRef Watch(std::string_view key) = 0;
  virtual FutureRef Commit() = 0;
  virtual ErrorCode GetCommittedVersion(Version* version) = 0;
  virtual FutureRef GetVersionstamp() = 0;
  virtual FutureRef GetApproximateSize() = 0;
  virtual FutureRef OnError(ErrorCode error) = 0;
  virtual void Reset() = 0;
  virtual void Cancel() = 0;
  // The handle was destroyed: outstanding reads and watches that were not committed are cancelled.
  virtual void Destroy() = 0;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_TRANSACTION_H_
