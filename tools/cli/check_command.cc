// check: verifies every invariant of the keyspace, and with --repair mends what it finds.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "fdbjobs/admin/check.h"
#include "fdbjobs/admin/repair.h"
#include "tools/cli/command.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/progress.h"
#include "tools/cli/signals.h"
#include "tools/cli/text.h"

namespace fdbjobs::cli {
namespace {

struct Arguments {
  bool repair = false;
  bool remove_unreadable = false;
};

// One violation and what became of it.
struct Finding {
  admin::Violation violation;
  std::optional<admin::Mended> mended;
};

struct Round {
  std::vector<Finding> findings;
  std::vector<JobType> not_counted;
  int64_t rows = 0;

  bool MendedSome() const {
    return std::any_of(findings.begin(), findings.end(),
                       [](const Finding& finding) { return finding.mended.has_value() && finding.mended->done; });
  }
};

class Checker {
 public:
  Checker(const Context& context, admin::Repairer* repairer) : context_(context), repairer_(repairer) {}

  absl::StatusOr<Round> Run() {
    Round round;
    std::set<JobType> types;
    Progress progress("checking", 0);
    std::string continuation;
    int limit = 1000;
    do {
      bool again = false;
      const absl::StatusOr<admin::CheckPage> page = context_.Transact([&](fdb::Transaction& tr) {
        if (std::exchange(again, true)) limit = std::max(1, limit / 2);
        return admin::CheckRows(context_.jobs(), tr, continuation, limit);
      });
      if (!page.ok()) return page.status();
      for (const admin::Violation& violation : page->violations) {
        if (absl::Status status = Find(violation, &round); !status.ok()) return status;
      }
      types.insert(page->types.begin(), page->types.end());
      round.rows += page->rows;
      progress.Show(round.rows);
      continuation = page->continuation;
      limit = std::min(1000, limit * 2);
    } while (!continuation.empty() && Interrupted() == 0);
    for (const JobType& type : types) {
      if (Interrupted() != 0) break;
      if (absl::Status status = CheckCounts(type, &round); !status.ok()) return status;
    }
    return round;
  }

 private:
  absl::Status CheckCounts(const JobType& type, Round* round) {
    const absl::StatusOr<admin::CountCheck> counts =
        admin::CheckCounts(context_.jobs(), context_.db(), context_.transact(), type);
    if (!counts.ok()) return counts.status();
    if (counts->gave_up) round->not_counted.push_back(type);
    for (const admin::Violation& violation : counts->violations) {
      if (absl::Status status = Find(violation, round); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status Find(const admin::Violation& violation, Round* round) {
    Finding finding{violation, std::nullopt};
    if (repairer_ != nullptr) {
      absl::StatusOr<admin::Mended> mended = repairer_->Repair(violation);
      if (!mended.ok()) return mended.status();
      finding.mended = *std::move(mended);
    }
    round->findings.push_back(std::move(finding));
    return absl::OkStatus();
  }

  const Context& context_;
  admin::Repairer* const repairer_;  // null: only look
};

std::string Place(const Context& context, const admin::Violation& violation) {
  if (!violation.type.has_value()) return context.jobs().keys().Describe(violation.key);
  if (!violation.id.has_value()) return absl::StrCat("type ", Literal(*violation.type));
  return absl::StrCat("type ", Literal(*violation.type), ", job ", Literal(*violation.id));
}

Json FindingJson(const Context& context, const Finding& finding) {
  const admin::Violation& violation = finding.violation;
  Json json = Json::Object();
  json["problem"] = admin::ProblemName(violation.problem);
  json["key"] = context.jobs().keys().Describe(violation.key);
  if (violation.type.has_value()) json["type"] = Literal(*violation.type);
  if (violation.id.has_value()) json["id"] = Literal(*violation.id);
  json["what"] = Visible(violation.what);
  if (finding.mended.has_value()) {
    json["mended"] = finding.mended->done;
    json["repair"] = Visible(finding.mended->what);
  }
  return json;
}

void PrintFindings(const Context& context, const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    std::string line = absl::StrCat(admin::ProblemName(finding.violation.problem), ": ",
                                    Place(context, finding.violation), ": ", Visible(finding.violation.what));
    if (finding.mended.has_value()) {
      absl::StrAppend(&line, "; ", finding.mended->done ? "mended: " : "not mended: ", Visible(finding.mended->what));
    }
    context.Print(line + "\n");
  }
}

// Rounds until one finds nothing that it can mend: mending one row may bring another one to light.
absl::StatusOr<Round> RunRounds(Checker* checker, bool repair, std::vector<Finding>* mended) {
  constexpr int kMostRounds = 4;
  for (int i = 1;; ++i) {
    absl::StatusOr<Round> round = checker->Run();
    if (!round.ok() || !repair || !round->MendedSome() || i == kMostRounds || Interrupted() != 0) return round;
    for (Finding& finding : round->findings) {
      if (finding.mended->done) mended->push_back(std::move(finding));
    }
  }
}

absl::StatusOr<int> Check(Context& context, const Arguments& arguments) {
  if (arguments.remove_unreadable && !arguments.repair) {
    return absl::InvalidArgumentError("--remove-unreadable needs --repair");
  }
  if (absl::Status status = context.Open(); !status.ok()) return status;
  CatchSignals();
  admin::Repairer repairer(context.jobs(), context.db(), context.transact(), arguments.remove_unreadable);
  Checker checker(context, arguments.repair ? &repairer : nullptr);
  std::vector<Finding> mended;
  const absl::StatusOr<Round> last = RunRounds(&checker, arguments.repair, &mended);
  if (!last.ok()) return last.status();
  if (context.json()) {
    Json json = Json::Object();
    json["rows"] = last->rows;
    json["violations"] = Json::Array();
    for (const Finding& finding : last->findings) json["violations"].Add(FindingJson(context, finding));
    json["mended"] = Json::Array();
    for (const Finding& finding : mended) json["mended"].Add(FindingJson(context, finding));
    json["not_counted"] = Json::Array();
    for (const JobType& type : last->not_counted) json["not_counted"].Add(Literal(type));
    json["complete"] = Interrupted() == 0;
    context.Print(json);
  } else {
    PrintFindings(context, mended);
    PrintFindings(context, last->findings);
    for (const JobType& type : last->not_counted) {
      context.Print(
          absl::StrCat("type ", Literal(type), ": counters could not be checked while jobs change; try again\n"));
    }
    context.Print(absl::StrCat(Count(last->rows), " rows checked, ", Count(static_cast<int64_t>(last->findings.size())),
                               " violations", arguments.repair ? absl::StrCat(" left, ", mended.size(), " mended") : "",
                               "\n"));
  }
  if (Interrupted() != 0) return InterruptedExitCode();
  return last->findings.empty() && last->not_counted.empty() ? kExitOk : kExitViolations;
}

}  // namespace

void AddCheckCommand(CLI::App& app, Command* selected) {
  CLI::App* const command =
      AddCommand(app, "check", "Verifies every invariant of the keyspace, in pages, without disturbing anybody",
                 "fdbjobs-cli check --repair");
  const auto arguments = std::make_shared<Arguments>();
  command->add_flag("--repair", arguments->repair, "Mends what it finds, each row in a transaction of its own");
  command->add_flag("--remove-unreadable", arguments->remove_unreadable,
                    "With --repair: removes jobs and rows that can't be read (look at them with dump before)");
  command->callback(
      [selected, arguments] { *selected = [arguments](Context& context) { return Check(context, *arguments); }; });
}

}  // namespace fdbjobs::cli
