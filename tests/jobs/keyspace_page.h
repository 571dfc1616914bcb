// Holds tables of docs/keyspace.md against what the code makes of them, so that the page can't drift.
//
// Thread safety: functions without state.
//
//   ExpectTable("| count | bytes |", {{"`5`", "`05 00`"}});
#ifndef FDBJOBS_TESTS_JOBS_KEYSPACE_PAGE_H_
#define FDBJOBS_TESTS_JOBS_KEYSPACE_PAGE_H_

#include <string>
#include <string_view>
#include <vector>

namespace fdbjobs::test {

// The whole of docs/keyspace.md.
const std::string& KeyspacePage();

// The page has exactly one table with this header, and it has these rows. A failure shows the table as it should be,
// ready to be put into the page.
void ExpectTable(std::string_view header, const std::vector<std::vector<std::string>>& rows);

// `text` in backquotes; nothing for nothing.
std::string Code(std::string_view text);
// "02 6a 6f", in backquotes.
std::string CodeHex(std::string_view bytes);

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_JOBS_KEYSPACE_PAGE_H_
