// RandomCalls: random calls of Jobs in one transaction, each compared with what the model answers.
//
// The same random numbers on the same model make the same calls, so a transaction can be tried again. Jobs, types and
// priorities come from small pools of all tuple kinds, so that calls meet; locks are right, stale or invented.
//
// Thread safety: one thread. Lifetime: one try of a transaction; borrows all that it is given.
//
//   RandomCalls calls(jobs, tr, model, random, QueueOrder::kStrict);
//   absl::Status status = calls.Make(5);            // an error of FoundationDB, for the retry loop
//   for (const std::string& difference : calls.differences()) Print(difference);
#ifndef FDBJOBS_TESTS_JOBS_RANDOM_CALLS_H_
#define FDBJOBS_TESTS_JOBS_RANDOM_CALLS_H_

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "fdbjobs/fdb/transaction.h"
#include "fdbjobs/jobs.h"
#include "tests/jobs/model.h"

namespace fdbjobs::test {

// After lost conflicts a claim may choose among the jobs of the first priority.
enum class QueueOrder { kStrict, kFirstPriority };

// Compares a claim with the queue of the model, and enters it there. The differences.
std::vector<std::string> ApplyClaim(const JobType& type, const AcceptOptions& options, const Claimed& claimed,
                                    bool to_finish, QueueOrder order, Model* model);

const std::vector<JobType>& ModelTypes();

class RandomCalls {
 public:
  RandomCalls(const Jobs& jobs, fdb::Transaction& tr, Model& model, std::mt19937_64& random, QueueOrder order)
      : jobs_(jobs), tr_(tr), model_(model), random_(random), order_(order) {}

  // Stops at an error of FoundationDB, which it returns, and at a difference.
  absl::Status Make(int calls);

  const std::vector<std::string>& differences() const { return differences_; }
  // The calls, for a report.
  const std::vector<std::string>& log() const { return log_; }

 private:
  using Call = absl::Status (RandomCalls::*)();

  absl::Status Timeout();
  absl::Status Add();
  absl::Status AddMany();
  absl::Status Remove();
  absl::Status Cancel();
  absl::Status Resubmit();
  absl::Status SetPriority();
  absl::Status Accept();
  absl::Status AcceptToFinish();
  absl::Status Update();
  absl::Status Finish();
  absl::Status UpdateMany();
  absl::Status FinishMany();
  absl::Status ResubmitByWorker();
  absl::Status Rescue();
  absl::Status Incarnation();
  absl::Status Look();

  absl::Status AcceptAs(bool to_finish);
  NewJob AnyNewJob();
  // A job, and a lock that is mostly the right one.
  ClaimedJob AnyClaim();
  std::optional<std::string> MaybeData();

  uint64_t Below(uint64_t count) { return random_() % count; }
  bool OneIn(uint64_t count) { return Below(count) == 0; }
  template <typename T>
  const T& Any(const std::vector<T>& pool) {
    return pool[Below(pool.size())];
  }

  template <typename... Words>
  void Log(const Words&... words);
  // Passes on an error of FoundationDB, and notes all other differences.
  template <typename T>
  absl::Status Compare(const absl::StatusOr<T>& is, const absl::StatusOr<T>& should);

  const Jobs& jobs_;
  fdb::Transaction& tr_;
  Model& model_;
  std::mt19937_64& random_;
  const QueueOrder order_;
  std::vector<std::string> differences_;
  std::vector<std::string> log_;
};

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_JOBS_RANDOM_CALLS_H_
