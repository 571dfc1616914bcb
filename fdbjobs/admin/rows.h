// ForEachRow: every row of a range, taken apart, in pages over as many transactions as it takes.
//
// A page is of one moment, different pages may be of different ones. All reads are snapshot reads.
//
// Thread safety: pure function. Lifetime: borrows everything during the call.
//
//   absl::Status status = ForEachRow(db, keys, keys.All(), {}, [](const keyspace::Row& row) { return Print(row); });
#ifndef FDBJOBS_ADMIN_ROWS_H_
#define FDBJOBS_ADMIN_ROWS_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/fdb/transact.h"
#include "fdbjobs/keyspace/job_keys.h"
#include "fdbjobs/keyspace/row_reader.h"

namespace fdbjobs::admin {

struct RowPage {
  std::vector<keyspace::Row> rows;
  std::string next;  // the key to go on with; empty: there are no more
};

// Up to `limit` rows from `range.begin` on, in the caller's transaction.
absl::StatusOr<RowPage> ReadRows(fdb::Transaction& tr, const keyspace::JobKeys& keys, const keyspace::KeyRange& range,
                                 int limit);

// Until `visit` returns false. `options` are those of each transaction.
absl::Status ForEachRow(const fdb::Database& db, const keyspace::JobKeys& keys, keyspace::KeyRange range,
                        const fdb::TransactOptions& options, absl::FunctionRef<bool(const keyspace::Row&)> visit);

}  // namespace fdbjobs::admin

#endif  // FDBJOBS_ADMIN_ROWS_H_
