// What the calls of Jobs take and give: jobs, claims, answers, options.
//
// Thread safety: plain values. Lifetime: each owns what it holds.
#ifndef FDBJOBS_JOB_H_
#define FDBJOBS_JOB_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "fdbjobs/keyspace/job_row.h"
#include "fdbjobs/keyspace/packed_element.h"
#include "fdbjobs/keyspace/sequence.h"
#include "fdbjobs/keyspace/tuple_types.h"

namespace fdbjobs {

// Any tuple value each: null, bytes, text, integer, float, double, bool, UUID, versionstamp, nested tuple.
using JobType = keyspace::PackedElement;   // not the empty text or empty bytes
using JobId = keyspace::PackedElement;     //
using Priority = keyspace::PackedElement;  // lower comes first; not a NaN
using Lock = tuple::Uuid;
using keyspace::Sequence;

// A lock that was kept outside of the program: its 16 bytes, or the text of UuidToString (uuid.h), with or without
// dashes. kInvalidArgument, with the size, for anything else.
absl::StatusOr<Lock> ParseLock(std::string_view text);

// A time-ordered UUID (version 7): later calls in a process give higher ones.
JobId NewJobId();

// A job to be added.
struct NewJob {
  JobId id = NewJobId();  // made here, so it can be read before the job is added
  std::string data = {};  // JSON of any kind, given back byte for byte; empty: none
  Priority priority = 0;  // also a schedule: see AcceptOptions::max_priority
};

// What Add does when there is a job of that id.
enum class IfExists {
  kError,     // kAlreadyExists
  kKeep,      // leaves it as it is: publishing twice is publishing once
  kResubmit,  // makes sure that it runs (again): see docs/lifecycle.md
};

enum class [[nodiscard]] AddResult{kAdded, kResubmitted, kExists};

// What Remove, Cancel, Resubmit and SetPriority did.
enum class [[nodiscard]] ChangeResult{kChanged, kUnchanged, kNotFound};

// The answer to a worker. Anything but kOk: stop working on the job, and commit none of its effects. kCanceled has
// written the job's new state, so commit that; kWorkerConflict has written nothing.
enum class [[nodiscard]] Outcome{kOk, kWorkerConflict, kCanceled};

const char* OutcomeName(Outcome outcome);

// A job as it is stored.
struct Job {
  JobType type = {};
  JobId id = {};
  JobState state = JobState::kPending;
  Priority priority = {};
  std::string data = {};
  bool cancel = false;
  bool resubmit = false;
  std::optional<absl::Time> added = {};   // by the adder's clock
  std::optional<Sequence> sequence = {};  // of the last heartbeat, while running; none when this transaction made it
  std::optional<Lock> lock = {};          // while running
};

// A job that this worker holds.
struct ClaimedJob {
  JobType type = {};
  JobId id = {};
  Lock lock = {};
  Priority priority = {};
  std::string data = {};
  bool resubmit = false;  // it will be pending again after this run
  std::optional<absl::Time> added = {};
};

// A row that can't be read, or that no other row agrees with. Others go on; `fdbjobs-cli check` looks deeper.
struct Damage {
  std::string key;
  std::string what;
};

struct AcceptOptions {
  int limit = 1;  // 1 to 10,000
  // Jobs of a higher priority stay in the queue. With a time as priority: those that are not due yet.
  std::optional<Priority> max_priority = {};
  // The lock to claim with; a random one when it is not given. One for all jobs of the call.
  std::optional<Lock> lock = {};
};

struct Claimed {
  std::vector<ClaimedJob> jobs;
  std::vector<Damage> damaged;
};

struct UpdateRequest {
  JobType type = {};
  JobId id = {};
  Lock lock = {};
  std::optional<std::string> data = {};  // JSON, replaces the data; empty text: no data any more
};

struct FinishRequest {
  JobType type = {};
  JobId id = {};
  Lock lock = {};
  std::optional<std::string> data = {};  // as above
  bool remove = false;                   // leave no finished job behind
};

struct Counts {
  int64_t pending = 0;
  int64_t running = 0;
  int64_t finished = 0;

  friend bool operator==(const Counts&, const Counts&) = default;
};

struct RescueResult {
  int reenqueued = 0;
  int finished = 0;  // because they were canceled
  int dropped = 0;   // entries that were no job's any more
  std::vector<Damage> damaged;
  // Where to go on in the next transaction; none when all entries before the limit were looked at.
  std::optional<std::string> continuation;
};

struct PruneResult {
  int removed = 0;
  std::vector<Damage> damaged;
  // Where to go on in the next transaction; none when all were looked at.
  std::optional<std::string> continuation;
};

}  // namespace fdbjobs

#endif  // FDBJOBS_JOB_H_
