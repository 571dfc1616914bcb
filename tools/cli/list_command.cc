// list: jobs of a type, in pages.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/cli/command.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/filter.h"
#include "tools/cli/job_print.h"
#include "tools/cli/table.h"
#include "tools/cli/text.h"

namespace fdbjobs::cli {
namespace {

struct Arguments {
  std::string type;
  FilterArguments filter;
  int limit = 100;
  std::string continuation;
};

struct Listed {
  std::vector<Job> jobs;
  std::vector<Damage> damaged;
  std::string continuation;
};

// Up to `limit` jobs. A page that has more than are still wanted is asked for again with fewer rows, so that the
// continuation goes on right behind the last job.
absl::StatusOr<Listed> Collect(const Context& context, const JobType& type, const Filter& filter, int limit,
                               const std::string& continuation) {
  constexpr int kMostRows = 1000;
  Listed listed;
  listed.continuation = continuation;
  const bool sparse = filter.state == JobState::kFinished || filter.id_prefix.has_value();
  int rows = sparse ? kMostRows : std::min(kMostRows, limit);
  while (true) {
    const auto wanted = static_cast<size_t>(limit) - listed.jobs.size();
    if (!sparse) rows = std::min<int>(rows, static_cast<int>(wanted));
    absl::StatusOr<JobPage> page = ReadPage(context, type, filter, listed.continuation, &rows);
    if (!page.ok()) return page.status();
    if (page->jobs.size() > wanted) {
      rows = std::max(1, std::min(rows / 2, static_cast<int>(page->jobs.size())));
      continue;
    }
    std::move(page->jobs.begin(), page->jobs.end(), std::back_inserter(listed.jobs));
    std::move(page->damaged.begin(), page->damaged.end(), std::back_inserter(listed.damaged));
    listed.continuation = page->continuation;
    if (listed.continuation.empty() || listed.jobs.size() == static_cast<size_t>(limit)) return listed;
  }
}

void PrintJson(const Context& context, const Listed& listed, const Moment& moment) {
  Json answer = Json::Object();
  answer["jobs"] = Json::Array();
  for (const Job& job : listed.jobs) answer["jobs"].Add(JobJson(context, job, moment));
  answer["damaged"] = Json::Array();
  for (const Damage& damage : listed.damaged) {
    Json json = Json::Object();
    json["key"] = context.jobs().keys().Describe(damage.key);
    json["what"] = Visible(damage.what);
    answer["damaged"].Add(std::move(json));
  }
  answer["continuation"] = listed.continuation.empty() ? Json() : Json(listed.continuation);
  context.Print(answer);
}

void PrintTable(const Context& context, const Listed& listed, const Moment& moment) {
  Table table({"id", "state", "priority", ">age", ">heartbeat", "data"});
  for (const Job& job : listed.jobs) {
    table.Add({Literal(job.id), StateText(job), Literal(job.priority), AgeText(Age(job, moment)),
               AgeText(HeartbeatAge(job, moment)), Shortened(Visible(job.data), 40)});
  }
  context.Print(table.empty() ? "no jobs\n" : table.ToString(context.color()));
  // For the person, not for the pipe behind standard output.
  std::fflush(stdout);
  for (const Damage& damage : listed.damaged) {
    std::fprintf(stderr, "damaged: %s: %s\n", context.jobs().keys().Describe(damage.key).c_str(),
                 Visible(damage.what).c_str());
  }
  if (!listed.continuation.empty()) {
    std::fprintf(stderr, "more: --continuation %s\n", listed.continuation.c_str());
  }
}

absl::StatusOr<int> List(Context& context, const Arguments& arguments) {
  const absl::StatusOr<JobType> type = ParseValue("type", arguments.type);
  if (!type.ok()) return type.status();
  const absl::StatusOr<Filter> filter = MakeFilter(arguments.filter);
  if (!filter.ok()) return filter.status();
  if (absl::Status status = context.Open(); !status.ok()) return status;
  if (absl::Status status = context.CheckTypeIsKnown(*type); !status.ok()) return status;
  const absl::StatusOr<Listed> listed = Collect(context, *type, *filter, arguments.limit, arguments.continuation);
  if (!listed.ok()) return listed.status();
  const absl::StatusOr<Moment> moment = context.Transact([&](fdb::Transaction& tr) { return ReadMoment(context, tr); });
  if (!moment.ok()) return moment.status();
  if (context.json()) {
    PrintJson(context, *listed, *moment);
  } else {
    PrintTable(context, *listed, *moment);
  }
  return kExitOk;
}

}  // namespace

void AddListCommand(CLI::App& app, Command* selected) {
  CLI::App* const command = AddCommand(
      app, "list",
      "Jobs of a type: by id, or with --state pending in the order of the queue, running oldest heartbeat first",
      "fdbjobs-cli list thumbnails --state pending --limit 20");
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("type", arguments->type, kValueHelp)->required();
  AddFilterOptions(*command, &arguments->filter);
  command->add_option("--limit", arguments->limit, "Most jobs")->check(CLI::Range(1, 100000))->capture_default_str();
  command->add_option("--continuation", arguments->continuation, "Goes on behind the page that gave it");
  command->callback(
      [selected, arguments] { *selected = [arguments](Context& context) { return List(context, *arguments); }; });
}

}  // namespace fdbjobs::cli
