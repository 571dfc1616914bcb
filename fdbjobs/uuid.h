// UUIDs: random ones for locks, time-ordered ones for job ids.
//
// Thread safety: any thread.
#ifndef FDBJOBS_UUID_H_
#define FDBJOBS_UUID_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fdbjobs/keyspace/tuple_types.h"

namespace fdbjobs {

// Version 4.
tuple::Uuid RandomUuid();

// Version 7: milliseconds since 1970, then a counter within the millisecond, then random bits. In one process each is
// higher than those before, also when the clock stands still or goes back.
tuple::Uuid TimeOrderedUuid();

// "0193a1b2-...": 36 characters.
std::string UuidToString(const tuple::Uuid& uuid);
// With or without the dashes. Nullopt for anything else.
std::optional<tuple::Uuid> UuidFromString(std::string_view text);

}  // namespace fdbjobs

#endif  // FDBJOBS_UUID_H_
