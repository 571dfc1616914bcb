// Reads the notation of docs/tuple.md, the page's tables, and hex: what the tests of the tuple layer share.
//
// Thread safety: functions without state.
//
//   absl::StatusOr<tuple::Tuple> tuple = ParseNotation(R"((1, "a", float(nan:7fc00000)))");
#ifndef FDBJOBS_TESTS_KEYSPACE_TUPLE_NOTATION_H_
#define FDBJOBS_TESTS_KEYSPACE_TUPLE_NOTATION_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "fdbjobs/keyspace/tuple.h"

namespace fdbjobs::tests {

absl::StatusOr<tuple::Tuple> ParseNotation(std::string_view text);

// "01 66 00" and "016600" alike.
std::string FromHex(std::string_view hex);
std::string ToHex(std::string_view bytes);

using Row = std::vector<std::string>;
// The rows of every table in `page` whose header is exactly `header` ("| tuple | packed bytes |"). Cells come without
// the backquotes around them.
std::vector<std::vector<Row>> TablesOf(std::string_view page, std::string_view header);

}  // namespace fdbjobs::tests

#endif  // FDBJOBS_TESTS_KEYSPACE_TUPLE_NOTATION_H_
