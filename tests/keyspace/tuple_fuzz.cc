// What must hold for any bytes at all. A libFuzzer target; tuple_corpus_test.cc runs the seeds through it too.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "fdbjobs/keyspace/tuple.h"
#include "fdbjobs/keyspace/tuple_reader.h"

namespace {

using fdbjobs::tuple::Decode;
using fdbjobs::tuple::Tuple;
using fdbjobs::tuple::TupleReader;
using fdbjobs::tuple::Utf8;

void Require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

void RequireNamedOffset(const std::string& message, size_t size) {
  static constexpr char kError[] = "tuple unreadable at offset ";
  Require(message.rfind(kError, 0) == 0, "an error says where");
  Require(std::strtoull(message.c_str() + sizeof kError - 1, nullptr, 10) <= size, "the offset is in the input");
}

void RequireSameByRawElements(std::string_view bytes) {
  TupleReader reader(bytes);
  std::string raw;
  while (!reader.AtEnd()) {
    const absl::StatusOr<std::string_view> element = reader.ReadRaw();
    Require(element.ok(), "what decodes can be skipped");
    raw += *element;
  }
  Require(raw == bytes, "raw elements are the input");
}

void RequireOrder(const Tuple& tuple) {
  for (size_t i = 1; i < tuple.size(); ++i) {
    const Tuple a{tuple[i - 1]};
    const Tuple b{tuple[i]};
    Require((a <=> b) == (a.Pack(Utf8::kKeep).value() <=> b.Pack(Utf8::kKeep).value()), "bytes sort as elements");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<Tuple> decoded = Decode(bytes);
  if (!decoded.ok()) {
    RequireNamedOffset(std::string(decoded.status().message()), size);
    return 0;
  }
  const absl::StatusOr<std::string> packed = decoded->Pack(Utf8::kKeep);
  Require(packed.ok(), "what decodes packs");
  Require(packed->size() <= size, "the proper form is the shortest");
  const absl::StatusOr<Tuple> again = Decode(*packed);
  Require(again.ok() && *again == *decoded, "the proper form decodes to the same");
  Require(again->Pack(Utf8::kKeep).value() == *packed, "the proper form packs to itself");
  Require(!decoded->ToString().empty(), "anything prints");
  RequireSameByRawElements(bytes);
  RequireOrder(*decoded);
  return 0;
}
