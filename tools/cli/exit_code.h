// The exit codes of fdbjobs-cli, and which one an error gives. docs/cli.md and --help list them.
//
// Thread safety: pure functions.
#ifndef FDBJOBS_TOOLS_CLI_EXIT_CODE_H_
#define FDBJOBS_TOOLS_CLI_EXIT_CODE_H_

#include "absl/status/status.h"

namespace fdbjobs::cli {

inline constexpr int kExitOk = 0;
inline constexpr int kExitError = 1;
inline constexpr int kExitUsage = 2;     // wrong arguments, malformed tuples and JSON
inline constexpr int kExitNotFound = 3;  // no such job or type
// check found some that are there still, or could not look at everything; export met rows that can't be read
inline constexpr int kExitViolations = 4;
inline constexpr int kExitUnreachable = 5;   // no database, no client library, or no answer within --timeout
inline constexpr int kExitNoPermission = 6;  // the system or the database refuses
inline constexpr int kExitInterrupted = 130;

inline constexpr char kExitCodesHelp[] =
    "Exit codes:\n"
    "  0    done\n"
    "  1    an error that is none of these\n"
    "  2    wrong arguments, a malformed tuple value or malformed JSON\n"
    "  3    no such job or type\n"
    "  4    check: there are violations, or not everything could be checked; export: some rows can't be read\n"
    "  5    the database can't be reached, or did not answer within --timeout\n"
    "  6    no permission\n"
    "  130  interrupted by SIGINT, 143 by SIGTERM; what was committed stays\n";

int ExitCodeOf(const absl::Status& status);

}  // namespace fdbjobs::cli

#endif  // FDBJOBS_TOOLS_CLI_EXIT_CODE_H_
