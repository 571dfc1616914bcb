// PruneReceipts: removes what ended processes have left behind.
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "fdbjobs/arguments.h"
#include "fdbjobs/fdb/key_selector.h"
#include "fdbjobs/jobs.h"

namespace fdbjobs {
namespace {

constexpr int kMostRows = 10000;
// A transaction looks for its receipt within seconds, or as soon as a cluster that was away is back. Clocks may differ.
constexpr absl::Duration kKeep = absl::Hours(1);

}  // namespace

absl::StatusOr<PruneResult> Jobs::PruneReceipts(fdb::Transaction& tr, absl::Time before, int limit,
                                                const std::optional<std::string>& continuation) const {
  if (absl::Status status = CheckLimit("limit", limit, kMostRows); !status.ok()) return status;
  if (before > absl::Now() - kKeep) {
    return absl::InvalidArgumentError(
        absl::StrCat("before: ", absl::FormatTime(before, absl::UTCTimeZone()), "; allowed is an hour ago or earlier"));
  }
  const keyspace::KeyRange range = keys_.ReceiptRange();
  const std::string begin = continuation.value_or(range.begin);
  if (begin < range.begin || begin > range.end) {
    return absl::InvalidArgumentError(
        absl::StrCat("continuation: ", keys_.Describe(begin), "; allowed is what a call before gave"));
  }
  const fdb::RangeFuture asked = tr.GetRange({.begin = fdb::KeySelectorView::FirstGreaterOrEqual(begin),
                                              .end = fdb::KeySelectorView::FirstGreaterOrEqual(range.end),
                                              .isolation = fdb::Isolation::kSnapshot,
                                              .limit = limit,
                                              .mode = fdb::StreamingMode::kExact});
  const absl::StatusOr<fdb::RangeBatchView> batch = asked.AwaitView();
  if (!batch.ok()) return batch.status();
  PruneResult result;
  for (const fdb::KeyValueView& row : batch->rows) {
    const absl::StatusOr<int64_t> milliseconds = keyspace::JobKeys::DecodeReceiptTime(row.value());
    if (!milliseconds.ok()) {
      result.damaged.push_back({std::string(row.key()), std::string(milliseconds.status().message())});
      continue;
    }
    if (absl::FromUnixMillis(*milliseconds) >= before) continue;
    // Its process may live and use the row again: then this must not remove the new receipt.
    if (absl::Status status = tr.AddReadConflictKey(row.key()); !status.ok()) return status;
    tr.Clear(row.key());
    ++result.removed;
  }
  if (batch->more) result.continuation = std::string(batch->rows.back().key()) + '\0';
  return result;
}

}  // namespace fdbjobs
