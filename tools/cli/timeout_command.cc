// timeout get|set|clear: the activity timeout of a type.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/cli/command.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/text.h"

namespace fdbjobs::cli {
namespace {

struct Arguments {
  std::string type;
  std::string duration;
};

using MaybeTimeout = std::optional<absl::Duration>;

void PrintTimeout(const Context& context, const JobType& type, const MaybeTimeout& timeout) {
  if (context.json()) {
    Json json = Json::Object();
    json["type"] = Literal(type);
    json["timeout_seconds"] = timeout.has_value() ? Json(absl::ToDoubleSeconds(*timeout)) : Json();
    context.Print(json);
  } else {
    context.Print(timeout.has_value() ? absl::FormatDuration(*timeout) + "\n" : "none\n");
  }
}

absl::StatusOr<int> Get(Context& context, const Arguments& arguments) {
  const absl::StatusOr<JobType> type = ParseValue("type", arguments.type);
  if (!type.ok()) return type.status();
  if (absl::Status status = context.Open(); !status.ok()) return status;
  if (absl::Status status = context.CheckTypeIsKnown(*type); !status.ok()) return status;
  const absl::StatusOr<MaybeTimeout> timeout =
      context.Transact([&](fdb::Transaction& tr) { return context.jobs().GetActivityTimeout(tr, *type); });
  if (!timeout.ok()) return timeout.status();
  PrintTimeout(context, *type, *timeout);
  return kExitOk;
}

absl::StatusOr<int> Set(Context& context, const Arguments& arguments) {
  const absl::StatusOr<JobType> type = ParseValue("type", arguments.type);
  if (!type.ok()) return type.status();
  const absl::StatusOr<absl::Duration> timeout = ParseDuration("timeout", arguments.duration);
  if (!timeout.ok()) return timeout.status();
  if (absl::Status status = context.Open(IfMissing::kCreate); !status.ok()) return status;
  const absl::Status status =
      context.Transact([&](fdb::Transaction& tr) { return context.jobs().SetActivityTimeout(tr, *type, *timeout); });
  if (!status.ok()) return status;
  PrintTimeout(context, *type, *timeout);
  return kExitOk;
}

absl::StatusOr<int> Clear(Context& context, const Arguments& arguments) {
  const absl::StatusOr<JobType> type = ParseValue("type", arguments.type);
  if (!type.ok()) return type.status();
  if (absl::Status status = context.Open(); !status.ok()) return status;
  if (absl::Status status = context.CheckTypeIsKnown(*type); !status.ok()) return status;
  const absl::Status status =
      context.Transact([&](fdb::Transaction& tr) { return context.jobs().ClearActivityTimeout(tr, *type); });
  if (!status.ok()) return status;
  PrintTimeout(context, *type, std::nullopt);
  return kExitOk;
}

}  // namespace

void AddTimeoutCommand(CLI::App& app, Command* selected) {
  CLI::App* const timeout =
      AddCommand(app, "timeout", "The activity timeout of a type: how long a worker may give no sign of life",
                 "fdbjobs-cli timeout set thumbnails 30s");
  timeout->require_subcommand(1);
  const auto arguments = std::make_shared<Arguments>();
  const auto add = [&](const char* name, const char* description, const char* example, auto run) {
    CLI::App* const command = AddCommand(*timeout, name, description, example);
    command->add_option("type", arguments->type, kValueHelp)->required();
    command->callback([selected, arguments, run] {
      *selected = [arguments, run](Context& context) { return run(context, *arguments); };
    });
    return command;
  };
  add("get", "Prints it", "fdbjobs-cli timeout get thumbnails", Get);
  add("set", "Sets it; needed before jobs can be added", "fdbjobs-cli timeout set thumbnails 30s", Set)
      ->add_option("duration", arguments->duration, "250ms, 30s, 5m, 1h30m")
      ->required();
  add("clear", "No more jobs of the type can be added", "fdbjobs-cli timeout clear thumbnails", Clear);
}

}  // namespace fdbjobs::cli
