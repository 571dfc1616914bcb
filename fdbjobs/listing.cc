#include "fdbjobs/listing.h"

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "fdbjobs/arguments.h"
#include "fdbjobs/fdb/error_codes.h"
#include "fdbjobs/fdb/key_selector.h"
#include "fdbjobs/fdb/status.h"
#include "fdbjobs/fdb/transact.h"
#include "fdbjobs/job_view.h"

namespace fdbjobs {
namespace {

using fdb::Isolation;
using keyspace::JobKeys;
using keyspace::KeyRange;

constexpr int kMostRows = 10000;

// A continuation is a letter for the list that it belongs to, and the next key in hex, without the prefix.
std::string EncodeContinuation(char list, const JobKeys& keys, std::string_view next_key) {
  const std::string rest(next_key.substr(keys.prefix().size()));
  return absl::StrCat(std::string(1, list), absl::BytesToHexString(rest));
}

absl::Status MoveTo(const std::string& continuation, char list, const JobKeys& keys, KeyRange* range) {
  if (continuation.empty()) return absl::OkStatus();
  const bool hex = std::all_of(continuation.begin() + 1, continuation.end(),
                               [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  std::string key;
  if (hex && continuation.size() % 2 == 1) key = keys.prefix() + absl::HexStringToBytes(continuation.substr(1));
  if (continuation[0] != list || key < range->begin || key > range->end) {
    return absl::InvalidArgumentError(
        absl::StrCat("continuation: \"", absl::CHexEscape(continuation),
                     "\" does not belong to this list; allowed is what a page of it gave"));
  }
  range->begin = std::move(key);
  return absl::OkStatus();
}

fdb::RangeFuture Ask(fdb::Transaction& tr, const KeyRange& range, int limit) {
  return tr.GetRange({.begin = fdb::KeySelectorView::FirstGreaterOrEqual(range.begin),
                      .end = fdb::KeySelectorView::FirstGreaterOrEqual(range.end),
                      .isolation = Isolation::kSnapshot,
                      .limit = limit,
                      .mode = fdb::StreamingMode::kExact});
}

void AddDamage(std::string_view key, const absl::Status& status, std::vector<Damage>* damaged) {
  damaged->push_back({std::string(key), std::string(status.message())});
}

// A row that names a job, and where its data row is to be found.
struct Named {
  std::string key;
  JobId id;
  std::optional<Sequence> sequence;  // of an activity row
  fdb::ValueFuture data;
};

// The jobs that the rows name, if they are as the rows say.
absl::Status ReadNamed(const JobType& type, JobState state, const std::vector<Named>& rows, JobPage* page) {
  for (const Named& row : rows) {
    const absl::StatusOr<std::optional<std::string_view>> value = row.data.AwaitView();
    if (!value.ok()) return value.status();
    if (!value->has_value()) {
      // An activity entry may be left behind. A pending row never is.
      if (state == JobState::kPending) AddDamage(row.key, absl::DataLossError("no data row"), &page->damaged);
      continue;
    }
    absl::StatusOr<Job> job = DecodeJob(type, row.id, **value);
    if (!job.ok()) {
      AddDamage(row.key, job.status(), &page->damaged);
    } else if (job->state == state && (state == JobState::kPending || job->sequence == row.sequence)) {
      page->jobs.push_back(*std::move(job));
    } else if (state == JobState::kPending) {
      AddDamage(row.key, absl::DataLossError(absl::StrCat("the job is ", JobStateName(job->state))), &page->damaged);
    }
  }
  return absl::OkStatus();
}

absl::Status ListNamed(const JobKeys& keys, fdb::Transaction& tr, const JobType& type, JobState state,
                       const fdb::RangeBatchView& batch, JobPage* page) {
  std::vector<Named> rows;
  for (const fdb::KeyValueView& row : batch.rows) {
    absl::StatusOr<JobId> id = absl::UnknownError("");
    std::optional<Sequence> sequence;
    if (state == JobState::kPending) {
      const absl::StatusOr<JobKeys::PendingParts> parts = keys.ReadPending(type, row.key());
      id = parts.ok() ? absl::StatusOr<JobId>(JobId::FromPacked(parts->id)) : parts.status();
    } else {
      const absl::StatusOr<Sequence> read = keys.ReadActivity(type, row.key());
      if (read.ok()) sequence = *read;
      id = read.ok() ? JobKeys::DecodeId(row.value()) : read.status();
    }
    if (!id.ok()) {
      AddDamage(row.key(), id.status(), &page->damaged);
      continue;
    }
    fdb::ValueFuture data = tr.Get(keys.Data(type, *id), Isolation::kSnapshot);
    rows.push_back({std::string(row.key()), *std::move(id), sequence, std::move(data)});
  }
  return ReadNamed(type, state, rows, page);
}

void ListData(const JobKeys& keys, const JobType& type, std::optional<JobState> state, const fdb::RangeBatchView& batch,
              JobPage* page) {
  for (const fdb::KeyValueView& row : batch.rows) {
    const absl::StatusOr<std::string_view> id = keys.ReadDataId(type, row.key());
    if (!id.ok()) {
      AddDamage(row.key(), id.status(), &page->damaged);
      continue;
    }
    absl::StatusOr<Job> job = DecodeJob(type, JobId::FromPacked(*id), row.value());
    if (!job.ok()) {
      AddDamage(row.key(), job.status(), &page->damaged);
    } else if (!state.has_value() || job->state == *state) {
      page->jobs.push_back(*std::move(job));
    }
  }
}

}  // namespace

absl::StatusOr<JobPage> ListJobs(const Jobs& jobs, fdb::Transaction& tr, const JobType& type,
                                 const ListOptions& options) {
  const JobKeys& keys = jobs.keys();
  if (absl::Status status = CheckType(keys, type); !status.ok()) return status;
  if (absl::Status status = CheckLimit("limit", options.limit, kMostRows); !status.ok()) return status;
  const bool pending = options.state == JobState::kPending;
  const bool running = options.state == JobState::kRunning;
  const char list = pending ? 'p' : running ? 'r' : options.state.has_value() ? 'f' : 'a';
  KeyRange range = pending                         ? keys.PendingRange(type)
                   : running                       ? keys.ActivityRange(type)
                   : options.id_prefix.has_value() ? keys.DataRange(type, *options.id_prefix)
                                                   : keys.DataRange(type);
  if (absl::Status status = MoveTo(options.continuation, list, keys, &range); !status.ok()) return status;

  const fdb::RangeFuture asked = Ask(tr, range, options.limit);
  const absl::StatusOr<fdb::RangeBatchView> batch = asked.AwaitView();
  if (!batch.ok()) return batch.status();
  JobPage page;
  if (pending || running) {
    if (absl::Status status = ListNamed(keys, tr, type, *options.state, *batch, &page); !status.ok()) return status;
  } else {
    ListData(keys, type, options.state, *batch, &page);
  }
  if (options.id_prefix.has_value()) {
    std::erase_if(page.jobs, [&](const Job& job) { return !options.id_prefix->Matches(job.id); });
  }
  if (batch->more) {
    page.continuation = EncodeContinuation(list, keys, std::string(batch->rows.back().key()) + '\0');
  }
  return page;
}

absl::Status ForEachJob(const Jobs& jobs, const fdb::Database& db, const JobType& type, std::optional<JobState> state,
                        absl::FunctionRef<bool(const Job&)> visit, std::vector<Damage>* damaged) {
  constexpr int kFirst = 500;
  constexpr int kMostTimeouts = 20;  // one after the other: more than it takes to get down to pages of one row
  int timeouts = 0;
  ListOptions options{.state = state, .id_prefix = {}, .limit = kFirst, .continuation = ""};
  while (true) {
    bool shrink = false;
    const absl::StatusOr<JobPage> page = fdb::Transact(db, [&](fdb::Transaction& tr) -> absl::StatusOr<JobPage> {
      // A page that took too long is asked for again in halves.
      if (std::exchange(shrink, true)) options.limit = std::max(1, options.limit / 2);
      return ListJobs(jobs, tr, type, options);
    });
    if (!page.ok()) {
      // A timeout of the database's, which Transact can't outlive: go on in a transaction of our own.
      const bool timed_out = fdb::FdbCode(page.status()) == fdb::error::kTransactionTimedOut;
      if (!timed_out || ++timeouts > kMostTimeouts) return page.status();
      options.limit = std::max(1, options.limit / 2);
      continue;
    }
    timeouts = 0;
    for (const Job& job : page->jobs) {
      if (!visit(job)) return absl::OkStatus();
    }
    if (damaged != nullptr) damaged->insert(damaged->end(), page->damaged.begin(), page->damaged.end());
    if (page->continuation.empty()) return absl::OkStatus();
    options.continuation = page->continuation;
    options.limit = std::min(kFirst, options.limit * 2);
  }
}

absl::StatusOr<TypePage> ListTypes(const Jobs& jobs, fdb::Transaction& tr, int limit, const std::string& continuation) {
  const JobKeys& keys = jobs.keys();
  if (absl::Status status = CheckLimit("limit", limit, kMostRows); !status.ok()) return status;
  KeyRange range = keys.TypesRange();
  if (absl::Status status = MoveTo(continuation, 't', keys, &range); !status.ok()) return status;
  const fdb::RangeFuture asked = Ask(tr, range, limit);
  const absl::StatusOr<fdb::RangeBatchView> batch = asked.AwaitView();
  if (!batch.ok()) return batch.status();
  TypePage page;
  for (const fdb::KeyValueView& row : batch->rows) {
    absl::StatusOr<JobType> type = keys.ReadType(row.key());
    const absl::StatusOr<int64_t> timeout = JobKeys::DecodeTimeout(row.value());
    if (type.ok() && timeout.ok()) {
      page.types.push_back({*std::move(type), absl::Milliseconds(*timeout)});
    } else {
      AddDamage(row.key(), type.ok() ? timeout.status() : type.status(), &page.damaged);
    }
  }
  if (batch->more) page.continuation = EncodeContinuation('t', keys, std::string(batch->rows.back().key()) + '\0');
  return page;
}

}  // namespace fdbjobs
