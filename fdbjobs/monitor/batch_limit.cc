#include "fdbjobs/monitor/batch_limit.h"

#include <algorithm>

#include "fdbjobs/fdb/error_codes.h"

namespace fdbjobs {

BatchLimit::BatchLimit(int first, int largest)
    : largest_(std::clamp(largest, 1, 10000)), limit_(std::clamp(first, 1, largest_)) {}

void BatchLimit::Shrink() { limit_ = std::max(1, limit_ / 2); }

void BatchLimit::Grow() { limit_ = std::min(largest_, limit_ + std::max(1, limit_ / 4)); }

bool BatchLimit::IsTooMuch(int fdb_code) {
  return fdb_code == fdb::error::kTransactionTooOld || fdb_code == fdb::error::kTransactionTimedOut ||
         fdb_code == fdb::error::kTransactionTooLarge;
}

}  // namespace fdbjobs
