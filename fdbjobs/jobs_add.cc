// Add and AddMany.
#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "fdbjobs/arguments.h"
#include "fdbjobs/job_access.h"
#include "fdbjobs/jobs.h"

namespace fdbjobs {
namespace {

absl::Status CheckNewJob(const keyspace::JobKeys& keys, const JobType& type, const NewJob& job) {
  if (absl::Status status = CheckId(keys, type, job.id); !status.ok()) return status;
  if (absl::Status status = CheckPriority(keys, type, job.id, job.priority); !status.ok()) return status;
  return CheckData(job.data);
}

// Fewer jobs are read one by one.
constexpr size_t kWorthAProbe = 8;
// After a probe that has found something the next calls go without.
constexpr int kRestAfterAMiss = 16;

absl::Status CheckTimeout(const keyspace::JobKeys& keys, const JobAccess& access, const JobType& type,
                          const fdb::ValueFuture& timeout) {
  const absl::StatusOr<std::optional<std::string_view>> value = timeout.AwaitView();
  if (!value.ok()) return value.status();
  if (!value->has_value()) {
    return absl::FailedPreconditionError(
        absl::StrCat("type ", type.ToString(), " has no activity timeout; set one before jobs are added"));
  }
  // With one that the monitor can't read, nobody would rescue them.
  const absl::StatusOr<int64_t> number = keyspace::JobKeys::DecodeTimeout(**value);
  return number.ok() ? absl::OkStatus() : access.DamagedRow(keys.ActivityTimeout(type), number.status());
}

// The jobs as they are before they are added, read by a probe where that is worth it.
class ReadBeforeAdd {
 public:
  ReadBeforeAdd(const keyspace::JobKeys& keys, JobAccess& access, const JobType& type, absl::Span<const NewJob> jobs,
                std::atomic<int>& rest)
      : access_(access), type_(type), jobs_(jobs), rest_(rest) {
    if (jobs.size() < kWorthAProbe || !access.CanProbe() || MustRest()) {
      StartReads();
      return;
    }
    keys_.reserve(jobs.size());
    for (const NewJob& job : jobs) keys_.push_back(keys.Data(type, job.id));
    const auto [first, last] = std::minmax_element(keys_.begin(), keys_.end());
    probe_ = access.StartProbe(*first, *last);
  }

  absl::StatusOr<std::vector<LoadedJob>> Await() {
    if (probe_.has_value()) {
      const absl::StatusOr<bool> none = JobAccess::AwaitProbe(*probe_);
      if (!none.ok()) return none.status();
      if (*none) return Absent();
      rest_ = kRestAfterAMiss;
      StartReads();
    }
    std::vector<LoadedJob> loaded;
    loaded.reserve(jobs_.size());
    for (JobAccess::Read& read : reads_) {
      absl::StatusOr<LoadedJob> job = access_.Await(read);
      if (!job.ok()) return job.status();
      loaded.push_back(*std::move(job));
    }
    return loaded;
  }

 private:
  bool MustRest() {
    int left = rest_.load();
    while (left > 0 && !rest_.compare_exchange_weak(left, left - 1)) {
    }
    return left > 0;
  }

  void StartReads() {
    reads_.reserve(jobs_.size());
    for (const NewJob& job : jobs_) reads_.push_back(access_.StartRead(type_, job.id));
  }

  absl::StatusOr<std::vector<LoadedJob>> Absent() {
    std::vector<LoadedJob> loaded;
    loaded.reserve(jobs_.size());
    for (size_t i = 0; i < jobs_.size(); ++i) {
      absl::StatusOr<LoadedJob> job = access_.Absent(type_, jobs_[i].id, std::move(keys_[i]));
      if (!job.ok()) return job.status();
      loaded.push_back(*std::move(job));
    }
    return loaded;
  }

  JobAccess& access_;
  const JobType& type_;
  const absl::Span<const NewJob> jobs_;
  std::atomic<int>& rest_;
  std::vector<std::string> keys_;
  std::optional<fdb::RangeFuture> probe_;
  std::vector<JobAccess::Read> reads_;
};

// The options of `job` in place of those that were there.
void Fill(const NewJob& job, LoadedJob* loaded) {
  loaded->options.priority = job.priority;
  loaded->options.data = job.data;
  loaded->changed = true;
}

// Add for one job that was read.
absl::StatusOr<AddResult> AddOne(JobAccess& access, const NewJob& job, IfExists if_exists, int64_t now_ms,
                                 LoadedJob* loaded) {
  if (!loaded->state.has_value()) {
    Fill(job, loaded);
    loaded->options.added_ms = now_ms;
    if (absl::Status status = access.Put(*loaded, JobState::kPending); !status.ok()) return status;
    return AddResult::kAdded;
  }
  if (if_exists != IfExists::kResubmit || loaded->state == JobState::kPending || loaded->options.resubmit) {
    return AddResult::kExists;
  }
  absl::Status status;
  if (loaded->state == JobState::kRunning) {
    loaded->options.resubmit = loaded->changed = true;
    status = access.Rewrite(*loaded);
  } else {
    Fill(job, loaded);
    status = access.Put(*loaded, JobState::kPending);
  }
  if (!status.ok()) return status;
  return AddResult::kResubmitted;
}

absl::Status Exists(const LoadedJob& job) {
  return absl::AlreadyExistsError(absl::StrCat("job ", job.id.ToString(), " of type ", job.type->ToString(),
                                               " is there already, ", JobStateName(*job.state)));
}

// What must hold before AddMany writes anything.
absl::Status CheckBatch(absl::Span<const NewJob> jobs, IfExists if_exists, absl::Span<const LoadedJob> loaded) {
  absl::flat_hash_set<std::string_view> keys;
  for (size_t i = 0; i < jobs.size(); ++i) {
    if (if_exists == IfExists::kError) {
      if (loaded[i].state.has_value()) return Exists(loaded[i]);
      if (jobs.size() > 1 && !keys.insert(loaded[i].key).second) {
        return absl::AlreadyExistsError(absl::StrCat("job ", jobs[i].id.ToString(), " is given twice"));
      }
    }
    absl::Status status = CheckOptionsSize(loaded[i].options, jobs[i].priority, jobs[i].data);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<AddResult> Jobs::Add(fdb::Transaction& tr, const JobType& type, const NewJob& job,
                                    IfExists if_exists) const {
  const absl::StatusOr<std::vector<AddResult>> results = AddMany(tr, type, {&job, 1}, if_exists);
  if (!results.ok()) return results.status();
  return results->front();
}

absl::StatusOr<std::vector<AddResult>> Jobs::AddMany(fdb::Transaction& tr, const JobType& type,
                                                     absl::Span<const NewJob> jobs, IfExists if_exists) const {
  if (absl::Status status = CheckType(keys_, type); !status.ok()) return status;
  for (const NewJob& job : jobs) {
    if (absl::Status status = CheckNewJob(keys_, type, job); !status.ok()) return status;
  }
  JobAccess access(keys_, *receipts_, tr);
  const fdb::ValueFuture timeout = tr.Get(keys_.ActivityTimeout(type), fdb::Isolation::kSerializable);
  ReadBeforeAdd reads(keys_, access, type, jobs, calls_without_probe_);
  if (absl::Status status = CheckTimeout(keys_, access, type, timeout); !status.ok()) return status;
  absl::StatusOr<std::vector<LoadedJob>> read = reads.Await();
  if (!read.ok()) return read.status();
  std::vector<LoadedJob>& loaded = *read;
  const int64_t now_ms = absl::ToUnixMillis(absl::Now());
  for (LoadedJob& job : loaded) {
    if (!job.state.has_value()) job.options.added_ms = now_ms;
  }
  if (absl::Status status = CheckBatch(jobs, if_exists, loaded); !status.ok()) return status;

  std::vector<AddResult> results;
  results.reserve(jobs.size());
  for (size_t i = 0; i < jobs.size(); ++i) {
    if (access.WasWritten(loaded[i].key)) {
      JobAccess::Read again = access.StartRead(type, jobs[i].id);
      absl::StatusOr<LoadedJob> job = access.Await(again);
      if (!job.ok()) return job.status();
      loaded[i] = *std::move(job);
    }
    const absl::StatusOr<AddResult> result = AddOne(access, jobs[i], if_exists, now_ms, &loaded[i]);
    if (!result.ok()) return result.status();
    results.push_back(*result);
  }
  if (absl::Status status = access.Flush(); !status.ok()) return status;
  return results;
}

}  // namespace fdbjobs
