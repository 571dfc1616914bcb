// Client: one libfdb_c in this process, with its functions bound and its network running.
//
// A process can have several at once: FoundationDB's for a cluster and the embedded engine for a folder. Most code
// never names a client: Database::Open loads the right one and starts its network.
//
// The network is FoundationDB's one thread per client and process. fdbjobs starts it on a thread of its own and stops
// it at exit, unless the program has set it up already: then the program's network is used, and left to the program.
// So a program that calls fdb_c itself selects its API version (520 or higher) and sets up its network before it opens
// its first fdbjobs Database; it and fdbjobs then work on one and the same client. FoundationDB can't start a network
// twice: after Shutdown, a client is of no more use in this process. A forked child has no network either: it must not
// use or destroy the parent's databases, and can't open one with the same client. It may call exit, which leaves the
// parent's network alone, unless static objects hold handles: then _exit.
//
// Thread safety: every method may be called from any thread.
// Lifetime: a client lives until the process ends. Handles may be destroyed after Shutdown, also by static
// destructors at exit, but nothing can be awaited then.
//
//   absl::StatusOr<Client*> client = Client::Load(Engine::kCluster, "/opt/fdb/libfdb_c.so");
//   if (!client.ok()) return client.status();
//   absl::Status status = (*client)->SetNetworkOption(NetworkText::kTraceEnable, "/var/log/fdb");
#ifndef FDBJOBS_FDB_CLIENT_H_
#define FDBJOBS_FDB_CLIENT_H_

#include <sys/types.h>

#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fdbjobs/fdb/abi.h"
#include "fdbjobs/fdb/database_name.h"
#include "fdbjobs/fdb/options.h"

namespace fdbjobs::fdb {

class Client {
 public:
  // The client of `engine`, loaded now or before. `library` is a path, or a name for the dynamic linker; empty: see
  // below. Two calls that end at the same library return the same client.
  //   kCluster:   FDBJOBS_FDB_LIBRARY, else the libfdb_c that the process has loaded, else the system's.
  //   kEmbedded:  FDBJOBS_EMBEDDED_LIBRARY, else the embedded engine that the process has loaded, else the one beside
  //               the executable or this library, else the installed one.
  static absl::StatusOr<Client*> Load(Engine engine, const std::string& library = "");

  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  const abi::Api& api() const { return api_; }
  const std::string& library_path() const { return library_path_; }
  // Whether the library is the embedded engine, under whatever name it was loaded.
  bool is_embedded() const { return is_embedded_; }
  int max_api_version() const { return api_.get_max_api_version(); }
  // Version, source version and protocol version, as the library tells them.
  std::string_view version() const { return api_.get_client_version(); }

  // Before the network starts.
  absl::Status SetNetworkOption(NetworkFlag option);
  absl::Status SetNetworkOption(NetworkInt option, int64_t value);
  absl::Status SetNetworkOption(NetworkText option, std::string_view value);

  // Starts the network if it does not run. Idempotent.
  absl::Status StartNetwork();
  // Whether the network is one that the program set up itself. False before StartNetwork.
  bool uses_callers_network() const;
  // Runs `hook(parameter)` on the network thread when the network has stopped. After StartNetwork.
  absl::Status AddNetworkCompletionHook(void (*hook)(void*), void* parameter);
  // Stops the network and waits for its thread, if fdbjobs started it. Idempotent; harmless before StartNetwork. Not
  // from a callback on the network thread. The end of the process calls it for every client.
  absl::Status Shutdown();

 private:
  enum class Network { kNotStarted, kOurs, kCallers, kStopped };

  Client(const abi::Api& api, std::string library_path, bool is_embedded)
      : api_(api), library_path_(std::move(library_path)), is_embedded_(is_embedded) {}

  absl::Status SelectApiVersion();
  absl::Status SetRawNetworkOption(int option, const uint8_t* value, int length);
  void RunNetwork();
  static void ShutdownAll();

  // Constant.
  const abi::Api api_;
  const std::string library_path_;
  const bool is_embedded_;

  // Of the standard library here and elsewhere in fdbjobs: Debian's Abseil is built without ThreadSanitizer, which then
  // sees races where there are none.
  std::mutex shutdown_mutex_;  // held while the network is stopped and its end is awaited; before mutex_
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  Network network_ = Network::kNotStarted;
  pid_t network_process_ = 0;  // where network_thread_ runs
  // Written while network_ becomes kOurs, then guarded by shutdown_mutex_.
  std::thread network_thread_;
  // What fdb_run_network returned; written by the network thread, read after it was joined.
  abi::ErrorCode run_error_ = 0;
};

}  // namespace fdbjobs::fdb

#endif  // FDBJOBS_FDB_CLIENT_H_
