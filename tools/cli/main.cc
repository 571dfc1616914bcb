// fdbjobs-cli: looks at jobs, changes them, and keeps their keyspace in order. docs/cli.md has every command.
//
//   fdbjobs-cli --db embedded:/var/lib/jobs summary
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "tools/cli/command.h"
#include "tools/cli/context.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/text.h"

namespace fdbjobs::cli {
namespace {

void AddGlobalOptions(CLI::App& app, Settings* settings) {
  app.add_option("--db", settings->database, "The database: embedded:/folder or fdb:/path/to/fdb.cluster")
      ->envname("FDBJOBS_DB");
  app.add_option("--prefix", settings->prefix, "Of all keys of the jobs; \\xHH stands for a byte")
      ->envname("FDBJOBS_PREFIX");
  app.add_flag("--json", settings->json, "The answer as JSON, for programs");
  app.add_flag("--no-color", settings->no_color, "No colors on a terminal (NO_COLOR is honoured too)");
  app.add_option("--timeout", settings->timeout_seconds, "Most seconds that the database may take for an answer")
      ->check(CLI::Range(0.001, 86400.0))
      ->capture_default_str();
}

void AddCommands(CLI::App& app, Command* selected) {
  AddSummaryCommand(app, selected);
  AddTypesCommand(app, selected);
  AddTimeoutCommand(app, selected);
  AddListCommand(app, selected);
  AddShowCommand(app, selected);
  AddDumpCommand(app, selected);
  AddTopCommand(app, selected);
  AddTailCommand(app, selected);
  AddAddCommand(app, selected);
  AddChangeCommands(app, selected);
  AddCheckCommand(app, selected);
  AddExportCommand(app, selected);
  AddImportCommand(app, selected);
  AddCompletionCommand(app, selected);
}

// One line, whatever the message holds.
void PrintError(const std::string& message) { std::fprintf(stderr, "fdbjobs-cli: %s\n", Visible(message).c_str()); }

int Run(Context& context, const Command& command) {
  absl::StatusOr<int> code = command(context);
  if (!code.ok()) {
    std::fflush(stdout);
    PrintError(std::string(code.status().message()));
    return ExitCodeOf(code.status());
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    PrintError(std::string("can't write the answer: ") + std::strerror(errno));
    return kExitError;
  }
  return *code;
}

int Main(int argc, char** argv) {
  CLI::App app("Looks at jobs of fdbjobs, changes them, and keeps their keyspace in order.", "fdbjobs-cli");
  app.require_subcommand(1);
  app.set_version_flag("--version", FDBJOBS_VERSION);
  app.footer(std::string("Types, ids and priorities: ") + kValueHelp +
             ".\nBehind -- nothing is taken for an option.\n\n" + kExitCodesHelp);
  Context context;
  Command selected;
  AddGlobalOptions(app, &context.settings);
  AddCommands(app, &selected);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    const std::vector<std::string> left = app.remaining();
    const bool unknown = app.get_subcommands().empty() && !left.empty() && !left[0].starts_with('-');
    PrintError((unknown ? "unknown command " + left[0] : std::string(error.what())) + " (see fdbjobs-cli --help)");
    return kExitUsage;
  }
  return Run(context, selected);
}

}  // namespace
}  // namespace fdbjobs::cli

int main(int argc, char** argv) { return fdbjobs::cli::Main(argc, argv); }
