// KeyspaceContents: every row of the jobs layer, read and taken apart, for checks that look at all of it.
//
// Keys are taken apart here without JobKeys, and must be those that JobKeys builds of their parts. A row that can't be
// read, or that nobody knows, is noted with its key and the reason; the others are read all the same.
//
// Thread safety: plain values. Lifetime: owns what it holds.
//
//   absl::StatusOr<KeyspaceContents> contents = ReadKeyspace(db, jobs.keys());
//   for (const std::string& violation : CheckKeyspace(*contents)) Print(violation);
#ifndef FDBJOBS_TESTS_JOBS_KEYSPACE_CONTENTS_H_
#define FDBJOBS_TESTS_JOBS_KEYSPACE_CONTENTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/job.h"
#include "fdbjobs/keyspace/job_keys.h"
#include "fdbjobs/keyspace/job_options.h"
#include "fdbjobs/keyspace/job_row.h"

namespace fdbjobs::test {

struct StoredJob {
  keyspace::JobRow row;
  keyspace::JobOptions options;
};

struct QueueRow {
  Priority priority;
  JobId id;

  friend bool operator==(const QueueRow&, const QueueRow&) = default;
};

struct TypeContents {
  std::map<JobId, StoredJob> jobs;
  std::vector<QueueRow> queue;  // in the order of the keys
  std::map<Sequence, JobId> activity;
  std::map<JobState, int64_t> counts;  // those that are stored
  std::optional<Sequence> watch;
  std::optional<tuple::Versionstamp> pending_watch;
  std::optional<int64_t> timeout_ms;

  // The activity entries that are no running job's: left by transactions that claimed a job and were done with it.
  std::map<Sequence, JobId> StaleActivity() const;
};

struct KeyspaceContents {
  std::map<JobType, TypeContents> types;  // each that some row speaks of
  int64_t incarnation = 0;
  std::optional<tuple::Versionstamp> types_watch;
  int64_t rows = 0;
  int64_t receipts = 0;
  std::vector<std::string> unreadable;  // "(couch_jobs, ...): why"

  // Enters one row. `key` begins with the prefix of `keys`.
  void Add(const keyspace::JobKeys& keys, std::string_view key, std::string_view value);

 private:
  absl::Status AddRow(const keyspace::JobKeys& keys, std::string_view key, std::string_view value);
  absl::Status AddOfType(const keyspace::JobKeys& keys, std::string_view name, const std::vector<std::string>& parts,
                         std::string_view value, std::string* rebuilt);
};

// Over as many transactions as it takes: of one moment only if the rows fit into one (10,000), or nobody writes.
absl::StatusOr<KeyspaceContents> ReadKeyspace(const fdb::Database& db, const keyspace::JobKeys& keys);

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_JOBS_KEYSPACE_CONTENTS_H_
