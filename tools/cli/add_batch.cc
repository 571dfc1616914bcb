#include "tools/cli/add_batch.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "fdbjobs/fdb/error_codes.h"
#include "tools/cli/command.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/line_reader.h"
#include "tools/cli/progress.h"
#include "tools/cli/signals.h"
#include "tools/cli/text.h"
#include "tools/common/json_object.h"

namespace fdbjobs::cli {
namespace {

constexpr size_t kBatchJobs = 500;
constexpr size_t kBatchBytes = 1 << 20;

// A JSON string is read as an argument is; a number, a bool and null are those values.
absl::StatusOr<keyspace::PackedElement> ValueOf(const char* what, const tools::JsonMember& member) {
  switch (member.kind) {
    case tools::JsonKind::kString:
      return ParseValue(what, member.text);
    case tools::JsonKind::kNumber:
      if (member.raw.find_first_of(".eE") == std::string::npos) return ParseValue(what, member.raw);
      return ParseValue(what, absl::StrCat("double(", member.raw, ")"));
    case tools::JsonKind::kNull:
    case tools::JsonKind::kBool:
      return ParseValue(what, member.raw);
    default:
      return absl::InvalidArgumentError(absl::StrCat(
          what, ": ", member.raw, "; allowed are a number, true, false, null, and a string with a literal"));
  }
}

absl::StatusOr<NewJob> ParseLine(const std::string& line) {
  const absl::StatusOr<std::vector<tools::JsonMember>> members = tools::ReadJsonObject(line);
  if (!members.ok()) return members.status();
  NewJob job;
  bool has_id = false;
  for (const tools::JsonMember& member : *members) {
    if (member.name == "id" || member.name == "priority") {
      absl::StatusOr<keyspace::PackedElement> value = ValueOf(member.name.c_str(), member);
      if (!value.ok()) return value.status();
      has_id = has_id || member.name == "id";
      (member.name == "id" ? job.id : job.priority) = *std::move(value);
    } else if (member.name == "data") {
      job.data = member.raw;
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat("unknown member \"", member.name, "\"; allowed are id, priority and data"));
    }
  }
  if (!has_id) job.id = Jobs::MakeId();
  return job;
}

class Batch {
 public:
  Batch(const Context& context, const JobType& type, IfExists if_exists, int64_t skip)
      : context_(context), type_(type), if_exists_(if_exists), skip_(skip), committed_(skip) {}

  absl::Status Run() {
    Progress progress("adding", 0);
    absl::Status bad_line;
    while (std::optional<std::string> line = reader_.Next()) {
      if (reader_.number() <= skip_) continue;
      absl::StatusOr<NewJob> job = ParseLine(*line);
      if (!job.ok()) {
        bad_line = absl::InvalidArgumentError(absl::StrCat("line ", reader_.number(), ": ", job.status().message()));
        break;
      }
      bytes_ += line->size();
      jobs_.push_back(*std::move(job));
      if (jobs_.size() < kBatchJobs && bytes_ < kBatchBytes) continue;
      if (absl::Status status = Commit(); !status.ok()) return status;
      progress.Show(committed_ - skip_);
    }
    // After a signal the lines of the batch at hand are left to the next run.
    if (Interrupted() == 0) bad_line.Update(Commit());
    return bad_line;
  }

  int64_t committed() const { return committed_; }
  int64_t skip() const { return skip_; }
  int64_t of(AddResult result) const { return results_[static_cast<size_t>(result)]; }

 private:
  // All jobs at hand, in halves where they are too much for one transaction.
  absl::Status Commit() {
    size_t begin = 0;
    size_t size = jobs_.size();
    while (begin < jobs_.size()) {
      absl::Span<const NewJob> some;
      const absl::StatusOr<std::vector<AddResult>> results = context_.Transact([&](fdb::Transaction& tr) {
        if (tr.retry_of() == fdb::error::kTransactionTooOld) size = std::max<size_t>(1, size / 2);
        some = absl::MakeConstSpan(jobs_).subspan(begin, size);
        return context_.jobs().AddMany(tr, type_, some, if_exists_);
      });
      if (!results.ok()) {
        if (fdb::FdbCode(results.status()) == fdb::error::kTransactionTooLarge && size > 1) {
          size /= 2;
          continue;
        }
        return fdb::Annotate(results.status(), absl::StrCat("lines ", committed_ + 1, " to ",
                                                            committed_ + static_cast<int64_t>(some.size())));
      }
      for (const AddResult result : *results) ++results_[static_cast<size_t>(result)];
      begin += some.size();
      committed_ += static_cast<int64_t>(some.size());
    }
    jobs_.clear();
    bytes_ = 0;
    return absl::OkStatus();
  }

  const Context& context_;
  const JobType& type_;
  const IfExists if_exists_;
  const int64_t skip_;
  LineReader reader_;
  std::vector<NewJob> jobs_;
  size_t bytes_ = 0;
  int64_t committed_;  // lines from the first one on that are in the database
  int64_t results_[3] = {0, 0, 0};
};

}  // namespace

const char* AddResultName(AddResult result) {
  switch (result) {
    case AddResult::kAdded:
      return "added";
    case AddResult::kResubmitted:
      return "resubmitted";
    case AddResult::kExists:
      return "exists";
  }
  return "unknown";
}

absl::StatusOr<int> AddBatch(Context& context, const JobType& type, IfExists if_exists, int64_t skip) {
  CatchSignals();
  Batch batch(context, type, if_exists, skip);
  const absl::Status status = batch.Run();
  if (context.json()) {
    Json json = Json::Object();
    json["lines"] = batch.committed();
    for (const AddResult result : {AddResult::kAdded, AddResult::kResubmitted, AddResult::kExists}) {
      json[AddResultName(result)] = batch.of(result);
    }
    context.Print(json);
  } else {
    context.Print(absl::StrCat(Count(batch.of(AddResult::kAdded)), " added, ", Count(batch.of(AddResult::kResubmitted)),
                               " resubmitted, ", Count(batch.of(AddResult::kExists)), " existed\n"));
  }
  const std::string go_on = absl::StrCat("; go on with --skip ", batch.committed());
  if (!status.ok()) return fdb::WithMessage(status, absl::StrCat(status.message(), go_on));
  if (Interrupted() == 0) return kExitOk;
  std::fflush(stdout);
  std::fprintf(stderr, "fdbjobs-cli: interrupted%s\n", go_on.c_str());
  return InterruptedExitCode();
}

}  // namespace fdbjobs::cli
