// Transact: the one retry loop. Runs a body in a transaction and commits it, again and again until it succeeds.
//
// The body takes a Transaction& and returns absl::Status or absl::StatusOr<T>. It may run several times, so it does
// nothing but work in the transaction, and it does not commit. An FoundationDB error that it returns is retried as a
// failed commit would be, so it passes statuses on as they are (or annotates them with Annotate). Any other error ends
// the loop with that error, and nothing is committed.
//
// When a try may have committed (1021) and its body wrote a receipt (Transaction::WriteReceipt; the jobs layer does),
// the loop looks for the receipt. If it is there, the try has committed: its result is returned, and the body does not
// run again. Without a receipt the next try runs on a database in which the one before has committed or never will: a
// body that looks first whether its work is done makes the whole exact. If the loop then ends with an error all the
// same, MaybeCommitted of that error is true.
//
// Thread safety: any thread; each call uses a transaction of its own. Not on the network thread.
//
//   absl::StatusOr<int> count = Transact(database, {.timeout = absl::Seconds(10)},
//                                        [&](Transaction& tr) -> absl::StatusOr<int> {
//     absl::StatusOr<std::optional<std::string>> value = tr.Get("count", Isolation::kSerializable).Await();
//     if (!value.ok()) return value.status();
//     ...
//     tr.Set("count", absl::StrCat(next));
//     return next;
//   });
#ifndef FDBJOBS_FDB_TRANSACT_H_
#define FDBJOBS_FDB_TRANSACT_H_

#include <optional>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/fdb/transaction.h"

namespace fdbjobs::fdb {

struct TransactOptions {
  // The deadline, counted from the call of Transact, over all tries and the waits between them. The database watches
  // it: a read or commit that is pending then fails with transaction_timed_out (1031).
  absl::Duration timeout = absl::InfiniteDuration();
  // Tries after the first one; negative: no limit.
  int max_retries = -1;
  // The longest wait between two tries. Infinite: what FoundationDB thinks fit (a second).
  absl::Duration max_retry_delay = absl::InfiniteDuration();
};

// The part of Transact that does not depend on the body.
class TransactLoop {
 public:
  TransactLoop(const Database& database, const TransactOptions& options) : database_(database), options_(options) {}

  // Makes the transaction. Once, before anything else.
  absl::Status Start();
  Transaction& transaction() { return *transaction_; }
  // After a try whose body returned `body`: commits if that is ok. Ok when it is committed, else the try's error.
  absl::Status Finish(const absl::Status& body);
  // After a failed try: ok when the transaction is ready for another one, or when `committed`; else the error to end
  // with.
  absl::Status Recover(const absl::Status& error);
  // After Recover: the receipt of the failed try was found, so it has committed.
  bool committed() const { return committed_; }

 private:
  // Timeout and retry delay. Once for each try.
  absl::Status SetOptions();
  // Makes the transaction ready for another try.
  absl::Status NextTry(const absl::Status& error);
  // Looks for the receipt, over as many tries as that takes.
  absl::Status LookForReceipt();
  // The error to end with: `error`, and all that a caller should know of earlier tries.
  absl::Status GiveUp(const absl::Status& error) const;

  const Database& database_;
  const TransactOptions options_;
  std::optional<OwnedTransaction> transaction_;
  int tries_ = 0;
  bool in_commit_ = false;        // the last try got as far as its commit
  bool maybe_committed_ = false;  // some try may have
  bool committed_ = false;
  absl::Status last_error_;  // of the try before, when there was one
};

// Runs the body in a loop that was started, until it succeeds or the loop ends.
template <typename Body>
std::invoke_result_t<Body&, Transaction&> RunTries(TransactLoop& loop, Body&& body) {
  using Result = std::invoke_result_t<Body&, Transaction&>;
  while (true) {
    Result result = body(loop.transaction());
    absl::Status status;
    if constexpr (std::is_same_v<Result, absl::Status>) {
      status = loop.Finish(result);
    } else {
      status = loop.Finish(result.status());
    }
    if (status.ok()) return result;
    status = loop.Recover(status);
    if (!status.ok()) return status;
    if (loop.committed()) return result;
  }
}

template <typename Body>
std::invoke_result_t<Body&, Transaction&> Transact(const Database& database, const TransactOptions& options,
                                                   Body&& body) {
  TransactLoop loop(database, options);
  if (absl::Status status = loop.Start(); !status.ok()) return status;
  return RunTries(loop, body);
}

template <typename Body>
std::invoke_result_t<Body&, Transaction&> Transact(const Database& database, Body&& body) {
  return Transact(database, TransactOptions(), std::forward<Body>(body));
}

}  // namespace fdbjobs::fdb

#endif  // FDBJOBS_FDB_TRANSACT_H_
