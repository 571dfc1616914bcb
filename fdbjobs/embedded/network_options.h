// NetworkOptions: checks what fdb_network_set_option is given, and what the environment gives.
//
// The engine has no sockets, no trace files and no other client libraries, so a good option is accepted and does
// nothing. A bad one is refused as FoundationDB refuses it.
// Thread safety: pure functions of their arguments, the file system and the environment.
//
//   if (ErrorCode error = CheckNetworkOption(62, "/usr/lib/libfdb_c.so", network.IsSetUp(), &why)) ...
//   if (ErrorCode error = CheckNetworkOptionsOfEnvironment(&why)) ...
#ifndef FDBJOBS_EMBEDDED_NETWORK_OPTIONS_H_
#define FDBJOBS_EMBEDDED_NETWORK_OPTIONS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

// kInvalidOption for one that does not exist, or comes too late; kInvalidOptionValue; kFileNotFound.
ErrorCode CheckNetworkOption(int option, std::optional<std::string_view> value, bool network_is_set_up,
                             std::string* why);

// Looks at FDB_NETWORK_OPTION_<name> for every option. kEnvironmentVariableNetworkOptionFailed when one is bad.
ErrorCode CheckNetworkOptionsOfEnvironment(std::string* why);

// One variable may hold several values with ':' between them; '\' stands before a ':' or '\' that belongs to a value.
// Nothing when a '\' stands before something else.
std::optional<std::vector<std::string>> SplitOptionValues(std::string_view values);

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_NETWORK_OPTIONS_H_
