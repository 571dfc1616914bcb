// JobRow: the value of a data row, (Sequence, WorkerLockId, JobOpts).
//
//   (0, null, JobOpts)                                          pending
//   ((incarnation, versionstamp), lock as UUID, JobOpts)        running
//   (null, null, JobOpts)                                       finished
//
// Thread safety: a plain value. Lifetime: owns its bytes.
//
//   absl::StatusOr<JobRow> row = JobRow::Decode(value);
//   if (row->state == JobState::kPending) ...
#ifndef FDBJOBS_KEYSPACE_JOB_ROW_H_
#define FDBJOBS_KEYSPACE_JOB_ROW_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "fdbjobs/keyspace/sequence.h"
#include "fdbjobs/keyspace/tuple_types.h"

namespace fdbjobs {

enum class JobState : uint8_t { kPending, kRunning, kFinished };

// "pending", "running", "finished": the names in counter keys too.
const char* JobStateName(JobState state);

}  // namespace fdbjobs

namespace fdbjobs::keyspace {

struct JobRow {
  JobState state = JobState::kPending;
  Sequence sequence;    // while running; the stamp is incomplete until the transaction that wrote it has committed
  tuple::Uuid lock;     // while running
  std::string options;  // JobOpts, JSON

  // Any bytes are safe. The error says what is wrong with them.
  static absl::StatusOr<JobRow> Decode(std::string_view value);

  // The value, complete. A running row needs a complete sequence for that.
  std::string Encode() const;
  // What SET_VERSIONSTAMPED_VALUE takes to write a running row with `user_version`.
  std::string EncodeToStamp(uint16_t user_version) const;
};

}  // namespace fdbjobs::keyspace

#endif  // FDBJOBS_KEYSPACE_JOB_ROW_H_
