// Rescuer: puts the jobs of silent workers back, as the monitor does, with Jobs::GetWatch and Jobs::Rescue alone.
//
// It notes the type's watch each time it looks. What was not renewed since the note of one timeout ago is stale.
//
// Thread safety: one thread at a time; any number of rescuers. Lifetime: borrows the database and Jobs.
//
//   Rescuer rescuer(db, jobs, "move", absl::Milliseconds(20));
//   absl::StatusOr<int> put_back = rescuer.RunOnce(absl::Now());
#ifndef FDBJOBS_TESTS_BANK_RESCUER_H_
#define FDBJOBS_TESTS_BANK_RESCUER_H_

#include <deque>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/jobs.h"

namespace fdbjobs::test {

class Rescuer {
 public:
  Rescuer(const fdb::Database& db, const Jobs& jobs, JobType type, absl::Duration timeout)
      : db_(db), jobs_(jobs), type_(std::move(type)), timeout_(timeout) {}

  // Returns how many jobs it has put back.
  absl::StatusOr<int> RunOnce(absl::Time now);

 private:
  struct Note {
    absl::Time time;
    Sequence watch;
  };

  absl::StatusOr<int> PutBack(const Sequence& not_renewed_since);

  const fdb::Database& db_;
  const Jobs& jobs_;
  const JobType type_;
  const absl::Duration timeout_;
  std::deque<Note> notes_;  // oldest first
};

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_BANK_RESCUER_H_
