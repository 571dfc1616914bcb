// show: one job with all that is stored of it.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "fdbjobs/keyspace/json_text.h"
#include "fdbjobs/keyspace/row_reader.h"
#include "fdbjobs/uuid.h"
#include "tools/cli/command.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/job_print.h"
#include "tools/cli/text.h"

namespace fdbjobs::cli {
namespace {

struct Arguments {
  std::string type;
  std::string id;
};

// The members of JobOpts that this version does not know: "a":1,"b":{}
std::string Others(const std::string& others) {
  const std::string object = absl::StrCat("{", others, "}");
  return keyspace::CheckJson(object).ok() ? object : "";
}

std::string ForPeople(const Job& job, const std::string& others, const Moment& moment) {
  std::string out;
  const auto line = [&out](const char* name, const std::string& value) {
    absl::StrAppend(&out, name, std::string(10 - std::string_view(name).size(), ' '), value, "\n");
  };
  line("type", Literal(job.type));
  line("id", Literal(job.id));
  line("state", StateText(job));
  line("priority", Literal(job.priority));
  if (job.added.has_value()) line("added", absl::StrCat(TimeText(*job.added), ", ", AgeText(Age(job, moment)), " ago"));
  if (job.sequence.has_value()) line("sequence", job.sequence->ToString());
  if (job.state == JobState::kRunning) line("heartbeat", AgeText(HeartbeatAge(job, moment)) + " ago");
  if (job.lock.has_value()) line("lock", UuidToString(*job.lock));
  if (!others.empty()) line("others", Visible(others));
  if (job.data.empty()) {
    line("data", "none");
    return out;
  }
  const std::string pretty = VisibleJson(PrettyJson(job.data));
  absl::StrAppend(&out, "data\n");
  for (const auto part : absl::StrSplit(pretty, '\n')) absl::StrAppend(&out, "  ", part, "\n");
  return out;
}

absl::StatusOr<int> Show(Context& context, const Arguments& arguments) {
  const absl::StatusOr<JobType> type = ParseValue("type", arguments.type);
  if (!type.ok()) return type.status();
  const absl::StatusOr<JobId> id = ParseValue("id", arguments.id);
  if (!id.ok()) return id.status();
  if (absl::Status status = context.Open(); !status.ok()) return status;
  Moment moment;
  std::string others;
  const absl::StatusOr<std::optional<Job>> job =
      context.Transact([&](fdb::Transaction& tr) -> absl::StatusOr<std::optional<Job>> {
        const absl::StatusOr<Moment> read = ReadMoment(context, tr);
        if (!read.ok()) return read.status();
        moment = *read;
        const std::string key = context.jobs().keys().Data(*type, *id);
        const absl::StatusOr<std::optional<std::string>> value = tr.Get(key, fdb::Isolation::kSnapshot).Await();
        if (!value.ok()) return value.status();
        const keyspace::Row row = keyspace::ReadRow(context.jobs().keys(), key, value->value_or(""));
        if (row.options.has_value() && !row.options->others.empty()) others = Others(row.options->others);
        return context.jobs().GetJob(tr, *type, *id, fdb::Isolation::kSnapshot);
      });
  if (!job.ok()) return job.status();
  if (!job->has_value()) {
    if (absl::Status status = context.CheckTypeIsKnown(*type); !status.ok()) return status;
    return absl::NotFoundError(absl::StrCat("no job ", Literal(*id), " of type ", Literal(*type)));
  }
  if (context.json()) {
    Json json = JobJson(context, **job, moment);
    if (!others.empty()) json["others"] = Json::Raw(context.terminal() ? VisibleJson(others) : others);
    context.Print(json);
  } else {
    context.Print(ForPeople(**job, others, moment));
  }
  return kExitOk;
}

}  // namespace

void AddShowCommand(CLI::App& app, Command* selected) {
  CLI::App* const command = AddCommand(app, "show", "One job: options, state, sequence, lock, age, data",
                                       "fdbjobs-cli show thumbnails photo-7");
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("type", arguments->type, kValueHelp)->required();
  command->add_option("id", arguments->id, kValueHelp)->required();
  command->callback(
      [selected, arguments] { *selected = [arguments](Context& context) { return Show(context, *arguments); }; });
}

}  // namespace fdbjobs::cli
