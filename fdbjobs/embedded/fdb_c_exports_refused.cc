#include "fdbjobs/embedded/fdb_c_exports.h"
#include "fdbjobs/embedded/fdb_c_glue.h"

using namespace fdbjobs::embedded;  // NOLINT: this file is the boundary of the namespace

FDB_future* fdb_database_reboot_worker(FDB_database*, FdbBytes, int, FdbBool, int) noexcept {
  return RefusedFuture(kUnsupportedOperation, "the embedded engine has no worker processes to reboot");
}

FDB_future* fdb_database_force_recovery_with_data_loss(FDB_database*, FdbBytes, int) noexcept {
  return RefusedFuture(kUnsupportedOperation, "the embedded engine has no datacenters to recover from");
}

FDB_future* fdb_database_create_snapshot(FDB_database*, FdbBytes, int, FdbBytes, int) noexcept {
  return RefusedFuture(kUnsupportedOperation, "the embedded engine has no disk snapshots");
}

FDB_future* fdb_database_create_shared_state(FDB_database*) noexcept {
  return RefusedFuture(kUnsupportedOperation, "the embedded engine shares no state with other client libraries");
}

void fdb_database_set_shared_state(FDB_database*, void*) noexcept {}

FdbError fdb_future_get_shared_state(FDB_future* future, void**) noexcept { return GetUnservedKind(future); }

FDB_future* fdb_transaction_get_mapped_range(FDB_transaction*, FdbBytes, int, FdbBool, int, FdbBytes, int, FdbBool, int,
                                             FdbBytes, int, int, int, int, int, FdbBool, FdbBool) noexcept {
  return RefusedFuture(kUnsupportedOperation, "the embedded engine has no mapped range reads");
}

FdbError fdb_future_get_mappedkeyvalue_array(FDB_future* future, const void**, int*, FdbBool*) noexcept {
  return GetUnservedKind(future);
}
