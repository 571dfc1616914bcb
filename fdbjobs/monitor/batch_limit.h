// BatchLimit: how much to do in one transaction. Halves when a transaction was too much, grows again by and by.
//
// Thread safety: one thread at a time. Lifetime: a plain value.
//
//   if (BatchLimit::IsTooMuch(fdb::FdbCode(status))) limit.Shrink();
#ifndef FDBJOBS_MONITOR_BATCH_LIMIT_H_
#define FDBJOBS_MONITOR_BATCH_LIMIT_H_

#include "absl/status/status.h"

namespace fdbjobs {

class BatchLimit {
 public:
  BatchLimit(int first, int largest);

  int get() const { return limit_; }
  void Shrink();
  // After a transaction that went well.
  void Grow();

  // Errors that a smaller transaction may escape: too old (1007), timed out (1031), too large (2101).
  static bool IsTooMuch(int fdb_code);

 private:
  int largest_;
  int limit_;
};

}  // namespace fdbjobs

#endif  // FDBJOBS_MONITOR_BATCH_LIMIT_H_
