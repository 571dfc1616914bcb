// Priorities in JobOpts: a tuple value as JSON, and back.
//
//   null, true, 5, "text"      as they are
//   1.5                        a double: always with a point or an exponent; -0.0 too
//   {"packed":"05011500"}      everything else: the hex digits of the packed element
//
// Thread safety: pure functions.
#ifndef FDBJOBS_KEYSPACE_PRIORITY_JSON_H_
#define FDBJOBS_KEYSPACE_PRIORITY_JSON_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "fdbjobs/keyspace/packed_element.h"

namespace fdbjobs::keyspace {

std::string PriorityToJson(const PackedElement& priority);

// `hex` of {"packed":hex}.
absl::StatusOr<PackedElement> PriorityFromHex(std::string_view hex);

// A float or double that is no number, nested ones included. It would have no place in a queue that means something.
bool HoldsNan(const tuple::Element& element);

// `text` with quotes and escapes.
std::string JsonString(std::string_view text);

}  // namespace fdbjobs::keyspace

#endif  // FDBJOBS_KEYSPACE_PRIORITY_JSON_H_
