#include "fdbjobs/embedded/error_codes.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

namespace fdbjobs::embedded {
namespace {

struct Row {
  ErrorCode code;
  int number;
  const char* text;
};

// Every code that the engine names, with FoundationDB's number and text.
constexpr Row kRows[] = {
    {kSuccess, 0, "Success"},
    {kEndOfStream, 1, "End of stream"},
    {kOperationFailed, 1000, "Operation failed"},
    {kTimedOut, 1004, "Operation timed out"},
    {kTransactionTooOld, 1007, "Transaction is too old to perform reads or be committed"},
    {kFutureVersion, 1009, "Request for future version"},
    {kNotCommitted, 1020, "Transaction not committed due to conflict with another transaction"},
    {kCommitUnknownResult, 1021, "Transaction may or may not have committed"},
    {kTransactionCancelled, 1025, "Operation aborted because the transaction was cancelled"},
    {kTransactionTimedOut, 1031, "Operation aborted because the transaction timed out"},
    {kTooManyWatches, 1032, "Too many watches currently set"},
    {kWatchesDisabled, 1034, "Watches cannot be set if read your writes is disabled"},
    {kAccessedUnreadable, 1036, "Read or wrote an unreadable key"},
    {kProcessBehind, 1037, "Storage process does not have recent mutations"},
    {kDatabaseLocked, 1038, "Database is locked"},
    {kClusterVersionChanged, 1039, "The protocol version of the cluster has changed"},
    {kCommitProxyMemoryLimitExceeded, 1042, "CommitProxy commit memory limit exceeded"},
    {kBatchTransactionThrottled, 1051, "Batch GRV request rate limit exceeded"},
    {kGrvProxyMemoryLimitExceeded, 1078, "GetReadVersion proxy memory limit exceeded"},
    {kOperationCancelled, 1101, "Asynchronous operation cancelled"},
    {kFutureReleased, 1102, "Future has been released"},
    {kTagThrottled, 1213, "Transaction tag is being throttled"},
    {kProxyTagThrottled, 1223, "Exceeded maximum proxy tag throttling duration"},
    {kPlatformError, 1500, "Platform error"},
    {kLargeAllocFailed, 1501, "Large block allocation failed"},
    {kIoError, 1510, "Disk i/o operation failed"},
    {kFileNotFound, 1511, "File not found"},
    {kFileNotReadable, 1513, "File could not be read"},
    {kFileNotWritable, 1514, "File could not be written"},
    {kNoClusterFileFound, 1515, "No cluster file found in current directory or default location"},
    {kFileCorrupt, 1522, "A structurally corrupt data file was detected"},
    {kClientInvalidOperation, 2000, "Invalid API call"},
    {kCommitReadIncomplete, 2002, "Commit with incomplete read"},
    {kTestSpecificationInvalid, 2003, "Invalid test specification"},
    {kKeyOutsideLegalRange, 2004, "Key outside legal range"},
    {kInvertedRange, 2005, "Range begin key larger than end key"},
    {kInvalidOptionValue, 2006, "Option set with an invalid value"},
    {kInvalidOption, 2007, "Option not valid in this context"},
    {kNetworkNotSetup, 2008, "Action not possible before the network is configured"},
    {kNetworkAlreadySetup, 2009, "Network can be configured only once"},
    {kReadVersionAlreadySet, 2010, "Transaction already has a read version set"},
    {kVersionInvalid, 2011, "Version not valid"},
    {kRangeLimitsInvalid, 2012, "Range limits not valid"},
    {kInvalidDatabaseName, 2013, "Database name must be 'DB'"},
    {kAttributeNotFound, 2014, "Attribute not found"},
    {kFutureNotSet, 2015, "Future not ready"},
    {kFutureNotError, 2016, "Future not an error"},
    {kUsedDuringCommit, 2017, "Operation issued while a commit was outstanding"},
    {kInvalidMutationType, 2018, "Unrecognized atomic mutation type"},
    {kTransactionInvalidVersion, 2020, "Transaction does not have a valid commit version"},
    {kNoCommitVersion, 2021, "Transaction is read-only and therefore does not have a commit version"},
    {kEnvironmentVariableNetworkOptionFailed, 2022, "Environment variable network option could not be set"},
    {kTransactionReadOnly, 2023, "Attempted to commit a transaction specified as read-only"},
    {kNetworkCannotBeRestarted, 2025, "Network can only be started once"},
    {kBlockedFromNetworkThread, 2026, "Detected a deadlock in a callback called from the network thread"},
    {kTransactionTooLarge, 2101, "Transaction exceeds byte limit"},
    {kKeyTooLarge, 2102, "Key length exceeds limit"},
    {kValueTooLarge, 2103, "Value length exceeds limit"},
    {kConnectionStringInvalid, 2104, "Connection string invalid"},
    {kAddressInUse, 2105, "Local address in use"},
    {kUnsupportedOperation, 2108, "Operation is not supported"},
    {kTooManyTags, 2109, "Too many tags set on transaction"},
    {kTagTooLong, 2110, "Tag set on transaction is too long"},
    {kSpecialKeysCrossModuleRead, 2112,
     "Special key space range read crosses modules. Refer to the `special_key_space_relaxed' transaction option for "
     "more details."},
    {kSpecialKeysNoModuleFound, 2113,
     "Special key space range read does not intersect a module. Refer to the `special_key_space_relaxed' transaction "
     "option for more details."},
    {kSpecialKeysWriteDisabled, 2114,
     "Special Key space is not allowed to write by default. Refer to the `special_key_space_enable_writes` transaction "
     "option for more details."},
    {kSpecialKeysNoWriteModuleFound, 2115,
     "Special key space key or keyrange in set or clear does not intersect a module"},
    {kSpecialKeysCrossModuleClear, 2116, "Special key space clear crosses modules"},
    {kSpecialKeysApiFailure, 2117,
     "Api call through special keys failed. For more information, call get on special key 0xff0xff/error_message to "
     "get a json string of the error message."},
    {kTenantsDisabled, 2136, "Tenants have been disabled in the cluster"},
    {kApiVersionUnset, 2200, "API version is not set"},
    {kApiVersionAlreadySet, 2201, "API version may be set only once"},
    {kApiVersionInvalid, 2202, "API version not valid"},
    {kApiVersionNotSupported, 2203, "API version not supported"},
    {kApiFunctionMissing, 2204, "Failed to load a required FDB API function."},
    {kExactModeWithoutLimits, 2210, "EXACT streaming mode requires limits, but none were given"},
    {kUnknownError, 4000, "An unknown error occurred"},
    {kInternalError, 4100, "An internal error occurred"},
};

// Codes that FoundationDB has and the engine never names: the text is there all the same.
constexpr Row kOthers[] = {
    {1022, 1022,
     "Idempotency id for transaction may have expired, so the commit status of the transaction cannot be determined"},
    {1105, 1105, "Retry operation"},
    {1235, 1235, "finishMoveKeys exceeded retry limit"},
    {2032, 2032, "\"{...}\" must be the last element of the mapper tuple"},
    {2134, 2134, "Tenant name cannot begin with \\xff"},
    {2712, 2712, "Max BaseCipher buffer length violation"},
    {4200, 4200, "Not implemented yet"},
    {6005, 6005, "Failed to encode public/private key"},
};

constexpr int kRetryable = 50000;
constexpr int kMaybeCommitted = 50001;
constexpr int kRetryableNotCommitted = 50002;

TEST(ErrorCodes, NumbersAndTexts) {
  for (const Row& row : kRows) {
    EXPECT_EQ(row.code, row.number);
    EXPECT_STREQ(ErrorText(row.number), row.text);
  }
  for (const Row& row : kOthers) EXPECT_STREQ(ErrorText(row.number), row.text);
}

TEST(ErrorCodes, EveryCodeOfFoundationDB) {
  int known = 0;
  for (ErrorCode code = 0; code <= 30'000; ++code) known += ErrorText(code) != std::string("UNKNOWN_ERROR") ? 1 : 0;
  EXPECT_EQ(known, 344);
}

TEST(ErrorCodes, NumbersThatAreNoCodes) {
  EXPECT_STREQ(ErrorText(2), "UNKNOWN_ERROR");
  EXPECT_STREQ(ErrorText(30'000), "UNKNOWN_ERROR");
  for (ErrorCode code : {-1, 30'001, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}) {
    EXPECT_STREQ(ErrorText(code), "An unknown error occurred");
  }
}

TEST(ErrorCodes, Predicates) {
  const std::set<ErrorCode> maybe_committed = {1021, 1039};
  const std::set<ErrorCode> not_committed = {1007, 1009, 1020, 1037, 1038, 1042, 1051, 1078, 1213, 1223};
  for (ErrorCode code = -1; code <= 7000; ++code) {
    const bool maybe = maybe_committed.contains(code);
    const bool surely_not = not_committed.contains(code);
    EXPECT_EQ(ErrorPredicate(kMaybeCommitted, code), maybe) << code;
    EXPECT_EQ(ErrorPredicate(kRetryableNotCommitted, code), surely_not) << code;
    EXPECT_EQ(ErrorPredicate(kRetryable, code), maybe || surely_not) << code;
    EXPECT_FALSE(ErrorPredicate(0, code)) << code;
  }
}

}  // namespace
}  // namespace fdbjobs::embedded
