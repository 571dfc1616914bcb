// The FoundationDB error codes that the embedded engine returns, with FoundationDB's own numbers and texts.
//
// Thread safety: constants and pure functions.
#ifndef FDBJOBS_EMBEDDED_ERROR_CODES_H_
#define FDBJOBS_EMBEDDED_ERROR_CODES_H_

#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

inline constexpr ErrorCode kSuccess = 0;
inline constexpr ErrorCode kEndOfStream = 1;
inline constexpr ErrorCode kOperationFailed = 1000;
inline constexpr ErrorCode kTimedOut = 1004;
inline constexpr ErrorCode kTransactionTooOld = 1007;
inline constexpr ErrorCode kFutureVersion = 1009;
inline constexpr ErrorCode kNotCommitted = 1020;
inline constexpr ErrorCode kCommitUnknownResult = 1021;
inline constexpr ErrorCode kTransactionCancelled = 1025;
inline constexpr ErrorCode kTransactionTimedOut = 1031;
inline constexpr ErrorCode kTooManyWatches = 1032;
inline constexpr ErrorCode kWatchesDisabled = 1034;
inline constexpr ErrorCode kAccessedUnreadable = 1036;
inline constexpr ErrorCode kProcessBehind = 1037;
inline constexpr ErrorCode kDatabaseLocked = 1038;
inline constexpr ErrorCode kClusterVersionChanged = 1039;
inline constexpr ErrorCode kCommitProxyMemoryLimitExceeded = 1042;
inline constexpr ErrorCode kBatchTransactionThrottled = 1051;
inline constexpr ErrorCode kGrvProxyMemoryLimitExceeded = 1078;
inline constexpr ErrorCode kOperationCancelled = 1101;
inline constexpr ErrorCode kFutureReleased = 1102;
inline constexpr ErrorCode kTagThrottled = 1213;
inline constexpr ErrorCode kProxyTagThrottled = 1223;
inline constexpr ErrorCode kIncompatibleProtocolVersion = 1109;
inline constexpr ErrorCode kPlatformError = 1500;
inline constexpr ErrorCode kLargeAllocFailed = 1501;
inline constexpr ErrorCode kIoError = 1510;
inline constexpr ErrorCode kFileNotFound = 1511;
inline constexpr ErrorCode kFileNotReadable = 1513;
inline constexpr ErrorCode kFileNotWritable = 1514;
inline constexpr ErrorCode kNoClusterFileFound = 1515;
inline constexpr ErrorCode kFileCorrupt = 1522;
inline constexpr ErrorCode kClientInvalidOperation = 2000;
inline constexpr ErrorCode kCommitReadIncomplete = 2002;
inline constexpr ErrorCode kTestSpecificationInvalid = 2003;
inline constexpr ErrorCode kKeyOutsideLegalRange = 2004;
inline constexpr ErrorCode kInvertedRange = 2005;
inline constexpr ErrorCode kInvalidOptionValue = 2006;
inline constexpr ErrorCode kInvalidOption = 2007;
inline constexpr ErrorCode kNetworkNotSetup = 2008;
inline constexpr ErrorCode kNetworkAlreadySetup = 2009;
inline constexpr ErrorCode kReadVersionAlreadySet = 2010;
inline constexpr ErrorCode kVersionInvalid = 2011;
inline constexpr ErrorCode kRangeLimitsInvalid = 2012;
inline constexpr ErrorCode kInvalidDatabaseName = 2013;
inline constexpr ErrorCode kAttributeNotFound = 2014;
inline constexpr ErrorCode kFutureNotSet = 2015;
inline constexpr ErrorCode kFutureNotError = 2016;
inline constexpr ErrorCode kUsedDuringCommit = 2017;
inline constexpr ErrorCode kInvalidMutationType = 2018;
inline constexpr ErrorCode kTransactionInvalidVersion = 2020;
inline constexpr ErrorCode kNoCommitVersion = 2021;
inline constexpr ErrorCode kEnvironmentVariableNetworkOptionFailed = 2022;
inline constexpr ErrorCode kTransactionReadOnly = 2023;
inline constexpr ErrorCode kNetworkCannotBeRestarted = 2025;
inline constexpr ErrorCode kBlockedFromNetworkThread = 2026;
inline constexpr ErrorCode kTransactionTooLarge = 2101;
inline constexpr ErrorCode kKeyTooLarge = 2102;
inline constexpr ErrorCode kValueTooLarge = 2103;
inline constexpr ErrorCode kConnectionStringInvalid = 2104;
inline constexpr ErrorCode kAddressInUse = 2105;
inline constexpr ErrorCode kUnsupportedOperation = 2108;
inline constexpr ErrorCode kTooManyTags = 2109;
inline constexpr ErrorCode kTagTooLong = 2110;
inline constexpr ErrorCode kSpecialKeysCrossModuleRead = 2112;
inline constexpr ErrorCode kSpecialKeysNoModuleFound = 2113;
inline constexpr ErrorCode kSpecialKeysWriteDisabled = 2114;
inline constexpr ErrorCode kSpecialKeysNoWriteModuleFound = 2115;
inline constexpr ErrorCode kSpecialKeysCrossModuleClear = 2116;
inline constexpr ErrorCode kSpecialKeysApiFailure = 2117;
inline constexpr ErrorCode kTenantsDisabled = 2136;
inline constexpr ErrorCode kApiVersionUnset = 2200;
inline constexpr ErrorCode kApiVersionAlreadySet = 2201;
inline constexpr ErrorCode kApiVersionInvalid = 2202;
inline constexpr ErrorCode kApiVersionNotSupported = 2203;
inline constexpr ErrorCode kApiFunctionMissing = 2204;
inline constexpr ErrorCode kExactModeWithoutLimits = 2210;
inline constexpr ErrorCode kUnknownError = 4000;
inline constexpr ErrorCode kInternalError = 4100;

// FoundationDB's text for a code, of all codes that FoundationDB 7.3 has; "UNKNOWN_ERROR" for a number that it does not
// have. Never null, never freed.
const char* ErrorText(ErrorCode code);

// fdb_error_predicate: FDB_ERROR_PREDICATE_RETRYABLE (50000), _MAYBE_COMMITTED (50001),
// _RETRYABLE_NOT_COMMITTED (50002).
bool ErrorPredicate(int predicate, ErrorCode code);

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_ERROR_CODES_H_
