// What the history test records: every try of a transaction, what it asked for and what came of it.
//
// Thread safety: plain values. Lifetime: they own their bytes.
//
//   std::string bytes = Encode(attempts);        // in one process
//   std::vector<Attempt> attempts = Decode(bytes);  // in another
#ifndef FDBJOBS_TESTS_HISTORY_HISTORY_H_
#define FDBJOBS_TESTS_HISTORY_HISTORY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fdbjobs::test {

using Row = std::pair<std::string, std::string>;

struct Selector {
  std::string key;
  bool or_equal = false;
  int offset = 1;
};

// One call on a transaction. Which fields count depends on the kind.
struct Operation {
  enum class Kind : int {
    kGet,           // key
    kGetKey,        // begin
    kGetRange,      // begin, end, reverse, limit, mode, whole
    kSet,           // key, value
    kClear,         // key
    kClearRange,    // key, value: the end
    kAtomic,        // mutation, key, value: the operand
    kStampedKey,    // key, stamp_at, value
    kStampedValue,  // key, value, stamp_at
    kReadConflict,  // key, value: the end
    kWriteConflict  // key, value: the end
  };
  Kind kind = Kind::kGet;
  std::string key;
  std::string value;
  int mutation = 0;
  // Where in the key, or the value, the ten bytes of the stamp go.
  uint32_t stamp_at = 0;

  Selector begin;
  Selector end;
  bool reverse = false;
  int limit = 0;
  int mode = 0;
  // Read batch by batch to the end or the limit; else the first batch only.
  bool whole = false;
  bool snapshot = false;
  // A snapshot read whose keys were then added to the read conflicts: it must hold at the commit, too.
  bool rechecked = false;
  // Issued together with the read that follows.
  bool together = false;

  // What a read found.
  std::optional<std::string> found;  // kGet: the value; kGetKey: the key
  std::vector<Row> rows;
  bool more = false;

  bool IsRead() const { return kind <= Kind::kGetRange; }
  bool IsWrite() const { return kind >= Kind::kSet && kind <= Kind::kStampedValue; }
};

// Which of a transaction's own writes its reads see.
enum class OwnWrites : int { kSeen, kNotBySnapshotReads, kNotSeen };

// One try of a transaction.
struct Attempt {
  // Different for every attempt of a history; the marker is named by it.
  uint64_t id = 0;
  OwnWrites own_writes = OwnWrites::kSeen;
  // Microseconds of CLOCK_MONOTONIC: before it asked for its read version, after it had its answer.
  int64_t started_us = 0;
  int64_t finished_us = 0;
  // -1 when it is not known. `version_given`: the transaction was told which one, and may read the past.
  int64_t read_version = -1;
  bool version_given = false;
  bool read_only = false;

  // What was done before the end; a read that failed is not among it.
  std::vector<Operation> operations;
  // Of the operation, or the commit, that ended it. 0: it committed.
  int error = 0;
  // Whether it got as far as its commit, and whether that may have happened in spite of the error.
  bool commit_tried = false;
  bool maybe_committed = false;
  // Of a commit that was acknowledged.
  int64_t committed_version = -1;
  std::string stamp;
};

std::string Encode(const std::vector<Attempt>& attempts);
// Ends the program if `bytes` is not what Encode made.
std::vector<Attempt> Decode(std::string_view bytes);

// For messages: printable, bytes that are not so as \xhh.
std::string Show(std::string_view bytes);
std::string Show(const Operation& operation);
// The attempt with all of its operations, one a line.
std::string Show(const Attempt& attempt);

// The version in the first eight bytes of a stamp.
int64_t VersionOfStamp(std::string_view stamp);

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_HISTORY_HISTORY_H_
