// FoundationDB errors as absl::Status. The status keeps FoundationDB's number and answers three questions: can a retry
// cure it, may the transaction have committed, is it permanent.
//
// The answers travel in a payload of the status, so they survive being passed up through any code that hands the
// status on. Whoever makes a new status out of an old one's message loses them: annotate with `Annotate` instead.
//
// Thread safety: pure functions. Lifetime: a Status owns all that it says.
//
//   absl::Status status = tr.Commit().Await();
//   if (MaybeCommitted(status)) return LookWhetherItIsThere();
//   if (IsRetryable(status)) return TryAgain();
//   std::cerr << status << ", FoundationDB's error " << FdbCode(status) << "\n";
#ifndef FDBJOBS_FDB_STATUS_H_
#define FDBJOBS_FDB_STATUS_H_

#include <string_view>

#include "absl/status/status.h"
#include "fdbjobs/fdb/abi.h"
#include "fdbjobs/fdb/error_codes.h"

namespace fdbjobs::fdb {

// FoundationDB's number; 0 when the status is ok or does not come from FoundationDB.
int FdbCode(const absl::Status& status);

// A new try of the whole transaction may succeed. True for those that may have committed, too: retry these only when
// doing it twice does no harm. The client that reported the error decides, so newer clients' new errors are covered.
bool IsRetryable(const absl::Status& status);

// The transaction's writes may be in the database, or may get there. Besides what FoundationDB says of the error
// itself (1021, 1039), this is so when a commit was cut off on the way: timed out (1031) or cancelled (1025, 1101).
bool MaybeCommitted(const absl::Status& status);

// Neither a retry nor waiting helps: the request, the program or the installation has to change. A status that is
// neither retryable nor permanent (a deadline, a cancellation, too many watches) depends on the caller.
bool IsPermanent(const absl::Status& status);

// The canonical code that the number is given: kAborted for conflicts and transactions too old, kDeadlineExceeded for
// timeouts, kCancelled, kUnavailable for a cluster's troubles, kInvalidArgument for wrong keys, values and options.
absl::StatusCode CanonicalCode(int fdb_code);

// What was being done when the error came.
enum class Phase { kOther, kCommit };

// The status of `code`, in the words of the client that reported it, after `operation` ("get", "commit"). Ok for 0.
// `detail` is added at the end when it is not empty.
absl::Status StatusFromCode(const abi::Api& api, int code, std::string_view operation, Phase phase = Phase::kOther,
                            std::string_view detail = {});

// The same error in other words: code and payload stay. Ok stays ok.
absl::Status WithMessage(const absl::Status& status, std::string_view message);

// The same error with "`context`: " before its message. Ok stays ok.
absl::Status Annotate(const absl::Status& status, std::string_view context);

// The same error, which from now on answers MaybeCommitted with true. Ok stays ok.
absl::Status WithMaybeCommitted(absl::Status status);

}  // namespace fdbjobs::fdb

#endif  // FDBJOBS_FDB_STATUS_H_
