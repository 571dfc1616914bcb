// tail: follows state changes as lines. docs/cli.md says what it can see and what not.
#include <cstdio>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "fdbjobs/listing.h"
#include "tools/cli/change_waiter.h"
#include "tools/cli/command.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/signals.h"
#include "tools/cli/text.h"
#include "tools/cli/type_list.h"

namespace fdbjobs::cli {
namespace {

constexpr int kQueueHead = 1000;
constexpr int kMostRunning = 5000;

struct Arguments {
  std::string type;
  bool heartbeats = false;
  int64_t count = 0;  // 0: for ever
  double interval = 1;
};

// What is known of a job.
struct Seen {
  std::string state;  // with marks
  std::optional<Sequence> sequence;
};
using SeenJobs = std::map<JobId, Seen>;

// The running jobs of a type and the head of its queue, at one moment.
struct Look {
  SeenJobs jobs;
  Counts counts;
};

Seen SeenOf(const Job& job) {
  return {absl::StrCat(JobStateName(job.state), job.cancel ? "+cancel" : "", job.resubmit ? "+resubmit" : ""),
          job.sequence};
}

class Tail {
 public:
  Tail(const Context& context, const Arguments& arguments) : context_(context), arguments_(arguments) {}

  absl::Status Run(const std::optional<JobType>& only) {
    ChangeWaiter waiter;
    while (Interrupted() == 0 && !Done()) {
      std::vector<JobType> types;
      if (only.has_value()) {
        types.push_back(*only);
      } else {
        const absl::StatusOr<TypeList> list = ReadTypes(context_);
        if (!list.ok()) return list.status();
        for (const auto& [type, facts] : *list) types.push_back(type);
      }
      if (absl::Status status = waiter.Arm(context_, types); !status.ok()) return status;
      for (const JobType& type : types) {
        if (absl::Status status = Follow(type); !status.ok()) return status;
      }
      first_ = false;
      std::fflush(stdout);
      if (std::ferror(stdout) != 0) return absl::OkStatus();
      if (!Done()) waiter.Wait(-1, absl::Seconds(arguments_.interval));
    }
    return absl::OkStatus();
  }

 private:
  bool Done() const { return arguments_.count > 0 && printed_ >= arguments_.count; }

  absl::StatusOr<Look> ReadLook(const JobType& type) {
    return context_.Transact([&](fdb::Transaction& tr) -> absl::StatusOr<Look> {
      Look look;
      for (const JobState state : {JobState::kPending, JobState::kRunning}) {
        const absl::StatusOr<JobPage> page = ListJobs(context_.jobs(), tr, type,
                                                      {.state = state,
                                                       .id_prefix = {},
                                                       .limit = state == JobState::kPending ? kQueueHead : kMostRunning,
                                                       .continuation = ""});
        if (!page.ok()) return page.status();
        for (const Job& job : page->jobs) look.jobs[job.id] = SeenOf(job);
      }
      const absl::StatusOr<Counts> counts = context_.jobs().CountJobs(tr, type);
      if (!counts.ok()) return counts.status();
      look.counts = *counts;
      return look;
    });
  }

  absl::Status Follow(const JobType& type) {
    absl::StatusOr<Look> look = ReadLook(type);
    if (!look.ok()) return look.status();
    const auto before = known_.find(type);
    const bool known = before != known_.end();
    // Of a type that was there when tail began, only what happens from now on is told.
    if (known || !first_) {
      const Look nothing;
      if (absl::Status status = Compare(type, known ? before->second : nothing, *look); !status.ok()) return status;
    }
    known_[type] = *std::move(look);
    return absl::OkStatus();
  }

  absl::Status Compare(const JobType& type, const Look& before, const Look& now) {
    for (const auto& [id, seen] : now.jobs) {
      const auto old = before.jobs.find(id);
      if (old == before.jobs.end()) {
        Print(type, id, "", seen.state);
      } else if (old->second.state != seen.state) {
        Print(type, id, old->second.state, seen.state);
      } else if (arguments_.heartbeats && old->second.sequence != seen.sequence) {
        Print(type, id, seen.state, seen.state + " heartbeat");
      }
    }
    for (const auto& [id, seen] : before.jobs) {
      if (now.jobs.contains(id) || Done()) continue;
      const absl::StatusOr<std::string> state = StateNow(type, id);
      if (!state.ok()) return state.status();
      // It may just have been pushed back in the queue.
      if (*state != seen.state) Print(type, id, seen.state, *state);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> StateNow(const JobType& type, const JobId& id) {
    const absl::StatusOr<std::optional<Job>> job = context_.Transact(
        [&](fdb::Transaction& tr) { return context_.jobs().GetJob(tr, type, id, fdb::Isolation::kSnapshot); });
    if (job.status().code() == absl::StatusCode::kDataLoss) return std::string("unreadable");
    if (!job.ok()) return job.status();
    return job->has_value() ? SeenOf(**job).state : std::string("absent");
  }

  void Print(const JobType& type, const JobId& id, const std::string& from, const std::string& to) {
    if (Done()) return;
    ++printed_;
    const std::string time = TimeText(absl::Now());
    if (context_.json()) {
      Json json = Json::Object();
      json["time"] = time;
      json["type"] = Literal(type);
      json["id"] = Literal(id);
      json["from"] = from.empty() ? Json() : Json(from);
      json["to"] = to;
      context_.Print(json.ToLine() + "\n");
    } else {
      context_.Print(absl::StrCat(time, " ", Literal(type), " ", Literal(id), " ",
                                  from.empty() ? to : absl::StrCat(from, " -> ", to), "\n"));
    }
  }

  const Context& context_;
  const Arguments& arguments_;
  std::map<JobType, Look> known_;
  bool first_ = true;
  int64_t printed_ = 0;
};

absl::StatusOr<int> RunTail(Context& context, const Arguments& arguments) {
  std::optional<JobType> only;
  if (!arguments.type.empty()) {
    const absl::StatusOr<JobType> type = ParseValue("type", arguments.type);
    if (!type.ok()) return type.status();
    only = *type;
  }
  if (absl::Status status = context.Open(); !status.ok()) return status;
  if (only.has_value()) {
    if (absl::Status status = context.CheckTypeIsKnown(*only); !status.ok()) return status;
  }
  CatchSignals();
  if (absl::Status status = Tail(context, arguments).Run(only); !status.ok()) return status;
  return kExitOk;
}

}  // namespace

void AddTailCommand(CLI::App& app, Command* selected) {
  CLI::App* const command = AddCommand(app, "tail", "Follows state changes as lines, until it is interrupted",
                                       "fdbjobs-cli tail thumbnails --json");
  const auto arguments = std::make_shared<Arguments>();
  command->add_option("type", arguments->type, "Only this type");
  command->add_flag("--heartbeats", arguments->heartbeats, "Heartbeats of running jobs too");
  command->add_option("--count", arguments->count, "Ends after so many lines")
      ->check(CLI::Range(int64_t{1}, int64_t{1'000'000'000}));
  command->add_option("--interval", arguments->interval, "Looks again after so many seconds even if no watch fired")
      ->check(CLI::Range(0.05, 3600.0))
      ->capture_default_str();
  command->callback(
      [selected, arguments] { *selected = [arguments](Context& context) { return RunTail(context, *arguments); }; });
}

}  // namespace fdbjobs::cli
