#include "tools/cli/change_jobs.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "fdbjobs/fdb/error_codes.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/progress.h"
#include "tools/cli/signals.h"
#include "tools/cli/text.h"

namespace fdbjobs::cli {
namespace {

constexpr size_t kBatch = 200;
constexpr size_t kAskFrom = 10;      // more jobs than this are not touched without a question
constexpr size_t kAtOnce = 100'000;  // ids that are held in memory

using Results = std::vector<ChangeResult>;

const char* ResultName(ChangeResult result) {
  switch (result) {
    case ChangeResult::kChanged:
      return "changed";
    case ChangeResult::kUnchanged:
      return "unchanged";
    case ChangeResult::kNotFound:
      return "not found";
  }
  return "unknown";
}

// `filter` is null when the ids were named.
absl::StatusOr<Results> ApplyOnce(const Context& context, fdb::Transaction& tr, const JobType& type,
                                  const Change& change, const Filter* filter, absl::Span<const JobId> ids) {
  Results results;
  for (const JobId& id : ids) {
    if (filter != nullptr) {
      const absl::StatusOr<std::optional<Job>> job = context.jobs().GetJob(tr, type, id);
      if (!job.ok()) return job.status();
      if (!job->has_value() || !filter->Matches(**job)) {
        results.push_back(job->has_value() ? ChangeResult::kUnchanged : ChangeResult::kNotFound);
        continue;
      }
    }
    const absl::StatusOr<ChangeResult> result = change.apply(tr, type, id);
    if (!result.ok()) return result.status();
    results.push_back(*result);
  }
  return results;
}

// In batches that shrink when they are too large. Stops early when a signal comes: then there are fewer results.
absl::Status Apply(const Context& context, const JobType& type, const Change& change, const Filter* filter,
                   const std::vector<JobId>& ids, Progress* progress, Results* all) {
  size_t size = kBatch;
  for (size_t begin = 0; begin < ids.size() && Interrupted() == 0;) {
    absl::Span<const JobId> some;
    const absl::StatusOr<Results> results = context.Transact([&](fdb::Transaction& tr) {
      if (tr.retry_of() == fdb::error::kTransactionTooOld) size = std::max<size_t>(1, size / 2);
      some = absl::MakeConstSpan(ids).subspan(begin, size);
      return ApplyOnce(context, tr, type, change, filter, some);
    });
    if (!results.ok()) {
      const int code = fdb::FdbCode(results.status());
      if (size == 1 || (code != fdb::error::kTransactionTooLarge && code != fdb::error::kTransactionTimedOut)) {
        return results.status();
      }
      size /= 2;
      continue;
    }
    all->insert(all->end(), results->begin(), results->end());
    begin += some.size();
    size = std::min(kBatch, size * 2);
    progress->Show(static_cast<int64_t>(all->size()));
  }
  return absl::OkStatus();
}

struct Totals {
  int64_t changed = 0;
  int64_t unchanged = 0;
  int64_t not_found = 0;

  void Add(const Results& results) {
    for (const ChangeResult result : results) {
      ++(result == ChangeResult::kChanged ? changed : result == ChangeResult::kUnchanged ? unchanged : not_found);
    }
  }
};

void PrintTotals(const Context& context, const Change& change, const Totals& totals) {
  if (context.json()) {
    Json json = Json::Object();
    json["command"] = change.verb;
    json["changed"] = totals.changed;
    json["unchanged"] = totals.unchanged;
    json["not_found"] = totals.not_found;
    context.Print(json);
  } else {
    context.Print(absl::StrCat(change.verb, ": ", Count(totals.changed), " changed, ", Count(totals.unchanged),
                               " unchanged, ", Count(totals.not_found), " not found\n"));
  }
}

int EndInterrupted(int64_t done) {
  std::fflush(stdout);
  std::fprintf(stderr, "fdbjobs-cli: interrupted after %s; run it again to go on\n", JobCount(done).c_str());
  return InterruptedExitCode();
}

// Whether to go on. An error when there is nobody to ask.
absl::StatusOr<bool> Ask(const std::string& question) {
  if (isatty(STDIN_FILENO) != 1) {
    return absl::InvalidArgumentError(absl::StrCat(question, " Give --yes, or --dry-run to see which."));
  }
  std::fprintf(stderr, "%s [y/N] ", question.c_str());
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

// Up to kAtOnce ids of jobs that match, from the continuation on.
absl::StatusOr<std::vector<JobId>> CollectIds(const Context& context, const JobType& type, const Filter& filter,
                                              std::string* continuation) {
  std::vector<JobId> ids;
  // A running job that gives a sign of life meanwhile stands further behind, and comes again.
  absl::flat_hash_set<JobId> seen;
  int limit = 1000;
  do {
    const absl::StatusOr<JobPage> page = ReadPage(context, type, filter, *continuation, &limit);
    if (!page.ok()) return page.status();
    for (const Job& job : page->jobs) {
      if (seen.insert(job.id).second) ids.push_back(job.id);
    }
    *continuation = page->continuation;
  } while (!continuation->empty() && ids.size() < kAtOnce && Interrupted() == 0);
  return ids;
}

void PrintDryRun(const Context& context, const Change& change, const std::vector<JobId>& ids) {
  if (!context.json()) {
    for (const JobId& id : ids) context.Print(Literal(id) + "\n");
    return;
  }
  Json json = Json::Object();
  json["command"] = change.verb;
  json["dry_run"] = true;
  json["ids"] = Json::Array();
  for (const JobId& id : ids) json["ids"].Add(Literal(id));
  context.Print(json);
}

}  // namespace

absl::StatusOr<int> ChangeByIds(const Context& context, const JobType& type, const Change& change,
                                const std::vector<JobId>& ids, const ChangeOptions& options) {
  Change looking = change;
  if (options.dry_run) {
    looking.apply = [&](fdb::Transaction& tr, const JobType& of, const JobId& id) -> absl::StatusOr<ChangeResult> {
      const absl::StatusOr<std::optional<Job>> job = context.jobs().GetJob(tr, of, id);
      if (!job.ok()) return job.status();
      return job->has_value() ? ChangeResult::kUnchanged : ChangeResult::kNotFound;
    };
  }
  CatchSignals();
  Results results;
  {
    Progress progress(change.verb, static_cast<int64_t>(ids.size()));
    const absl::Status status = Apply(context, type, looking, nullptr, ids, &progress, &results);
    if (!status.ok()) return status;
  }
  Json json = Json::Array();
  bool missing = false;
  for (size_t i = 0; i < results.size(); ++i) {
    missing = missing || results[i] == ChangeResult::kNotFound;
    Json line = Json::Object();
    line["id"] = Literal(ids[i]);
    line["result"] = ResultName(results[i]);
    if (!context.json()) context.Print(absl::StrCat(Literal(ids[i]), ": ", ResultName(results[i]), "\n"));
    json.Add(std::move(line));
  }
  if (context.json()) context.Print(json);
  if (Interrupted() != 0) return EndInterrupted(static_cast<int64_t>(results.size()));
  return missing ? kExitNotFound : kExitOk;
}

absl::StatusOr<int> ChangeByFilter(const Context& context, const JobType& type, const Change& change,
                                   const Filter& filter, const ChangeOptions& options) {
  CatchSignals();
  std::string continuation;
  Totals totals;
  bool asked = options.yes || options.dry_run;
  do {
    const absl::StatusOr<std::vector<JobId>> ids = CollectIds(context, type, filter, &continuation);
    if (!ids.ok()) return ids.status();
    if (options.dry_run) {
      PrintDryRun(context, change, *ids);
      continue;
    }
    if (!std::exchange(asked, true) && ids->size() > kAskFrom) {
      const absl::StatusOr<bool> go_on =
          Ask(absl::StrCat(change.verb, " ", continuation.empty() ? "" : "more than ",
                           JobCount(static_cast<int64_t>(ids->size())), " of type ", Literal(type), "?"));
      if (!go_on.ok()) return go_on.status();
      if (!*go_on) return absl::CancelledError("nothing was changed");
    }
    Results results;
    Progress progress(change.verb, static_cast<int64_t>(ids->size()));
    const absl::Status status = Apply(context, type, change, &filter, *ids, &progress, &results);
    progress.Clear();
    totals.Add(results);
    if (!status.ok()) return status;
  } while (!continuation.empty() && Interrupted() == 0);
  if (!options.dry_run) PrintTotals(context, change, totals);
  if (Interrupted() != 0) return EndInterrupted(totals.changed + totals.unchanged + totals.not_found);
  return kExitOk;
}

}  // namespace fdbjobs::cli
