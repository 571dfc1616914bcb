// add: one job, or many from JSON lines on standard input.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/cli/add_batch.h"
#include "tools/cli/command.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/text.h"

namespace fdbjobs::cli {
namespace {

struct Arguments {
  std::string type;
  std::string id;
  std::string data;
  std::string priority = "0";
  std::string if_exists = "error";
  bool batch = false;
  int64_t skip = 0;
};

absl::StatusOr<IfExists> ParseIfExists(const std::string& text) {
  if (text == "error") return IfExists::kError;
  if (text == "keep") return IfExists::kKeep;
  if (text == "resubmit") return IfExists::kResubmit;
  return absl::InvalidArgumentError(absl::StrCat("--if-exists ", text, "; allowed are error, keep and resubmit"));
}

absl::StatusOr<int> AddOneJob(Context& context, const JobType& type, const Arguments& arguments, IfExists if_exists) {
  NewJob job;
  if (arguments.id.empty()) {
    job.id = Jobs::MakeId();
  } else {
    absl::StatusOr<JobId> id = ParseValue("id", arguments.id);
    if (!id.ok()) return id.status();
    job.id = *std::move(id);
  }
  absl::StatusOr<Priority> priority = ParseValue("priority", arguments.priority);
  if (!priority.ok()) return priority.status();
  job.priority = *std::move(priority);
  job.data = arguments.data;
  const absl::StatusOr<AddResult> result =
      context.Transact([&](fdb::Transaction& tr) { return context.jobs().Add(tr, type, job, if_exists); });
  if (!result.ok()) return result.status();
  if (context.json()) {
    Json json = Json::Object();
    json["type"] = Literal(type);
    json["id"] = Literal(job.id);
    json["result"] = AddResultName(*result);
    context.Print(json);
  } else {
    context.Print(absl::StrCat(AddResultName(*result), " ", Literal(job.id), "\n"));
  }
  return kExitOk;
}

absl::StatusOr<int> Add(Context& context, const Arguments& arguments) {
  const absl::StatusOr<JobType> type = ParseValue("type", arguments.type);
  if (!type.ok()) return type.status();
  const absl::StatusOr<IfExists> if_exists = ParseIfExists(arguments.if_exists);
  if (!if_exists.ok()) return if_exists.status();
  if (arguments.batch && (!arguments.id.empty() || !arguments.data.empty())) {
    return absl::InvalidArgumentError("--batch takes ids and data from standard input");
  }
  if (absl::Status status = context.Open(); !status.ok()) return status;
  if (arguments.batch) return AddBatch(context, *type, *if_exists, arguments.skip);
  return AddOneJob(context, *type, arguments, *if_exists);
}

}  // namespace

void AddAddCommand(CLI::App& app, Command* selected) {
  CLI::App* const command = AddCommand(app, "add", "Adds a job, or with --batch many from JSON lines on standard input",
                                       "fdbjobs-cli add thumbnails photo-7 --data '{\"size\":200}' --priority 5\n"
                                       "  echo '{\"id\":\"photo-8\",\"priority\":5,\"data\":{\"size\":200}}' | "
                                       "fdbjobs-cli add thumbnails --batch");
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("type", arguments->type, kValueHelp)->required();
  command->add_option("id", arguments->id, "The same; without it, a time-ordered UUID is made");
  command->add_option("--data", arguments->data, "JSON");
  command->add_option("--priority", arguments->priority, "Lower comes first")->capture_default_str();
  command->add_option("--if-exists", arguments->if_exists, "error, keep (leave it as it is) or resubmit (run it again)")
      ->capture_default_str();
  command->add_flag("--batch", arguments->batch,
                    "Lines as {\"id\":...,\"priority\":...,\"data\":...}; each may be missing");
  command->add_option("--skip", arguments->skip, "With --batch: leaves out so many lines, which were added before")
      ->check(CLI::Range(int64_t{0}, int64_t{1'000'000'000'000}));
  command->callback(
      [selected, arguments] { *selected = [arguments](Context& context) { return Add(context, *arguments); }; });
}

}  // namespace fdbjobs::cli
