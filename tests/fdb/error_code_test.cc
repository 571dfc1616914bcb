// The table of error codes: every client has these numbers, says what they mean, and agrees on what can be retried.
#include <string>

#include "fdbjobs/fdb/status.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_database.h"

namespace fdbjobs::fdb {
namespace {

struct Row {
  int code;
  bool retryable;
  bool maybe_committed;
};

constexpr Row kTable[] = {
    {error::kOperationFailed, false, false},
    {error::kTimedOut, false, false},
    {error::kTransactionTooOld, true, false},
    {error::kFutureVersion, true, false},
    {error::kNotCommitted, true, false},
    {error::kCommitUnknownResult, true, true},
    {error::kTransactionCancelled, false, false},
    {error::kWatchCancelled, false, false},
    {error::kTransactionTimedOut, false, false},
    {error::kTooManyWatches, false, false},
    {error::kWatchesDisabled, false, false},
    {error::kAccessedUnreadable, false, false},
    {error::kProcessBehind, true, false},
    {error::kDatabaseLocked, true, false},
    {error::kClusterVersionChanged, true, true},
    {error::kProxyMemoryLimitExceeded, true, false},
    {error::kBatchTransactionThrottled, true, false},
    {error::kOperationCancelled, false, false},
    {error::kFutureReleased, false, false},
    {error::kTagThrottled, true, false},
    {error::kPlatformError, false, false},
    {error::kIoError, false, false},
    {error::kFileNotFound, false, false},
    {error::kFileNotReadable, false, false},
    {error::kFileNotWritable, false, false},
    {error::kNoClusterFileFound, false, false},
    {error::kChecksumFailed, false, false},
    {error::kFileCorrupt, false, false},
    {error::kClientInvalidOperation, false, false},
    {error::kCommitReadIncomplete, false, false},
    {error::kKeyOutsideLegalRange, false, false},
    {error::kInvertedRange, false, false},
    {error::kInvalidOptionValue, false, false},
    {error::kInvalidOption, false, false},
    {error::kNetworkNotSetup, false, false},
    {error::kNetworkAlreadySetup, false, false},
    {error::kReadVersionAlreadySet, false, false},
    {error::kVersionInvalid, false, false},
    {error::kRangeLimitsInvalid, false, false},
    {error::kFutureNotSet, false, false},
    {error::kUsedDuringCommit, false, false},
    {error::kInvalidMutationType, false, false},
    {error::kTransactionInvalidVersion, false, false},
    {error::kNoCommitVersion, false, false},
    {error::kTransactionReadOnly, false, false},
    {error::kNetworkCannotBeRestarted, false, false},
    {error::kBlockedFromNetworkThread, false, false},
    {error::kTransactionTooLarge, false, false},
    {error::kKeyTooLarge, false, false},
    {error::kValueTooLarge, false, false},
    {error::kConnectionStringInvalid, false, false},
    {error::kUnsupportedOperation, false, false},
    {error::kTagTooLong, false, false},
    {error::kTooManyTagThrottles, false, false},
    {error::kApiVersionAlreadySet, false, false},
    {error::kApiVersionInvalid, false, false},
    {error::kApiVersionNotSupported, false, false},
    {error::kExactModeWithoutLimits, false, false},
    {error::kUnknownError, false, false},
    {error::kInternalError, false, false},
};

TEST(ErrorCode, TheClientAgreesWithTheTable) {
  const abi::Api& api = test::TestDatabase().client().api();
  const std::string unknown = api.get_error(2999);
  for (const Row& row : kTable) {
    const absl::Status status = StatusFromCode(api, row.code, "test");
    EXPECT_EQ(IsRetryable(status), row.retryable) << status;
    EXPECT_EQ(MaybeCommitted(status), row.maybe_committed) << status;
    EXPECT_FALSE(IsRetryable(status) && IsPermanent(status)) << status;
    EXPECT_EQ(api.error_predicate(abi::kPredicateRetryableNotCommitted, row.code) != 0,
              row.retryable && !row.maybe_committed)
        << status;
    EXPECT_NE(api.get_error(row.code), unknown) << row.code;
  }
}

TEST(ErrorCode, SuccessIsNothingToRetry) {
  const abi::Api& api = test::TestDatabase().client().api();
  EXPECT_STREQ(api.get_error(0), "Success");
  EXPECT_FALSE(api.error_predicate(abi::kPredicateRetryable, 0));
  EXPECT_TRUE(StatusFromCode(api, 0, "test").ok());
}

TEST(ErrorCode, AnUnknownPredicateHoldsForNothing) {
  const abi::Api& api = test::TestDatabase().client().api();
  EXPECT_FALSE(api.error_predicate(12345, error::kNotCommitted));
}

}  // namespace
}  // namespace fdbjobs::fdb
