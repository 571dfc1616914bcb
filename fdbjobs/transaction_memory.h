// TransactionMemory: what the jobs layer has to remember of one try of a transaction.
//
// A row that was written with a versionstamp can't be read back before the commit (error 1036), so it is remembered
// here. fdb::Transaction keeps the memory and drops it when the transaction is reset.
//
// Thread safety: one thread at a time. Lifetime: one try.
#ifndef FDBJOBS_TRANSACTION_MEMORY_H_
#define FDBJOBS_TRANSACTION_MEMORY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "fdbjobs/claims_in_flight.h"
#include "fdbjobs/fdb/transaction.h"
#include "fdbjobs/keyspace/job_row.h"
#include "fdbjobs/keyspace/tuple_types.h"

namespace fdbjobs {

struct TransactionMemory : fdb::Transaction::Memory {
  struct StampedRow {
    std::optional<keyspace::JobRow> row;  // as this try left it; none: cleared
    // Of the activity entry that this try made for the job. It can't be cleared any more, so it is used again should
    // the job be claimed again.
    uint16_t user_version = 0;
  };
  // By data key: rows that were stamped at some time in this try.
  absl::flat_hash_map<std::string, StampedRow> stamped;
  struct ReservedRow {
    tuple::Uuid lock;
    std::string options;  // of the data row, as this try left it
  };
  // By data key: pending jobs that were claimed to be finished in this try. Their rows were read, so they need not be
  // read again.
  absl::flat_hash_map<std::string, ReservedRow> reserved;
  // This try has written rows of jobs.
  bool wrote_jobs = false;
  // Watch rows that were written: each once is enough.
  absl::flat_hash_set<std::string> watches;
  // Rows of queues that this try claims, as others of the process see it.
  std::vector<ClaimsInFlight::Place> claims;
  // By its key, so for each prefix.
  absl::flat_hash_map<std::string, uint8_t> incarnation;
};

}  // namespace fdbjobs

#endif  // FDBJOBS_TRANSACTION_MEMORY_H_
