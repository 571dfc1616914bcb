#include "fdbjobs/embedded/fdb_c_glue.h"

#include <utility>

#include "fdbjobs/embedded/api_version.h"
#include "fdbjobs/embedded/cluster_file.h"
#include "fdbjobs/embedded/network.h"

namespace fdbjobs::embedded {
namespace {

// What a database needs before any folder is looked for.
ErrorCode CheckReadyToOpen() {
  if (ErrorCode error = CheckApiVersion()) return error;
  if (!Network::Get().IsSetUp()) return Fail(kNetworkNotSetup, "fdb_setup_network was not called");
  return kSuccess;
}

ErrorCode OpenFolder(const std::string& folder, std::shared_ptr<DatabaseState>* state) {
  std::shared_ptr<Engine> engine;
  std::string why;
  if (ErrorCode error = Engine::Open(folder, &engine, &why)) return Fail(error, std::move(why));
  *state = std::make_shared<DatabaseState>(std::move(engine), ApiVersion::Get().runtime(), folder);
  return kSuccess;
}

}  // namespace

ErrorCode CodeOfException() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    // Short enough to need no memory of its own.
    return Fail(kLargeAllocFailed, "out of memory");
  } catch (const std::exception& exception) {
    return Fail(kUnknownError, exception.what());
  } catch (...) {
    return kUnknownError;
  }
}

FDB_future* RefusedFuture(ErrorCode error, const char* detail) noexcept {
  return GuardFuture([&] { return Future::MakeReady(Fail(error, detail)); });
}

ErrorCode CheckApiVersion() {
  if (ApiVersion::Get().runtime() != 0) return kSuccess;
  return Fail(kApiVersionUnset, "fdb_select_api_version was not called");
}

ErrorCode OpenDatabase(const char* cluster_file, std::shared_ptr<DatabaseState>* state) {
  if (ErrorCode error = CheckReadyToOpen()) return error;
  std::string folder, why;
  if (ErrorCode error = FolderOfClusterFile(cluster_file, &folder, &why)) return Fail(error, std::move(why));
  return OpenFolder(folder, state);
}

ErrorCode OpenConnectionString(const char* connection_string, std::shared_ptr<DatabaseState>* state) {
  if (ErrorCode error = CheckReadyToOpen()) return error;
  std::string folder, why;
  const std::string_view text = connection_string != nullptr ? connection_string : "";
  if (ErrorCode error = FolderOfConnectionString(text, &folder, &why)) return Fail(error, std::move(why));
  return OpenFolder(folder, state);
}

}  // namespace fdbjobs::embedded
