#include <dlfcn.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "fdbjobs/fdb/library.h"

namespace fdbjobs::fdb {
namespace {

class Binder {
 public:
  explicit Binder(void* library) : library_(library) {}

  template <typename Function>
  void Required(Function** slot, const char* symbol) {
    Optional(slot, symbol);
    if (*slot == nullptr) missing_.emplace_back(symbol);
  }

  template <typename Function>
  void Optional(Function** slot, const char* symbol) {
    *slot = reinterpret_cast<Function*>(dlsym(library_, symbol));
  }

  const std::vector<std::string>& missing() const { return missing_; }

 private:
  void* const library_;
  std::vector<std::string> missing_;
};

void BindClient(Binder& bind, abi::Api& api) {
  bind.Required(&api.get_error, "fdb_get_error");
  bind.Required(&api.error_predicate, "fdb_error_predicate");
  bind.Required(&api.select_api_version_impl, "fdb_select_api_version_impl");
  bind.Required(&api.get_max_api_version, "fdb_get_max_api_version");
  bind.Required(&api.get_client_version, "fdb_get_client_version");
  bind.Required(&api.network_set_option, "fdb_network_set_option");
  bind.Required(&api.setup_network, "fdb_setup_network");
  bind.Required(&api.run_network, "fdb_run_network");
  bind.Required(&api.stop_network, "fdb_stop_network");
  bind.Required(&api.add_network_thread_completion_hook, "fdb_add_network_thread_completion_hook");
  bind.Required(&api.create_database, "fdb_create_database");
  bind.Required(&api.database_destroy, "fdb_database_destroy");
  bind.Required(&api.database_set_option, "fdb_database_set_option");
  bind.Required(&api.database_create_transaction, "fdb_database_create_transaction");
}

void BindFutures(Binder& bind, abi::Api& api) {
  bind.Required(&api.future_cancel, "fdb_future_cancel");
  bind.Required(&api.future_release_memory, "fdb_future_release_memory");
  bind.Required(&api.future_destroy, "fdb_future_destroy");
  bind.Required(&api.future_block_until_ready, "fdb_future_block_until_ready");
  bind.Required(&api.future_is_ready, "fdb_future_is_ready");
  bind.Required(&api.future_set_callback, "fdb_future_set_callback");
  bind.Required(&api.future_get_error, "fdb_future_get_error");
  bind.Required(&api.future_get_int64, "fdb_future_get_int64");
  bind.Required(&api.future_get_key, "fdb_future_get_key");
  bind.Required(&api.future_get_value, "fdb_future_get_value");
  bind.Required(&api.future_get_keyvalue_array, "fdb_future_get_keyvalue_array");
  bind.Required(&api.future_get_string_array, "fdb_future_get_string_array");
}

void BindTransactions(Binder& bind, abi::Api& api) {
  bind.Required(&api.transaction_destroy, "fdb_transaction_destroy");
  bind.Required(&api.transaction_cancel, "fdb_transaction_cancel");
  bind.Required(&api.transaction_set_option, "fdb_transaction_set_option");
  bind.Required(&api.transaction_set_read_version, "fdb_transaction_set_read_version");
  bind.Required(&api.transaction_get_read_version, "fdb_transaction_get_read_version");
  bind.Required(&api.transaction_get, "fdb_transaction_get");
  bind.Required(&api.transaction_get_key, "fdb_transaction_get_key");
  bind.Required(&api.transaction_get_addresses_for_key, "fdb_transaction_get_addresses_for_key");
  bind.Required(&api.transaction_get_range, "fdb_transaction_get_range");
  bind.Required(&api.transaction_set, "fdb_transaction_set");
  bind.Required(&api.transaction_atomic_op, "fdb_transaction_atomic_op");
  bind.Required(&api.transaction_clear, "fdb_transaction_clear");
  bind.Required(&api.transaction_clear_range, "fdb_transaction_clear_range");
  bind.Required(&api.transaction_watch, "fdb_transaction_watch");
  bind.Required(&api.transaction_commit, "fdb_transaction_commit");
  bind.Required(&api.transaction_get_committed_version, "fdb_transaction_get_committed_version");
  bind.Required(&api.transaction_get_versionstamp, "fdb_transaction_get_versionstamp");
  bind.Required(&api.transaction_get_approximate_size, "fdb_transaction_get_approximate_size");
  bind.Required(&api.transaction_get_estimated_range_size_bytes, "fdb_transaction_get_estimated_range_size_bytes");
  bind.Required(&api.transaction_on_error, "fdb_transaction_on_error");
  bind.Required(&api.transaction_reset, "fdb_transaction_reset");
  bind.Required(&api.transaction_add_conflict_range, "fdb_transaction_add_conflict_range");
}

void BindOptional(Binder& bind, abi::Api& api) {
  bind.Optional(&api.transaction_get_range_split_points, "fdb_transaction_get_range_split_points");
  bind.Optional(&api.future_get_key_array, "fdb_future_get_key_array");
  bind.Optional(&api.embedded_error_detail, "fdb_embedded_error_detail");
}

}  // namespace

absl::StatusOr<abi::Api> BindApi(const Library& library) {
  abi::Api api = {};
  Binder bind(library.handle);
  BindClient(bind, api);
  BindFutures(bind, api);
  BindTransactions(bind, api);
  BindOptional(bind, api);
  if (!bind.missing().empty()) {
    return absl::FailedPreconditionError(absl::StrCat(library.path, " does not serve FoundationDB's API version ",
                                                      abi::kApiVersion, ": it has no function ",
                                                      absl::StrJoin(bind.missing(), ", ")));
  }
  return api;
}

}  // namespace fdbjobs::fdb
