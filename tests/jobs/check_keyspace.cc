#include "tests/jobs/check_keyspace.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "fdbjobs/arguments.h"
#include "fdbjobs/keyspace/json_text.h"

namespace fdbjobs::test {
namespace {

constexpr JobState kStates[] = {JobState::kPending, JobState::kRunning, JobState::kFinished};

// The checks of one type.
class TypeChecker {
 public:
  TypeChecker(const JobType& type, const TypeContents& contents, int64_t incarnation,
              std::vector<std::string>* violations)
      : type_(type), contents_(contents), incarnation_(incarnation), violations_(violations) {}

  void Check() {
    for (const QueueRow& row : contents_.queue) ++times_queued_[row.id];
    for (const auto& [id, job] : contents_.jobs) CheckJob(id, job);
    for (const QueueRow& row : contents_.queue) CheckQueueRow(row);
    for (const auto& [sequence, id] : contents_.activity) CheckEntry(sequence, id);
    CheckCounts();
    CheckWatches();
  }

 private:
  template <typename... Words>
  void Violation(const Words&... words) {
    violations_->push_back(absl::StrCat("type ", type_.ToString(), ": ", words...));
  }
  template <typename... Words>
  void OfJob(const JobId& id, const Words&... words) {
    Violation("job ", id.ToString(), " ", words...);
  }

  void CheckJob(const JobId& id, const StoredJob& job) {
    const int queued = times_queued_.contains(id) ? times_queued_.at(id) : 0;
    const JobState state = job.row.state;
    const int wanted = state == JobState::kPending ? 1 : 0;
    if (queued != wanted) OfJob(id, "is ", JobStateName(state), " and stands in the queue ", queued, " times");
    if (state == JobState::kPending && (job.options.cancel || job.options.resubmit)) {
      OfJob(id, "is pending and has a mark of an earlier run: ", job.row.options);
    }
    if (state == JobState::kFinished && job.options.resubmit) {
      OfJob(id, "is finished and has a resubmit mark: ", job.row.options);
    }
    if (state == JobState::kRunning) CheckRunning(id, job.row.sequence);
    if (job.row.options.size() > kMaxOptionsBytes) OfJob(id, "has JobOpts of ", job.row.options.size(), " bytes");
    if (job.options.data.empty()) return;
    if (absl::Status status = keyspace::CheckJson(job.options.data); !status.ok()) {
      OfJob(id, "has data that is not JSON: ", std::string(status.message()));
    }
  }

  void CheckRunning(const JobId& id, const Sequence& sequence) {
    const auto entry = contents_.activity.find(sequence);
    if (entry == contents_.activity.end()) {
      OfJob(id, "is running since ", sequence.ToString(), " and has no activity entry, so nobody will rescue it");
    } else if (entry->second != id) {
      OfJob(id, "is running since ", sequence.ToString(), ", where the activity entry is that of job ",
            entry->second.ToString());
    }
  }

  void CheckQueueRow(const QueueRow& row) {
    const auto job = contents_.jobs.find(row.id);
    if (job == contents_.jobs.end()) {
      OfJob(row.id, "stands in the queue at priority ", row.priority.ToString(), " and has no data row");
    } else if (job->second.options.priority != row.priority) {
      OfJob(row.id, "stands in the queue at priority ", row.priority.ToString(), ", its data row says ",
            job->second.options.priority.ToString());
    }
  }

  // Also of entries that are no job's any more.
  void CheckEntry(const Sequence& sequence, const JobId& id) {
    if (!sequence.stamp.complete()) OfJob(id, "has an activity entry whose versionstamp was never filled in");
    if (sequence.incarnation > incarnation_) {
      OfJob(id, "has an activity entry ", sequence.ToString(), " of an incarnation after ", incarnation_);
    }
    if (!contents_.watch.has_value() || *contents_.watch < sequence) {
      OfJob(id, "has an activity entry ", sequence.ToString(), " past the watch row, which is ",
            contents_.watch.has_value() ? contents_.watch->ToString() : "not there");
    }
  }

  void CheckCounts() {
    std::map<JobState, int64_t> jobs;
    for (const auto& [id, job] : contents_.jobs) ++jobs[job.row.state];
    for (const JobState state : kStates) {
      const auto stored = contents_.counts.find(state);
      const int64_t count = stored == contents_.counts.end() ? 0 : stored->second;
      if (count != jobs[state])
        Violation("the counter says ", count, " ", JobStateName(state), ", there are ", jobs[state]);
    }
  }

  void CheckWatches() {
    if (!contents_.queue.empty() && !contents_.pending_watch.has_value()) {
      Violation("has pending jobs and no pending watch");
    }
    if (contents_.pending_watch.has_value() && !contents_.pending_watch->complete()) {
      Violation("has a pending watch that was never filled in");
    }
    if (contents_.watch.has_value() && !contents_.watch->stamp.complete()) {
      Violation("has a watch row that was never filled in");
    }
    if (contents_.timeout_ms.has_value() && *contents_.timeout_ms < 1) {
      Violation("has an activity timeout of ", *contents_.timeout_ms, " ms");
    }
  }

  const JobType& type_;
  const TypeContents& contents_;
  const int64_t incarnation_;
  std::vector<std::string>* const violations_;
  std::map<JobId, int> times_queued_;
};

}  // namespace

std::vector<std::string> CheckKeyspace(const KeyspaceContents& contents) {
  std::vector<std::string> violations = contents.unreadable;
  if (contents.incarnation < 0 || contents.incarnation > 255) {
    violations.push_back(absl::StrCat("the incarnation is ", contents.incarnation));
  }
  for (const auto& [type, of_type] : contents.types) {
    TypeChecker(type, of_type, contents.incarnation, &violations).Check();
  }
  return violations;
}

}  // namespace fdbjobs::test
