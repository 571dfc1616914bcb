// Reading elements of any kind: the part of TupleReader that goes down into nested tuples, and Decode above it.
// The recursion is at most kMaxNesting deep, since EnterNested refuses to go further.
#include <string>
#include <utility>
#include <vector>

#include "fdbjobs/keyspace/tuple_reader.h"

namespace fdbjobs::tuple {
namespace {

template <typename T>
absl::StatusOr<Element> ToElement(absl::StatusOr<T> value) {
  if (!value.ok()) return std::move(value).status();
  return Element(*std::move(value));
}

}  // namespace

absl::Status TupleReader::RefuseElement() const {
  return Refuse(depth_ > 0 ? "an element or the end of the nested tuple" : "an element");
}

absl::StatusOr<Element> TupleReader::ReadElement() {
  const std::optional<Kind> kind = Peek();
  if (!kind) return RefuseElement();
  switch (*kind) {
    case Kind::kNull:
      if (absl::Status status = ReadNull(); !status.ok()) return status;
      return Element();
    case Kind::kBytes: {
      std::string scratch;
      const absl::StatusOr<std::string_view> bytes = ReadBytes(&scratch);
      if (!bytes.ok()) return bytes.status();
      return Element(Bytes{std::string(*bytes)});
    }
    case Kind::kString: {
      std::string scratch;
      return ToElement(ReadString(&scratch));
    }
    case Kind::kTuple:
      return ToElement(ReadNested());
    case Kind::kInteger:
      return ReadInteger();
    case Kind::kFloat:
      return ToElement(ReadFloat());
    case Kind::kDouble:
      return ToElement(ReadDouble());
    case Kind::kBool:
      return ToElement(ReadBool());
    case Kind::kUuid:
      return ToElement(ReadUuid());
    case Kind::kVersionstamp:
      return ToElement(ReadVersionstamp());
  }
  return RefuseElement();
}

absl::StatusOr<Tuple> TupleReader::ReadNested() {
  const TupleReader before = *this;
  if (absl::Status status = EnterNested(); !status.ok()) return status;
  absl::StatusOr<Tuple> nested = ReadRest();
  absl::Status status = nested.ok() ? LeaveNested() : nested.status();
  if (status.ok()) return nested;
  *this = before;
  return status;
}

absl::StatusOr<Tuple> TupleReader::ReadRest() {
  const TupleReader before = *this;
  std::vector<Element> elements;
  while (!AtEnd()) {
    absl::StatusOr<Element> element = ReadElement();
    if (!element.ok()) {
      *this = before;
      return std::move(element).status();
    }
    elements.push_back(*std::move(element));
  }
  return Tuple(std::move(elements));
}

absl::Status TupleReader::Skip() {
  const std::optional<Kind> kind = Peek();
  if (!kind) return RefuseElement();
  switch (*kind) {
    case Kind::kNull:
      return ReadNull();
    case Kind::kBytes:
    case Kind::kString: {
      bool escapes;
      const absl::StatusOr<size_t> end = FindEnd(&escapes);
      if (end.ok()) offset_ = *end + 1;
      return end.status();
    }
    case Kind::kTuple: {
      absl::Status status = EnterNested();
      while (status.ok() && !AtEnd()) status = Skip();
      return status.ok() ? LeaveNested() : status;
    }
    case Kind::kInteger:
      return ReadStoredInteger().status();
    case Kind::kFloat:
      return ReadFloat().status();
    case Kind::kDouble:
      return ReadDouble().status();
    case Kind::kBool:
      return ReadBool().status();
    case Kind::kUuid:
      return ReadUuid().status();
    case Kind::kVersionstamp:
      return ReadVersionstamp().status();
  }
  return RefuseElement();
}

absl::StatusOr<std::string_view> TupleReader::ReadRaw() {
  const TupleReader before = *this;
  if (absl::Status status = Skip(); !status.ok()) {
    *this = before;
    return status;
  }
  const bool null = before.Peek() == Kind::kNull;
  return bytes_.substr(before.offset_, null ? 1 : offset_ - before.offset_);
}

absl::StatusOr<Tuple> Decode(std::string_view bytes) {
  TupleReader reader(bytes);
  return reader.ReadRest();
}

}  // namespace fdbjobs::tuple
