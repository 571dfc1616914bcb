#include "fdbjobs/fdb/range.h"

#include <utility>

namespace fdbjobs::fdb {

RangeReader::RangeReader(Transaction& tr, const RangeOptions& options)
    : tr_(&tr), begin_key_(options.begin.key), end_key_(options.end.key), options_(options) {
  Request();
}

void RangeReader::Request() {
  RangeRequest request;
  request.begin = {begin_key_, options_.begin.or_equal, options_.begin.offset};
  request.end = {end_key_, options_.end.or_equal, options_.end.offset};
  request.isolation = options_.isolation;
  request.reverse = options_.reverse;
  request.limit = options_.limit;
  request.target_bytes = options_.target_bytes;
  request.mode = options_.mode;
  request.iteration = ++iteration_;
  requested_ = tr_->GetRange(request);
}

bool RangeReader::ReadsAhead() const {
  switch (options_.read_ahead) {
    case ReadAhead::kAlways:
      return true;
    case ReadAhead::kNever:
      return false;
    case ReadAhead::kAuto:
      break;
  }
  return options_.isolation == Isolation::kSnapshot || options_.mode == StreamingMode::kWantAll ||
         options_.mode == StreamingMode::kSerial;
}

absl::StatusOr<absl::Span<const KeyValueView>> RangeReader::Next() {
  if (!status_.ok()) return status_;
  if (!requested_.has_value()) {
    if (done_) return absl::Span<const KeyValueView>();
    Request();
  }
  current_ = std::exchange(requested_, std::nullopt);
  const absl::StatusOr<RangeBatchView> batch = current_->AwaitView();
  if (!batch.ok()) return status_ = batch.status();
  more_ = batch->more && !batch->rows.empty();
  done_ = !more_;
  if (batch->rows.empty()) return batch->rows;

  // The rest of the range starts behind the last row, whatever the selectors that the range began with.
  const std::string_view last = batch->rows.back().key();
  last_key_ = last;
  if (options_.reverse) {
    end_key_ = last;
    options_.end = KeySelectorView::FirstGreaterOrEqual({});
  } else {
    begin_key_ = last;
    options_.begin = KeySelectorView::FirstGreaterThan({});
  }
  if (options_.limit > 0) {
    // A limit of 0 would be none, so the last row of the limit ends the reading.
    options_.limit -= static_cast<int>(batch->rows.size());
    if (options_.limit == 0) done_ = true;
  }
  if (!done_ && ReadsAhead()) Request();
  return batch->rows;
}

std::optional<std::string> RangeReader::continuation() const {
  if (!last_key_.has_value() || !more_) return std::nullopt;
  return options_.reverse ? *last_key_ : *last_key_ + '\0';
}

absl::StatusOr<std::vector<KeyValue>> ReadRange(Transaction& tr, const RangeOptions& options) {
  RangeReader reader(tr, options);
  std::vector<KeyValue> rows;
  while (true) {
    const absl::StatusOr<absl::Span<const KeyValueView>> batch = reader.Next();
    if (!batch.ok()) return batch.status();
    if (batch->empty()) return rows;
    for (const KeyValueView& row : *batch) rows.push_back({std::string(row.key()), std::string(row.value())});
  }
}

}  // namespace fdbjobs::fdb
