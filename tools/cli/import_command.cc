// import: what export printed, from standard input.
#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "fdbjobs/admin/transfer.h"
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

using Members = std::vector<tools::JsonMember>;

const tools::JsonMember* Find(const Members& members, std::string_view name) {
  for (const tools::JsonMember& member : members) {
    if (member.name == name) return &member;
  }
  return nullptr;
}

absl::StatusOr<int64_t> NumberOf(const tools::JsonMember& member) {
  int64_t number = 0;
  if (member.kind == tools::JsonKind::kNumber && absl::SimpleAtoi(member.raw, &number)) return number;
  return absl::InvalidArgumentError(absl::StrCat(member.name, ": ", member.raw, "; allowed is an integer"));
}

absl::StatusOr<keyspace::PackedElement> ValueOf(const Members& members, const char* name) {
  const tools::JsonMember* const member = Find(members, name);
  if (member == nullptr || member->kind != tools::JsonKind::kString) {
    return absl::InvalidArgumentError(absl::StrCat("no string \"", name, "\""));
  }
  return ParseValue(name, member->text);
}

absl::StatusOr<admin::StoredJob> JobOf(const Members& members) {
  admin::StoredJob job;
  absl::StatusOr<JobType> type = ValueOf(members, "type");
  if (!type.ok()) return type.status();
  absl::StatusOr<JobId> id = ValueOf(members, "id");
  if (!id.ok()) return id.status();
  const tools::JsonMember* const state_name = Find(members, "state");
  const absl::StatusOr<JobState> state = ParseState(state_name == nullptr ? "" : state_name->text);
  if (!state.ok()) return state.status();
  const tools::JsonMember* const options = Find(members, "options");
  const tools::JsonMember* const text = Find(members, "options_text");
  if ((options == nullptr) == (text == nullptr)) {
    return absl::InvalidArgumentError("a job has one of \"options\" and \"options_text\"");
  }
  return admin::StoredJob{*std::move(type), *std::move(id), *state, options != nullptr ? options->raw : text->text};
}

class Import {
 public:
  explicit Import(const Context& context) : context_(context) {}

  absl::Status Run() {
    Progress progress("importing", 0);
    absl::Status status;
    while (status.ok() && !ended_) {
      const std::optional<std::string> line = reader_.Next();
      if (!line.has_value()) break;
      status = TakeLine(*line);
      if (!status.ok()) {
        status = fdb::Annotate(status, absl::StrCat("line ", reader_.number()));
      } else if (jobs_.size() >= kBatchJobs || bytes_ >= kBatchBytes) {
        status = Commit();
      }
      progress.Show(imported_ + existed_);
    }
    if (Interrupted() != 0) return status;
    const absl::Status committed = Commit();
    if (status.ok()) status = committed;
    if (status.ok() && !ended_) {
      status = absl::InvalidArgumentError(
          absl::StrCat("the export is cut off after line ", reader_.number(), ": its last line is missing"));
    }
    return status;
  }

  int64_t imported() const { return imported_; }
  int64_t existed() const { return existed_; }
  int64_t types() const { return types_; }
  int incarnation() const { return incarnation_; }

 private:
  absl::Status TakeLine(const std::string& line) {
    const absl::StatusOr<Members> members = tools::ReadJsonObject(line);
    if (!members.ok()) return members.status();
    if (reader_.number() == 1) return TakeHead(*members);
    if (Find(*members, "end") != nullptr) return TakeEnd(*members);
    if (Find(*members, "timeout_ms") != nullptr) return TakeType(*members);
    absl::StatusOr<admin::StoredJob> job = JobOf(*members);
    if (!job.ok()) return job.status();
    ++read_;
    bytes_ += line.size();
    jobs_.push_back(*std::move(job));
    return absl::OkStatus();
  }

  absl::Status TakeHead(const Members& members) {
    const tools::JsonMember* const format = Find(members, "fdbjobs_export");
    if (format == nullptr || format->raw != "1") {
      return absl::InvalidArgumentError("not an export of fdbjobs-cli: it begins with {\"fdbjobs_export\":1,...}");
    }
    const tools::JsonMember* const member = Find(members, "incarnation");
    if (member == nullptr) return absl::InvalidArgumentError("no \"incarnation\"");
    const absl::StatusOr<int64_t> exported = NumberOf(*member);
    if (!exported.ok()) return exported.status();
    if (*exported < 0 || *exported > 254) {
      return absl::InvalidArgumentError(absl::StrCat("incarnation: ", *exported, "; allowed are 0 to 254"));
    }
    const absl::StatusOr<uint8_t> raised = context_.Transact([&](fdb::Transaction& tr) {
      return admin::RaiseIncarnationAbove(context_.jobs(), tr, static_cast<uint8_t>(*exported));
    });
    if (!raised.ok()) return raised.status();
    incarnation_ = *raised;
    return absl::OkStatus();
  }

  absl::Status TakeType(const Members& members) {
    const absl::StatusOr<JobType> type = ValueOf(members, "type");
    if (!type.ok()) return type.status();
    const absl::StatusOr<int64_t> timeout = NumberOf(*Find(members, "timeout_ms"));
    if (!timeout.ok()) return timeout.status();
    ++types_;
    return context_.Transact([&](fdb::Transaction& tr) {
      return context_.jobs().SetActivityTimeout(tr, *type, absl::Milliseconds(*timeout));
    });
  }

  absl::Status TakeEnd(const Members& members) {
    const tools::JsonMember* const member = Find(members, "jobs");
    if (member == nullptr) return absl::InvalidArgumentError("no \"jobs\"");
    const absl::StatusOr<int64_t> jobs = NumberOf(*member);
    if (!jobs.ok()) return jobs.status();
    if (*jobs != read_) {
      return absl::InvalidArgumentError(
          absl::StrCat("the export says that it has ", *jobs, " jobs; there were ", read_));
    }
    ended_ = true;
    return absl::OkStatus();
  }

  absl::Status Commit() {
    size_t size = jobs_.size();
    for (size_t begin = 0; begin < jobs_.size();) {
      absl::Span<const admin::StoredJob> some;
      const absl::StatusOr<std::vector<bool>> imported = context_.Transact([&](fdb::Transaction& tr) {
        if (tr.retry_of() == fdb::error::kTransactionTooOld) size = std::max<size_t>(1, size / 2);
        some = absl::MakeConstSpan(jobs_).subspan(begin, size);
        return admin::ImportJobs(context_.jobs(), tr, some);
      });
      if (!imported.ok()) {
        if (size == 1 || fdb::FdbCode(imported.status()) != fdb::error::kTransactionTooLarge) return imported.status();
        size /= 2;
        continue;
      }
      for (const bool one : *imported) ++(one ? imported_ : existed_);
      begin += some.size();
    }
    jobs_.clear();
    bytes_ = 0;
    return absl::OkStatus();
  }

  const Context& context_;
  LineReader reader_;
  std::vector<admin::StoredJob> jobs_;
  size_t bytes_ = 0;
  int64_t read_ = 0;
  int64_t imported_ = 0;
  int64_t existed_ = 0;
  int64_t types_ = 0;
  int incarnation_ = 0;
  bool ended_ = false;
};

absl::StatusOr<int> RunImport(Context& context) {
  if (absl::Status status = context.Open(IfMissing::kCreate); !status.ok()) return status;
  CatchSignals();
  Import import(context);
  const absl::Status status = import.Run();
  if (context.json()) {
    Json json = Json::Object();
    json["types"] = import.types();
    json["imported"] = import.imported();
    json["existed"] = import.existed();
    json["incarnation"] = import.incarnation();
    context.Print(json);
  } else {
    context.Print(absl::StrCat(Count(import.types()), " types, ", JobCount(import.imported()), " imported, ",
                               Count(import.existed()), " were there already, incarnation ", import.incarnation(),
                               "\n"));
  }
  if (!status.ok()) return status;
  if (Interrupted() == 0) return kExitOk;
  std::fflush(stdout);
  std::fprintf(stderr, "fdbjobs-cli: interrupted; run it again to go on\n");
  return InterruptedExitCode();
}

}  // namespace

void AddImportCommand(CLI::App& app, Command* selected) {
  CLI::App* const command =
      AddCommand(app, "import", "Enters what export printed, from standard input; jobs that are there already are kept",
                 "fdbjobs-cli --db embedded:/var/lib/new import < jobs.jsonl");
  command->callback([selected] { *selected = RunImport; });
}

}  // namespace fdbjobs::cli
