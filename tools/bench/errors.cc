#include "tools/bench/errors.h"

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace fdbjobs::bench {

void Require(const absl::Status& status, std::string_view doing) {
  if (!status.ok()) throw BenchError(absl::StrCat(std::string(doing), ": ", status.message()));
}

void RequireSystem(bool ok, std::string_view doing) {
  if (!ok) throw BenchError(absl::StrCat(std::string(doing), ": ", std::strerror(errno)));
}

}  // namespace fdbjobs::bench
