// What libfdb_c.so looks like from outside, and what it answers before any database is open.
//
// Engine-only: it loads the embedded library. Each case that changes the state of the process (the API version, the
// network) runs in a child of its own.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <set>
#include <string>
#include <thread>

namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct FDB_future;
struct FDB_result;

void* Library() {
  static void* const library = dlopen(FDBJOBS_LIBFDB_C, RTLD_NOW | RTLD_LOCAL);
  return library;
}

// A function of the library, called with the types that its declaration in fdb_c.h has.
template <typename Return, typename... Arguments>
Return Call(const char* name, Arguments... arguments) {
  auto* function = reinterpret_cast<Return (*)(Arguments...)>(dlsym(Library(), name));
  if (function == nullptr) {
    ADD_FAILURE() << name << " is missing";
    return Return();
  }
  return function(arguments...);
}

std::string Detail() { return Call<const char*>("fdb_embedded_error_detail"); }

// The names that the dynamic symbol table defines.
std::set<std::string> ExportedNames() {
  std::set<std::string> names;
  FILE* pipe = popen("nm -D --defined-only --format=posix " FDBJOBS_LIBFDB_C, "r");
  std::array<char, 4096> line;
  while (fgets(line.data(), line.size(), pipe) != nullptr) {
    const std::string text = line.data();
    names.insert(text.substr(0, text.find(' ')));
  }
  EXPECT_EQ(pclose(pipe), 0);
  return names;
}

// Runs `body` in a child, whose failures become one of this test.
void InChild(const std::function<void()>& body) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    body();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "the child failed, status " << status;
}

int Select(int runtime, int header) { return Call<int>("fdb_select_api_version_impl", runtime, header); }

// Takes and destroys a future that is ready already; returns its error.
int ErrorOf(FDB_future* future) {
  EXPECT_EQ(Call<int>("fdb_future_block_until_ready", future), 0);
  const int error = Call<int>("fdb_future_get_error", future);
  Call<void>("fdb_future_destroy", future);
  return error;
}

// Every function of fdb_c.h at 6.3 and 7.3 that is there at some API version from 520 to 730, and our own.
constexpr const char* kFunctions[] = {
    "fdb_add_network_thread_completion_hook",
    "fdb_cluster_create_database",
    "fdb_cluster_destroy",
    "fdb_cluster_set_option",
    "fdb_create_cluster",
    "fdb_create_database",
    "fdb_create_database_from_connection_string",
    "fdb_database_blobbify_range",
    "fdb_database_blobbify_range_blocking",
    "fdb_database_create_shared_state",
    "fdb_database_create_snapshot",
    "fdb_database_create_transaction",
    "fdb_database_destroy",
    "fdb_database_flush_blob_range",
    "fdb_database_force_recovery_with_data_loss",
    "fdb_database_get_client_status",
    "fdb_database_get_main_thread_busyness",
    "fdb_database_get_server_protocol",
    "fdb_database_list_blobbified_ranges",
    "fdb_database_open_tenant",
    "fdb_database_purge_blob_granules",
    "fdb_database_reboot_worker",
    "fdb_database_set_option",
    "fdb_database_set_shared_state",
    "fdb_database_unblobbify_range",
    "fdb_database_verify_blob_range",
    "fdb_database_wait_purge_granules_complete",
    "fdb_embedded_error_detail",
    "fdb_embedded_set_faults",
    "fdb_error_predicate",
    "fdb_future_block_until_ready",
    "fdb_future_cancel",
    "fdb_future_destroy",
    "fdb_future_get_bool",
    "fdb_future_get_cluster",
    "fdb_future_get_database",
    "fdb_future_get_double",
    "fdb_future_get_error",
    "fdb_future_get_granule_summary_array",
    "fdb_future_get_int64",
    "fdb_future_get_key",
    "fdb_future_get_key_array",
    "fdb_future_get_keyrange_array",
    "fdb_future_get_keyvalue_array",
    "fdb_future_get_mappedkeyvalue_array",
    "fdb_future_get_shared_state",
    "fdb_future_get_string_array",
    "fdb_future_get_uint64",
    "fdb_future_get_value",
    "fdb_future_get_version",
    "fdb_future_is_ready",
    "fdb_future_readbg_get_descriptions",
    "fdb_future_release_memory",
    "fdb_future_set_callback",
    "fdb_get_client_version",
    "fdb_get_error",
    "fdb_get_max_api_version",
    "fdb_network_set_option",
    "fdb_readbg_parse_delta_file",
    "fdb_readbg_parse_snapshot_file",
    "fdb_result_destroy",
    "fdb_result_get_bg_mutations_array",
    "fdb_result_get_keyvalue_array",
    "fdb_run_network",
    "fdb_select_api_version_impl",
    "fdb_setup_network",
    "fdb_stop_network",
    "fdb_tenant_blobbify_range",
    "fdb_tenant_blobbify_range_blocking",
    "fdb_tenant_create_transaction",
    "fdb_tenant_destroy",
    "fdb_tenant_flush_blob_range",
    "fdb_tenant_get_id",
    "fdb_tenant_list_blobbified_ranges",
    "fdb_tenant_purge_blob_granules",
    "fdb_tenant_unblobbify_range",
    "fdb_tenant_verify_blob_range",
    "fdb_tenant_wait_purge_granules_complete",
    "fdb_transaction_add_conflict_range",
    "fdb_transaction_atomic_op",
    "fdb_transaction_cancel",
    "fdb_transaction_clear",
    "fdb_transaction_clear_range",
    "fdb_transaction_commit",
    "fdb_transaction_destroy",
    "fdb_transaction_get",
    "fdb_transaction_get_addresses_for_key",
    "fdb_transaction_get_approximate_size",
    "fdb_transaction_get_blob_granule_ranges",
    "fdb_transaction_get_committed_version",
    "fdb_transaction_get_estimated_range_size_bytes",
    "fdb_transaction_get_key",
    "fdb_transaction_get_mapped_range",
    "fdb_transaction_get_range",
    "fdb_transaction_get_range_split_points",
    "fdb_transaction_get_read_version",
    "fdb_transaction_get_tag_throttled_duration",
    "fdb_transaction_get_total_cost",
    "fdb_transaction_get_versionstamp",
    "fdb_transaction_on_error",
    "fdb_transaction_read_blob_granules",
    "fdb_transaction_read_blob_granules_description",
    "fdb_transaction_read_blob_granules_finish",
    "fdb_transaction_read_blob_granules_start",
    "fdb_transaction_reset",
    "fdb_transaction_set",
    "fdb_transaction_set_option",
    "fdb_transaction_set_read_version",
    "fdb_transaction_summarize_blob_granules",
    "fdb_transaction_watch",
    "fdb_use_future_protocol_version",
};

TEST(Exports, EveryFunctionIsThere) {
  ASSERT_NE(Library(), nullptr) << dlerror();
  for (const char* name : kFunctions) EXPECT_NE(dlsym(Library(), name), nullptr) << name;
}

TEST(Exports, NothingElseIsExported) {
  const std::set<std::string> expected(std::begin(kFunctions), std::end(kFunctions));
  EXPECT_EQ(ExportedNames(), expected);
}

TEST(Exports, ErrorsAndVersionsNeedNoApiVersion) {
  EXPECT_STREQ(Call<const char*>("fdb_get_error", 1020),
               "Transaction not committed due to conflict with another transaction");
  EXPECT_EQ(Call<int>("fdb_error_predicate", 50000, 1020), 1);
  EXPECT_EQ(Call<int>("fdb_error_predicate", 50001, 1020), 0);
  EXPECT_EQ(Call<int>("fdb_get_max_api_version"), 730);
  EXPECT_THAT(Call<const char*>("fdb_get_client_version"),
              testing::MatchesRegex("7\\.3\\.0,[0-9a-f]{40},fdb00b073000000"));
}

TEST(Exports, ApiVersionComesFirst) {
  InChild([] {
    FDB_future* database = nullptr;
    EXPECT_EQ(Call<int>("fdb_setup_network"), 2200);
    EXPECT_EQ(Call<int>("fdb_network_set_option", 30, nullptr, 0), 2200);
    EXPECT_EQ(Call<int>("fdb_create_database", "embedded:/nowhere", &database), 2200);
    EXPECT_EQ(Select(640, 630), 2202);
    EXPECT_EQ(Select(630, 740), 2203);
    EXPECT_EQ(Select(510, 630), 2203);
    EXPECT_EQ(Select(630, 730), 0);
    EXPECT_EQ(Select(630, 730), 2201);
  });
}

TEST(Exports, LifeOfTheNetwork) {
  InChild([] {
    FDB_future* database = nullptr;
    EXPECT_EQ(Select(630, 630), 0);
    EXPECT_EQ(Call<int>("fdb_run_network"), 2008);
    EXPECT_EQ(Call<int>("fdb_stop_network"), 2008);
    EXPECT_EQ(Call<int>("fdb_create_database", "embedded:/nowhere", &database), 2008);
    EXPECT_EQ(Call<int>("fdb_network_set_option", 12345, nullptr, 0), 2007);
    EXPECT_THAT(Detail(), HasSubstr("12345"));
    EXPECT_EQ(Call<int>("fdb_network_set_option", 31, "1", 1), 2006);
    EXPECT_EQ(Call<int>("fdb_network_set_option", 30, nullptr, 0), 0);
    EXPECT_EQ(Call<int>("fdb_setup_network"), 0);
    EXPECT_EQ(Call<int>("fdb_setup_network"), 2009);
    int hooks = 0;
    void (*hook)(void*) = [](void* parameter) { ++*static_cast<int*>(parameter); };
    EXPECT_EQ(Call<int>("fdb_add_network_thread_completion_hook", hook, static_cast<void*>(&hooks)), 0);
    std::thread thread([] { EXPECT_EQ(Call<int>("fdb_run_network"), 0); });
    EXPECT_EQ(Call<int>("fdb_stop_network"), 0);
    thread.join();
    EXPECT_EQ(hooks, 1);
    EXPECT_EQ(Call<int>("fdb_run_network"), 2025);
  });
}

TEST(Exports, EnvironmentSetsNetworkOptions) {
  InChild([] {
    EXPECT_EQ(Select(630, 630), 0);
    setenv("FDB_NETWORK_OPTION_TRACE_FORMAT", "yaml", 1);
    EXPECT_EQ(Call<int>("fdb_setup_network"), 2022);
    EXPECT_THAT(Detail(), HasSubstr("FDB_NETWORK_OPTION_TRACE_FORMAT"));
    EXPECT_EQ(Call<int>("fdb_network_set_option", 30, nullptr, 0), 2022);
    setenv("FDB_NETWORK_OPTION_TRACE_FORMAT", "json", 1);
    EXPECT_EQ(Call<int>("fdb_setup_network"), 0);
  });
}

TEST(Exports, DatabasesThatCannotBeOpened) {
  InChild([] {
    FDB_future* database = nullptr;
    EXPECT_EQ(Select(730, 730), 0);
    EXPECT_EQ(Call<int>("fdb_setup_network"), 0);
    EXPECT_EQ(Call<int>("fdb_create_database", "/no/such/fdb.cluster", &database), 1515);
    EXPECT_THAT(Detail(), HasSubstr("/no/such/fdb.cluster"));
    EXPECT_EQ(Call<int>("fdb_create_database_from_connection_string", "a:b@127.0.0.1:4500", &database), 2104);
    EXPECT_EQ(Call<int>("fdb_create_database_from_connection_string", static_cast<const char*>(nullptr), &database),
              2104);
    setenv("FDB_CLUSTER_FILE", "embedded:", 1);
    EXPECT_EQ(Call<int>("fdb_create_database", static_cast<const char*>(nullptr), &database), 2104);
  });
}

TEST(Exports, TenantsAreRefused) {
  void* tenant = &tenant;
  EXPECT_EQ(Call<int>("fdb_database_open_tenant", nullptr, "t", 1, &tenant), 2136);
  EXPECT_EQ(tenant, nullptr);
  EXPECT_THAT(Detail(), HasSubstr("tenants"));
  EXPECT_EQ(ErrorOf(Call<FDB_future*>("fdb_tenant_get_id", nullptr)), 2136);
  Call<void>("fdb_tenant_destroy", nullptr);
}

TEST(Exports, BlobGranulesAreRefused) {
  FDB_future* future = Call<FDB_future*>("fdb_transaction_get_blob_granule_ranges", nullptr, "a", 1, "b", 1, 10);
  const void* ranges = nullptr;
  int count = 0;
  EXPECT_EQ(Call<int>("fdb_future_get_keyrange_array", future, &ranges, &count), 2108);
  EXPECT_THAT(Detail(), HasSubstr("blob granules"));
  EXPECT_EQ(ErrorOf(future), 2108);

  FDB_result* result = Call<FDB_result*>("fdb_readbg_parse_delta_file", nullptr, 0, nullptr, nullptr);
  EXPECT_EQ(Call<int>("fdb_result_get_bg_mutations_array", result, &ranges, &count), 2108);
  Call<void>("fdb_result_destroy", result);
}

TEST(Exports, MappedRangesAreRefused) {
  FDB_future* future = Call<FDB_future*>("fdb_transaction_get_mapped_range", nullptr, "a", 1, 0, 1, "b", 1, 0, 1, "m",
                                         1, 0, 0, -1, 1, 0, 0);
  const void* rows = nullptr;
  int count = 0;
  int more = 0;
  EXPECT_EQ(Call<int>("fdb_future_get_mappedkeyvalue_array", future, &rows, &count, &more), 2108);
  EXPECT_THAT(Detail(), HasSubstr("mapped range"));
  EXPECT_EQ(ErrorOf(future), 2108);
}

TEST(Exports, OperatorsCallsAreRefused) {
  EXPECT_EQ(ErrorOf(Call<FDB_future*>("fdb_database_reboot_worker", nullptr, "a", 1, 0, 0)), 2108);
  EXPECT_THAT(Detail(), HasSubstr("worker"));
  EXPECT_EQ(ErrorOf(Call<FDB_future*>("fdb_database_force_recovery_with_data_loss", nullptr, "a", 1)), 2108);
  EXPECT_EQ(ErrorOf(Call<FDB_future*>("fdb_database_create_snapshot", nullptr, "a", 1, "b", 1)), 2108);
  EXPECT_EQ(ErrorOf(Call<FDB_future*>("fdb_database_create_shared_state", nullptr)), 2108);
}

TEST(Exports, ServerProtocol) {
  constexpr uint64_t kProtocol = 0x0FDB00B073000000;
  uint64_t protocol = 0;
  FDB_future* future = Call<FDB_future*>("fdb_database_get_server_protocol", nullptr, uint64_t{0});
  EXPECT_EQ(Call<int>("fdb_future_get_uint64", future, &protocol), 0);
  EXPECT_EQ(protocol, kProtocol);
  Call<void>("fdb_future_destroy", future);

  future = Call<FDB_future*>("fdb_database_get_server_protocol", nullptr, kProtocol);
  EXPECT_EQ(Call<int>("fdb_future_is_ready", future), 0);
  EXPECT_EQ(Call<int>("fdb_future_get_uint64", future, &protocol), 2015);
  Call<void>("fdb_future_cancel", future);
  EXPECT_EQ(ErrorOf(future), 1101);
  EXPECT_EQ(Call<double>("fdb_database_get_main_thread_busyness", nullptr), 0.0);
}

TEST(Exports, FutureMemory) {
  FDB_future* future = Call<FDB_future*>("fdb_transaction_get_total_cost", nullptr);
  int64_t cost = -1;
  double seconds = -1;
  EXPECT_EQ(Call<int>("fdb_future_get_double", future, &seconds), 2000);
  EXPECT_EQ(Call<int>("fdb_future_get_int64", future, &cost), 0);
  EXPECT_EQ(cost, 0);
  Call<void>("fdb_future_release_memory", future);
  EXPECT_EQ(Call<int>("fdb_future_get_int64", future, &cost), 1102);
  EXPECT_EQ(ErrorOf(future), 1102);

  future = Call<FDB_future*>("fdb_transaction_get_tag_throttled_duration", nullptr);
  EXPECT_EQ(Call<int>("fdb_future_get_double", future, &seconds), 0);
  EXPECT_EQ(seconds, 0.0);
  Call<void>("fdb_future_destroy", future);
}

TEST(Exports, ClustersUntil610) {
  InChild([] {
    EXPECT_EQ(Select(520, 600), 0);
    FDB_future* future = Call<FDB_future*>("fdb_create_cluster", "/no/such/fdb.cluster");
    void* cluster = nullptr;
    EXPECT_EQ(Call<int>("fdb_future_get_cluster", future, &cluster), 0);
    ASSERT_NE(cluster, nullptr);
    Call<void>("fdb_future_destroy", future);
    EXPECT_EQ(Call<int>("fdb_cluster_set_option", cluster, -1, nullptr, 0), 0);
    EXPECT_EQ(ErrorOf(Call<FDB_future*>("fdb_cluster_create_database", cluster, "other", 5)), 2013);
    EXPECT_EQ(ErrorOf(Call<FDB_future*>("fdb_cluster_create_database", cluster, "DB", 2)), 2008);
    EXPECT_EQ(Call<int>("fdb_setup_network"), 0);
    EXPECT_EQ(ErrorOf(Call<FDB_future*>("fdb_cluster_create_database", cluster, "DB", 2)), 1515);
    Call<void>("fdb_cluster_destroy", cluster);
  });
}

TEST(Exports, RemovedFunctionsSaySo) {
  InChild([] {
    EXPECT_EQ(Select(520, 630), 0);
    EXPECT_EQ(ErrorOf(Call<FDB_future*>("fdb_create_cluster", "x")), 2203);
    EXPECT_THAT(Detail(), HasSubstr("610"));
    FDB_future* future = Call<FDB_future*>("fdb_transaction_get_total_cost", nullptr);
    int64_t version = 0;
    EXPECT_EQ(Call<int>("fdb_future_get_version", future, &version), 2203);
    EXPECT_THAT(Detail(), HasSubstr("620"));
    Call<void>("fdb_future_destroy", future);
  });
}

TEST(Exports, FaultsThatAreNotUnderstood) {
  EXPECT_NE(Call<int>("fdb_embedded_set_faults", "no such fault"), 0);
  EXPECT_NE(Detail(), "");
  EXPECT_EQ(Call<int>("fdb_embedded_set_faults", ""), 0);
  EXPECT_EQ(Call<int>("fdb_embedded_set_faults", static_cast<const char*>(nullptr)), 0);
}

}  // namespace
