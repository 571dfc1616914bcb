// Reads elements and tuples in the notation of docs/tuple.md: the inverse of ToString.
//
// ParseElement and ParseTuple read the notation alone. ParseArgument and PrintArgument are its form for command lines
// and files of settings, where a plain word needs no quotes: index-7 is the string "index-7", 7 the integer, "7" the
// string again. Thread safety: functions without state. Any text is safe to read.
//
//   absl::StatusOr<Element> priority = ParseElement(R"((1, "a", b"\x00"))");
//   absl::StatusOr<Element> type = ParseArgument("thumbnails");                // the string
//   std::string text = PrintArgument(*type);                                   // thumbnails; ParseArgument reads it
#ifndef FDBJOBS_KEYSPACE_TUPLE_PARSE_H_
#define FDBJOBS_KEYSPACE_TUPLE_PARSE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "fdbjobs/keyspace/tuple.h"

namespace fdbjobs::tuple {

// All of `text` is one element. Beyond what ToString prints, spaces may stand around elements and commas of a tuple,
// hexadecimal may be in capitals, and any integer may be decimal or hexadecimal. The error is kInvalidArgument and
// names the offset, what stands there, and what is allowed there.
absl::StatusOr<Element> ParseElement(std::string_view text);

// All of `text` is one tuple: (1, "a").
absl::StatusOr<Tuple> ParseTuple(std::string_view text);

// Whether ParseArgument reads `text` as the string of the same characters: no literal, not empty, UTF-8, all of it
// letters, digits, - _ . / : @ + = % and printable characters past ASCII, and the first one no -.
bool IsPlainWord(std::string_view text);

// A plain word is a string; all else is read by ParseElement.
absl::StatusOr<Element> ParseArgument(std::string_view text);

// The shortest text that ParseArgument reads as `element`: a string that is a plain word stands bare, all else as
// ToString prints it.
std::string PrintArgument(const Element& element);

}  // namespace fdbjobs::tuple

#endif  // FDBJOBS_KEYSPACE_TUPLE_PARSE_H_
