#include "fdbjobs/embedded/api_version.h"
#include "fdbjobs/embedded/fdb_c_exports.h"
#include "fdbjobs/embedded/fdb_c_glue.h"

using namespace fdbjobs::embedded;  // NOLINT: this file is the boundary of the namespace

struct FDB_cluster {
  std::string cluster_file;
};

namespace {

// The header that a program was compiled with decides what it may call. FoundationDB ends the process here.
ErrorCode RemovedIn(int version) {
  if (ErrorCode error = CheckApiVersion()) return error;
  if (ApiVersion::Get().header() < version) return kSuccess;
  return Fail(kApiVersionNotSupported, "the function was removed in API version " + std::to_string(version));
}

FutureRef OpenDatabaseOfCluster(const FDB_cluster& cluster, std::string_view name) {
  if (ErrorCode error = RemovedIn(610)) return Future::MakeReady(error);
  if (name != "DB") return Future::MakeReady(Fail(kInvalidDatabaseName, "the database name is not `DB`"));
  std::shared_ptr<DatabaseState> state;
  if (ErrorCode error = OpenDatabase(cluster.cluster_file.c_str(), &state)) return Future::MakeReady(error);
  return Future::MakeReady(Future::DatabaseResult{std::move(state)});
}

}  // namespace

FDB_future* fdb_create_cluster(const char* cluster_file) noexcept {
  return GuardFuture([&] {
    if (ErrorCode error = RemovedIn(610)) return Future::MakeReady(error);
    return Future::MakeReady(Future::ClusterResult{cluster_file != nullptr ? cluster_file : ""});
  });
}

// There are no cluster options, and FoundationDB says yes to all of them.
FdbError fdb_cluster_set_option(FDB_cluster*, int, FdbBytes, int) noexcept { return RemovedIn(610); }

void fdb_cluster_destroy(FDB_cluster* cluster) noexcept { delete cluster; }

FDB_future* fdb_cluster_create_database(FDB_cluster* cluster, FdbBytes name, int name_length) noexcept {
  return GuardFuture([&] { return OpenDatabaseOfCluster(*cluster, View(name, name_length)); });
}

FdbError fdb_future_get_cluster(FDB_future* future, FDB_cluster** cluster) noexcept {
  return Guard([&] {
    if (ErrorCode error = RemovedIn(610)) return error;
    const Future::ClusterResult* result;
    if (ErrorCode error = Unwrap(future)->Borrow(&result)) return error;
    *cluster = new FDB_cluster{result->cluster_file};
    return kSuccess;
  });
}

FdbError fdb_future_get_database(FDB_future* future, FDB_database** database) noexcept {
  return Guard([&] {
    if (ErrorCode error = RemovedIn(610)) return error;
    const Future::DatabaseResult* result;
    if (ErrorCode error = Unwrap(future)->Borrow(&result)) return error;
    *database = new FDB_database{result->database};
    return kSuccess;
  });
}

FdbError fdb_future_get_version(FDB_future* future, int64_t* version) noexcept {
  return Guard([&] {
    if (ErrorCode error = RemovedIn(620)) return error;
    return fdb_future_get_int64(future, version);
  });
}
