// The examples of the headers of fdbjobs/admin, compiled. As header_examples.cc.
#include <iostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "fdbjobs/admin/check.h"
#include "fdbjobs/admin/repair.h"
#include "fdbjobs/admin/rows.h"
#include "fdbjobs/admin/transfer.h"
#include "fdbjobs/fdb/transact.h"

namespace fdbjobs::admin {

bool Print(const keyspace::Row& row) { return !(std::cout << row.key << "\n").fail(); }

absl::Status CheckExample(const Jobs& jobs, const fdb::Database& db) {
  std::string continuation;
  do {
    absl::StatusOr<CheckPage> page =
        fdb::Transact(db, [&](fdb::Transaction& tr) { return CheckRows(jobs, tr, continuation, 1000); });
    if (!page.ok()) return page.status();
    continuation = page->continuation;
  } while (!continuation.empty());
  return absl::OkStatus();
}

absl::Status RepairExample(const Jobs& jobs, const fdb::Database& db, const Violation& violation) {
  Repairer repairer(jobs, db, {});
  absl::StatusOr<Mended> mended = repairer.Repair(violation);
  return mended.status();
}

absl::Status RowsExample(const fdb::Database& db, const keyspace::JobKeys& keys) {
  absl::Status status = ForEachRow(db, keys, keys.All(), {}, [](const keyspace::Row& row) { return Print(row); });
  return status;
}

absl::Status TransferExample(const Jobs& jobs, const fdb::Database& db, absl::Span<const StoredJob> some) {
  absl::StatusOr<std::vector<bool>> imported =
      fdb::Transact(db, [&](fdb::Transaction& tr) { return ImportJobs(jobs, tr, some); });
  return imported.status();
}

}  // namespace fdbjobs::admin
