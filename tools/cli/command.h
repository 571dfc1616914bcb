// How commands come into the program: each adds itself to the parser and leaves what is to be done in `selected`.
//
// A command returns its exit code, or an error, which main prints as one line.
#ifndef FDBJOBS_TOOLS_CLI_COMMAND_H_
#define FDBJOBS_TOOLS_CLI_COMMAND_H_

#include <functional>
#include <string>
#include <string_view>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "fdbjobs/job.h"
#include "fdbjobs/keyspace/tuple.h"
#include "tools/cli/context.h"

namespace fdbjobs::cli {

using Command = std::function<absl::StatusOr<int>(Context&)>;

void AddSummaryCommand(CLI::App& app, Command* selected);
void AddTypesCommand(CLI::App& app, Command* selected);
void AddTimeoutCommand(CLI::App& app, Command* selected);
void AddListCommand(CLI::App& app, Command* selected);
void AddShowCommand(CLI::App& app, Command* selected);
void AddDumpCommand(CLI::App& app, Command* selected);
void AddTopCommand(CLI::App& app, Command* selected);
void AddTailCommand(CLI::App& app, Command* selected);
void AddAddCommand(CLI::App& app, Command* selected);
void AddChangeCommands(CLI::App& app, Command* selected);
void AddCheckCommand(CLI::App& app, Command* selected);
void AddExportCommand(CLI::App& app, Command* selected);
void AddImportCommand(CLI::App& app, Command* selected);
void AddCompletionCommand(CLI::App& app, Command* selected);

// A subcommand with its example in --help.
CLI::App* AddCommand(CLI::App& app, const std::string& name, const std::string& description,
                     const std::string& example);

// Values of the command line. The error says which argument it is.
absl::StatusOr<keyspace::PackedElement> ParseValue(std::string_view what, const std::string& text);
absl::StatusOr<JobState> ParseState(const std::string& text);
// "30s", "5m", "1h30m", "250ms".
absl::StatusOr<absl::Duration> ParseDuration(std::string_view what, const std::string& text);

inline constexpr char kValueHelp[] = "a word, or a literal as 7, \"7\", b\"\\x00\", uuid(...), (1, \"a\")";

}  // namespace fdbjobs::cli

#endif  // FDBJOBS_TOOLS_CLI_COMMAND_H_
