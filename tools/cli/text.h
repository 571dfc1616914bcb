// Text for people: ages, times, job data; nothing in it that a terminal would obey.
//
// Thread safety: pure functions.
#ifndef FDBJOBS_TOOLS_CLI_TEXT_H_
#define FDBJOBS_TOOLS_CLI_TEXT_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "fdbjobs/job.h"

namespace fdbjobs::cli {

// A type, an id or a priority, as it is read on the command line.
std::string Literal(const keyspace::PackedElement& element);

// "0.4s", "12s", "3m05s", "2h10m", "4d03h"; "-" for none.
std::string AgeText(std::optional<absl::Duration> age);
// "2026-11-18T08:00:00.123Z"
std::string TimeText(absl::Time time);

// The age of a sequence, if it is of the incarnation that the database has now. Versions advance about a million a
// second, so this is about right, and no clock of a worker is asked.
std::optional<absl::Duration> SequenceAge(const Sequence& sequence, uint8_t incarnation, int64_t read_version);

// The same text with control characters, line separators and marks of direction as \uXXXX.
std::string Visible(std::string_view text);
// The same value, likewise. Lines stay.
std::string VisibleJson(std::string_view json);
// JSON with one member a line. What is not JSON comes back as it is.
std::string PrettyJson(std::string_view json);
// At most `width` characters, the last one an ellipsis if some had to go.
std::string Shortened(std::string_view text, size_t width);
// How many columns a terminal needs for it: its characters.
size_t Width(std::string_view text);

// "1,234"
std::string Count(int64_t number);
// "1 job", "2 jobs"
std::string JobCount(int64_t number);

}  // namespace fdbjobs::cli

#endif  // FDBJOBS_TOOLS_CLI_TEXT_H_
