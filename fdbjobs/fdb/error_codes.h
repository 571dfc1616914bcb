// FoundationDB's error numbers that code above fdb_c tells apart, by FoundationDB's names.
//
// Thread safety: constants. The full list is in FoundationDB's documentation ("Error Codes").
//
//   if (FdbCode(status) == error::kTransactionTooLarge) batch /= 2;
#ifndef FDBJOBS_FDB_ERROR_CODES_H_
#define FDBJOBS_FDB_ERROR_CODES_H_

namespace fdbjobs::fdb::error {

inline constexpr int kSuccess = 0;
inline constexpr int kOperationFailed = 1000;
inline constexpr int kTimedOut = 1004;
inline constexpr int kTransactionTooOld = 1007;
inline constexpr int kFutureVersion = 1009;
inline constexpr int kNotCommitted = 1020;
inline constexpr int kCommitUnknownResult = 1021;
inline constexpr int kTransactionCancelled = 1025;
inline constexpr int kWatchCancelled = 1029;
inline constexpr int kTransactionTimedOut = 1031;
inline constexpr int kTooManyWatches = 1032;
inline constexpr int kWatchesDisabled = 1034;
inline constexpr int kAccessedUnreadable = 1036;
inline constexpr int kProcessBehind = 1037;
inline constexpr int kDatabaseLocked = 1038;
inline constexpr int kClusterVersionChanged = 1039;
inline constexpr int kProxyMemoryLimitExceeded = 1042;
inline constexpr int kBatchTransactionThrottled = 1051;
inline constexpr int kOperationCancelled = 1101;
inline constexpr int kFutureReleased = 1102;
inline constexpr int kTagThrottled = 1213;
inline constexpr int kPlatformError = 1500;
inline constexpr int kIoError = 1510;
inline constexpr int kFileNotFound = 1511;
inline constexpr int kFileNotReadable = 1513;
inline constexpr int kFileNotWritable = 1514;
inline constexpr int kNoClusterFileFound = 1515;
inline constexpr int kChecksumFailed = 1520;
inline constexpr int kFileCorrupt = 1522;
inline constexpr int kClientInvalidOperation = 2000;
inline constexpr int kCommitReadIncomplete = 2002;
inline constexpr int kKeyOutsideLegalRange = 2004;
inline constexpr int kInvertedRange = 2005;
inline constexpr int kInvalidOptionValue = 2006;
inline constexpr int kInvalidOption = 2007;
inline constexpr int kNetworkNotSetup = 2008;
inline constexpr int kNetworkAlreadySetup = 2009;
inline constexpr int kReadVersionAlreadySet = 2010;
inline constexpr int kVersionInvalid = 2011;
inline constexpr int kRangeLimitsInvalid = 2012;
inline constexpr int kFutureNotSet = 2015;
inline constexpr int kUsedDuringCommit = 2017;
inline constexpr int kInvalidMutationType = 2018;
inline constexpr int kTransactionInvalidVersion = 2020;
inline constexpr int kNoCommitVersion = 2021;
inline constexpr int kTransactionReadOnly = 2023;
inline constexpr int kNetworkCannotBeRestarted = 2025;
inline constexpr int kBlockedFromNetworkThread = 2026;
inline constexpr int kTransactionTooLarge = 2101;
inline constexpr int kKeyTooLarge = 2102;
inline constexpr int kValueTooLarge = 2103;
inline constexpr int kConnectionStringInvalid = 2104;
inline constexpr int kUnsupportedOperation = 2108;
inline constexpr int kTagTooLong = 2110;
inline constexpr int kTooManyTagThrottles = 2111;
inline constexpr int kApiVersionAlreadySet = 2201;
inline constexpr int kApiVersionInvalid = 2202;
inline constexpr int kApiVersionNotSupported = 2203;
inline constexpr int kExactModeWithoutLimits = 2210;
inline constexpr int kUnknownError = 4000;
inline constexpr int kInternalError = 4100;

}  // namespace fdbjobs::fdb::error

#endif  // FDBJOBS_FDB_ERROR_CODES_H_
