// The checker: whether a recorded history is strictly serializable, and left the database as it should be.
//
//   - Every read of every attempt, committed or not, is right at its read version.
//   - Serializable reads of committed attempts, and snapshot reads that were rechecked, are right at the commit, too.
//   - Nothing that an attempt named as a read conflict was written between its read version and its commit.
//   - Who was told "committed" is in the database, who was told "not committed" is not: the markers decide, also for
//     those who were told that nobody knows.
//   - Versionstamps are unique. An attempt that began after another was acknowledged reads and commits behind it.
//   - At the end the database is what the commits in the order of their stamps make of the first state.
//
// Thread safety: pure. Lifetime: the history owns its bytes.
//
//   EXPECT_THAT(Check(history), IsEmpty());
#ifndef FDBJOBS_TESTS_HISTORY_CHECKER_H_
#define FDBJOBS_TESTS_HISTORY_CHECKER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/history/history.h"
#include "tests/history/model.h"

namespace fdbjobs::test {

struct RecordedHistory {
  std::vector<Attempt> attempts;
  // Where in the database the attempts worked; markers lie outside of it.
  std::string data_begin;
  std::string data_end;
  Map first;
  Map last;
  // The stamps of the markers in the database at the end, by the id of the attempt.
  std::map<uint64_t, std::string> markers;
};

// One text for each problem; none when all is well. The attempts are taken by their stamps, so that those which nobody
// knew of have theirs afterwards.
std::vector<std::string> Check(RecordedHistory* history);

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_HISTORY_CHECKER_H_
