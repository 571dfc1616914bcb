// FoundationDB's options and modes, as enumerations that say by their type which parameter the option takes.
//
// The numbers are FoundationDB's. An option that is not listed can be given by its number, cast to the enumeration of
// its parameter's type; the client refuses what it does not know (2007).
//
// Thread safety: constants.
//
//   absl::Status status = tr.SetOption(TransactionFlag::kReadYourWritesDisable);
//   status.Update(tr.SetOption(TransactionInt::kTimeoutMilliseconds, 500));
//   status.Update(tr.SetOption(TransactionText::kTag, "reports"));
#ifndef FDBJOBS_FDB_OPTIONS_H_
#define FDBJOBS_FDB_OPTIONS_H_

namespace fdbjobs::fdb {

// Options of the client's network; to be set before it starts.
enum class NetworkFlag : int {
  kDisableMultiVersionClientApi = 60,
  kDisableLocalClient = 64,
  kDisableClientStatisticsLogging = 70,
};
enum class NetworkInt : int {
  kTraceRollSize = 31,
  kTraceMaxLogsSize = 32,
};
enum class NetworkText : int {
  kTraceEnable = 30,  // the folder for trace files
  kTraceLogGroup = 33,
  kTraceFormat = 34,  // "xml" or "json"
  kKnob = 40,         // "name=value"
  kTlsCertificatePath = 43,
  kTlsKeyPath = 46,
  kTlsVerifyPeers = 47,
  kTlsCaPath = 53,
  kTlsPassword = 54,
  kExternalClientLibrary = 62,
  kExternalClientDirectory = 63,
};

// Options of a database. Those named kTransaction... are the defaults of the transactions made on it afterwards.
enum class DatabaseFlag : int {
  kSnapshotReadYourWritesEnable = 26,
  kSnapshotReadYourWritesDisable = 27,
};
enum class DatabaseInt : int {
  kLocationCacheSize = 10,
  kMaxWatches = 20,
  kTransactionTimeoutMilliseconds = 500,
  kTransactionRetryLimit = 501,
  kTransactionMaxRetryDelayMilliseconds = 502,
  kTransactionSizeLimitBytes = 503,
};
enum class DatabaseText : int {
  kMachineId = 21,
  kDatacenterId = 22,
};

// Options of a transaction. All end with a reset; OnError keeps the timeout, the retry limit and the retry delay (from
// API version 610 on).
enum class TransactionFlag : int {
  kCausalWriteRisky = 10,
  kCausalReadRisky = 20,
  // For the next write only.
  kNextWriteNoWriteConflictRange = 30,
  // Reads go to the database past this transaction's own writes. Before any read or write only.
  kReadYourWritesDisable = 51,
  // The embedded engine acknowledges the commit once other processes can see it, without waiting for the sync.
  // FoundationDB takes the option and ignores it.
  kDurabilityRisky = 120,
  kPrioritySystemImmediate = 200,
  kPriorityBatch = 201,
  kAccessSystemKeys = 301,
  kReadSystemKeys = 302,
  kLogTransaction = 404,
  // The two count: as many enables as disables make snapshot reads see the transaction's own writes again.
  kSnapshotReadYourWritesEnable = 600,
  kSnapshotReadYourWritesDisable = 601,
  kLockAware = 700,
  kUsedDuringCommitProtectionDisable = 701,
  kReadLockAware = 702,
  kReportConflictingKeys = 712,
  // Reads see a versionstamped value with the placeholder in it, instead of failing (1036).
  kBypassUnreadable = 1100,
};
enum class TransactionInt : int {
  kTimeoutMilliseconds = 500,  // from creation or the last Reset; 0: none
  kRetryLimit = 501,           // of OnError; -1: none
  kMaxRetryDelayMilliseconds = 502,
  kSizeLimitBytes = 503,
};
enum class TransactionText : int {
  kDebugTransactionIdentifier = 403,
  kTag = 800,
  kAutoThrottleTag = 801,
};

enum class StreamingMode : int {
  kWantAll = -2,   // the caller takes the whole range
  kIterator = -1,  // batches that grow as the caller comes back for more
  kExact = 0,      // exactly `limit` rows in one batch; needs a limit
  kSmall = 1,
  kMedium = 2,
  kLarge = 3,
  kSerial = 4,  // batches for one client alone that wants the most bandwidth
};

enum class MutationType : int {
  kAdd = 2,
  kBitAnd = 6,
  kBitOr = 7,
  kBitXor = 8,
  kAppendIfFits = 9,
  kMax = 12,
  kMin = 13,
  kSetVersionstampedKey = 14,
  kSetVersionstampedValue = 15,
  kByteMin = 16,
  kByteMax = 17,
  kCompareAndClear = 20,
};

// Whether a read adds to the transaction's read conflicts. Every read says which, so that its call site shows it.
enum class Isolation { kSerializable, kSnapshot };

}  // namespace fdbjobs::fdb

#endif  // FDBJOBS_FDB_OPTIONS_H_
