// The part of FoundationDB's C ABI that fdbjobs calls, at API version 630, declared in our own words.
//
// FoundationDB is not needed to build fdbjobs: nothing here is linked against. client.h finds a libfdb_c at run time
// and fills an `Api`, the table of its functions. All names live in a namespace; in the global one there are only the
// forward declarations that FoundationDB's own fdb_c.h makes as well, so both headers can be included, in any order.
//
// Thread safety: declarations only. Lifetime: none.
//
//   const abi::Api& api = client->api();
//   std::puts(api.get_error(1020));
#ifndef FDBJOBS_FDB_ABI_H_
#define FDBJOBS_FDB_ABI_H_

#include <cstdint>
#include <string_view>

struct FDB_future;
struct FDB_database;
struct FDB_transaction;
typedef struct FDB_transaction FDBTransaction;

namespace fdbjobs::fdb::abi {

// What we select. Every client from 6.3 on serves it.
inline constexpr int kApiVersion = 630;

using Future = ::FDB_future;
using Database = ::FDB_database;
using Transaction = ::FDB_transaction;
using ErrorCode = int;  // 0 is success
using Bool = int;

// `int` lengths follow each pointer without padding: FoundationDB packs these two to four bytes.
#pragma pack(push, 4)
struct KeyValue {
  const uint8_t* key_data;
  int key_length;
  const uint8_t* value_data;
  int value_length;

  std::string_view key() const { return {reinterpret_cast<const char*>(key_data), static_cast<size_t>(key_length)}; }
  std::string_view value() const {
    return {reinterpret_cast<const char*>(value_data), static_cast<size_t>(value_length)};
  }
};

struct Key {
  const uint8_t* data;
  int length;

  std::string_view view() const { return {reinterpret_cast<const char*>(data), static_cast<size_t>(length)}; }
};
#pragma pack(pop)

static_assert(sizeof(KeyValue) == 2 * (sizeof(void*) + sizeof(int)), "must match FDBKeyValue");
static_assert(sizeof(Key) == sizeof(void*) + sizeof(int), "must match FDBKey");

// The numbers of enumerations are FoundationDB's and frozen.
enum ErrorPredicate : int {
  kPredicateRetryable = 50000,
  kPredicateMaybeCommitted = 50001,
  kPredicateRetryableNotCommitted = 50002,
};

enum ConflictRangeType : int { kConflictRead = 0, kConflictWrite = 1 };

// One pointer for each function, named as in FoundationDB without the leading "fdb_". A loaded table is complete,
// except for those under "optional", which are null when the library does not have them.
struct Api {
  // Errors.
  const char* (*get_error)(ErrorCode code);
  Bool (*error_predicate)(int predicate, ErrorCode code);

  // API version and network.
  ErrorCode (*select_api_version_impl)(int runtime_version, int header_version);
  int (*get_max_api_version)();
  const char* (*get_client_version)();
  ErrorCode (*network_set_option)(int option, const uint8_t* value, int value_length);
  ErrorCode (*setup_network)();
  ErrorCode (*run_network)();
  ErrorCode (*stop_network)();
  ErrorCode (*add_network_thread_completion_hook)(void (*hook)(void*), void* parameter);

  // Futures.
  void (*future_cancel)(Future*);
  void (*future_release_memory)(Future*);
  void (*future_destroy)(Future*);
  ErrorCode (*future_block_until_ready)(Future*);
  Bool (*future_is_ready)(Future*);
  ErrorCode (*future_set_callback)(Future*, void (*callback)(Future*, void*), void* parameter);
  ErrorCode (*future_get_error)(Future*);
  ErrorCode (*future_get_int64)(Future*, int64_t* out);
  ErrorCode (*future_get_key)(Future*, const uint8_t** key, int* key_length);
  ErrorCode (*future_get_value)(Future*, Bool* present, const uint8_t** value, int* value_length);
  ErrorCode (*future_get_keyvalue_array)(Future*, const KeyValue** rows, int* count, Bool* more);
  ErrorCode (*future_get_string_array)(Future*, const char*** strings, int* count);

  // Databases.
  ErrorCode (*create_database)(const char* cluster_file, Database** out);
  void (*database_destroy)(Database*);
  ErrorCode (*database_set_option)(Database*, int option, const uint8_t* value, int value_length);
  ErrorCode (*database_create_transaction)(Database*, Transaction** out);

  // Transactions.
  void (*transaction_destroy)(Transaction*);
  void (*transaction_cancel)(Transaction*);
  ErrorCode (*transaction_set_option)(Transaction*, int option, const uint8_t* value, int value_length);
  void (*transaction_set_read_version)(Transaction*, int64_t version);
  Future* (*transaction_get_read_version)(Transaction*);
  Future* (*transaction_get)(Transaction*, const uint8_t* key, int key_length, Bool snapshot);
  Future* (*transaction_get_key)(Transaction*, const uint8_t* key, int key_length, Bool or_equal, int offset,
                                 Bool snapshot);
  Future* (*transaction_get_addresses_for_key)(Transaction*, const uint8_t* key, int key_length);
  Future* (*transaction_get_range)(Transaction*, const uint8_t* begin, int begin_length, Bool begin_or_equal,
                                   int begin_offset, const uint8_t* end, int end_length, Bool end_or_equal,
                                   int end_offset, int limit, int target_bytes, int mode, int iteration, Bool snapshot,
                                   Bool reverse);
  void (*transaction_set)(Transaction*, const uint8_t* key, int key_length, const uint8_t* value, int value_length);
  void (*transaction_atomic_op)(Transaction*, const uint8_t* key, int key_length, const uint8_t* operand,
                                int operand_length, int type);
  void (*transaction_clear)(Transaction*, const uint8_t* key, int key_length);
  void (*transaction_clear_range)(Transaction*, const uint8_t* begin, int begin_length, const uint8_t* end,
                                  int end_length);
  Future* (*transaction_watch)(Transaction*, const uint8_t* key, int key_length);
  Future* (*transaction_commit)(Transaction*);
  ErrorCode (*transaction_get_committed_version)(Transaction*, int64_t* out);
  Future* (*transaction_get_versionstamp)(Transaction*);
  Future* (*transaction_get_approximate_size)(Transaction*);
  Future* (*transaction_get_estimated_range_size_bytes)(Transaction*, const uint8_t* begin, int begin_length,
                                                        const uint8_t* end, int end_length);
  Future* (*transaction_on_error)(Transaction*, ErrorCode error);
  void (*transaction_reset)(Transaction*);
  ErrorCode (*transaction_add_conflict_range)(Transaction*, const uint8_t* begin, int begin_length, const uint8_t* end,
                                              int end_length, int type);

  // Optional. FoundationDB has the first two from 7.0 on; the last is the embedded engine's alone.
  Future* (*transaction_get_range_split_points)(Transaction*, const uint8_t* begin, int begin_length,
                                                const uint8_t* end, int end_length, int64_t chunk_size);
  ErrorCode (*future_get_key_array)(Future*, const Key** keys, int* count);
  // Why the last call on this thread failed, in words; empty when there is nothing to add to the error's text.
  const char* (*embedded_error_detail)();
};

}  // namespace fdbjobs::fdb::abi

#endif  // FDBJOBS_FDB_ABI_H_
