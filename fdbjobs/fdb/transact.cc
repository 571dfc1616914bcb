#include "fdbjobs/fdb/transact.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "fdbjobs/fdb/status.h"

namespace fdbjobs::fdb {

absl::Status TransactLoop::Start() {
  absl::StatusOr<OwnedTransaction> transaction = database_.CreateTransaction();
  if (!transaction.ok()) return transaction.status();
  transaction_.emplace(*std::move(transaction));
  return SetOptions();
}

absl::Status TransactLoop::SetOptions() {
  if (options_.timeout != absl::InfiniteDuration()) {
    if (absl::Status status = transaction_->SetTimeout(options_.timeout); !status.ok()) return status;
  }
  if (options_.max_retry_delay != absl::InfiniteDuration()) {
    constexpr int64_t kMost = std::numeric_limits<int>::max();
    const int64_t milliseconds = absl::ToInt64Milliseconds(absl::Ceil(options_.max_retry_delay, absl::Milliseconds(1)));
    return transaction_->SetOption(TransactionInt::kMaxRetryDelayMilliseconds,
                                   std::clamp<int64_t>(milliseconds, 0, kMost));
  }
  return absl::OkStatus();
}

absl::Status TransactLoop::Finish(const absl::Status& body) {
  ++tries_;
  in_commit_ = body.ok();
  return body.ok() ? transaction_->Commit().Await() : body;
}

absl::Status TransactLoop::Recover(const absl::Status& error) {
  const bool unknown = in_commit_ && MaybeCommitted(error);
  if (absl::Status status = NextTry(error); !status.ok()) return status;
  if (unknown && transaction_->receipt().has_value()) return LookForReceipt();
  return absl::OkStatus();
}

absl::Status TransactLoop::NextTry(const absl::Status& error) {
  if (MaybeCommitted(error)) maybe_committed_ = true;
  const int code = FdbCode(error);
  if (code == 0) return GiveUp(error);
  if (IsRetryable(error) && options_.max_retries >= 0 && tries_ > options_.max_retries) return GiveUp(error);
  const absl::Status retry = transaction_->OnError(code).Await();
  if (retry.ok()) {
    last_error_ = error;
    // A program may have selected an API version below 610, at which a retry forgets the options. The time runs on.
    const absl::Status options = SetOptions();
    return options.ok() ? options : GiveUp(options);
  }
  // The same error means that it can't be retried. Another one, a timeout most likely, came while waiting.
  if (FdbCode(retry) == code) return GiveUp(error);
  last_error_ = error;
  return GiveUp(retry);
}

absl::Status TransactLoop::LookForReceipt() {
  while (true) {
    const Receipt& receipt = *transaction_->receipt();
    // Serializable: should the try before commit later after all, the next one must conflict with it.
    const absl::StatusOr<std::optional<std::string>> found =
        transaction_->Get(receipt.key, Isolation::kSerializable).Await();
    if (found.ok()) {
      committed_ = *found == receipt.token;
      return absl::OkStatus();
    }
    ++tries_;
    if (absl::Status status = NextTry(found.status()); !status.ok()) return status;
  }
}

absl::Status TransactLoop::GiveUp(const absl::Status& error) const {
  absl::Status result = error;
  // The body's own errors are the caller's words and stay as they are.
  if (FdbCode(error) != 0 && !last_error_.ok()) {
    result = WithMessage(error, absl::StrCat(error.message(), "; gave up after try ", tries_,
                                             "; the last error before: ", last_error_.message()));
  }
  return maybe_committed_ ? WithMaybeCommitted(std::move(result)) : result;
}

}  // namespace fdbjobs::fdb
