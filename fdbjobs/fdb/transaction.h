// Transaction: reading and writing in one FoundationDB transaction, whoever owns it.
//
// Functions that work inside a transaction take a `Transaction&`. There are two kinds: an OwnedTransaction, which
// Database::CreateTransaction makes and which destroys its handle, and a BorrowedTransaction, which wraps the raw
// FDBTransaction* of a caller who uses fdb_c directly, and leaves commit, retry and destruction to that caller.
//
// Reads return futures; issue those that don't depend on each other together. Writes return nothing: an error of
// theirs comes with the next read or with the commit, as in FoundationDB. After a commit, or an error, reset the
// transaction (OnError does it) or drop it. Transact in transact.h does all of that.
//
// User versions: all versionstamps of one transaction share their first ten bytes. The two bytes after them, the user
// version, tell them apart; NextUserVersion counts them, from 0, so no two in a transaction are the same.
//
// Thread safety: calls on one transaction may come from several threads.
// Lifetime: must not outlive its database. Keys and values are copied during the call that they are given to.
//
//   absl::StatusOr<OwnedTransaction> tr = database.CreateTransaction();
//   ValueFuture old = tr->Get("counter", Isolation::kSerializable);
//   tr->Set("seen", "yes");
//   absl::Status status = tr->Commit().Await();
#ifndef FDBJOBS_FDB_TRANSACTION_H_
#define FDBJOBS_FDB_TRANSACTION_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "fdbjobs/fdb/abi.h"
#include "fdbjobs/fdb/client.h"
#include "fdbjobs/fdb/future.h"
#include "fdbjobs/fdb/key_selector.h"
#include "fdbjobs/fdb/options.h"

namespace fdbjobs::fdb {

// One batch of a range read: the parameters of fdb_transaction_get_range. RangeReader in range.h reads whole ranges.
struct RangeRequest {
  KeySelectorView begin;  // included
  KeySelectorView end;    // excluded
  Isolation isolation = Isolation::kSerializable;
  bool reverse = false;
  int limit = 0;         // rows; 0: no limit
  int target_bytes = 0;  // about where a batch ends; 0: the mode decides
  StreamingMode mode = StreamingMode::kIterator;
  int iteration = 1;  // for kIterator: 1 for the first batch, then one more for each
};

// Written by a transaction so that it can be recognised later: if `key` holds `token`, it has committed. See
// Transaction::WriteReceipt.
struct Receipt {
  std::string key;
  std::string token;            // in the order of bytes after all that were written to `key` before
  std::shared_ptr<void> owner;  // kept until the outcome is known, so that nobody else uses the key meanwhile
};

class Transaction {
 public:
  // What a layer remembers of one try of a transaction, such as rows that it stamped and can't read back.
  class Memory {
   public:
    virtual ~Memory() = default;
  };

  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  // Reads.
  ValueFuture Get(std::string_view key, Isolation isolation);
  KeyFuture GetKey(const KeySelectorView& selector, Isolation isolation);
  RangeFuture GetRange(const RangeRequest& request);
  Int64Future GetReadVersion();
  // Before any read; the version must come from GetReadVersion or GetCommittedVersion of the same database.
  void SetReadVersion(int64_t version);
  StringsFuture GetAddressesForKey(std::string_view key);
  Int64Future GetEstimatedRangeSizeBytes(std::string_view begin, std::string_view end);
  // Keys that cut the range into pieces of about `chunk_bytes`, begin and end included. FoundationDB's clients before
  // 7.0 do not have it: unsupported_operation (2108).
  KeysFuture GetRangeSplitPoints(std::string_view begin, std::string_view end, int64_t chunk_bytes);

  // Writes.
  void Set(std::string_view key, std::string_view value);
  void Clear(std::string_view key);
  void ClearRange(std::string_view begin, std::string_view end);
  void AtomicOp(MutationType type, std::string_view key, std::string_view operand);
  // Adds to the 64-bit little-endian number at `key` (0 when there is none), without conflicting with other adders.
  void Add(std::string_view key, int64_t delta);
  // Writes with the transaction's ten-byte versionstamp in place of the ten bytes at `offset` of the key, or value.
  void SetVersionstampedKey(std::string_view key, uint32_t offset, std::string_view value);
  void SetVersionstampedValue(std::string_view key, std::string_view value, uint32_t offset);
  // The next number for the two bytes after a versionstamp. kResourceExhausted once all 65,536 were given out.
  absl::StatusOr<uint16_t> NextUserVersion();
  // How many user versions were given out since the transaction began, or was reset.
  uint32_t user_versions_used() const { return user_versions_used_.load(std::memory_order_relaxed); }

  // Conflicts beyond those that reads and writes make.
  absl::Status AddReadConflictRange(std::string_view begin, std::string_view end);
  absl::Status AddReadConflictKey(std::string_view key);
  absl::Status AddWriteConflictRange(std::string_view begin, std::string_view end);
  absl::Status AddWriteConflictKey(std::string_view key);

  // Becomes ready once the key's value is no longer the one that this transaction saw, if it commits. The future
  // outlives the transaction.
  VoidFuture Watch(std::string_view key);

  // Options.
  absl::Status SetOption(TransactionFlag option);
  absl::Status SetOption(TransactionInt option, int64_t value);
  absl::Status SetOption(TransactionText option, std::string_view value);
  // From now on every use fails with transaction_timed_out once `timeout` has passed since the transaction was made.
  // Rounded up to milliseconds; infinite: never.
  absl::Status SetTimeout(absl::Duration timeout);

  // Ending and beginning again.
  VoidFuture Commit();
  // After a commit; -1 when the transaction wrote nothing.
  absl::StatusOr<int64_t> GetCommittedVersion();
  // To be asked for before the commit; ready after it.
  KeyFuture GetVersionstamp();
  Int64Future GetApproximateSize();
  // Waits as long as FoundationDB thinks fit and resets the transaction for another try; or fails with the error,
  // when a retry can't cure it.
  VoidFuture OnError(int fdb_code);
  // The error that the try before ended with, if this one follows it by OnError; 0 in a first try.
  int retry_of() const { return retry_of_; }
  void Reset();
  // All pending and later uses fail with transaction_cancelled (1025), until it is reset.
  void Cancel();

  // Writes the receipt and remembers it over retries, so that Transact can tell after an unknown result whether the
  // transaction has committed, and then does not run it again. One for a transaction: a second call does nothing.
  void WriteReceipt(Receipt receipt);
  const std::optional<Receipt>& receipt() const { return receipt_; }
  bool receipt_written() const { return receipt_written_; }
  // Whether the handle lives over all tries, so that a receipt is of use. A borrowed one does not.
  bool keeps_receipts() const { return keeps_receipts_; }

  // The memory of the layer that calls it, made at the first call in each try. One layer only; one thread at a time.
  template <typename T>
  T& memory() {
    if (memory_ == nullptr) memory_ = std::make_unique<T>();
    return static_cast<T&>(*memory_);
  }

  Client& client() const { return *client_; }
  // For calls of fdb_c that are not wrapped here. Stays owned by who owns it.
  FDBTransaction* raw() const { return handle_; }

 protected:
  Transaction(Client& client, FDBTransaction* handle, uint32_t user_versions_used, bool keeps_receipts)
      : client_(&client), handle_(handle), keeps_receipts_(keeps_receipts), user_versions_used_(user_versions_used) {}
  Transaction(Transaction&& other) noexcept;
  ~Transaction() = default;

  const abi::Api& api() const { return client_->api(); }
  void Swap(Transaction& other) noexcept;

 private:
  absl::Status AddConflictRange(std::string_view begin, std::string_view end, abi::ConflictRangeType type);
  // Forgets what belongs to one try.
  void ForgetTry();

  Client* client_;
  FDBTransaction* handle_;
  bool keeps_receipts_;
  int retry_of_ = 0;
  bool receipt_written_ = false;  // in this try
  std::optional<Receipt> receipt_;
  std::unique_ptr<Memory> memory_;
  // 0 to 65,536; the next user version is this number.
  std::atomic<uint32_t> user_versions_used_;
};

// Owns its handle. Made by Database::CreateTransaction.
class OwnedTransaction final : public Transaction {
 public:
  OwnedTransaction(OwnedTransaction&& other) noexcept = default;
  OwnedTransaction& operator=(OwnedTransaction&& other) noexcept {
    OwnedTransaction taken(std::move(other));
    Swap(taken);
    return *this;
  }
  ~OwnedTransaction();

 private:
  friend class Database;
  OwnedTransaction(Client& client, FDBTransaction* owned)
      : Transaction(client, owned, /*user_versions_used=*/0, /*keeps_receipts=*/true) {}
};

// Works in a caller's transaction, and never destroys it. Make one for each try of the transaction and use it for all
// that is done in this try: it counts the user versions. Make a new one after the raw transaction was reset.
//
//   absl::StatusOr<Client*> client = Client::Load(Engine::kCluster);  // the libfdb_c that the program uses
//   if (!client.ok()) return client.status();
//   BorrowedTransaction borrowed(**client, raw);
class BorrowedTransaction final : public Transaction {
 public:
  // `raw` must be of the library of `client`, and outlive this. A caller who has put versionstamps of its own into
  // the transaction tells how many user versions, from 0 on, it has used.
  BorrowedTransaction(Client& client, FDBTransaction* raw, uint32_t user_versions_used = 0)
      : Transaction(client, raw, user_versions_used, /*keeps_receipts=*/false) {}
};

}  // namespace fdbjobs::fdb

#endif  // FDBJOBS_FDB_TRANSACTION_H_
