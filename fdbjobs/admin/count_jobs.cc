#include "fdbjobs/admin/count_jobs.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "fdbjobs/admin/check.h"
#include "fdbjobs/admin/rows.h"
#include "fdbjobs/fdb/range.h"
#include "fdbjobs/keyspace/row_reader.h"

namespace fdbjobs::admin {
namespace {

constexpr JobState kStates[] = {JobState::kPending, JobState::kRunning, JobState::kFinished};

void Count(const keyspace::Row& row, Counts* counts) {
  // A row that can't be read is in no state.
  if (!row.job.has_value() || !row.damage.empty()) return;
  switch (row.job->state) {
    case JobState::kPending:
      ++counts->pending;
      break;
    case JobState::kRunning:
      ++counts->running;
      break;
    case JobState::kFinished:
      ++counts->finished;
      break;
  }
}

absl::StatusOr<Counted> CountInOne(const Jobs& jobs, fdb::Transaction& tr, const JobType& type) {
  Counted counted;
  const keyspace::KeyRange range = jobs.keys().DataRange(type);
  fdb::RangeReader reader(tr, {.begin = fdb::KeySelectorView::FirstGreaterOrEqual(range.begin),
                               .end = fdb::KeySelectorView::FirstGreaterOrEqual(range.end),
                               .isolation = fdb::Isolation::kSnapshot,
                               .mode = fdb::StreamingMode::kWantAll});
  while (true) {
    const absl::StatusOr<absl::Span<const fdb::KeyValueView>> batch = reader.Next();
    if (!batch.ok()) return batch.status();
    if (batch->empty()) break;
    for (const fdb::KeyValueView& row : *batch) {
      Count(keyspace::ReadRow(jobs.keys(), row.key(), row.value()), &counted.counts);
    }
  }
  absl::StatusOr<Fingerprint> fingerprint = ReadFingerprint(jobs, tr, type, fdb::Isolation::kSnapshot);
  if (!fingerprint.ok()) return fingerprint.status();
  counted.fingerprint = *std::move(fingerprint);
  return counted;
}

absl::StatusOr<std::optional<Counted>> CountInPages(const Jobs& jobs, const fdb::Database& db,
                                                    const fdb::TransactOptions& options, const JobType& type) {
  const auto look = [&](fdb::Transaction& tr) { return ReadFingerprint(jobs, tr, type, fdb::Isolation::kSnapshot); };
  const absl::StatusOr<Fingerprint> before = fdb::Transact(db, options, look);
  if (!before.ok()) return before.status();
  Counted counted;
  const absl::Status status =
      ForEachRow(db, jobs.keys(), jobs.keys().DataRange(type), options, [&](const keyspace::Row& row) {
        Count(row, &counted.counts);
        return true;
      });
  if (!status.ok()) return status;
  absl::StatusOr<Fingerprint> after = fdb::Transact(db, options, look);
  if (!after.ok()) return after.status();
  if (*before != *after) return std::nullopt;
  counted.fingerprint = *std::move(after);
  return counted;
}

// What the counters say, right or wrong.
absl::StatusOr<int64_t> ExpectedJobs(const Jobs& jobs, const fdb::Database& db, const fdb::TransactOptions& options,
                                     const JobType& type) {
  const absl::StatusOr<Fingerprint> fingerprint = fdb::Transact(
      db, options, [&](fdb::Transaction& tr) { return ReadFingerprint(jobs, tr, type, fdb::Isolation::kSnapshot); });
  if (!fingerprint.ok()) return fingerprint.status();
  int64_t sum = 0;
  for (const std::optional<int64_t>& counter : CountersOf(*fingerprint)) sum += counter.value_or(0);
  return sum;
}

}  // namespace

absl::StatusOr<Fingerprint> ReadFingerprint(const Jobs& jobs, fdb::Transaction& tr, const JobType& type,
                                            fdb::Isolation isolation) {
  std::vector<fdb::ValueFuture> reads;
  for (const JobState state : kStates) reads.push_back(tr.Get(jobs.keys().Count(type, state), isolation));
  reads.push_back(tr.Get(jobs.keys().Watch(type), isolation));
  reads.push_back(tr.Get(jobs.keys().PendingWatch(type), isolation));
  Fingerprint fingerprint;
  for (const fdb::ValueFuture& read : reads) {
    absl::StatusOr<std::optional<std::string>> value = read.Await();
    if (!value.ok()) return value.status();
    fingerprint.push_back(*std::move(value));
  }
  return fingerprint;
}

absl::StatusOr<std::optional<Counted>> CountRows(const Jobs& jobs, const fdb::Database& db,
                                                 const fdb::TransactOptions& options, const JobType& type, int tries,
                                                 int64_t at_once) {
  const absl::StatusOr<int64_t> expected = ExpectedJobs(jobs, db, options, type);
  if (!expected.ok()) return expected.status();
  if (*expected <= at_once) {
    // A second try in one transaction would take as long as the first.
    fdb::TransactOptions once = options;
    once.max_retries = 0;
    absl::StatusOr<Counted> counted =
        fdb::Transact(db, once, [&](fdb::Transaction& tr) { return CountInOne(jobs, tr, type); });
    if (counted.ok()) return std::optional<Counted>(*std::move(counted));
    const bool too_slow = counted.status().code() == absl::StatusCode::kDeadlineExceeded;
    if (!fdb::IsRetryable(counted.status()) && !too_slow) return counted.status();
  }
  for (int i = 0; i < tries; ++i) {
    absl::StatusOr<std::optional<Counted>> paged = CountInPages(jobs, db, options, type);
    if (!paged.ok() || paged->has_value()) return paged;
  }
  return std::nullopt;
}

std::vector<std::optional<int64_t>> CountersOf(const Fingerprint& fingerprint) {
  std::vector<std::optional<int64_t>> counters;
  for (size_t i = 0; i < std::size(kStates); ++i) {
    const absl::StatusOr<int64_t> count =
        fingerprint[i].has_value() ? keyspace::JobKeys::DecodeCount(*fingerprint[i]) : absl::StatusOr<int64_t>(0);
    counters.push_back(count.ok() ? std::optional<int64_t>(*count) : std::nullopt);
  }
  return counters;
}

absl::StatusOr<CountCheck> CheckCounts(const Jobs& jobs, const fdb::Database& db, const fdb::TransactOptions& options,
                                       const JobType& type, int tries) {
  const absl::StatusOr<std::optional<Counted>> counted = CountRows(jobs, db, options, type, tries);
  if (!counted.ok()) return counted.status();
  CountCheck check;
  check.gave_up = !counted->has_value();
  if (check.gave_up) return check;
  check.counted = (*counted)->counts;
  const std::vector<std::optional<int64_t>> stored = CountersOf((*counted)->fingerprint);
  const int64_t real[] = {check.counted.pending, check.counted.running, check.counted.finished};
  for (size_t i = 0; i < std::size(kStates); ++i) {
    // Unreadable ones are reported where they stand.
    if (!stored[i].has_value() || *stored[i] == real[i]) continue;
    Violation violation{.problem = Problem::kWrongCount, .key = jobs.keys().Count(type, kStates[i])};
    violation.type = type;
    violation.state = kStates[i];
    violation.what =
        absl::StrCat("the counter says ", *stored[i], " ", JobStateName(kStates[i]), ", there are ", real[i]);
    check.violations.push_back(std::move(violation));
  }
  return check;
}

}  // namespace fdbjobs::admin
