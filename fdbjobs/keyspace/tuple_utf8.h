// UTF-8 validity: what a tuple's Unicode string must be when it is written.
//
// Thread safety: functions without state.
//
//   if (!IsValidUtf8(name)) return absl::InvalidArgumentError("name is not UTF-8");
#ifndef FDBJOBS_KEYSPACE_TUPLE_UTF8_H_
#define FDBJOBS_KEYSPACE_TUPLE_UTF8_H_

#include <cstddef>
#include <optional>
#include <string_view>

namespace fdbjobs::tuple {

// The offset of the first byte that begins no well-formed character: a stray or missing continuation byte, an
// overlong form, a surrogate, or a code point past U+10FFFF. nullopt when all of `text` is UTF-8.
std::optional<size_t> FirstInvalidUtf8(std::string_view text);

inline bool IsValidUtf8(std::string_view text) { return !FirstInvalidUtf8(text).has_value(); }

}  // namespace fdbjobs::tuple

#endif  // FDBJOBS_KEYSPACE_TUPLE_UTF8_H_
