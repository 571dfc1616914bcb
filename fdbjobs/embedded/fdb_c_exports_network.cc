#include <string>
#include <utility>

#include "fdbjobs/embedded/api_version.h"
#include "fdbjobs/embedded/fdb_c_exports.h"
#include "fdbjobs/embedded/fdb_c_glue.h"
#include "fdbjobs/embedded/network.h"
#include "fdbjobs/embedded/network_options.h"

using namespace fdbjobs::embedded;  // NOLINT: this file is the boundary of the namespace

namespace {

// The environment counts before the first option of the program, and before the network is set up.
ErrorCode CheckEnvironment() {
  if (Network::Get().IsSetUp()) return kSuccess;
  std::string why;
  if (ErrorCode error = CheckNetworkOptionsOfEnvironment(&why)) return Fail(error, std::move(why));
  return kSuccess;
}

}  // namespace

const char* fdb_get_error(FdbError code) noexcept { return ErrorText(code); }

FdbBool fdb_error_predicate(int predicate, FdbError code) noexcept { return ErrorPredicate(predicate, code) ? 1 : 0; }

FdbError fdb_select_api_version_impl(int runtime_version, int header_version) noexcept {
  return ApiVersion::Get().Select(runtime_version, header_version);
}

int fdb_get_max_api_version() noexcept { return kMaxApiVersion; }

const char* fdb_get_client_version() noexcept { return kClientVersion; }

// There is one protocol here, now and in future.
void fdb_use_future_protocol_version() noexcept {}

FdbError fdb_network_set_option(int option, FdbBytes value, int value_length) noexcept {
  return Guard([&] {
    if (ErrorCode error = CheckApiVersion()) return error;
    if (ErrorCode error = CheckEnvironment()) return error;
    std::string why;
    const ErrorCode error =
        CheckNetworkOption(option, OptionValueView(value, value_length), Network::Get().IsSetUp(), &why);
    return error != kSuccess ? Fail(error, std::move(why)) : kSuccess;
  });
}

FdbError fdb_setup_network() noexcept {
  return Guard([] {
    if (ErrorCode error = CheckApiVersion()) return error;
    if (ErrorCode error = CheckEnvironment()) return error;
    return Network::Get().Setup();
  });
}

FdbError fdb_run_network() noexcept {
  return Guard([] { return Network::Get().Run(); });
}

FdbError fdb_stop_network() noexcept {
  return Guard([] { return Network::Get().Stop(); });
}

FdbError fdb_add_network_thread_completion_hook(void (*hook)(void*), void* parameter) noexcept {
  return Guard([&] { return Network::Get().AddCompletionHook(hook, parameter); });
}
