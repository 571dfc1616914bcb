#include "fdbjobs/monitor/rescue_pass.h"

#include <utility>

#include "fdbjobs/fdb/error_codes.h"
#include "fdbjobs/fdb/key_selector.h"
#include "fdbjobs/fdb/range.h"
#include "fdbjobs/fdb/status.h"

namespace fdbjobs {
namespace {

using fdb::Isolation;
using fdb::KeySelectorView;
using keyspace::JobKeys;

// How many batches further a loser of a conflict goes on, at most.
constexpr int kFarthestSkip = 4;
// Keys of damaged entries that are remembered, so as not to tell them again.
constexpr size_t kMostDamaged = 10000;

}  // namespace

RescuePass::RescuePass(const fdb::Database& db, const Jobs& jobs, JobType type, const MonitorOptions& options,
                       StopSignal& stop, uint64_t seed)
    : db_(db),
      jobs_(jobs),
      type_(std::move(type)),
      transaction_timeout_(options.transaction_timeout),
      stop_(stop),
      limit_(options.first_batch, options.largest_batch),
      random_(static_cast<std::minstd_rand::result_type>(seed)) {}

std::optional<std::string> RescuePass::Begin() const {
  if (position_.has_value()) return position_;
  if (!floor_.empty()) return floor_;
  return std::nullopt;
}

void RescuePass::StartOver() {
  floor_.clear();
  position_.reset();
  left_out_ = false;
}

absl::StatusOr<std::optional<std::string>> RescuePass::SkipSome(fdb::Transaction& tr, const Sequence& stale) {
  const std::string begin = Begin().value_or(jobs_.keys().ActivityRange(type_).begin);
  const std::string end = jobs_.keys().Activity(type_, stale) + '\0';
  const int rows = limit_.get() * std::uniform_int_distribution<int>(1, kFarthestSkip)(random_);
  // Snapshot: any place does.
  absl::StatusOr<std::string> key =
      tr.GetKey(KeySelectorView::FirstGreaterOrEqual(begin) + rows, Isolation::kSnapshot).Await();
  if (!key.ok()) return key.status();
  if (*key <= begin || *key >= end) return std::nullopt;
  return *std::move(key);
}

absl::StatusOr<RescueResult> RescuePass::InTransaction(fdb::Transaction& tr, const Sequence& stale,
                                                       absl::Duration timeout, bool* skipped) {
  const fdb::ValueFuture timeout_row = tr.Get(jobs_.keys().ActivityTimeout(type_), Isolation::kSerializable);
  const fdb::ValueFuture watch_row = tr.Get(jobs_.keys().Watch(type_), Isolation::kSnapshot);
  std::optional<std::string> begin = Begin();
  *skipped = false;
  if (tr.retry_of() == fdb::error::kNotCommitted) {
    absl::StatusOr<std::optional<std::string>> further = SkipSome(tr, stale);
    if (!further.ok()) return further.status();
    if (further->has_value()) {
      begin = **std::move(further);
      *skipped = true;
    }
  }
  absl::StatusOr<RescueResult> result = jobs_.Rescue(tr, type_, stale, limit_.get(), begin);
  if (!result.ok()) return result.status();
  const absl::StatusOr<std::optional<std::string_view>> now_timeout = timeout_row.AwaitView();
  if (!now_timeout.ok()) return now_timeout.status();
  const absl::StatusOr<std::optional<std::string_view>> now_watch = watch_row.AwaitView();
  if (!now_watch.ok()) return now_watch.status();
  const absl::StatusOr<int64_t> milliseconds = JobKeys::DecodeNumber(now_timeout->value_or(""));
  if (!milliseconds.ok() || absl::Milliseconds(*milliseconds) != timeout) {
    return absl::FailedPreconditionError("the activity timeout was changed");
  }
  // A row that can't be read does not contradict: it was written after the sample.
  const absl::StatusOr<Sequence> watch = JobKeys::DecodeSequence(now_watch->value_or(""));
  if (watch.ok() && (*watch < stale || watch->incarnation != stale.incarnation)) {
    return absl::FailedPreconditionError("the watches row is of another history");
  }
  return result;
}

absl::StatusOr<RescuePass::Batch> RescuePass::RunBatch(const Sequence& stale, absl::Duration timeout) {
  Batch batch;
  bool skipped = false;
  receipt_.reset();
  tried_ = RescueResult();
  absl::StatusOr<RescueResult> result = TransactUnder(
      stop_, db_, {.timeout = transaction_timeout_}, [&](fdb::Transaction& tr) -> absl::StatusOr<RescueResult> {
        if (tr.retry_of() != 0) batch.retries.push_back(tr.retry_of());
        if (BatchLimit::IsTooMuch(tr.retry_of())) limit_.Shrink();
        absl::StatusOr<RescueResult> tried = InTransaction(tr, stale, timeout, &skipped);
        if (tried.ok()) tried_ = *tried;
        receipt_ = tr.receipt();
        return tried;
      });
  if (!result.ok()) {
    if (BatchLimit::IsTooMuch(fdb::FdbCode(result.status()))) limit_.Shrink();
    unsettled_ = receipt_.has_value() && fdb::MaybeCommitted(result.status());
    return result.status();
  }
  if (result->continuation.has_value()) limit_.Grow();
  MoveOn(stale, *result, skipped, &batch);
  return batch;
}

void RescuePass::MoveOn(const Sequence& stale, const RescueResult& result, bool skipped, Batch* batch) {
  batch->reenqueued = result.reenqueued;
  batch->finished = result.finished;
  batch->dropped = result.dropped;
  for (const Damage& damage : result.damaged) {
    if (damaged_.size() < kMostDamaged && damaged_.insert(damage.key).second) batch->damaged.push_back(damage);
  }
  left_out_ = left_out_ || skipped;
  position_ = result.continuation;
  if (position_.has_value()) return;
  if (std::exchange(left_out_, false)) return;  // once more from the floor on
  floor_ = jobs_.keys().Activity(type_, stale) + '\0';
  batch->done = true;
}

absl::StatusOr<std::optional<RescuePass::Batch>> RescuePass::Settle() {
  if (!unsettled_) return std::nullopt;
  const absl::StatusOr<bool> committed =
      TransactUnder(stop_, db_, {.timeout = transaction_timeout_}, [&](fdb::Transaction& tr) -> absl::StatusOr<bool> {
        absl::StatusOr<bool> found = Jobs::HasCommitted(tr, *receipt_);
        // The batch read this row. If it is still on its way, it conflicts with this and fails.
        if (absl::Status status = tr.AddWriteConflictKey(jobs_.keys().ActivityTimeout(type_)); !status.ok()) {
          return status;
        }
        return found;
      });
  if (!committed.ok()) return committed.status();
  unsettled_ = false;
  if (!*committed) return std::nullopt;
  // Where the pass stands is not touched: what the batch did is not found again.
  return Batch{.reenqueued = tried_.reenqueued, .finished = tried_.finished, .dropped = tried_.dropped};
}

absl::StatusOr<int64_t> RescuePass::CountStale(const Sequence& stale, int most) const {
  const std::string begin = Begin().value_or(jobs_.keys().ActivityRange(type_).begin);
  const std::string end = jobs_.keys().Activity(type_, stale) + '\0';
  return TransactUnder(stop_, db_, {.timeout = transaction_timeout_},
                       [&](fdb::Transaction& tr) -> absl::StatusOr<int64_t> {
                         fdb::RangeReader reader(tr, {.begin = KeySelectorView::FirstGreaterOrEqual(begin),
                                                      .end = KeySelectorView::FirstGreaterOrEqual(end),
                                                      .isolation = Isolation::kSnapshot,
                                                      .limit = most,
                                                      .mode = fdb::StreamingMode::kWantAll});
                         int64_t count = 0;
                         while (true) {
                           const absl::StatusOr<absl::Span<const fdb::KeyValueView>> rows = reader.Next();
                           if (!rows.ok()) return rows.status();
                           if (rows->empty()) return count;
                           count += static_cast<int64_t>(rows->size());
                         }
                       });
}

}  // namespace fdbjobs
