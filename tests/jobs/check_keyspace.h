// CheckKeyspace: what must hold between the rows of the jobs layer, whatever was done to it.
//
//   - every row is known and can be read, and versionstamps are complete
//   - a pending job stands in the queue once, at its priority; nobody else stands there
//   - a running job has the activity entry of its sequence, which is not past the type's watch row or the incarnation
//   - pending jobs have no marks, finished ones no resubmit mark
//   - the counters are the numbers of jobs
//
// Activity entries that are no job's any more are no violation: the monitor drops them.
//
// Thread safety: pure functions.
//
//   for (const std::string& violation : CheckKeyspace(*contents)) Print(violation);
#ifndef FDBJOBS_TESTS_JOBS_CHECK_KEYSPACE_H_
#define FDBJOBS_TESTS_JOBS_CHECK_KEYSPACE_H_

#include <string>
#include <vector>

#include "tests/jobs/keyspace_contents.h"

namespace fdbjobs::test {

// One line for each violation. Empty: all is well.
std::vector<std::string> CheckKeyspace(const KeyspaceContents& contents);

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_JOBS_CHECK_KEYSPACE_H_
