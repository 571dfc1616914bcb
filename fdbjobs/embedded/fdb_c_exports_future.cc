#include "fdbjobs/embedded/fdb_c_exports.h"
#include "fdbjobs/embedded/fdb_c_glue.h"

using namespace fdbjobs::embedded;  // NOLINT: this file is the boundary of the namespace

namespace {

const uint8_t* Bytes(const std::string& string) { return reinterpret_cast<const uint8_t*>(string.data()); }

}  // namespace

void fdb_future_cancel(FDB_future* future) noexcept { Unwrap(future)->Cancel(); }

void fdb_future_release_memory(FDB_future* future) noexcept { Unwrap(future)->ReleaseMemory(); }

void fdb_future_destroy(FDB_future* future) noexcept { Unwrap(future)->Destroy(); }

FdbError fdb_future_block_until_ready(FDB_future* future) noexcept {
  return Guard([&] { return Unwrap(future)->BlockUntilReady(); });
}

FdbBool fdb_future_is_ready(FDB_future* future) noexcept { return Unwrap(future)->IsReady() ? 1 : 0; }

FdbError fdb_future_set_callback(FDB_future* future, FdbCallback callback, void* parameter) noexcept {
  return Guard([&] { return Unwrap(future)->SetCallback(callback, parameter); });
}

FdbError fdb_future_get_error(FDB_future* future) noexcept { return Unwrap(future)->error(); }

FdbError fdb_future_get_int64(FDB_future* future, int64_t* out) noexcept {
  const int64_t* number;
  if (ErrorCode error = Unwrap(future)->Borrow(&number)) return error;
  *out = *number;
  return kSuccess;
}

FdbError fdb_future_get_uint64(FDB_future* future, uint64_t* out) noexcept {
  const int64_t* number;
  if (ErrorCode error = Unwrap(future)->Borrow(&number)) return error;
  *out = static_cast<uint64_t>(*number);
  return kSuccess;
}

FdbError fdb_future_get_double(FDB_future* future, double* out) noexcept {
  const double* number;
  if (ErrorCode error = Unwrap(future)->Borrow(&number)) return error;
  *out = *number;
  return kSuccess;
}

FdbError fdb_future_get_bool(FDB_future* future, FdbBool*) noexcept { return GetUnservedKind(future); }

FdbError fdb_future_get_key(FDB_future* future, FdbBytes* key, int* key_length) noexcept {
  const Future::KeyResult* result;
  if (ErrorCode error = Unwrap(future)->Borrow(&result)) return error;
  *key = Bytes(result->key);
  *key_length = static_cast<int>(result->key.size());
  return kSuccess;
}

FdbError fdb_future_get_value(FDB_future* future, FdbBool* present, FdbBytes* value, int* value_length) noexcept {
  const Future::ValueResult* result;
  if (ErrorCode error = Unwrap(future)->Borrow(&result)) return error;
  *present = result->value ? 1 : 0;
  if (result->value) {
    *value = Bytes(*result->value);
    *value_length = static_cast<int>(result->value->size());
  }
  return kSuccess;
}

FdbError fdb_future_get_keyvalue_array(FDB_future* future, const FdbKeyValue** rows, int* count,
                                       FdbBool* more) noexcept {
  const Future::RangeResult* result;
  if (ErrorCode error = Unwrap(future)->Borrow(&result)) return error;
  *rows = result->rows.data();
  *count = static_cast<int>(result->rows.size());
  *more = result->more ? 1 : 0;
  return kSuccess;
}

FdbError fdb_future_get_key_array(FDB_future* future, const FdbKey** keys, int* count) noexcept {
  const Future::KeysResult* result;
  if (ErrorCode error = Unwrap(future)->Borrow(&result)) return error;
  *keys = result->entries.data();
  *count = static_cast<int>(result->entries.size());
  return kSuccess;
}

FdbError fdb_future_get_string_array(FDB_future* future, const char*** strings, int* count) noexcept {
  const Future::StringsResult* result;
  if (ErrorCode error = Unwrap(future)->Borrow(&result)) return error;
  // The ABI forgot a const; nobody writes there.
  *strings = const_cast<const char**>(result->pointers.data());
  *count = static_cast<int>(result->pointers.size());
  return kSuccess;
}
