#include "fdbjobs/keyspace/id_prefix.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace fdbjobs::keyspace {

absl::StatusOr<IdPrefix> IdPrefix::Make(const tuple::Element& value) {
  const tuple::Kind kind = value.kind();
  if (kind != tuple::Kind::kString && kind != tuple::Kind::kBytes && kind != tuple::Kind::kTuple) {
    return absl::InvalidArgumentError(absl::StrCat("id prefix: ", value.ToString(), " is ", tuple::KindName(kind),
                                                   "; allowed are a string, bytes and a tuple"));
  }
  const PackedElement packed(value);
  if (!packed.status().ok()) {
    return absl::InvalidArgumentError(absl::StrCat("id prefix: ", packed.status().message()));
  }
  std::string bytes = packed.packed();
  bytes.pop_back();
  return IdPrefix(std::move(bytes), kind == tuple::Kind::kTuple);
}

bool IdPrefix::Matches(const PackedElement& id) const {
  const std::string& packed = id.packed();
  if (!packed.starts_with(bytes_)) return false;
  // A zero byte inside a string is 00 ff: then the last string of the tuple goes on, and is another one.
  return !is_tuple_ || packed[bytes_.size()] != '\xff';
}

tuple::KeyRange IdPrefix::Range(const std::string& parent) const {
  tuple::KeyRange range{parent + bytes_, parent + bytes_};
  // Bytes 0xff at the end have nothing behind them. The type code before them is less.
  while (range.end.back() == '\xff') range.end.pop_back();
  ++range.end.back();
  return range;
}

}  // namespace fdbjobs::keyspace
