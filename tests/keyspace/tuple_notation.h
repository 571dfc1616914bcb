// Reads the tables of docs/tuple.md, and hex: what the tests of the tuple layer share.
//
// Thread safety: functions without state.
//
//   std::string bytes = FromHex("01 66 00");
#ifndef FDBJOBS_TESTS_KEYSPACE_TUPLE_NOTATION_H_
#define FDBJOBS_TESTS_KEYSPACE_TUPLE_NOTATION_H_

#include <string>
#include <string_view>
#include <vector>

namespace fdbjobs::tests {

// "01 66 00" and "016600" alike.
std::string FromHex(std::string_view hex);
std::string ToHex(std::string_view bytes);

using Row = std::vector<std::string>;
// The rows of every table in `page` whose header is exactly `header` ("| tuple | packed bytes |"). Cells come without
// the backquotes around them.
std::vector<std::vector<Row>> TablesOf(std::string_view page, std::string_view header);

}  // namespace fdbjobs::tests

#endif  // FDBJOBS_TESTS_KEYSPACE_TUPLE_NOTATION_H_
