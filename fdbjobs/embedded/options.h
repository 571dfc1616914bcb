// Options: which network, database and transaction options there are, and what value each of them takes.
//
// The codes are those of FoundationDB 7.3. As in FoundationDB's client, an option that the library knows is taken at
// every API version, one that it does not know is refused with kInvalidOption. A value that the option can't take is
// refused with kInvalidOptionValue.
//
// Thread safety: constants and pure functions.
//
//   const OptionInfo* info = FindOption(OptionScope::kDatabase, code);
//   if (info == nullptr) return kInvalidOption;
//   if (ErrorCode error = CheckOptionValue(*info, value)) return error;
//   int64_t milliseconds = IntOptionValue(*value);
#ifndef FDBJOBS_EMBEDDED_OPTIONS_H_
#define FDBJOBS_EMBEDDED_OPTIONS_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

enum class OptionScope { kNetwork, kDatabase, kTransaction };

// What an option wants as its value.
enum class OptionValue {
  kNone,      // no value, or an empty one
  kInt,       // eight little-endian bytes, from `min` to `max`
  kString,    // text or bytes, from `min` to `max` of them
  kOptional,  // text or bytes, or no value at all
};

// Other properties of an option; bits.
enum OptionFlags : uint8_t {
  kOptionPlain = 0,
  // Can't be changed once the network is set up.
  kBeforeSetup = 1,
  // Not for users, so the environment can't set it.
  kHidden = 2,
};

struct OptionInfo {
  int code;
  // As in FDB_NETWORK_OPTION_<name>.
  std::string_view name;
  OptionValue value;
  int64_t min = 0;
  int64_t max = std::numeric_limits<int64_t>::max();
  uint8_t flags = kOptionPlain;
  // Of a database option: the transaction option that it is the default for; -1: none.
  int default_for = -1;
};

// Null when there is no such option.
const OptionInfo* FindOption(OptionScope scope, int code);

// All options of a scope, by code.
std::span<const OptionInfo> AllOptions(OptionScope scope);

// 0, or kInvalidOptionValue.
ErrorCode CheckOptionValue(const OptionInfo& option, std::optional<std::string_view> value);

// The number in a value that CheckOptionValue accepted for an option of kind kInt.
int64_t IntOptionValue(std::string_view value);

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_OPTIONS_H_
