#include "fdbjobs/monitor/census.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "fdbjobs/fdb/key_selector.h"
#include "fdbjobs/fdb/transact.h"
#include "fdbjobs/job_view.h"

namespace fdbjobs {
namespace {

using fdb::Isolation;
using fdb::KeySelectorView;
using keyspace::JobKeys;

// Types in one transaction.
constexpr size_t kTypes = 200;

fdb::RangeFuture AskOne(fdb::Transaction& tr, const keyspace::KeyRange& range, bool reverse) {
  return tr.GetRange({.begin = KeySelectorView::FirstGreaterOrEqual(range.begin),
                      .end = KeySelectorView::FirstGreaterOrEqual(range.end),
                      .isolation = Isolation::kSnapshot,
                      .reverse = reverse,
                      .limit = 1,
                      .mode = fdb::StreamingMode::kExact});
}

// The two ends of a queue.
struct Ends {
  TypeCensus* census;
  fdb::RangeFuture first;
  fdb::RangeFuture last;
};

// A job whose age counts.
struct Waiting {
  TypeCensus* census;
  JobId id;
  fdb::ValueFuture data;
};

// The one key that was found, taken apart; nothing when there is none or it can't be read.
absl::StatusOr<std::optional<JobKeys::PendingParts>> ReadOne(const Jobs& jobs, const JobType& type,
                                                             const fdb::RangeFuture& future) {
  const absl::StatusOr<fdb::RangeBatchView> batch = future.AwaitView();
  if (!batch.ok()) return batch.status();
  if (batch->rows.empty()) return std::nullopt;
  const absl::StatusOr<JobKeys::PendingParts> parts = jobs.keys().ReadPending(type, batch->rows[0].key());
  if (!parts.ok()) return std::nullopt;
  return *parts;
}

absl::Status AddWaiting(const Jobs& jobs, fdb::Transaction& tr, TypeCensus& census, const fdb::RangeFuture& future,
                        std::vector<Waiting>* waiting) {
  const absl::StatusOr<std::optional<JobKeys::PendingParts>> parts = ReadOne(jobs, census.type, future);
  if (!parts.ok() || !parts->has_value()) return parts.status();
  JobId id = JobId::FromPacked((*parts)->id);
  fdb::ValueFuture data = tr.Get(jobs.keys().Data(census.type, id), Isolation::kSnapshot);
  waiting->push_back({&census, std::move(id), std::move(data)});
  return absl::OkStatus();
}

absl::Status FindOldest(const Jobs& jobs, fdb::Transaction& tr, absl::Time now, std::vector<TypeCensus>* all) {
  std::vector<Ends> ends;
  for (TypeCensus& census : *all) {
    if (census.counts.pending <= 0) continue;
    const keyspace::KeyRange queue = jobs.keys().PendingRange(census.type);
    ends.push_back({&census, AskOne(tr, queue, /*reverse=*/false), AskOne(tr, queue, /*reverse=*/true)});
  }
  std::vector<std::pair<TypeCensus*, fdb::RangeFuture>> heads;
  std::vector<Waiting> waiting;
  for (const Ends& one : ends) {
    if (absl::Status status = AddWaiting(jobs, tr, *one.census, one.first, &waiting); !status.ok()) return status;
    const absl::StatusOr<std::optional<JobKeys::PendingParts>> last = ReadOne(jobs, one.census->type, one.last);
    if (!last.ok()) return last.status();
    if (!last->has_value()) continue;
    const Priority priority = Priority::FromPacked((*last)->priority);
    heads.emplace_back(one.census, AskOne(tr, jobs.keys().PendingRange(one.census->type, priority), false));
  }
  for (const auto& [census, head] : heads) {
    if (absl::Status status = AddWaiting(jobs, tr, *census, head, &waiting); !status.ok()) return status;
  }
  for (const Waiting& one : waiting) {
    const absl::StatusOr<std::optional<std::string_view>> value = one.data.AwaitView();
    if (!value.ok()) return value.status();
    const absl::StatusOr<Job> job = DecodeJob(one.census->type, one.id, value->value_or(""));
    if (!job.ok() || !job->added.has_value()) continue;
    const absl::Duration age = std::max(absl::ZeroDuration(), now - *job->added);
    one.census->oldest_pending = std::max(one.census->oldest_pending.value_or(age), age);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<TypeCensus>> TakeSome(const Jobs& jobs, fdb::Transaction& tr,
                                                 absl::Span<const JobType> types, absl::Time now) {
  constexpr std::array<JobState, 3> kStates = {JobState::kPending, JobState::kRunning, JobState::kFinished};
  std::vector<fdb::ValueFuture> counters;
  for (const JobType& type : types) {
    for (const JobState state : kStates)
      counters.push_back(tr.Get(jobs.keys().Count(type, state), Isolation::kSnapshot));
  }
  std::vector<TypeCensus> all;
  for (size_t i = 0; i < types.size(); ++i) {
    std::array<int64_t, 3> counts = {0, 0, 0};
    for (size_t state = 0; state < kStates.size(); ++state) {
      const absl::StatusOr<std::optional<std::string_view>> value = counters[3 * i + state].AwaitView();
      if (!value.ok()) return value.status();
      if (value->has_value()) counts[state] = JobKeys::DecodeCount(**value).value_or(0);
    }
    all.push_back({types[i], {.pending = counts[0], .running = counts[1], .finished = counts[2]}, std::nullopt});
  }
  if (absl::Status status = FindOldest(jobs, tr, now, &all); !status.ok()) return status;
  return all;
}

}  // namespace

absl::StatusOr<std::vector<TypeCensus>> TakeCensus(const fdb::Database& db, const Jobs& jobs,
                                                   absl::Span<const JobType> types, absl::Duration timeout,
                                                   absl::Time now) {
  std::vector<TypeCensus> all;
  for (size_t begin = 0; begin < types.size(); begin += kTypes) {
    absl::StatusOr<std::vector<TypeCensus>> some = fdb::Transact(db, {.timeout = timeout}, [&](fdb::Transaction& tr) {
      return TakeSome(jobs, tr, types.subspan(begin, kTypes), now);
    });
    if (!some.ok()) return some.status();
    std::move(some->begin(), some->end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace fdbjobs
