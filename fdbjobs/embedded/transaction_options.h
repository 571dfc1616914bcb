// TransactionOptions: what the options of one transaction have been set to, and which of them a retry keeps.
//
// Thread safety: none of its own; the transaction's mutex guards it. Lifetime: owns its values.
//
//   TransactionOptions options(*database);
//   if (ErrorCode error = options.Set(500, "\x64\0\0\0\0\0\0\0"sv)) ...   // TIMEOUT, 100 ms
//   options.ResetForRetry();                                           // keeps the timeout (API version >= 610)
#ifndef FDBJOBS_EMBEDDED_TRANSACTION_OPTIONS_H_
#define FDBJOBS_EMBEDDED_TRANSACTION_OPTIONS_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fdbjobs/embedded/database_state.h"
#include "fdbjobs/embedded/limits.h"
#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

// Codes of the transaction options that the transaction itself must know; all of them are in options.cc.
inline constexpr int kOptionReadYourWritesDisable = 51;
inline constexpr int kOptionInitializeNewDatabase = 300;
inline constexpr int kOptionTimeout = 500;

class TransactionOptions {
 public:
  explicit TransactionOptions(const DatabaseState& database);

  // kInvalidOption, kInvalidOptionValue, or what else the option is refused with.
  ErrorCode Set(int code, std::optional<std::string_view> value);
  // What on_error does: back to the defaults of the database, and what was set and is to stay.
  void ResetForRetry();
  // What reset does: back to the defaults that the database has now.
  void Reset(const DatabaseState& database);

  bool read_your_writes() const { return !values_.read_your_writes_disabled; }
  // Whether snapshot reads see own writes.
  bool snapshot_read_your_writes() const { return read_your_writes() && values_.snapshot_ryw > 0; }
  bool used_during_commit_protection() const { return !values_.used_during_commit_protection_disabled; }
  bool bypass_unreadable() const { return values_.bypass_unreadable; }
  bool durability_risky() const { return values_.durability_risky; }
  bool special_keys_relaxed() const { return values_.special_keys_relaxed; }
  bool special_keys_writable() const { return values_.special_keys_writable; }
  bool include_port() const { return values_.include_port; }
  // Lock-aware for reads only: must not commit writes.
  bool read_only() const { return values_.read_only; }
  int64_t size_limit() const { return values_.size_limit; }
  // -1: none.
  int64_t retry_limit() const { return values_.retry_limit; }
  // 0: none.
  std::chrono::milliseconds timeout() const { return values_.timeout; }
  std::chrono::milliseconds max_retry_delay() const { return values_.max_retry_delay; }
  // The ends of the keys that may be read and written.
  std::string_view max_read_key() const { return values_.read_system_keys ? kSystemEnd : kSystemBegin; }
  std::string_view max_write_key() const { return values_.write_system_keys ? kSystemEnd : kSystemBegin; }

  // Whether the next write conflicts as usual; asking uses NEXT_WRITE_NO_WRITE_CONFLICT_RANGE up.
  bool TakeWriteConflict() { return !std::exchange(values_.next_write_no_conflict, false); }

 private:
  struct Values {
    bool read_your_writes_disabled = false;
    int snapshot_ryw = 1;
    bool next_write_no_conflict = false;
    bool used_during_commit_protection_disabled = false;
    bool bypass_unreadable = false;
    bool durability_risky = false;
    bool special_keys_relaxed = false;
    bool special_keys_writable = false;
    bool include_port = false;
    bool lock_aware = false;
    bool read_only = false;
    bool read_system_keys = false;
    bool write_system_keys = false;
    int64_t size_limit = kTransactionSizeLimit;
    int64_t retry_limit = -1;
    std::chrono::milliseconds timeout{0};
    std::chrono::milliseconds max_retry_delay{1000};
    // The identifier for logs; it can't be changed once it is set.
    std::string debug_identifier = {};
    std::vector<std::string> tags = {};
  };

  ErrorCode Apply(int code, std::optional<std::string_view> value);
  ErrorCode SetDebugIdentifier(std::string_view identifier);
  ErrorCode AddTag(std::string_view tag);
  void ApplyInitial();

  const int api_version_;
  std::shared_ptr<const TransactionDefaults> defaults_;
  // Options set on this transaction that a retry keeps.
  std::vector<TransactionDefaults::Option> persistent_;
  Values values_;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_TRANSACTION_OPTIONS_H_
