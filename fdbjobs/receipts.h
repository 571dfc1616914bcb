// Receipts: rows by which a transaction can tell later whether it has committed.
//
// Each transaction that changes jobs writes a row of its own, with a value that was never there before. After a commit
// whose result is unknown, fdb::Transact reads the row, and does not run the transaction again if it is there. Rows
// are used again by later transactions of the process, so there are as many as transactions were open at once. Those of
// processes that have ended are left behind: Jobs::PruneReceipts removes them.
//
// Thread safety: any thread. Lifetime: receipts may outlive it.
#ifndef FDBJOBS_RECEIPTS_H_
#define FDBJOBS_RECEIPTS_H_

#include <memory>

#include "fdbjobs/fdb/transaction.h"
#include "fdbjobs/keyspace/job_keys.h"

namespace fdbjobs {

class Receipts {
 public:
  explicit Receipts(const keyspace::JobKeys& keys);
  ~Receipts();

  // One that nobody else has until it is dropped.
  fdb::Receipt Take();

 private:
  struct Slots;

  const keyspace::JobKeys& keys_;
  const std::shared_ptr<Slots> slots_;
};

}  // namespace fdbjobs

#endif  // FDBJOBS_RECEIPTS_H_
