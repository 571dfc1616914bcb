// The C ABI of fdb_c as this library exports it: API versions 520 to 730, by name and calling convention.
//
// Programs and language bindings bring FoundationDB's own fdb_c.h; this header only makes the compiler check our side.
// Enumerations of that header cross the ABI as `int`. Everything is noexcept: a failure becomes an error code or a
// failed future, and where there is neither (void functions) it ends the process, as it does in FoundationDB.
//
// What each function means is in FoundationDB's documentation; where ours differs, docs/embedded.md says so.
#ifndef FDBJOBS_EMBEDDED_FDB_C_EXPORTS_H_
#define FDBJOBS_EMBEDDED_FDB_C_EXPORTS_H_

#include <cstdint>

#include "fdbjobs/embedded/fdb_c_handles.h"
#include "fdbjobs/embedded/future.h"
#include "fdbjobs/embedded/rows.h"

using FdbError = int;
using FdbBool = int;
using FdbBytes = const uint8_t*;
using FdbCallback = void (*)(FDB_future*, void*);
using FdbKey = fdbjobs::embedded::Future::KeyEntry;
using FdbKeyValue = fdbjobs::embedded::Rows::Entry;

// Passed by value to a function that is refused: only the size matters.
struct FdbReadBlobGranuleContext {
  void* user_context;
  void* start_load;
  void* get_load;
  void* free_load;
  FdbBool no_materialize;
  int parallelism;
};

#pragma GCC visibility push(default)
extern "C" {

// fdb_c_exports_network.cc: errors, versions, the network thread.
const char* fdb_get_error(FdbError code) noexcept;
FdbBool fdb_error_predicate(int predicate, FdbError code) noexcept;
FdbError fdb_select_api_version_impl(int runtime_version, int header_version) noexcept;
int fdb_get_max_api_version() noexcept;
const char* fdb_get_client_version() noexcept;
void fdb_use_future_protocol_version() noexcept;
FdbError fdb_network_set_option(int option, FdbBytes value, int value_length) noexcept;
FdbError fdb_setup_network() noexcept;
FdbError fdb_run_network() noexcept;
FdbError fdb_stop_network() noexcept;
FdbError fdb_add_network_thread_completion_hook(void (*hook)(void*), void* parameter) noexcept;

// fdb_c_exports_future.cc
void fdb_future_cancel(FDB_future* future) noexcept;
void fdb_future_release_memory(FDB_future* future) noexcept;
void fdb_future_destroy(FDB_future* future) noexcept;
FdbError fdb_future_block_until_ready(FDB_future* future) noexcept;
FdbBool fdb_future_is_ready(FDB_future* future) noexcept;
FdbError fdb_future_set_callback(FDB_future* future, FdbCallback callback, void* parameter) noexcept;
FdbError fdb_future_get_error(FDB_future* future) noexcept;
FdbError fdb_future_get_int64(FDB_future* future, int64_t* out) noexcept;
FdbError fdb_future_get_uint64(FDB_future* future, uint64_t* out) noexcept;
FdbError fdb_future_get_double(FDB_future* future, double* out) noexcept;
FdbError fdb_future_get_bool(FDB_future* future, FdbBool* out) noexcept;
FdbError fdb_future_get_key(FDB_future* future, FdbBytes* key, int* key_length) noexcept;
FdbError fdb_future_get_value(FDB_future* future, FdbBool* present, FdbBytes* value, int* value_length) noexcept;
FdbError fdb_future_get_keyvalue_array(FDB_future* future, const FdbKeyValue** rows, int* count,
                                       FdbBool* more) noexcept;
FdbError fdb_future_get_key_array(FDB_future* future, const FdbKey** keys, int* count) noexcept;
FdbError fdb_future_get_string_array(FDB_future* future, const char*** strings, int* count) noexcept;

// fdb_c_exports_database.cc
FdbError fdb_create_database(const char* cluster_file, FDB_database** database) noexcept;
FdbError fdb_create_database_from_connection_string(const char* connection_string, FDB_database** database) noexcept;
void fdb_database_destroy(FDB_database* database) noexcept;
FdbError fdb_database_set_option(FDB_database* database, int option, FdbBytes value, int value_length) noexcept;
FdbError fdb_database_create_transaction(FDB_database* database, FDB_transaction** transaction) noexcept;
double fdb_database_get_main_thread_busyness(FDB_database* database) noexcept;
FDB_future* fdb_database_get_server_protocol(FDB_database* database, uint64_t expected_version) noexcept;
FDB_future* fdb_database_get_client_status(FDB_database* database) noexcept;

// fdb_c_exports_transaction.cc
void fdb_transaction_destroy(FDB_transaction* transaction) noexcept;
void fdb_transaction_cancel(FDB_transaction* transaction) noexcept;
void fdb_transaction_reset(FDB_transaction* transaction) noexcept;
FdbError fdb_transaction_set_option(FDB_transaction* transaction, int option, FdbBytes value,
                                    int value_length) noexcept;
void fdb_transaction_set_read_version(FDB_transaction* transaction, int64_t version) noexcept;
FDB_future* fdb_transaction_get_read_version(FDB_transaction* transaction) noexcept;
FDB_future* fdb_transaction_get(FDB_transaction* transaction, FdbBytes key, int key_length, FdbBool snapshot) noexcept;
FDB_future* fdb_transaction_get_key(FDB_transaction* transaction, FdbBytes key, int key_length, FdbBool or_equal,
                                    int offset, FdbBool snapshot) noexcept;
FDB_future* fdb_transaction_get_addresses_for_key(FDB_transaction* transaction, FdbBytes key, int key_length) noexcept;
FDB_future* fdb_transaction_get_range(FDB_transaction* transaction, FdbBytes begin, int begin_length,
                                      FdbBool begin_or_equal, int begin_offset, FdbBytes end, int end_length,
                                      FdbBool end_or_equal, int end_offset, int limit, int target_bytes, int mode,
                                      int iteration, FdbBool snapshot, FdbBool reverse) noexcept;
void fdb_transaction_set(FDB_transaction* transaction, FdbBytes key, int key_length, FdbBytes value,
                         int value_length) noexcept;
void fdb_transaction_atomic_op(FDB_transaction* transaction, FdbBytes key, int key_length, FdbBytes operand,
                               int operand_length, int type) noexcept;
void fdb_transaction_clear(FDB_transaction* transaction, FdbBytes key, int key_length) noexcept;
void fdb_transaction_clear_range(FDB_transaction* transaction, FdbBytes begin, int begin_length, FdbBytes end,
                                 int end_length) noexcept;
FDB_future* fdb_transaction_watch(FDB_transaction* transaction, FdbBytes key, int key_length) noexcept;
FDB_future* fdb_transaction_commit(FDB_transaction* transaction) noexcept;
FdbError fdb_transaction_get_committed_version(FDB_transaction* transaction, int64_t* version) noexcept;
FDB_future* fdb_transaction_get_versionstamp(FDB_transaction* transaction) noexcept;
FDB_future* fdb_transaction_get_approximate_size(FDB_transaction* transaction) noexcept;
FDB_future* fdb_transaction_get_tag_throttled_duration(FDB_transaction* transaction) noexcept;
FDB_future* fdb_transaction_get_total_cost(FDB_transaction* transaction) noexcept;
FDB_future* fdb_transaction_on_error(FDB_transaction* transaction, FdbError error) noexcept;
FdbError fdb_transaction_add_conflict_range(FDB_transaction* transaction, FdbBytes begin, int begin_length,
                                            FdbBytes end, int end_length, int type) noexcept;
FDB_future* fdb_transaction_get_estimated_range_size_bytes(FDB_transaction* transaction, FdbBytes begin,
                                                           int begin_length, FdbBytes end, int end_length) noexcept;
FDB_future* fdb_transaction_get_range_split_points(FDB_transaction* transaction, FdbBytes begin, int begin_length,
                                                   FdbBytes end, int end_length, int64_t chunk_bytes) noexcept;

// fdb_c_exports_compat.cc: what was removed from the API in 610 and 620.
FDB_future* fdb_create_cluster(const char* cluster_file) noexcept;
FdbError fdb_cluster_set_option(FDB_cluster* cluster, int option, FdbBytes value, int value_length) noexcept;
void fdb_cluster_destroy(FDB_cluster* cluster) noexcept;
FDB_future* fdb_cluster_create_database(FDB_cluster* cluster, FdbBytes name, int name_length) noexcept;
FdbError fdb_future_get_cluster(FDB_future* future, FDB_cluster** cluster) noexcept;
FdbError fdb_future_get_database(FDB_future* future, FDB_database** database) noexcept;
FdbError fdb_future_get_version(FDB_future* future, int64_t* version) noexcept;

// fdb_c_exports_refused.cc: what a single machine has no use for.
FDB_future* fdb_database_reboot_worker(FDB_database*, FdbBytes address, int, FdbBool check, int duration) noexcept;
FDB_future* fdb_database_force_recovery_with_data_loss(FDB_database*, FdbBytes datacenter, int) noexcept;
FDB_future* fdb_database_create_snapshot(FDB_database*, FdbBytes uid, int, FdbBytes command, int) noexcept;
FDB_future* fdb_database_create_shared_state(FDB_database*) noexcept;
void fdb_database_set_shared_state(FDB_database*, void* state) noexcept;
FdbError fdb_future_get_shared_state(FDB_future* future, void** state) noexcept;
FDB_future* fdb_transaction_get_mapped_range(FDB_transaction*, FdbBytes begin, int, FdbBool, int, FdbBytes end, int,
                                             FdbBool, int, FdbBytes mapper, int, int limit, int target_bytes, int mode,
                                             int iteration, FdbBool snapshot, FdbBool reverse) noexcept;
FdbError fdb_future_get_mappedkeyvalue_array(FDB_future* future, const void** rows, int* count, FdbBool* more) noexcept;

// fdb_c_exports_tenant.cc: refused as well.
FdbError fdb_database_open_tenant(FDB_database*, FdbBytes name, int, FDB_tenant** tenant) noexcept;
FdbError fdb_tenant_create_transaction(FDB_tenant*, FDB_transaction** transaction) noexcept;
FDB_future* fdb_tenant_purge_blob_granules(FDB_tenant*, FdbBytes begin, int, FdbBytes end, int, int64_t version,
                                           FdbBool force) noexcept;
FDB_future* fdb_tenant_wait_purge_granules_complete(FDB_tenant*, FdbBytes purge_key, int) noexcept;
FDB_future* fdb_tenant_blobbify_range(FDB_tenant*, FdbBytes begin, int, FdbBytes end, int) noexcept;
FDB_future* fdb_tenant_blobbify_range_blocking(FDB_tenant*, FdbBytes begin, int, FdbBytes end, int) noexcept;
FDB_future* fdb_tenant_unblobbify_range(FDB_tenant*, FdbBytes begin, int, FdbBytes end, int) noexcept;
FDB_future* fdb_tenant_list_blobbified_ranges(FDB_tenant*, FdbBytes begin, int, FdbBytes end, int, int limit) noexcept;
FDB_future* fdb_tenant_verify_blob_range(FDB_tenant*, FdbBytes begin, int, FdbBytes end, int, int64_t version) noexcept;
FDB_future* fdb_tenant_flush_blob_range(FDB_tenant*, FdbBytes begin, int, FdbBytes end, int, FdbBool compact,
                                        int64_t version) noexcept;
FDB_future* fdb_tenant_get_id(FDB_tenant*) noexcept;
void fdb_tenant_destroy(FDB_tenant*) noexcept;

// fdb_c_exports_blob_granules.cc: refused as well.
FDB_future* fdb_database_purge_blob_granules(FDB_database*, FdbBytes begin, int, FdbBytes end, int, int64_t version,
                                             FdbBool force) noexcept;
FDB_future* fdb_database_wait_purge_granules_complete(FDB_database*, FdbBytes purge_key, int) noexcept;
FDB_future* fdb_database_blobbify_range(FDB_database*, FdbBytes begin, int, FdbBytes end, int) noexcept;
FDB_future* fdb_database_blobbify_range_blocking(FDB_database*, FdbBytes begin, int, FdbBytes end, int) noexcept;
FDB_future* fdb_database_unblobbify_range(FDB_database*, FdbBytes begin, int, FdbBytes end, int) noexcept;
FDB_future* fdb_database_list_blobbified_ranges(FDB_database*, FdbBytes begin, int, FdbBytes end, int,
                                                int limit) noexcept;
FDB_future* fdb_database_verify_blob_range(FDB_database*, FdbBytes begin, int, FdbBytes end, int,
                                           int64_t version) noexcept;
FDB_future* fdb_database_flush_blob_range(FDB_database*, FdbBytes begin, int, FdbBytes end, int, FdbBool compact,
                                          int64_t version) noexcept;
FDB_future* fdb_transaction_get_blob_granule_ranges(FDB_transaction*, FdbBytes begin, int, FdbBytes end, int,
                                                    int limit) noexcept;
FDB_result* fdb_transaction_read_blob_granules(FDB_transaction*, FdbBytes begin, int, FdbBytes end, int,
                                               int64_t begin_version, int64_t read_version,
                                               FdbReadBlobGranuleContext context) noexcept;
FDB_future* fdb_transaction_read_blob_granules_start(FDB_transaction*, FdbBytes begin, int, FdbBytes end, int,
                                                     int64_t begin_version, int64_t read_version,
                                                     int64_t* read_version_out) noexcept;
FDB_result* fdb_transaction_read_blob_granules_finish(FDB_transaction*, FDB_future*, FdbBytes begin, int, FdbBytes end,
                                                      int, int64_t begin_version, int64_t read_version,
                                                      FdbReadBlobGranuleContext* context) noexcept;
FDB_future* fdb_transaction_read_blob_granules_description(FDB_transaction*, FdbBytes begin, int, FdbBytes end, int,
                                                           int64_t begin_version, int64_t read_version,
                                                           int64_t* read_version_out) noexcept;
FDB_future* fdb_transaction_summarize_blob_granules(FDB_transaction*, FdbBytes begin, int, FdbBytes end, int,
                                                    int64_t version, int limit) noexcept;
FdbError fdb_future_get_keyrange_array(FDB_future* future, const void** ranges, int* count) noexcept;
FdbError fdb_future_get_granule_summary_array(FDB_future* future, const void** summaries, int* count) noexcept;
FdbError fdb_future_readbg_get_descriptions(FDB_future* future, void** descriptions, int* count) noexcept;
FDB_result* fdb_readbg_parse_snapshot_file(FdbBytes file, int, const void* tenant, const void* encryption) noexcept;
FDB_result* fdb_readbg_parse_delta_file(FdbBytes file, int, const void* tenant, const void* encryption) noexcept;
void fdb_result_destroy(FDB_result* result) noexcept;
FdbError fdb_result_get_keyvalue_array(FDB_result* result, const FdbKeyValue** rows, int* count,
                                       FdbBool* more) noexcept;
FdbError fdb_result_get_bg_mutations_array(FDB_result* result, const void** mutations, int* count) noexcept;

// fdb_c_exports_embedded.cc: ours alone.

// A sentence about the last error that this thread got from a function of this library which knew more than the code;
// empty if there was none. Valid until the next such error on this thread.
const char* fdb_embedded_error_detail() noexcept;
// Faults on demand, for tests; see faults.h for `spec`. Null or "" ends them.
FdbError fdb_embedded_set_faults(const char* spec) noexcept;

}  // extern "C"
#pragma GCC visibility pop

#endif  // FDBJOBS_EMBEDDED_FDB_C_EXPORTS_H_
