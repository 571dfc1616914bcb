#include "fdbjobs/embedded/api_version.h"

#include "fdbjobs/embedded/error_codes.h"

namespace fdbjobs::embedded {

ApiVersion& ApiVersion::Get() {
  static ApiVersion version;
  return version;
}

ErrorCode ApiVersion::Select(int runtime_version, int header_version) {
  // In FoundationDB's order, as more than one of them may be true.
  if (runtime() != 0) return kApiVersionAlreadySet;
  if (runtime_version > header_version) return kApiVersionInvalid;
  if (header_version > kMaxApiVersion || runtime_version < kMinApiVersion) return kApiVersionNotSupported;
  Versions none{0, 0};
  return versions_.compare_exchange_strong(none, Versions{runtime_version, header_version}) ? kSuccess
                                                                                            : kApiVersionAlreadySet;
}

}  // namespace fdbjobs::embedded
