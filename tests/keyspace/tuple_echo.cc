// tuple_echo: reads packed tuples in hex, a line each, and prints each one decoded and packed again, in hex.
//
// A line that can't be decoded or packed is answered with "error: " and the reason. Strings are kept as they are.
#include <iostream>
#include <string>

#include "fdbjobs/keyspace/tuple.h"
#include "tests/keyspace/tuple_notation.h"

namespace {

std::string Echo(const std::string& hex) {
  using namespace fdbjobs;
  const absl::StatusOr<tuple::Tuple> decoded = tuple::Decode(tests::FromHex(hex));
  if (!decoded.ok()) return "error: " + std::string(decoded.status().message());
  const absl::StatusOr<std::string> packed = decoded->Pack(tuple::Utf8::kKeep);
  if (!packed.ok()) return "error: " + std::string(packed.status().message());
  return tests::ToHex(*packed);
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) std::cout << Echo(line) << "\n";
  return 0;
}
