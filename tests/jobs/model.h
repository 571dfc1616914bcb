// Model: docs/lifecycle.md in a std::map. What every call of Jobs must answer, and what the database must hold then.
//
// A copy of it is a transaction: calls go to the copy, and Settle compares it with the database after the commit.
// Versionstamps and times are the database's; Settle takes them over after it has checked what can be said of them: a
// sign of life makes a new sequence that is past all that were seen before, and nothing else changes one.
//
// Thread safety: a plain value. Lifetime: owns what it holds.
//
//   Model trial = model;
//   EXPECT_EQ(jobs.Cancel(tr, type, id), trial.Cancel(type, id));
//   ... commit ...
//   for (const std::string& difference : trial.Settle(*ReadKeyspace(db, jobs.keys()))) Print(difference);
//   model = trial;
#ifndef FDBJOBS_TESTS_JOBS_MODEL_H_
#define FDBJOBS_TESTS_JOBS_MODEL_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "fdbjobs/job.h"
#include "tests/jobs/keyspace_contents.h"

namespace fdbjobs::test {

struct ModelJob {
  JobState state = JobState::kPending;
  Priority priority = 0;
  std::string data = {};
  bool cancel = false;
  bool resubmit = false;
  bool reserved = false;                  // pending, and claimed by AcceptToFinish in this transaction
  Lock lock = {};                         // while running or reserved
  std::optional<Sequence> sequence = {};  // while running; none: this transaction gives it
  std::optional<int64_t> added_ms = {};   // none: this transaction gives it

  bool HeldBy(const Lock& worker) const { return (reserved || state == JobState::kRunning) && lock == worker; }
};

struct ModelType {
  std::optional<int64_t> timeout_ms = {};
  std::map<JobId, ModelJob> jobs = {};
  std::map<Sequence, JobId> leftovers = {};  // activity entries that are no running job's
  std::optional<Sequence> watch = {};
  std::optional<tuple::Versionstamp> pending_watch = {};

  // Of this transaction: jobs that got an activity entry, and the rows that it touched.
  std::set<JobId> stamped = {};
  bool touched_watch = false;
  bool touched_pending_watch = false;
};

class Model {
 public:
  // Users and operators.
  void SetActivityTimeout(const JobType& type, std::optional<int64_t> milliseconds);
  absl::StatusOr<std::vector<AddResult>> AddMany(const JobType& type, absl::Span<const NewJob> jobs,
                                                 IfExists if_exists);
  ChangeResult Remove(const JobType& type, const JobId& id);
  ChangeResult Cancel(const JobType& type, const JobId& id);
  ChangeResult Resubmit(const JobType& type, const JobId& id);
  ChangeResult SetPriority(const JobType& type, const JobId& id, const Priority& priority);

  // Workers. The queue is in its order, without jobs that are reserved.
  std::vector<JobId> Queue(const JobType& type, const std::optional<Priority>& max_priority) const;
  void Claim(const JobType& type, const JobId& id, const Lock& lock);
  void Reserve(const JobType& type, const JobId& id, const Lock& lock);
  Outcome Update(const UpdateRequest& request);
  Outcome Finish(const FinishRequest& request);
  Outcome ResubmitByWorker(const ClaimedJob& job, const std::optional<Priority>& priority);

  // The monitor. All counts of the result; `next`, if it is set, is the first entry that was left to the next call.
  struct Rescued {
    int reenqueued = 0;
    int finished = 0;
    int dropped = 0;
  };
  Rescued Rescue(const JobType& type, const Sequence& not_renewed_since, int limit);
  // Whether this transaction may call Rescue for the type: not when it stamped an entry or the watch row.
  bool MayRescue(const JobType& type) const;

  uint8_t incarnation() const { return incarnation_; }
  absl::StatusOr<uint8_t> RaiseIncarnation();

  Counts Count(const JobType& type) const;
  const ModelJob* Find(const JobType& type, const JobId& id) const;
  const std::map<JobType, ModelType>& types() const { return types_; }
  // Whether this transaction changes any row.
  bool wrote() const { return wrote_; }

  // After the commit: the differences to what the database holds. Takes over what the database gave, and begins the
  // next transaction.
  std::vector<std::string> Settle(const KeyspaceContents& contents);

 private:
  class Comparison;

  ModelJob* FindToChange(const JobType& type, const JobId& id);
  void MakePending(ModelType& type, ModelJob& job);
  void MakeFinished(ModelType& type, ModelJob& job);
  // A claim or a sign of life.
  void Stamp(ModelType& type, const JobId& id, ModelJob& job);
  // What leaving the state running does besides.
  void Leave(ModelType& type, ModelJob& job);
  Outcome EndCanceled(ModelType& type, ModelJob& job);
  AddResult AddOne(ModelType& type, const NewJob& job, IfExists if_exists);

  std::map<JobType, ModelType> types_;
  uint8_t incarnation_ = 0;
  std::optional<tuple::Versionstamp> types_watch_;

  // Of this transaction.
  bool touched_types_watch_ = false;
  bool raised_ = false;
  bool wrote_ = false;
  // The highest sequence that was seen so far.
  Sequence newest_;
};

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_JOBS_MODEL_H_
