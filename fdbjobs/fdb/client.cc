#include "fdbjobs/fdb/client.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "fdbjobs/fdb/bytes.h"
#include "fdbjobs/fdb/library.h"
#include "fdbjobs/fdb/status.h"

namespace fdbjobs::fdb {
namespace {

// All clients of the process by the handle of their library. Never destroyed: handles may outlive static objects.
struct Registry {
  std::mutex mutex;
  // Guarded by mutex.
  std::map<void*, Client*> clients;

  static Registry& Get() {
    static Registry* const registry = new Registry;
    return *registry;
  }

  std::vector<Client*> Clients() {
    const std::lock_guard lock(mutex);
    std::vector<Client*> all;
    for (const auto& [handle, client] : clients) all.push_back(client);
    return all;
  }
};

// Blocks all signals in the thread that makes it and in the threads started meanwhile: signals are the program's.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

absl::StatusOr<Client*> Client::Load(Engine engine, const std::string& library) {
  Registry& registry = Registry::Get();
  // Held throughout, so that one library is never set up twice.
  const std::lock_guard lock(registry.mutex);
  const absl::StatusOr<Library> opened = OpenLibrary(engine, library);
  if (!opened.ok()) return opened.status();
  const auto known = registry.clients.find(opened->handle);
  if (known != registry.clients.end()) return known->second;

  const absl::StatusOr<abi::Api> api = BindApi(*opened);
  if (!api.ok()) return api.status();
  auto* const client = new Client(*api, opened->path, opened->is_embedded);
  if (absl::Status status = client->SelectApiVersion(); !status.ok()) {
    delete client;
    return status;
  }
  registry.clients.emplace(opened->handle, client);
  return client;
}

absl::Status Client::SelectApiVersion() {
  const abi::ErrorCode code = api_.select_api_version_impl(abi::kApiVersion, abi::kApiVersion);
  // The program was first; what it selected is its business. Of what we call, nothing differs between 520 and the
  // newest but what a retry keeps of a transaction's options; Transact sees to these.
  if (code == error::kApiVersionAlreadySet) return absl::OkStatus();
  return StatusFromCode(api_, code, absl::StrCat("select API version ", abi::kApiVersion, " of ", library_path_),
                        Phase::kOther,
                        code == 0 ? "" : absl::StrCat("it serves versions up to ", api_.get_max_api_version()));
}

absl::Status Client::SetRawNetworkOption(int option, const uint8_t* value, int length) {
  return StatusFromCode(api_, api_.network_set_option(option, value, length),
                        absl::StrCat("set network option ", option));
}

absl::Status Client::SetNetworkOption(NetworkFlag option) {
  return SetRawNetworkOption(static_cast<int>(option), nullptr, 0);
}

absl::Status Client::SetNetworkOption(NetworkInt option, int64_t value) {
  const IntParameter parameter(value);
  return SetRawNetworkOption(static_cast<int>(option), parameter.data(), parameter.length());
}

absl::Status Client::SetNetworkOption(NetworkText option, std::string_view value) {
  return SetRawNetworkOption(static_cast<int>(option), Bytes(value), Length(value));
}

absl::Status Client::StartNetwork() {
  const std::lock_guard lock(mutex_);
  if (network_ == Network::kOurs && network_process_ != getpid()) {
    return StatusFromCode(api_, error::kNetworkCannotBeRestarted, "start network", Phase::kOther,
                          "a forked child can't use the client of its parent");
  }
  if (network_ == Network::kStopped) {
    return StatusFromCode(api_, error::kNetworkCannotBeRestarted, "start network");
  }
  if (network_ != Network::kNotStarted) return absl::OkStatus();
  const abi::ErrorCode code = api_.setup_network();
  if (code == error::kNetworkAlreadySetup) {
    network_ = Network::kCallers;
    return absl::OkStatus();
  }
  if (code != 0) return StatusFromCode(api_, code, "set up network");
  // Exit handlers run in reverse order. The library registers its own (OpenSSL's) while it sets up, so ours comes after
  // that, and stops the network while the library still works.
  std::atexit(&Client::ShutdownAll);
  const SignalsBlocked blocked;
  network_thread_ = std::thread(&Client::RunNetwork, this);
  network_ = Network::kOurs;
  network_process_ = getpid();
  return absl::OkStatus();
}

void Client::RunNetwork() {
  pthread_setname_np(pthread_self(), "fdb-network");
  run_error_ = api_.run_network();
}

bool Client::uses_callers_network() const {
  const std::lock_guard lock(mutex_);
  return network_ == Network::kCallers;
}

absl::Status Client::AddNetworkCompletionHook(void (*hook)(void*), void* parameter) {
  return StatusFromCode(api_, api_.add_network_thread_completion_hook(hook, parameter), "add network completion hook");
}

absl::Status Client::Shutdown() {
  const std::lock_guard shutdown_lock(shutdown_mutex_);
  {
    const std::lock_guard lock(mutex_);
    // A forked child has the memory of its parent's network, and not its thread.
    if (network_ != Network::kOurs || network_process_ != getpid()) return absl::OkStatus();
    network_ = Network::kStopped;
  }
  const abi::ErrorCode code = api_.stop_network();
  if (code != 0) return StatusFromCode(api_, code, "stop network");
  // A callback that ends the process gets here on the network thread itself, which can't wait for its own end.
  if (network_thread_.get_id() == std::this_thread::get_id()) {
    network_thread_.detach();
    return absl::OkStatus();
  }
  // With mutex_ free: callbacks that still run may ask for what it guards.
  network_thread_.join();
  return StatusFromCode(api_, run_error_, "run network");
}

void Client::ShutdownAll() {
  // At exit there is nobody left to tell of an error.
  for (Client* const client : Registry::Get().Clients()) client->Shutdown().IgnoreError();
}

}  // namespace fdbjobs::fdb
