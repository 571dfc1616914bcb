#include "fdbjobs/fdb/status.h"

#include <string>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "fdbjobs/fdb/bytes.h"

namespace fdbjobs::fdb {
namespace {

// The payload is text, so that it reads well where statuses are printed: the number, a space, then one letter for
// each property that holds.
constexpr char kPayloadUrl[] = "fdbjobs.fdb/error";
constexpr char kRetryable = 'R';
constexpr char kMaybeCommitted = 'M';

struct Payload {
  int code = 0;
  bool retryable = false;
  bool maybe_committed = false;
};

absl::Cord Encode(const Payload& payload) {
  std::string text = absl::StrCat(payload.code, " ");
  if (payload.retryable) text += kRetryable;
  if (payload.maybe_committed) text += kMaybeCommitted;
  return absl::Cord(text);
}

Payload Decode(const absl::Status& status) {
  Payload payload;
  if (status.ok()) return payload;
  const auto cord = status.GetPayload(kPayloadUrl);
  if (!cord.has_value()) return payload;
  const std::string text(*cord);
  const size_t space = text.find(' ');
  if (space == std::string::npos || !absl::SimpleAtoi(text.substr(0, space), &payload.code)) return {};
  payload.retryable = text.find(kRetryable, space) != std::string::npos;
  payload.maybe_committed = text.find(kMaybeCommitted, space) != std::string::npos;
  return payload;
}

// A commit that ends so was on its way, and nobody waits for its outcome any longer.
bool CutsOffCommit(int code) {
  return code == error::kTransactionTimedOut || code == error::kTransactionCancelled ||
         code == error::kOperationCancelled;
}

}  // namespace

int FdbCode(const absl::Status& status) { return Decode(status).code; }
bool IsRetryable(const absl::Status& status) { return Decode(status).retryable; }
bool MaybeCommitted(const absl::Status& status) { return Decode(status).maybe_committed; }

bool IsPermanent(const absl::Status& status) {
  if (IsRetryable(status)) return false;
  switch (status.code()) {
    case absl::StatusCode::kOk:
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kUnknown:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kUnavailable:
      return false;
    default:
      return true;
  }
}

absl::StatusCode CanonicalCode(int fdb_code) {
  switch (fdb_code) {
    case error::kSuccess:
      return absl::StatusCode::kOk;
    case error::kNotCommitted:
    case error::kTransactionTooOld:
      return absl::StatusCode::kAborted;
    case error::kTimedOut:
    case error::kTransactionTimedOut:
      return absl::StatusCode::kDeadlineExceeded;
    case error::kTransactionCancelled:
    case error::kWatchCancelled:
    case error::kOperationCancelled:
      return absl::StatusCode::kCancelled;
    case error::kTooManyWatches:
    case error::kProxyMemoryLimitExceeded:
    case error::kBatchTransactionThrottled:
    case error::kTagThrottled:
      return absl::StatusCode::kResourceExhausted;
    case error::kFileNotFound:
    case error::kNoClusterFileFound:
      return absl::StatusCode::kNotFound;
    case error::kFileNotReadable:
    case error::kFileNotWritable:
      return absl::StatusCode::kPermissionDenied;
    case error::kChecksumFailed:
    case error::kFileCorrupt:
      return absl::StatusCode::kDataLoss;
    case error::kKeyOutsideLegalRange:
    case error::kInvertedRange:
    case error::kInvalidOptionValue:
    case error::kInvalidOption:
    case error::kVersionInvalid:
    case error::kRangeLimitsInvalid:
    case error::kInvalidMutationType:
    case error::kTransactionInvalidVersion:
    case error::kKeyTooLarge:
    case error::kValueTooLarge:
    case error::kConnectionStringInvalid:
    case error::kTagTooLong:
    case error::kExactModeWithoutLimits:
      return absl::StatusCode::kInvalidArgument;
    case error::kTransactionTooLarge:
      return absl::StatusCode::kOutOfRange;
    case error::kUnsupportedOperation:
      return absl::StatusCode::kUnimplemented;
    case error::kWatchesDisabled:
    case error::kAccessedUnreadable:
    case error::kFutureReleased:
      return absl::StatusCode::kFailedPrecondition;
    case error::kPlatformError:
    case error::kIoError:
    case error::kInternalError:
      return absl::StatusCode::kInternal;
    case error::kCommitUnknownResult:
      return absl::StatusCode::kUnknown;
    default:
      break;
  }
  // FoundationDB numbers the troubles of a cluster from 1000, of a machine from 1500, of a caller from 2000.
  if (fdb_code >= 1000 && fdb_code < 1500) return absl::StatusCode::kUnavailable;
  if (fdb_code >= 1500 && fdb_code < 2000) return absl::StatusCode::kInternal;
  if (fdb_code >= 2000 && fdb_code < 3000) return absl::StatusCode::kFailedPrecondition;
  return absl::StatusCode::kUnknown;
}

absl::Status StatusFromCode(const abi::Api& api, int code, std::string_view operation, Phase phase,
                            std::string_view detail) {
  if (code == error::kSuccess) return absl::OkStatus();
  Payload payload;
  payload.code = code;
  payload.retryable = api.error_predicate(abi::kPredicateRetryable, code) != 0;
  payload.maybe_committed =
      api.error_predicate(abi::kPredicateMaybeCommitted, code) != 0 || (phase == Phase::kCommit && CutsOffCommit(code));
  absl::Status status(CanonicalCode(code), absl::StrCat(ToAbsl(operation), ": ", api.get_error(code), " (fdb error ",
                                                        code, ")", detail.empty() ? "" : ": ", ToAbsl(detail)));
  status.SetPayload(kPayloadUrl, Encode(payload));
  return status;
}

absl::Status WithMessage(const absl::Status& status, std::string_view message) {
  if (status.ok()) return status;
  absl::Status result(status.code(), ToAbsl(message));
  status.ForEachPayload(
      [&result](absl::string_view url, const absl::Cord& payload) { result.SetPayload(url, payload); });
  return result;
}

absl::Status Annotate(const absl::Status& status, std::string_view context) {
  return WithMessage(status, absl::StrCat(ToAbsl(context), ": ", status.message()));
}

absl::Status WithMaybeCommitted(absl::Status status) {
  if (status.ok()) return status;
  Payload payload = Decode(status);
  payload.maybe_committed = true;
  status.SetPayload(kPayloadUrl, Encode(payload));
  return status;
}

}  // namespace fdbjobs::fdb
