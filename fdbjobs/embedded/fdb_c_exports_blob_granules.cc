#include "fdbjobs/embedded/fdb_c_exports.h"
#include "fdbjobs/embedded/fdb_c_glue.h"

using namespace fdbjobs::embedded;  // NOLINT: this file is the boundary of the namespace

// The answer of a call that does not return a future. All of them are refusals.
struct FDB_result {
  ErrorCode error;
};

namespace {

constexpr char kNoBlobGranules[] = "the embedded engine has no blob granules";

FDB_future* NoBlobGranules() noexcept { return RefusedFuture(kUnsupportedOperation, kNoBlobGranules); }

FDB_result* NoBlobGranulesResult() noexcept { return new FDB_result{Fail(kUnsupportedOperation, kNoBlobGranules)}; }

}  // namespace

FDB_future* fdb_database_purge_blob_granules(FDB_database*, FdbBytes, int, FdbBytes, int, int64_t, FdbBool) noexcept {
  return NoBlobGranules();
}

FDB_future* fdb_database_wait_purge_granules_complete(FDB_database*, FdbBytes, int) noexcept {
  return NoBlobGranules();
}

FDB_future* fdb_database_blobbify_range(FDB_database*, FdbBytes, int, FdbBytes, int) noexcept {
  return NoBlobGranules();
}

FDB_future* fdb_database_blobbify_range_blocking(FDB_database*, FdbBytes, int, FdbBytes, int) noexcept {
  return NoBlobGranules();
}

FDB_future* fdb_database_unblobbify_range(FDB_database*, FdbBytes, int, FdbBytes, int) noexcept {
  return NoBlobGranules();
}

FDB_future* fdb_database_list_blobbified_ranges(FDB_database*, FdbBytes, int, FdbBytes, int, int) noexcept {
  return NoBlobGranules();
}

FDB_future* fdb_database_verify_blob_range(FDB_database*, FdbBytes, int, FdbBytes, int, int64_t) noexcept {
  return NoBlobGranules();
}

FDB_future* fdb_database_flush_blob_range(FDB_database*, FdbBytes, int, FdbBytes, int, FdbBool, int64_t) noexcept {
  return NoBlobGranules();
}

FDB_future* fdb_transaction_get_blob_granule_ranges(FDB_transaction*, FdbBytes, int, FdbBytes, int, int) noexcept {
  return NoBlobGranules();
}

FDB_result* fdb_transaction_read_blob_granules(FDB_transaction*, FdbBytes, int, FdbBytes, int, int64_t, int64_t,
                                               FdbReadBlobGranuleContext) noexcept {
  return NoBlobGranulesResult();
}

FDB_future* fdb_transaction_read_blob_granules_start(FDB_transaction*, FdbBytes, int, FdbBytes, int, int64_t, int64_t,
                                                     int64_t*) noexcept {
  return NoBlobGranules();
}

FDB_result* fdb_transaction_read_blob_granules_finish(FDB_transaction*, FDB_future*, FdbBytes, int, FdbBytes, int,
                                                      int64_t, int64_t, FdbReadBlobGranuleContext*) noexcept {
  return NoBlobGranulesResult();
}

FDB_future* fdb_transaction_read_blob_granules_description(FDB_transaction*, FdbBytes, int, FdbBytes, int, int64_t,
                                                           int64_t, int64_t*) noexcept {
  return NoBlobGranules();
}

FDB_future* fdb_transaction_summarize_blob_granules(FDB_transaction*, FdbBytes, int, FdbBytes, int, int64_t,
                                                    int) noexcept {
  return NoBlobGranules();
}

FdbError fdb_future_get_keyrange_array(FDB_future* future, const void**, int*) noexcept {
  return GetUnservedKind(future);
}

FdbError fdb_future_get_granule_summary_array(FDB_future* future, const void**, int*) noexcept {
  return GetUnservedKind(future);
}

FdbError fdb_future_readbg_get_descriptions(FDB_future* future, void**, int*) noexcept {
  return GetUnservedKind(future);
}

FDB_result* fdb_readbg_parse_snapshot_file(FdbBytes, int, const void*, const void*) noexcept {
  return NoBlobGranulesResult();
}

FDB_result* fdb_readbg_parse_delta_file(FdbBytes, int, const void*, const void*) noexcept {
  return NoBlobGranulesResult();
}

void fdb_result_destroy(FDB_result* result) noexcept { delete result; }

FdbError fdb_result_get_keyvalue_array(FDB_result* result, const FdbKeyValue**, int*, FdbBool*) noexcept {
  return result->error;
}

FdbError fdb_result_get_bg_mutations_array(FDB_result* result, const void**, int*) noexcept { return result->error; }
