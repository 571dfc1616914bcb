#include "fdbjobs/keyspace/packed_element.h"

#include "absl/status/statusor.h"
#include "fdbjobs/keyspace/tuple_reader.h"
#include "fdbjobs/keyspace/tuple_writer.h"

namespace fdbjobs::keyspace {

PackedElement::PackedElement(const tuple::Element& element) {
  tuple::TupleWriter writer(&packed_);
  writer.AddElement(element);
  status_ = writer.Finish();
  if (!status_.ok()) packed_.clear();
}

tuple::Element PackedElement::element() const {
  absl::StatusOr<tuple::Element> element = tuple::TupleReader(packed_).ReadElement();
  return element.ok() ? *std::move(element) : tuple::Element();
}

std::string PackedElement::ToString() const { return status_.ok() ? element().ToString() : status_.ToString(); }

}  // namespace fdbjobs::keyspace
