// Model::Settle: the model beside what the database holds.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tests/jobs/model.h"

namespace fdbjobs::test {
namespace {

std::string Show(const std::optional<Sequence>& sequence) {
  return sequence.has_value() ? sequence->ToString() : "none";
}

std::string ShowJob(const ModelJob& job) {
  return absl::StrCat(JobStateName(job.state), " priority ", job.priority.ToString(), job.cancel ? " cancel" : "",
                      job.resubmit ? " resubmit" : "", " data ", job.data);
}

ModelJob AsModel(const StoredJob& stored) {
  ModelJob job;
  job.state = stored.row.state;
  job.priority = stored.options.priority;
  job.data = stored.options.data;
  job.cancel = stored.options.cancel;
  job.resubmit = stored.options.resubmit;
  job.lock = stored.row.lock;
  return job;
}

}  // namespace

// One Settle.
class Model::Comparison {
 public:
  Comparison(const Model& model, const KeyspaceContents& contents)
      : contents_(contents),
        seen_before_(model.newest_),
        newest_(model.newest_),
        incarnation_(model.incarnation_),
        lowest_incarnation_(model.raised_ ? 0 : model.incarnation_) {}

  // Of one type; fills in what the database gave.
  void Compare(const JobType& type, ModelType* expected) {
    static const TypeContents kNone;
    const auto found = contents_.types.find(type);
    const TypeContents& stored = found == contents_.types.end() ? kNone : found->second;
    type_ = type.ToString();
    CompareJobs(stored, expected);
    CompareQueue(stored, *expected);
    CompareLeftovers(stored, expected);
    CompareWatches(stored, expected);
    if (stored.timeout_ms != expected->timeout_ms) Differ("activity timeout");
  }

  void CompareStamp(const char* what, bool touched, const std::optional<tuple::Versionstamp>& stored,
                    std::optional<tuple::Versionstamp>* expected) {
    if (touched != (stored != *expected)) Differ(what, touched ? " was not touched" : " was touched");
    *expected = stored;
  }

  template <typename... Words>
  void Differ(const Words&... words) {
    differences_.push_back(absl::StrCat("type ", type_, ": ", words...));
  }
  const Sequence& newest() const { return newest_; }
  std::vector<std::string> Take() { return std::move(differences_); }

 private:
  void CompareJobs(const TypeContents& stored, ModelType* expected) {
    for (const auto& [id, job] : stored.jobs) {
      if (!expected->jobs.contains(id)) Differ("job ", id.ToString(), " should be absent: ", ShowJob(AsModel(job)));
    }
    for (auto& [id, job] : expected->jobs) {
      const auto found = stored.jobs.find(id);
      if (found == stored.jobs.end()) {
        Differ("job ", id.ToString(), " is absent, should be ", ShowJob(job));
      } else {
        CompareJob(id, found->second, &job);
      }
      job.reserved = false;
    }
  }

  void CompareJob(const JobId& id, const StoredJob& stored, ModelJob* job) {
    if (const std::string is = ShowJob(AsModel(stored)), should = ShowJob(*job); is != should) {
      Differ("job ", id.ToString(), " is ", is, ", should be ", should);
    }
    if (!stored.options.added_ms.has_value()) Differ("job ", id.ToString(), " does not say when it was added");
    if (job->added_ms.has_value() && job->added_ms != stored.options.added_ms) {
      Differ("job ", id.ToString(), " was added at another time before");
    }
    job->added_ms = stored.options.added_ms;
    if (job->state != JobState::kRunning || stored.row.state != JobState::kRunning) return;
    if (stored.row.lock != job->lock) Differ("job ", id.ToString(), " has another lock");
    const Sequence& sequence = stored.row.sequence;
    if (!job->sequence.has_value()) {
      CheckNew(sequence, id);
    } else if (sequence != *job->sequence) {
      Differ("job ", id.ToString(), " has sequence ", sequence.ToString(), ", should have ", Show(job->sequence));
    }
    job->sequence = sequence;
  }

  // A sequence of this transaction.
  void CheckNew(const Sequence& sequence, const JobId& id) {
    newest_ = std::max(newest_, sequence);
    if (!(seen_before_ < sequence) || sequence.incarnation > incarnation_ ||
        sequence.incarnation < lowest_incarnation_) {
      Differ("job ", id.ToString(), " got sequence ", sequence.ToString(), " in incarnation ", incarnation_, " after ",
             seen_before_.ToString());
    }
  }

  void CompareQueue(const TypeContents& stored, const ModelType& expected) {
    std::vector<QueueRow> rows;
    for (const auto& [id, job] : expected.jobs) {
      if (job.state == JobState::kPending) rows.push_back({job.priority, id});
    }
    std::sort(rows.begin(), rows.end(), [](const QueueRow& a, const QueueRow& b) {
      return std::tie(a.priority, a.id) < std::tie(b.priority, b.id);
    });
    if (rows != stored.queue) Differ("the queue has other rows, or another order");
  }

  // Entries of jobs that were claimed or gave a sign of life in this transaction, and then left the state running.
  void CompareLeftovers(const TypeContents& stored, ModelType* expected) {
    std::set<JobId> wanted;
    for (const JobId& id : expected->stamped) {
      const auto job = expected->jobs.find(id);
      if (job == expected->jobs.end() || job->second.state != JobState::kRunning) wanted.insert(id);
    }
    std::map<Sequence, JobId> is = stored.StaleActivity();
    for (const auto& [sequence, id] : expected->leftovers) {
      const auto found = is.find(sequence);
      if (found == is.end() || found->second != id) Differ("the old entry ", sequence.ToString(), " is gone");
    }
    for (const auto& [sequence, id] : is) {
      if (expected->leftovers.contains(sequence)) continue;
      if (wanted.erase(id) == 0) Differ("job ", id.ToString(), " has an entry too many, ", sequence.ToString());
      CheckNew(sequence, id);
    }
    for (const JobId& id : wanted) Differ("job ", id.ToString(), " should have left an entry behind");
    expected->leftovers = std::move(is);
    expected->stamped.clear();
  }

  void CompareWatches(const TypeContents& stored, ModelType* expected) {
    if (expected->touched_watch != (stored.watch != expected->watch)) {
      Differ("the watch row ", expected->touched_watch ? "was not touched" : "was touched");
    }
    if (stored.watch < expected->watch) Differ("the watch row went back to ", Show(stored.watch));
    if (stored.watch.has_value()) newest_ = std::max(newest_, *stored.watch);
    expected->watch = stored.watch;
    CompareStamp("the pending watch", expected->touched_pending_watch, stored.pending_watch, &expected->pending_watch);
    expected->touched_watch = expected->touched_pending_watch = false;
  }

  const KeyspaceContents& contents_;
  const Sequence seen_before_;
  Sequence newest_;
  const uint8_t incarnation_;
  const uint8_t lowest_incarnation_;
  std::string type_;
  std::vector<std::string> differences_;
};

std::vector<std::string> Model::Settle(const KeyspaceContents& contents) {
  Comparison comparison(*this, contents);
  for (const auto& [type, stored] : contents.types) {
    if (!types_.contains(type)) comparison.Differ("rows of a type that was never used: ", type.ToString());
  }
  for (auto& [type, expected] : types_) comparison.Compare(type, &expected);
  comparison.CompareStamp("the types watch", touched_types_watch_, contents.types_watch, &types_watch_);
  if (contents.incarnation != incarnation_) {
    comparison.Differ("incarnation is ", contents.incarnation, ", should be ", incarnation_);
  }
  newest_ = comparison.newest();
  touched_types_watch_ = raised_ = wrote_ = false;
  return comparison.Take();
}

}  // namespace fdbjobs::test
