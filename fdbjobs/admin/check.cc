#include "fdbjobs/admin/check.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "fdbjobs/admin/rows.h"
#include "fdbjobs/arguments.h"
#include "fdbjobs/keyspace/json_text.h"
#include "fdbjobs/keyspace/row_reader.h"

namespace fdbjobs::admin {
namespace {

using fdb::Isolation;
using keyspace::JobKeys;
using keyspace::Row;
using keyspace::RowKind;

// Checks the rows of one page: first issues all reads, then looks at each row.
class PageChecker {
 public:
  PageChecker(const JobKeys& keys, fdb::Transaction& tr, CheckPage* page) : keys_(keys), tr_(tr), page_(page) {}

  absl::Status Check(const std::vector<Row>& rows) {
    incarnation_ = tr_.Get(keys_.Incarnation(), Isolation::kSnapshot);
    const absl::StatusOr<int64_t> version = tr_.GetReadVersion().Await();
    if (!version.ok()) return version.status();
    read_version_ = static_cast<uint64_t>(*version);
    for (const Row& row : rows) Issue(row);
    if (absl::Status status = ReadIncarnation(); !status.ok()) return status;
    for (size_t i = 0; i < rows.size(); ++i) {
      ++page_->rows;
      if (rows[i].type.has_value() && rows[i].key_damage.empty()) page_->types.insert(*rows[i].type);
      if (absl::Status status = CheckRow(rows[i], related_[i]); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  using Future = std::optional<fdb::ValueFuture>;
  using Value = std::optional<std::string_view>;

  // The row that must agree with `row`.
  void Issue(const Row& row) {
    Future future;
    if (row.kind == RowKind::kData && row.damage.empty() && row.job->state == JobState::kPending) {
      future = tr_.Get(keys_.Pending(*row.type, row.options->priority, *row.id), Isolation::kSnapshot);
    } else if (row.kind == RowKind::kData && row.damage.empty() && row.job->state == JobState::kRunning) {
      future = tr_.Get(keys_.Activity(*row.type, row.job->sequence), Isolation::kSnapshot);
    } else if (row.kind == RowKind::kPending && row.key_damage.empty()) {
      future = tr_.Get(keys_.Data(*row.type, *row.id), Isolation::kSnapshot);
    }
    related_.push_back(std::move(future));
    if (!row.key_damage.empty()) return;
    if (row.kind == RowKind::kPending) WatchOf(keys_.PendingWatch(*row.type));
    if (row.kind == RowKind::kActivity) WatchOf(keys_.Watch(*row.type));
  }

  // One read for all rows of a type.
  const fdb::ValueFuture& WatchOf(const std::string& key) {
    const auto found = watches_.find(key);
    if (found != watches_.end()) return found->second;
    return watches_.emplace(key, tr_.Get(key, Isolation::kSnapshot)).first->second;
  }

  absl::Status ReadIncarnation() {
    const absl::StatusOr<Value> value = incarnation_->AwaitView();
    if (!value.ok()) return value.status();
    if (!value->has_value()) return absl::OkStatus();
    const absl::StatusOr<int64_t> number = JobKeys::DecodeNumber(**value);
    // One that can't be read is a violation of its own, and says nothing of others.
    highest_incarnation_ = number.ok() ? *number : 255;
    return absl::OkStatus();
  }

  template <typename... Words>
  void Report(Problem problem, const Row& row, const Words&... words) {
    Violation violation{.problem = problem, .key = row.key};
    violation.type = row.type;
    violation.id = row.id;
    violation.state = row.state;
    violation.what = absl::StrCat(words...);
    page_->violations.push_back(std::move(violation));
  }

  absl::Status CheckRow(const Row& row, const Future& related) {
    Value value;
    if (related.has_value()) {
      const absl::StatusOr<Value> read = related->AwaitView();
      if (!read.ok()) return read.status();
      value = *read;
    }
    switch (row.kind) {
      case RowKind::kUnknown:
        Report(Problem::kUnknownRow, row, row.damage);
        break;
      case RowKind::kData:
        CheckData(row, value);
        break;
      case RowKind::kPending:
        return CheckQueueRow(row, value);
      case RowKind::kActivity:
        return CheckActivity(row);
      case RowKind::kWatch:
        if (!row.key_damage.empty()) return Strange(row);
        if (!row.damage.empty()) Report(Problem::kWatchBehind, row, "watch row: ", row.damage);
        if (row.damage.empty() && !row.sequence->stamp.complete()) {
          Report(Problem::kWatchBehind, row, "a watch row that was never filled in");
        }
        break;
      case RowKind::kPendingWatch:
        if (!row.key_damage.empty()) return Strange(row);
        if (!row.damage.empty()) Report(Problem::kPendingWatchMissing, row, "pending watch: ", row.damage);
        if (row.damage.empty() && !row.stamp->complete()) {
          Report(Problem::kPendingWatchMissing, row, "a pending watch that was never filled in");
        }
        break;
      default:
        CheckSmallRow(row);
        break;
    }
    return absl::OkStatus();
  }

  absl::Status Strange(const Row& row) {
    Report(Problem::kUnknownRow, row, row.key_damage);
    return absl::OkStatus();
  }

  void CheckSmallRow(const Row& row) {
    if (!row.key_damage.empty()) {
      Report(row.kind == RowKind::kReceipt ? Problem::kUnreadableReceipt : Problem::kUnknownRow, row, row.key_damage);
    } else if (row.kind == RowKind::kActivityTimeout && (!row.damage.empty() || *row.number < 1)) {
      Report(Problem::kUnreadableTimeout, row,
             "activity timeout: ", row.damage.empty() ? absl::StrCat(*row.number, " ms") : row.damage);
    } else if (row.kind == RowKind::kIncarnation && (!row.damage.empty() || *row.number < 0 || *row.number > 255)) {
      Report(Problem::kUnreadableIncarnation, row,
             "incarnation: ", row.damage.empty() ? absl::StrCat(*row.number) : row.damage);
    } else if (row.kind == RowKind::kTypesWatch && (!row.damage.empty() || !row.stamp->complete())) {
      Report(Problem::kTypesWatchUnreadable, row, "types watch: ", row.damage.empty() ? "never filled in" : row.damage);
    } else if (row.kind == RowKind::kReceipt && !row.damage.empty()) {
      Report(Problem::kUnreadableReceipt, row, "receipt: ", row.damage);
    } else if (row.kind == RowKind::kCount && !row.damage.empty()) {
      Report(Problem::kWrongCount, row, "counter: ", row.damage);
    }
  }

  void CheckData(const Row& row, const Value& related) {
    if (!row.damage.empty()) return Report(Problem::kUnreadableJob, row, row.damage);
    const JobState state = row.job->state;
    if (state == JobState::kPending && !related.has_value()) {
      Report(Problem::kNotQueued, row, "pending, and not in the queue at its priority ",
             row.options->priority.ToString(), ", so nobody will run it");
    }
    if (state == JobState::kRunning) CheckRunning(row, related);
    const bool cancel = state == JobState::kPending && row.options->cancel;
    const bool resubmit = state != JobState::kRunning && row.options->resubmit;
    if (cancel || resubmit) {
      Report(Problem::kStrayMark, row, JobStateName(state),
             ", with a mark of a run that is over: ", cancel ? "cancel" : "", cancel && resubmit ? " and " : "",
             resubmit ? "resubmit" : "");
    }
    if (row.options->data.empty()) return;
    if (absl::Status status = keyspace::CheckJson(row.options->data); !status.ok()) {
      Report(Problem::kDataNotJson, row, "its data is ", std::string(status.message()));
    }
  }

  void CheckRunning(const Row& row, const Value& entry) {
    const Sequence& sequence = row.job->sequence;
    const std::string since = absl::StrCat("running since ", sequence.ToString());
    if (!sequence.stamp.complete()) {
      return Report(Problem::kNoActivity, row, since, ", which was never filled in");
    }
    if (sequence.incarnation > highest_incarnation_) {
      return Report(Problem::kNoActivity, row, since, ", past the incarnation, which is ", highest_incarnation_);
    }
    if (sequence.incarnation == highest_incarnation_ && sequence.version() > read_version_) {
      return Report(Problem::kNoActivity, row, since, ", which has not been yet");
    }
    if (!entry.has_value()) {
      return Report(Problem::kNoActivity, row, since, " without an activity entry, so nobody will rescue it");
    }
    const absl::StatusOr<JobId> id = JobKeys::DecodeId(*entry);
    if (id.ok() && *id == *row.id) return;
    Report(Problem::kNoActivity, row, since, ", where the activity entry is ",
           id.ok() ? absl::StrCat("that of job ", id->ToString()) : std::string("unreadable"));
  }

  absl::Status CheckQueueRow(const Row& row, const Value& data) {
    if (!row.key_damage.empty()) {
      Report(Problem::kUnreadableQueueRow, row, "queue row: ", row.key_damage);
      return absl::OkStatus();
    }
    if (!row.damage.empty()) Report(Problem::kQueueRowValue, row, "queue row: ", row.damage);
    const Row job = keyspace::ReadRow(keys_, keys_.Data(*row.type, *row.id), data.value_or(""));
    if (!data.has_value()) {
      Report(Problem::kStrayQueueRow, row, "in the queue at priority ", row.priority->ToString(),
             ", without a data row");
    } else if (!job.damage.empty()) {
      // Told of the data row.
    } else if (job.job->state != JobState::kPending) {
      Report(Problem::kStrayQueueRow, row, "in the queue at priority ", row.priority->ToString(), ", and ",
             JobStateName(job.job->state));
    } else if (job.options->priority != *row.priority) {
      Report(Problem::kStrayQueueRow, row, "in the queue at priority ", row.priority->ToString(),
             ", its data row says ", job.options->priority.ToString());
    }
    const absl::StatusOr<Value> watch = WatchOf(keys_.PendingWatch(*row.type)).AwaitView();
    if (!watch.ok()) return watch.status();
    if (!watch->has_value() && reported_.insert(keys_.PendingWatch(*row.type)).second) {
      Report(Problem::kPendingWatchMissing, row, "the type has pending jobs and no pending watch");
    }
    return absl::OkStatus();
  }

  absl::Status CheckActivity(const Row& row) {
    if (!row.damage.empty()) {
      Report(Problem::kUnreadableActivity, row, "activity entry: ", row.damage);
      return absl::OkStatus();
    }
    const Sequence& sequence = *row.sequence;
    const bool later_incarnation = sequence.incarnation > highest_incarnation_;
    const bool later_version = sequence.incarnation == highest_incarnation_ && sequence.version() > read_version_;
    if (!sequence.stamp.complete() || later_incarnation || later_version) {
      Report(Problem::kActivityInFuture, row, "activity entry ", sequence.ToString(),
             !sequence.stamp.complete() ? std::string(" that was never filled in")
             : later_incarnation        ? absl::StrCat(" past the incarnation, which is ", highest_incarnation_)
                                        : std::string(" of a version that has not been yet"));
      return absl::OkStatus();
    }
    const absl::StatusOr<Value> value = WatchOf(keys_.Watch(*row.type)).AwaitView();
    if (!value.ok()) return value.status();
    const absl::StatusOr<Sequence> watch =
        value->has_value() ? JobKeys::DecodeSequence(**value) : absl::NotFoundError("not there");
    if (watch.ok() && *watch >= sequence) return absl::OkStatus();
    // An unreadable watch row is told of where it stands.
    if (value->has_value() && !watch.ok()) return absl::OkStatus();
    if (reported_.insert(keys_.Watch(*row.type)).second) {
      Report(Problem::kWatchBehind, row, "activity entry ", sequence.ToString(), " past the watch row, which is ",
             watch.ok() ? watch->ToString() : "not there");
    }
    return absl::OkStatus();
  }

  const JobKeys& keys_;
  fdb::Transaction& tr_;
  CheckPage* const page_;
  std::vector<Future> related_;
  std::map<std::string, fdb::ValueFuture> watches_;
  std::set<std::string> reported_;  // watch rows
  Future incarnation_;
  int64_t highest_incarnation_ = 0;
  uint64_t read_version_ = 0;
};

}  // namespace

const char* ProblemName(Problem problem) {
  switch (problem) {
    case Problem::kUnknownRow:
      return "unknown-row";
    case Problem::kUnreadableJob:
      return "unreadable-job";
    case Problem::kDataNotJson:
      return "data-not-json";
    case Problem::kNotQueued:
      return "not-queued";
    case Problem::kStrayMark:
      return "stray-mark";
    case Problem::kNoActivity:
      return "no-activity";
    case Problem::kStrayQueueRow:
      return "stray-queue-row";
    case Problem::kQueueRowValue:
      return "queue-row-value";
    case Problem::kUnreadableQueueRow:
      return "unreadable-queue-row";
    case Problem::kUnreadableActivity:
      return "unreadable-activity";
    case Problem::kActivityInFuture:
      return "activity-in-future";
    case Problem::kWatchBehind:
      return "watch-behind";
    case Problem::kPendingWatchMissing:
      return "pending-watch-missing";
    case Problem::kTypesWatchUnreadable:
      return "types-watch-unreadable";
    case Problem::kUnreadableTimeout:
      return "unreadable-timeout";
    case Problem::kUnreadableIncarnation:
      return "unreadable-incarnation";
    case Problem::kUnreadableReceipt:
      return "unreadable-receipt";
    case Problem::kWrongCount:
      return "wrong-count";
  }
  return "unknown";
}

absl::StatusOr<CheckPage> CheckRows(const Jobs& jobs, fdb::Transaction& tr, const std::string& continuation,
                                    int limit) {
  if (absl::Status status = CheckLimit("limit", limit, 10000); !status.ok()) return status;
  const JobKeys& keys = jobs.keys();
  keyspace::KeyRange range = keys.All();
  if (!continuation.empty()) range.begin = continuation;
  const absl::StatusOr<RowPage> rows = ReadRows(tr, keys, range, limit);
  if (!rows.ok()) return rows.status();
  CheckPage page;
  if (absl::Status status = PageChecker(keys, tr, &page).Check(rows->rows); !status.ok()) return status;
  page.continuation = rows->next;
  return page;
}

}  // namespace fdbjobs::admin
