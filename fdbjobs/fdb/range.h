// RangeReader: reads a range of any size, one batch after the other, each without copying.
//
// While the caller works on one batch the next one is fetched already, where that costs nothing but bandwidth: see
// ReadAhead. A range that is larger than a transaction can read in its five seconds is read over several: take the
// continuation of the first reader as the begin of the second one's range (or as its end, in reverse).
//
// Thread safety: one thread at a time. Lifetime: borrows the transaction; copies the keys of the selectors.
//
//   RangeReader reader(tr, {.begin = KeySelectorView::FirstGreaterOrEqual("job/"),
//                           .end = KeySelectorView::FirstGreaterOrEqual("job0"),
//                           .isolation = Isolation::kSnapshot});       // only counted, so nothing to conflict with
//   while (true) {
//     absl::StatusOr<absl::Span<const KeyValueView>> batch = reader.Next();
//     if (!batch.ok()) return batch.status();
//     if (batch->empty()) break;
//     for (const KeyValueView& row : *batch) Count(row.key(), row.value());
//   }
#ifndef FDBJOBS_FDB_RANGE_H_
#define FDBJOBS_FDB_RANGE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "fdbjobs/fdb/future.h"
#include "fdbjobs/fdb/key_selector.h"
#include "fdbjobs/fdb/options.h"
#include "fdbjobs/fdb/transaction.h"

namespace fdbjobs::fdb {

// Whether the next batch is asked for before the caller comes for it. What was read ahead in a serializable read is
// part of the transaction's read conflicts, even if the caller stops before it.
enum class ReadAhead {
  kAuto,  // in snapshot reads, and in modes kWantAll and kSerial, which say that the caller takes everything
  kAlways,
  kNever,
};

struct RangeOptions {
  KeySelectorView begin;  // included
  KeySelectorView end;    // excluded
  Isolation isolation = Isolation::kSerializable;
  bool reverse = false;
  int limit = 0;         // rows of all batches together; 0: no limit
  int target_bytes = 0;  // of each batch, about; 0: the mode decides
  StreamingMode mode = StreamingMode::kIterator;
  ReadAhead read_ahead = ReadAhead::kAuto;
};

class RangeReader {
 public:
  // Asks for the first batch at once, so several readers can be on the way together.
  RangeReader(Transaction& tr, const RangeOptions& options);
  RangeReader(RangeReader&&) = default;

  // The next rows, valid until the next call of Next and while the reader lives; none at the end. An error ends the
  // reading: it comes again with each further call.
  absl::StatusOr<absl::Span<const KeyValueView>> Next();

  // Where to go on, after the rows that Next gave, in another transaction: begin there (the key is included), or end
  // there (excluded) in reverse. Nullopt once the range has no further rows, and before the first row.
  std::optional<std::string> continuation() const;

 private:
  bool ReadsAhead() const;
  // Asks for the batch after the rows read so far.
  void Request();

  Transaction* tr_;
  std::string begin_key_;
  std::string end_key_;
  RangeOptions options_;  // its selectors' keys are not used: begin_key_ and end_key_ are
  int iteration_ = 0;
  bool more_ = true;                      // the range may have rows behind those that were read
  bool done_ = false;                     // nothing further is to be asked for: no more rows, or the limit is reached
  std::optional<RangeFuture> current_;    // holds the rows that Next gave last
  std::optional<RangeFuture> requested_;  // the batch after them, if it was asked for
  std::optional<std::string> last_key_;
  absl::Status status_;
};

struct KeyValue {
  std::string key;
  std::string value;

  friend bool operator==(const KeyValue&, const KeyValue&) = default;
};

// The whole range, copied. For ranges that are known to be small.
absl::StatusOr<std::vector<KeyValue>> ReadRange(Transaction& tr, const RangeOptions& options);

}  // namespace fdbjobs::fdb

#endif  // FDBJOBS_FDB_RANGE_H_
