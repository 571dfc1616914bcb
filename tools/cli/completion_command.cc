// completion bash|zsh: scripts made of the commands and options that the program has.
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/cli/command.h"
#include "tools/cli/exit_code.h"

namespace fdbjobs::cli {
namespace {

std::vector<std::string> OptionsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> CommandsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

// A case for each command: its own commands, its options, and what they can be.
std::string Cases(const CLI::App& app) {
  std::string cases;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    std::vector<std::string> words = OptionsOf(*command);
    for (const std::string& name : CommandsOf(*command)) words.push_back(name);
    if (command->get_name() == "completion") words.insert(words.end(), {"bash", "zsh"});
    absl::StrAppend(&cases, "    ", command->get_name(), ") words=\"", absl::StrJoin(words, " "), "\" ;;\n");
  }
  return cases;
}

// zsh has bash's completion too.
std::string Script(const CLI::App& app, bool zsh) {
  std::string script = zsh ? "#compdef fdbjobs-cli\nautoload -U +X bashcompinit && bashcompinit\n" : "";
  const std::string global = absl::StrJoin(OptionsOf(app), " ");
  absl::StrAppend(&script,
                  "_fdbjobs_cli() {\n"
                  "  local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
                  "  local command=\"\" words=\"\" i\n"
                  "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
                  "    case \"${COMP_WORDS[i]}\" in\n"
                  "      --db|--prefix|--timeout) i=$((i + 1)) ;;\n"
                  "      -*) ;;\n"
                  "      *) command=\"${COMP_WORDS[i]}\"; break ;;\n"
                  "    esac\n"
                  "  done\n"
                  "  case \"$previous\" in\n"
                  "    --state) COMPREPLY=($(compgen -W \"pending running finished\" -- \"$current\")); return ;;\n"
                  "    --if-exists) COMPREPLY=($(compgen -W \"error keep resubmit\" -- \"$current\")); return ;;\n"
                  "    --db) COMPREPLY=($(compgen -W \"embedded: fdb:\" -- \"$current\")); return ;;\n"
                  "  esac\n"
                  "  case \"$command\" in\n"
                  "    \"\") words=\"",
                  absl::StrJoin(CommandsOf(app), " "), "\" ;;\n", Cases(app),
                  "  esac\n"
                  "  COMPREPLY=($(compgen -W \"$words ",
                  global,
                  "\" -- \"$current\"))\n"
                  "}\n"
                  "complete -F _fdbjobs_cli fdbjobs-cli\n");
  return script;
}

}  // namespace

void AddCompletionCommand(CLI::App& app, Command* selected) {
  CLI::App* const command = AddCommand(app, "completion", "A script that completes commands and options in bash or zsh",
                                       "source <(fdbjobs-cli completion bash)");
  const auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "bash or zsh")->required()->check(CLI::IsMember({"bash", "zsh"}));
  command->callback([selected, shell, &app] {
    *selected = [shell, &app](Context& context) -> absl::StatusOr<int> {
      context.Print(Script(app, *shell == "zsh"));
      return kExitOk;
    };
  });
}

}  // namespace fdbjobs::cli
