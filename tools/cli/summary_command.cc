// summary: types with counts per state, the oldest pending job and the oldest heartbeat.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "fdbjobs/listing.h"
#include "tools/cli/command.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/job_print.h"
#include "tools/cli/table.h"
#include "tools/cli/text.h"
#include "tools/cli/type_list.h"

namespace fdbjobs::cli {
namespace {

// So many jobs at the head of the queue are looked at for the oldest one.
constexpr int kHead = 100;

struct Oldest {
  std::optional<absl::Duration> pending;
  std::optional<absl::Duration> heartbeat;
};

absl::StatusOr<Oldest> ReadOldest(const Context& context, const JobType& type) {
  return context.Transact([&](fdb::Transaction& tr) -> absl::StatusOr<Oldest> {
    const absl::StatusOr<Moment> moment = ReadMoment(context, tr);
    if (!moment.ok()) return moment.status();
    Oldest oldest;
    const auto older = [](std::optional<absl::Duration> a, std::optional<absl::Duration> b) {
      return !a.has_value() || (b.has_value() && *b > *a) ? b : a;
    };
    const absl::StatusOr<JobPage> pending = ListJobs(
        context.jobs(), tr, type, {.state = JobState::kPending, .id_prefix = {}, .limit = kHead, .continuation = ""});
    if (!pending.ok()) return pending.status();
    for (const Job& job : pending->jobs) oldest.pending = older(oldest.pending, Age(job, *moment));
    // Oldest first; entries that are no job's any more may stand before it.
    const absl::StatusOr<JobPage> running = ListJobs(
        context.jobs(), tr, type, {.state = JobState::kRunning, .id_prefix = {}, .limit = kHead, .continuation = ""});
    if (!running.ok()) return running.status();
    for (const Job& job : running->jobs) oldest.heartbeat = older(oldest.heartbeat, HeartbeatAge(job, *moment));
    return oldest;
  });
}

Json Seconds(std::optional<absl::Duration> duration) {
  return duration.has_value() ? Json(absl::ToDoubleSeconds(*duration)) : Json();
}

absl::StatusOr<int> Summary(Context& context) {
  if (absl::Status status = context.Open(); !status.ok()) return status;
  const absl::StatusOr<TypeList> types = ReadTypes(context);
  if (!types.ok()) return types.status();
  Json answer = Json::Object();
  answer["types"] = Json::Array();
  Table table({"type", ">pending", ">running", ">finished", ">timeout", ">oldest pending", ">oldest heartbeat"});
  for (const auto& [type, facts] : *types) {
    const absl::StatusOr<Oldest> oldest = ReadOldest(context, type);
    if (!oldest.ok()) return oldest.status();
    table.Add({Literal(type), Count(facts.counts.pending), Count(facts.counts.running), Count(facts.counts.finished),
               facts.timeout.has_value() ? absl::FormatDuration(*facts.timeout) : "-", AgeText(oldest->pending),
               AgeText(oldest->heartbeat)});
    Json json = Json::Object();
    json["type"] = Literal(type);
    json["pending"] = facts.counts.pending;
    json["running"] = facts.counts.running;
    json["finished"] = facts.counts.finished;
    json["timeout_seconds"] = Seconds(facts.timeout);
    json["oldest_pending_seconds"] = Seconds(oldest->pending);
    json["oldest_heartbeat_seconds"] = Seconds(oldest->heartbeat);
    answer["types"].Add(std::move(json));
  }
  if (context.json()) {
    context.Print(answer);
  } else {
    context.Print(table.empty() ? "no types\n" : table.ToString(context.color()));
  }
  return kExitOk;
}

absl::StatusOr<int> Types(Context& context) {
  if (absl::Status status = context.Open(); !status.ok()) return status;
  const absl::StatusOr<TypeList> types = ReadTypes(context);
  if (!types.ok()) return types.status();
  Json answer = Json::Object();
  answer["types"] = Json::Array();
  Table table({"type", ">timeout", ">jobs"});
  for (const auto& [type, facts] : *types) {
    const int64_t jobs = facts.counts.pending + facts.counts.running + facts.counts.finished;
    table.Add({Literal(type), facts.timeout.has_value() ? absl::FormatDuration(*facts.timeout) : "-", Count(jobs)});
    Json json = Json::Object();
    json["type"] = Literal(type);
    json["timeout_seconds"] = Seconds(facts.timeout);
    json["jobs"] = jobs;
    answer["types"].Add(std::move(json));
  }
  if (context.json()) {
    context.Print(answer);
  } else {
    context.Print(table.empty() ? "no types\n" : table.ToString(context.color()));
  }
  return kExitOk;
}

}  // namespace

void AddSummaryCommand(CLI::App& app, Command* selected) {
  CLI::App* const command =
      AddCommand(app, "summary",
                 "Types with counts per state, oldest pending job (of the first 100 in the queue), oldest heartbeat",
                 "fdbjobs-cli --db embedded:/var/lib/jobs summary");
  command->callback([selected] { *selected = Summary; });
}

void AddTypesCommand(CLI::App& app, Command* selected) {
  CLI::App* const command =
      AddCommand(app, "types", "Types with activity timeout and number of jobs", "fdbjobs-cli types --json");
  command->callback([selected] { *selected = Types; });
}

}  // namespace fdbjobs::cli
