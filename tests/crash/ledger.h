// The ledger: what the writers of the crash tests write, and how to tell whether a piece of it is missing.
//
// Every commit of a thread touches all of these, so that a commit that is half there breaks one of the sums:
//   sequence/<writer>/<thread>           the number of its last commit, counted from 1
//   row/<writer>/<thread>/<number % 8>   a text that follows from writer, thread and number
//   total                                the sum of all sequences (ADD)
//   account/<i>                          money that moves between accounts; the sum stays 0
//   newest                               the stamp of the newest commit (SET_VERSIONSTAMPED_VALUE)
//
// Thread safety: pure functions. Lifetime: plain values.
//
//   absl::StatusOr<Commit> commit = CommitNext(database, {.writer = 1, .thread = 2}, random);
//   LedgerView seen = ReadLedger(database);
#ifndef FDBJOBS_TESTS_CRASH_LEDGER_H_
#define FDBJOBS_TESTS_CRASH_LEDGER_H_

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "fdbjobs/fdb/database.h"

namespace fdbjobs::test {

struct Author {
  uint32_t writer = 0;
  uint32_t thread = 0;
  friend auto operator<=>(const Author&, const Author&) = default;
};

// A commit that was acknowledged. Sent as it is from the writer to the test.
struct Commit {
  Author author;
  int64_t number = 0;
  int64_t version = 0;
};

// Makes the author's next commit, whatever its number is, and returns it when it is acknowledged.
absl::StatusOr<Commit> CommitNext(const fdb::Database& database, const Author& author, std::mt19937_64& random);

// The ledger at one version.
struct LedgerView {
  int64_t read_version = 0;
  std::map<Author, int64_t> sequences;
  int64_t newest_version = 0;
  // What does not fit together; empty when all is well.
  std::vector<std::string> problems;
};

absl::StatusOr<LedgerView> ReadLedger(const fdb::Database& database);

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_CRASH_LEDGER_H_
