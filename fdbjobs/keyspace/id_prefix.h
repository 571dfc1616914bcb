// IdPrefix: all job ids that begin alike: strings by their text, bytes by their bytes, tuples by their first elements.
//
// Thread safety: a plain value. Lifetime: owns its bytes.
//
//   absl::StatusOr<IdPrefix> prefix = IdPrefix::Make("tenant-7/");
//   prefix->Matches(PackedElement("tenant-7/a"));           // true
#ifndef FDBJOBS_KEYSPACE_ID_PREFIX_H_
#define FDBJOBS_KEYSPACE_ID_PREFIX_H_

#include <string>

#include "absl/status/statusor.h"
#include "fdbjobs/keyspace/packed_element.h"
#include "fdbjobs/keyspace/tuple.h"

namespace fdbjobs::keyspace {

class IdPrefix {
 public:
  // kInvalidArgument for other kinds of values: nothing begins with them but themselves.
  static absl::StatusOr<IdPrefix> Make(const tuple::Element& value);

  bool Matches(const PackedElement& id) const;
  // All keys below `parent`, which ends before the id, that can match.
  tuple::KeyRange Range(const std::string& parent) const;

 private:
  IdPrefix(std::string bytes, bool is_tuple) : bytes_(std::move(bytes)), is_tuple_(is_tuple) {}

  std::string bytes_;  // the packed value without the zero that ends it
  bool is_tuple_;
};

}  // namespace fdbjobs::keyspace

#endif  // FDBJOBS_KEYSPACE_ID_PREFIX_H_
