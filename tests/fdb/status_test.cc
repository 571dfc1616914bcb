// Statuses from a made-up client, so that what the client says can be told from what fdbjobs adds.
#include "fdbjobs/fdb/status.h"

#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace fdbjobs::fdb {
namespace {

using ::fdbjobs::test::HasStatus;
using ::testing::Eq;

constexpr int kFromTheFuture = 1999;  // retryable in the made-up client, unknown to fdbjobs

abi::Api MadeUpClient() {
  abi::Api api = {};
  api.get_error = [](abi::ErrorCode code) { return code == error::kNotCommitted ? "conflict" : "some error"; };
  api.error_predicate = [](int predicate, abi::ErrorCode code) -> abi::Bool {
    const bool maybe = code == error::kCommitUnknownResult;
    const bool not_committed = code == error::kNotCommitted || code == kFromTheFuture;
    if (predicate == abi::kPredicateMaybeCommitted) return maybe;
    return predicate == abi::kPredicateRetryable ? maybe || not_committed : not_committed;
  };
  return api;
}

absl::Status Make(int code, Phase phase = Phase::kOther) { return StatusFromCode(MadeUpClient(), code, "test", phase); }

TEST(Status, ZeroIsOk) {
  const absl::Status status = Make(0);
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(FdbCode(status), 0);
  EXPECT_FALSE(IsRetryable(status));
  EXPECT_FALSE(MaybeCommitted(status));
  EXPECT_FALSE(IsPermanent(status));
}

TEST(Status, SaysWhatWasDoneWhatFailedAndTheNumber) {
  EXPECT_THAT(StatusFromCode(MadeUpClient(), 1020, "commit"),
              HasStatus(absl::StatusCode::kAborted, Eq("commit: conflict (fdb error 1020)")));
  EXPECT_THAT(StatusFromCode(MadeUpClient(), 1020, "open", Phase::kOther, "disk is full"),
              HasStatus(absl::StatusCode::kAborted, Eq("open: conflict (fdb error 1020): disk is full")));
}

TEST(Status, ThreeQuestions) {
  struct Case {
    int code;
    bool retryable, maybe_committed, permanent;
  };
  for (const Case& c :
       {Case{1020, true, false, false}, Case{1021, true, true, false}, Case{kFromTheFuture, true, false, false},
        Case{1031, false, false, false}, Case{1025, false, false, false}, Case{2004, false, false, true},
        Case{2101, false, false, true}, Case{1032, false, false, false}, Case{4100, false, false, true}}) {
    const absl::Status status = Make(c.code);
    EXPECT_EQ(FdbCode(status), c.code);
    EXPECT_EQ(IsRetryable(status), c.retryable) << status;
    EXPECT_EQ(MaybeCommitted(status), c.maybe_committed) << status;
    EXPECT_EQ(IsPermanent(status), c.permanent) << status;
  }
}

TEST(Status, ACommitThatIsCutOffMayHaveCommitted) {
  for (int code : {error::kTransactionTimedOut, error::kTransactionCancelled, error::kOperationCancelled}) {
    EXPECT_FALSE(MaybeCommitted(Make(code, Phase::kOther)));
    EXPECT_TRUE(MaybeCommitted(Make(code, Phase::kCommit)));
    EXPECT_FALSE(IsRetryable(Make(code, Phase::kCommit)));
  }
  EXPECT_FALSE(MaybeCommitted(Make(error::kNotCommitted, Phase::kCommit)));
}

TEST(Status, CanonicalCodes) {
  EXPECT_EQ(CanonicalCode(error::kTransactionTooOld), absl::StatusCode::kAborted);
  EXPECT_EQ(CanonicalCode(error::kCommitUnknownResult), absl::StatusCode::kUnknown);
  EXPECT_EQ(CanonicalCode(error::kTransactionTimedOut), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(CanonicalCode(error::kOperationCancelled), absl::StatusCode::kCancelled);
  EXPECT_EQ(CanonicalCode(error::kTooManyWatches), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(CanonicalCode(error::kNoClusterFileFound), absl::StatusCode::kNotFound);
  EXPECT_EQ(CanonicalCode(error::kFileNotWritable), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(CanonicalCode(error::kFileCorrupt), absl::StatusCode::kDataLoss);
  EXPECT_EQ(CanonicalCode(error::kKeyTooLarge), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CanonicalCode(error::kTransactionTooLarge), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(CanonicalCode(error::kUnsupportedOperation), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(CanonicalCode(error::kUsedDuringCommit), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(CanonicalCode(error::kFutureVersion), absl::StatusCode::kUnavailable);
  EXPECT_EQ(CanonicalCode(error::kIoError), absl::StatusCode::kInternal);
  EXPECT_EQ(CanonicalCode(1499), absl::StatusCode::kUnavailable);
  EXPECT_EQ(CanonicalCode(1999), absl::StatusCode::kInternal);
  EXPECT_EQ(CanonicalCode(2999), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(CanonicalCode(3000), absl::StatusCode::kUnknown);
}

TEST(Status, OtherStatusesHaveNoFdbCode) {
  const absl::Status status = absl::NotFoundError("no such job");
  EXPECT_EQ(FdbCode(status), 0);
  EXPECT_FALSE(IsRetryable(status));
  EXPECT_FALSE(MaybeCommitted(status));
  EXPECT_TRUE(IsPermanent(status));
  EXPECT_FALSE(IsPermanent(absl::UnavailableError("later")));
}

TEST(Status, AnnotationKeepsCodeAndAnswers) {
  const absl::Status status = Annotate(Make(1021), "add job");
  EXPECT_THAT(status, HasStatus(absl::StatusCode::kUnknown, Eq("add job: test: some error (fdb error 1021)")));
  EXPECT_EQ(FdbCode(status), 1021);
  EXPECT_TRUE(IsRetryable(status));
  EXPECT_TRUE(MaybeCommitted(status));
  EXPECT_TRUE(Annotate(absl::OkStatus(), "add job").ok());
}

TEST(Status, MaybeCommittedCanBeAdded) {
  const absl::Status fdb = WithMaybeCommitted(Make(1020));
  EXPECT_EQ(FdbCode(fdb), 1020);
  EXPECT_TRUE(IsRetryable(fdb));
  EXPECT_TRUE(MaybeCommitted(fdb));
  const absl::Status other = WithMaybeCommitted(absl::NotFoundError("no such job"));
  EXPECT_EQ(FdbCode(other), 0);
  EXPECT_TRUE(MaybeCommitted(other));
  EXPECT_TRUE(WithMaybeCommitted(absl::OkStatus()).ok());
}

TEST(Status, ForeignPayloadsAreNoAnswers) {
  absl::Status status = absl::InternalError("x");
  status.SetPayload("fdbjobs.fdb/error", absl::Cord("garbage"));
  EXPECT_EQ(FdbCode(status), 0);
  EXPECT_FALSE(IsRetryable(status));
}

}  // namespace
}  // namespace fdbjobs::fdb
