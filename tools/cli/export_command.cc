// export: everything that is worth moving, as JSON lines. docs/cli.md has the lines.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "fdbjobs/admin/rows.h"
#include "fdbjobs/keyspace/json_text.h"
#include "tools/cli/command.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/progress.h"
#include "tools/cli/signals.h"
#include "tools/cli/text.h"
#include "tools/cli/type_list.h"

namespace fdbjobs::cli {
namespace {

constexpr int kFormat = 1;

void PrintLine(const Context& context, const Json& line) { context.Print(line.ToLine() + "\n"); }

// One line must stay one line, so JobOpts with line breaks in them travel as a string.
Json JobLine(const keyspace::Row& row) {
  Json line = Json::Object();
  line["type"] = Literal(*row.type);
  line["id"] = Literal(*row.id);
  line["state"] = JobStateName(row.job->state);
  if (row.job->options.find_first_of("\r\n") == std::string::npos) {
    line["options"] = Json::Raw(row.job->options);
  } else {
    line["options_text"] = row.job->options;
  }
  return line;
}

absl::Status PrintHead(const Context& context, const TypeList& types) {
  const absl::StatusOr<uint8_t> incarnation =
      context.Transact([&](fdb::Transaction& tr) { return context.jobs().GetIncarnation(tr); });
  if (!incarnation.ok()) return incarnation.status();
  Json head = Json::Object();
  head["fdbjobs_export"] = kFormat;
  head["incarnation"] = static_cast<int>(*incarnation);
  head["exported"] = TimeText(absl::Now());
  PrintLine(context, head);
  for (const auto& [type, facts] : types) {
    if (!facts.timeout.has_value()) continue;
    Json line = Json::Object();
    line["type"] = Literal(type);
    line["timeout_ms"] = absl::ToInt64Milliseconds(*facts.timeout);
    PrintLine(context, line);
  }
  return absl::OkStatus();
}

absl::StatusOr<int> Export(Context& context, const std::string& type_text) {
  std::optional<JobType> only;
  if (!type_text.empty()) {
    const absl::StatusOr<JobType> type = ParseValue("type", type_text);
    if (!type.ok()) return type.status();
    only = *type;
  }
  if (absl::Status status = context.Open(); !status.ok()) return status;
  if (only.has_value()) {
    if (absl::Status status = context.CheckTypeIsKnown(*only); !status.ok()) return status;
  }
  CatchSignals();
  absl::StatusOr<TypeList> types = ReadTypes(context);
  if (!types.ok()) return types.status();
  if (only.has_value()) std::erase_if(*types, [&](const auto& entry) { return entry.first != *only; });
  if (absl::Status status = PrintHead(context, *types); !status.ok()) return status;
  int64_t jobs = 0;
  int64_t damaged = 0;
  {
    Progress progress("exporting", 0);
    const keyspace::JobKeys& keys = context.jobs().keys();
    const absl::Status status = admin::ForEachRow(
        context.db(), keys, only.has_value() ? keys.DataRange(*only) : keys.AllDataRange(), context.transact(),
        [&](const keyspace::Row& row) {
          if (!row.damage.empty() || !keyspace::CheckJson(row.job->options).ok()) {
            ++damaged;
            progress.Clear();
            std::fprintf(stderr, "not exported: %s: %s\n", row.KeyText(keys).c_str(),
                         Visible(row.damage.empty() ? "its options are not JSON" : row.damage).c_str());
          } else {
            PrintLine(context, JobLine(row));
            progress.Show(++jobs);
          }
          return Interrupted() == 0;
        });
    if (!status.ok()) return status;
  }
  if (Interrupted() != 0) return InterruptedExitCode();
  Json end = Json::Object();
  end["end"] = true;
  end["jobs"] = jobs;
  PrintLine(context, end);
  return damaged == 0 ? kExitOk : kExitViolations;
}

}  // namespace

void AddExportCommand(CLI::App& app, Command* selected) {
  CLI::App* const command = AddCommand(app, "export", "Types and jobs as JSON lines, for a backup or another database",
                                       "fdbjobs-cli export > jobs.jsonl");
  const auto type = std::make_shared<std::string>();
  command->add_option("--type", *type, "Only this type");
  command->callback([selected, type] { *selected = [type](Context& context) { return Export(context, *type); }; });
}

}  // namespace fdbjobs::cli
