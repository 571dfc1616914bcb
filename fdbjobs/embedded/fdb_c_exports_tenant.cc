#include "fdbjobs/embedded/fdb_c_exports.h"
#include "fdbjobs/embedded/fdb_c_glue.h"

using namespace fdbjobs::embedded;  // NOLINT: this file is the boundary of the namespace

namespace {

constexpr char kNoTenants[] = "the embedded engine has no tenants";

FDB_future* NoTenants() noexcept { return RefusedFuture(kTenantsDisabled, kNoTenants); }

}  // namespace

FdbError fdb_database_open_tenant(FDB_database*, FdbBytes, int, FDB_tenant** tenant) noexcept {
  *tenant = nullptr;
  return Guard([] { return Fail(kTenantsDisabled, kNoTenants); });
}

FdbError fdb_tenant_create_transaction(FDB_tenant*, FDB_transaction** transaction) noexcept {
  *transaction = nullptr;
  return Guard([] { return Fail(kTenantsDisabled, kNoTenants); });
}

FDB_future* fdb_tenant_purge_blob_granules(FDB_tenant*, FdbBytes, int, FdbBytes, int, int64_t, FdbBool) noexcept {
  return NoTenants();
}

FDB_future* fdb_tenant_wait_purge_granules_complete(FDB_tenant*, FdbBytes, int) noexcept { return NoTenants(); }

FDB_future* fdb_tenant_blobbify_range(FDB_tenant*, FdbBytes, int, FdbBytes, int) noexcept { return NoTenants(); }

FDB_future* fdb_tenant_blobbify_range_blocking(FDB_tenant*, FdbBytes, int, FdbBytes, int) noexcept {
  return NoTenants();
}

FDB_future* fdb_tenant_unblobbify_range(FDB_tenant*, FdbBytes, int, FdbBytes, int) noexcept { return NoTenants(); }

FDB_future* fdb_tenant_list_blobbified_ranges(FDB_tenant*, FdbBytes, int, FdbBytes, int, int) noexcept {
  return NoTenants();
}

FDB_future* fdb_tenant_verify_blob_range(FDB_tenant*, FdbBytes, int, FdbBytes, int, int64_t) noexcept {
  return NoTenants();
}

FDB_future* fdb_tenant_flush_blob_range(FDB_tenant*, FdbBytes, int, FdbBytes, int, FdbBool, int64_t) noexcept {
  return NoTenants();
}

FDB_future* fdb_tenant_get_id(FDB_tenant*) noexcept { return NoTenants(); }

// None was ever made.
void fdb_tenant_destroy(FDB_tenant*) noexcept {}
