#include "fdbjobs/pending_queue.h"

#include <algorithm>
#include <utility>

#include "fdbjobs/fdb/key_selector.h"

namespace fdbjobs {
namespace {

// Each is a read of its own, mostly of nothing.
constexpr size_t kMostPieces = 4;

}  // namespace

PendingQueue::PendingQueue(const keyspace::JobKeys& keys, fdb::Transaction& tr, const JobType& type,
                           const std::optional<Priority>& max_priority)
    : keys_(keys), tr_(tr), type_(type), pieces_({keys.PendingRange(type)}) {
  if (max_priority.has_value()) pieces_.front().end = keys.PendingRange(type, *max_priority).end;
}

bool PendingQueue::LeaveOut(const std::vector<ClaimsInFlight::Span>& spans) {
  const keyspace::KeyRange all = std::move(pieces_.front());
  pieces_.clear();
  bool exact = true;
  std::string begin = all.begin;
  for (const ClaimsInFlight::Span& span : spans) {
    if (begin < span.begin && pieces_.size() + 1 < kMostPieces) {
      pieces_.push_back({begin, std::min(span.begin, all.end)});
    } else if (begin < span.begin) {
      exact = false;
    }
    begin = span.last + '\0';
    if (begin >= all.end) return exact;
  }
  pieces_.push_back({begin, all.end});
  return exact;
}

std::vector<fdb::RangeFuture> PendingQueue::Ask(int rows) const {
  std::vector<fdb::RangeFuture> asked;
  asked.reserve(pieces_.size());
  for (const keyspace::KeyRange& piece : pieces_) {
    asked.push_back(tr_.GetRange({.begin = fdb::KeySelectorView::FirstGreaterOrEqual(piece.begin),
                                  .end = fdb::KeySelectorView::FirstGreaterOrEqual(piece.end),
                                  .isolation = fdb::Isolation::kSnapshot,
                                  .limit = rows,
                                  .mode = fdb::StreamingMode::kExact}));
  }
  return asked;
}

absl::StatusOr<std::vector<Candidate>> PendingQueue::Take(const std::vector<fdb::RangeFuture>& asked,
                                                          std::vector<Damage>* damaged) {
  std::vector<Candidate> candidates;
  for (const fdb::RangeFuture& piece : asked) {
    const size_t left = pieces_.size();
    if (absl::Status status = TakePiece(piece, &candidates, damaged); !status.ok()) return status;
    // There is more in this one, which comes before the next.
    if (pieces_.size() == left) break;
  }
  return candidates;
}

absl::Status PendingQueue::TakePiece(const fdb::RangeFuture& asked, std::vector<Candidate>* candidates,
                                     std::vector<Damage>* damaged) {
  const absl::StatusOr<fdb::RangeBatchView> batch = asked.AwaitView();
  if (!batch.ok()) return batch.status();
  keyspace::KeyRange& piece = pieces_.front();
  candidates->reserve(candidates->size() + batch->rows.size());
  std::string begin = piece.begin;
  for (const fdb::KeyValueView& row : batch->rows) {
    const absl::StatusOr<keyspace::JobKeys::PendingParts> parts = keys_.ReadPending(type_, row.key());
    if (!parts.ok()) {
      damaged->push_back({std::string(row.key()), std::string(parts.status().message())});
      continue;
    }
    candidates->push_back({std::string(row.key()), Priority::FromPacked(parts->priority), JobId::FromPacked(parts->id),
                           std::exchange(begin, std::string())});
  }
  if (batch->more && !batch->rows.empty()) {
    piece.begin = std::string(batch->rows.back().key()) + '\0';
  } else {
    pieces_.pop_front();
  }
  return absl::OkStatus();
}

}  // namespace fdbjobs
