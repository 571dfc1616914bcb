#include "tests/history/runner.h"

#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "fdbjobs/fdb/range.h"
#include "fdbjobs/fdb/status.h"

namespace fdbjobs::test {
namespace {

using Kind = Operation::Kind;

constexpr size_t kPastVersions = 20;
constexpr int kMostRetryMilliseconds = 5;

int64_t MonotonicMicros() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}

[[noreturn]] void Die(const absl::Status& status, const Attempt& attempt) {
  std::fprintf(stderr, "%s in %s\n", status.ToString().c_str(), Show(attempt).c_str());
  std::abort();
}

fdb::KeySelectorView View(const Selector& selector) { return {selector.key, selector.or_equal, selector.offset}; }

// A read that was issued and not yet awaited.
class PendingRead {
 public:
  PendingRead(fdb::Transaction& tr, Operation operation) : operation_(std::move(operation)) {
    const Operation& read = operation_;
    const auto isolation = read.snapshot ? fdb::Isolation::kSnapshot : fdb::Isolation::kSerializable;
    const auto mode = static_cast<fdb::StreamingMode>(read.mode);
    if (read.kind == Kind::kGet) {
      future_.emplace<fdb::ValueFuture>(tr.Get(read.key, isolation));
    } else if (read.kind == Kind::kGetKey) {
      future_.emplace<fdb::KeyFuture>(tr.GetKey(View(read.begin), isolation));
    } else if (read.whole) {
      future_.emplace<fdb::RangeReader>(tr, fdb::RangeOptions{.begin = View(read.begin),
                                                              .end = View(read.end),
                                                              .isolation = isolation,
                                                              .reverse = read.reverse,
                                                              .limit = read.limit,
                                                              .mode = mode});
    } else {
      future_.emplace<fdb::RangeFuture>(tr.GetRange({.begin = View(read.begin),
                                                     .end = View(read.end),
                                                     .isolation = isolation,
                                                     .reverse = read.reverse,
                                                     .limit = read.limit,
                                                     .mode = mode}));
    }
  }

  absl::StatusOr<Operation> Await() {
    absl::Status status = std::visit([this](auto& future) { return Take(future); }, future_);
    if (!status.ok()) return status;
    return std::move(operation_);
  }

 private:
  absl::Status Take(std::monostate) { return absl::OkStatus(); }
  absl::Status Take(fdb::ValueFuture& future) {
    absl::StatusOr<std::optional<std::string>> value = future.Await();
    if (value.ok()) operation_.found = *std::move(value);
    return value.status();
  }
  absl::Status Take(fdb::KeyFuture& future) {
    absl::StatusOr<std::string> key = future.Await();
    if (key.ok()) operation_.found = *std::move(key);
    return key.status();
  }
  absl::Status Take(fdb::RangeFuture& future) {
    absl::StatusOr<fdb::RangeBatchView> batch = future.AwaitView();
    if (!batch.ok()) return batch.status();
    Add(batch->rows);
    operation_.more = batch->more;
    return absl::OkStatus();
  }
  absl::Status Take(fdb::RangeReader& reader) {
    for (;;) {
      absl::StatusOr<absl::Span<const fdb::KeyValueView>> batch = reader.Next();
      if (!batch.ok() || batch->empty()) return batch.status();
      Add(*batch);
    }
  }
  void Add(absl::Span<const fdb::KeyValueView> rows) {
    for (const fdb::KeyValueView& row : rows) operation_.rows.emplace_back(row.key(), row.value());
  }

  Operation operation_;
  std::variant<std::monostate, fdb::ValueFuture, fdb::KeyFuture, fdb::RangeFuture, fdb::RangeReader> future_;
};

// Awaits the reads in their order and records those that succeeded.
absl::Status AwaitReads(std::vector<std::unique_ptr<PendingRead>>* pending, fdb::Transaction& tr, Attempt* attempt) {
  absl::Status status;
  for (std::unique_ptr<PendingRead>& read : *pending) {
    absl::StatusOr<Operation> done = read->Await();
    status.Update(done.status());
    if (!done.ok()) continue;
    if (done->rechecked && done->kind == Kind::kGet) status.Update(tr.AddReadConflictKey(done->key));
    if (done->rechecked && done->kind == Kind::kGetRange) {
      status.Update(tr.AddReadConflictRange(done->begin.key, done->end.key));
    }
    attempt->operations.push_back(*std::move(done));
  }
  pending->clear();
  return status;
}

absl::Status Write(fdb::Transaction& tr, const Operation& operation) {
  switch (operation.kind) {
    case Kind::kSet:
      tr.Set(operation.key, operation.value);
      break;
    case Kind::kClear:
      tr.Clear(operation.key);
      break;
    case Kind::kClearRange:
      tr.ClearRange(operation.key, operation.value);
      break;
    case Kind::kAtomic:
      tr.AtomicOp(static_cast<fdb::MutationType>(operation.mutation), operation.key, operation.value);
      break;
    case Kind::kStampedKey:
      tr.SetVersionstampedKey(operation.key, operation.stamp_at, operation.value);
      break;
    case Kind::kStampedValue:
      tr.SetVersionstampedValue(operation.key, operation.value, operation.stamp_at);
      break;
    case Kind::kReadConflict:
      return tr.AddReadConflictRange(operation.key, operation.value);
    case Kind::kWriteConflict:
      return tr.AddWriteConflictRange(operation.key, operation.value);
    default:
      break;
  }
  return absl::OkStatus();
}

}  // namespace

void Runner::RunOne() {
  Attempt attempt;
  attempt.id = next_id_++;
  const Program program = generator_.Next(attempt.id);
  attempt.read_only = program.read_only;
  attempt.own_writes = program.own_writes;
  attempt.started_us = MonotonicMicros();
  const absl::Status status = Try(program, &attempt);
  attempt.finished_us = MonotonicMicros();
  attempt.error = fdb::FdbCode(status);
  attempt.maybe_committed = attempt.commit_tried && fdb::MaybeCommitted(status);
  if (!status.ok() && !fdb::IsRetryable(status) && attempt.error != fdb::error::kTransactionTimedOut) {
    Die(status, attempt);
  }
  Remember(attempt);
  attempts_.push_back(std::move(attempt));
  Recover(status);
}

absl::Status Runner::Try(const Program& program, Attempt* attempt) {
  absl::Status status = SetUp(program, attempt);
  if (status.ok()) status = RunOperations(program, attempt);
  if (status.ok()) status = Commit(attempt);
  return status;
}

absl::Status Runner::SetUp(const Program& program, Attempt* attempt) {
  if (!transaction_) {
    absl::StatusOr<fdb::OwnedTransaction> made = database_.CreateTransaction();
    if (!made.ok()) return made.status();
    transaction_.emplace(*std::move(made));
  }
  fdb::Transaction& tr = *transaction_;
  absl::Status status = tr.SetOption(fdb::TransactionInt::kMaxRetryDelayMilliseconds, kMostRetryMilliseconds);
  if (program.durability_risky) status.Update(tr.SetOption(fdb::TransactionFlag::kDurabilityRisky));
  if (program.own_writes == OwnWrites::kNotSeen) {
    status.Update(tr.SetOption(fdb::TransactionFlag::kReadYourWritesDisable));
  } else if (program.own_writes == OwnWrites::kNotBySnapshotReads) {
    status.Update(tr.SetOption(fdb::TransactionFlag::kSnapshotReadYourWritesDisable));
  }
  if (program.in_the_past && !past_versions_.empty()) {
    attempt->version_given = true;
    attempt->read_version = past_versions_[random_() % past_versions_.size()];
    tr.SetReadVersion(attempt->read_version);
  }
  return status;
}

absl::Status Runner::RunOperations(const Program& program, Attempt* attempt) {
  fdb::Transaction& tr = *transaction_;
  const auto note_version = [&]() -> absl::Status {
    const absl::StatusOr<int64_t> version = tr.GetReadVersion().Await();
    if (version.ok()) attempt->read_version = *version;
    return version.status();
  };
  if (program.version_first) {
    if (absl::Status status = note_version(); !status.ok()) return status;
  }
  std::vector<std::unique_ptr<PendingRead>> pending;
  bool versioned = false;
  for (const Operation& operation : program.operations) {
    // A write waits for the reads before it: what they would see of it is not defined.
    if (!operation.IsRead()) {
      if (absl::Status status = AwaitReads(&pending, tr, attempt); !status.ok()) return status;
      if (absl::Status status = Write(tr, operation); !status.ok()) return status;
      attempt->operations.push_back(operation);
      versioned |= operation.kind == Kind::kReadConflict;
      continue;
    }
    versioned = true;
    pending.push_back(std::make_unique<PendingRead>(tr, operation));
    if (operation.together) continue;
    if (absl::Status status = AwaitReads(&pending, tr, attempt); !status.ok()) return status;
  }
  if (absl::Status status = AwaitReads(&pending, tr, attempt); !status.ok()) return status;
  return versioned ? note_version() : absl::OkStatus();
}

absl::Status Runner::Commit(Attempt* attempt) {
  fdb::Transaction& tr = *transaction_;
  attempt->commit_tried = true;
  const fdb::KeyFuture stamp = tr.GetVersionstamp();
  if (absl::Status status = tr.Commit().Await(); !status.ok()) return status;
  const absl::StatusOr<int64_t> version = tr.GetCommittedVersion();
  if (!version.ok()) Die(version.status(), *attempt);
  attempt->committed_version = *version;
  absl::StatusOr<std::string> bytes = stamp.Await();
  const bool as_it_should =
      attempt->read_only ? fdb::FdbCode(bytes.status()) == fdb::error::kNoCommitVersion : bytes.ok();
  if (!as_it_should) Die(fdb::Annotate(bytes.status(), "versionstamp after commit"), *attempt);
  if (bytes.ok()) attempt->stamp = *std::move(bytes);
  return absl::OkStatus();
}

void Runner::Recover(const absl::Status& error) {
  if (error.ok()) {
    // Either way of going on must work: the same handle, or a new one.
    if (random_() % 2 == 0) transaction_.reset();
    if (transaction_) transaction_->Reset();
    return;
  }
  if (random_() % 2 == 0 || !transaction_->OnError(fdb::FdbCode(error)).Await().ok()) transaction_.reset();
}

void Runner::Remember(const Attempt& attempt) {
  if (attempt.version_given) return;
  if (attempt.read_version >= 0) past_versions_.push_back(attempt.read_version);
  if (attempt.committed_version >= 0) past_versions_.push_back(attempt.committed_version);
  while (past_versions_.size() > kPastVersions) past_versions_.pop_front();
}

}  // namespace fdbjobs::test
