// BatchWrites: what the requests of a batch wrote so far, for those in the same batch that come after and have read it.
//
// All of it counts: whoever is in the batch has read before any of it was given a version. It is indexed only when it
// is asked for, so that a batch of one costs nothing. Single keys are kept as hashes of 64 bits; should two keys ever
// share one, a transaction is retried without need.
//
// Thread safety: none. Lifetime: for one batch; the bytes of the records are the caller's.
#ifndef FDBJOBS_EMBEDDED_BATCH_WRITES_H_
#define FDBJOBS_EMBEDDED_BATCH_WRITES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "fdbjobs/embedded/conflict_history.h"
#include "fdbjobs/embedded/range_set.h"

namespace fdbjobs::embedded {

class BatchWrites {
 public:
  // Whether anything in `reads` was written by `records`, which begin with those of the call before.
  bool Touch(const RangeSet& reads, std::string_view records);

 private:
  void IndexKeys(std::string_view records);
  void IndexRanges(std::string_view records);

  // How many bytes of the records are in keys_ and wide_, and in ranges_.
  size_t keys_upto_ = 0;
  size_t ranges_upto_ = 0;
  absl::flat_hash_set<uint64_t> keys_;
  WrittenRanges wide_;
  // Keys and ranges alike, for reads of ranges.
  WrittenRanges ranges_;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_BATCH_WRITES_H_
