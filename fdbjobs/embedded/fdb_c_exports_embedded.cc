#include <string>
#include <utility>

#include "fdbjobs/embedded/faults.h"
#include "fdbjobs/embedded/fdb_c_exports.h"
#include "fdbjobs/embedded/fdb_c_glue.h"

using namespace fdbjobs::embedded;  // NOLINT: this file is the boundary of the namespace

const char* fdb_embedded_error_detail() noexcept { return LastErrorDetail(); }

FdbError fdb_embedded_set_faults(const char* spec) noexcept {
  return Guard([&] {
    std::string why;
    const ErrorCode error = SetFaults(spec != nullptr ? spec : "", &why);
    return error != kSuccess ? Fail(error, std::move(why)) : kSuccess;
  });
}
