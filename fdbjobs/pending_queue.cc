#include "fdbjobs/pending_queue.h"

#include "fdbjobs/fdb/key_selector.h"

namespace fdbjobs {

PendingQueue::PendingQueue(const keyspace::JobKeys& keys, fdb::Transaction& tr, const JobType& type,
                           const std::optional<Priority>& max_priority)
    : keys_(keys), tr_(tr), type_(type), range_(keys.PendingRange(type)) {
  if (max_priority.has_value()) range_.end = keys.PendingRange(type, *max_priority).end;
}

fdb::RangeFuture PendingQueue::Ask(int rows) const {
  return tr_.GetRange({.begin = fdb::KeySelectorView::FirstGreaterOrEqual(range_.begin),
                       .end = fdb::KeySelectorView::FirstGreaterOrEqual(range_.end),
                       .isolation = fdb::Isolation::kSnapshot,
                       .limit = rows,
                       .mode = fdb::StreamingMode::kExact});
}

absl::StatusOr<std::vector<Candidate>> PendingQueue::Take(const fdb::RangeFuture& asked, std::vector<Damage>* damaged) {
  const absl::StatusOr<fdb::RangeBatchView> batch = asked.AwaitView();
  if (!batch.ok()) return batch.status();
  std::vector<Candidate> candidates;
  candidates.reserve(batch->rows.size());
  for (const fdb::KeyValueView& row : batch->rows) {
    const absl::StatusOr<keyspace::JobKeys::PendingParts> parts = keys_.ReadPending(type_, row.key());
    if (!parts.ok()) {
      damaged->push_back({std::string(row.key()), std::string(parts.status().message())});
      continue;
    }
    candidates.push_back({std::string(row.key()), Priority::FromPacked(parts->priority), JobId::FromPacked(parts->id)});
  }
  at_end_ = !batch->more;
  if (!batch->rows.empty()) range_.begin = std::string(batch->rows.back().key()) + '\0';
  return candidates;
}

}  // namespace fdbjobs
