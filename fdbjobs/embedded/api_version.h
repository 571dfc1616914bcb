// ApiVersion: which version of the API the program chose, once for the process.
//
// Thread safety: every method may be called from any thread.
// Lifetime: one for the process; tests of this class make their own.
//
//   if (ErrorCode error = ApiVersion::Get().Select(630, 630)) return error;
//   if (ApiVersion::Get().runtime() >= 610) ...
#ifndef FDBJOBS_EMBEDDED_API_VERSION_H_
#define FDBJOBS_EMBEDDED_API_VERSION_H_

#include <atomic>
#include <cstdint>

#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

// From the first version whose versionstamps have four-byte offsets, to that of FoundationDB 7.3.
inline constexpr int kMinApiVersion = 520;
inline constexpr int kMaxApiVersion = 730;

// The protocol of FoundationDB 7.3, and what fdb_get_client_version says: release, source and protocol.
inline constexpr uint64_t kProtocolVersion = 0x0FDB00B073000000;
inline constexpr char kClientVersion[] = "7.3.0,6664626a6f62732d656d62656464656400000000,fdb00b073000000";

class ApiVersion {
 public:
  static ApiVersion& Get();

  // `runtime` is the version that the program asks for, `header` that of the header it was compiled with.
  // kApiVersionAlreadySet the second time; kApiVersionInvalid when runtime > header; kApiVersionNotSupported when
  // they are out of what is served.
  ErrorCode Select(int runtime, int header);

  // 0 before Select.
  int runtime() const { return versions_.load(std::memory_order_acquire).runtime; }
  int header() const { return versions_.load(std::memory_order_acquire).header; }

 private:
  struct Versions {
    int runtime;
    int header;
  };
  std::atomic<Versions> versions_{Versions{0, 0}};
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_API_VERSION_H_
