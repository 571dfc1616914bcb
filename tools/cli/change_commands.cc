// cancel, resubmit, remove, priority: by id, or by filter.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/cli/change_jobs.h"
#include "tools/cli/command.h"

namespace fdbjobs::cli {
namespace {

struct Arguments {
  std::string verb;
  std::string type;
  std::vector<std::string> ids;
  FilterArguments filter;
  bool all = false;
  std::string priority;
  ChangeOptions options;
};

absl::StatusOr<Change> MakeChange(const Context& context, const Arguments& arguments) {
  const Jobs* const jobs = &context.jobs();
  Change change{arguments.verb, nullptr};
  using Tr = fdb::Transaction;
  if (arguments.verb == "cancel") {
    change.apply = [jobs](Tr& tr, const JobType& type, const JobId& id) { return jobs->Cancel(tr, type, id); };
  } else if (arguments.verb == "resubmit") {
    change.apply = [jobs](Tr& tr, const JobType& type, const JobId& id) { return jobs->Resubmit(tr, type, id); };
  } else if (arguments.verb == "remove") {
    change.apply = [jobs](Tr& tr, const JobType& type, const JobId& id) { return jobs->Remove(tr, type, id); };
  } else {
    absl::StatusOr<Priority> priority = ParseValue("priority", arguments.priority);
    if (!priority.ok()) return priority.status();
    change.apply = [jobs, to = *std::move(priority)](Tr& tr, const JobType& type, const JobId& id) {
      return jobs->SetPriority(tr, type, id, to);
    };
  }
  return change;
}

absl::StatusOr<int> Run(Context& context, const Arguments& arguments) {
  const absl::StatusOr<JobType> type = ParseValue("type", arguments.type);
  if (!type.ok()) return type.status();
  const bool filtered = arguments.all || !arguments.filter.state.empty() || !arguments.filter.id_prefix.empty();
  if (filtered == !arguments.ids.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(arguments.verb, ": give ids, or one of --state, --id-prefix and --all"));
  }
  std::vector<JobId> ids;
  for (const std::string& text : arguments.ids) {
    absl::StatusOr<JobId> id = ParseValue("id", text);
    if (!id.ok()) return id.status();
    ids.push_back(*std::move(id));
  }
  const absl::StatusOr<Filter> filter = MakeFilter(arguments.filter);
  if (!filter.ok()) return filter.status();
  if (absl::Status status = context.Open(); !status.ok()) return status;
  const absl::StatusOr<Change> change = MakeChange(context, arguments);
  if (!change.ok()) return change.status();
  if (absl::Status status = context.CheckTypeIsKnown(*type); !status.ok()) return status;
  if (!filtered) return ChangeByIds(context, *type, *change, ids, arguments.options);
  return ChangeByFilter(context, *type, *change, *filter, arguments.options);
}

CLI::App* AddOne(CLI::App& app, Command* selected, const char* verb, const char* description, const char* example) {
  CLI::App* const command = AddCommand(app, verb, description, example);
  const auto arguments = std::make_shared<Arguments>();
  arguments->verb = verb;
  command->add_option("type", arguments->type, kValueHelp)->required();
  command->add_option("ids", arguments->ids, "Ids of jobs; or one of the filters below");
  AddFilterOptions(*command, &arguments->filter);
  command->add_flag("--all", arguments->all, "All jobs of the type");
  command->add_flag("--dry-run", arguments->options.dry_run, "Prints which jobs it would touch, and changes nothing");
  command->add_flag("--yes", arguments->options.yes, "Do not ask, however many jobs it touches");
  if (std::string_view(verb) == "priority") {
    command->add_option("--to", arguments->priority, "The new priority; lower comes first")->required();
  }
  command->callback(
      [selected, arguments] { *selected = [arguments](Context& context) { return Run(context, *arguments); }; });
  return command;
}

}  // namespace

void AddChangeCommands(CLI::App& app, Command* selected) {
  AddOne(app, selected, "cancel", "Pending jobs are finished; running ones are told to stop",
         "fdbjobs-cli cancel thumbnails --id-prefix tenant-7/ --dry-run");
  AddOne(app, selected, "resubmit", "Finished jobs are pending again; running ones run again afterwards",
         "fdbjobs-cli resubmit thumbnails photo-7");
  AddOne(app, selected, "remove", "Removes jobs, whatever state they are in",
         "fdbjobs-cli remove thumbnails --state finished --yes");
  AddOne(app, selected, "priority", "Moves jobs to another place in the queue",
         "fdbjobs-cli priority thumbnails photo-7 photo-8 --to 1");
}

}  // namespace fdbjobs::cli
