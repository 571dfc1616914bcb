// Row: any row of the keyspace, taken apart. For dumps and checks, which look at every row there is.
//
// Any bytes are safe. A row that can't be read, or that nobody knows, says so in `damage`; what could be read of it is
// there all the same. A key counts as readable only if JobKeys builds the same bytes of its parts.
//
// Thread safety: plain values. Lifetime: a Row owns what it holds.
//
//   const Row row = ReadRow(keys, key, value);
//   Print(row.KeyText(keys), " = ", row.ValueText());
#ifndef FDBJOBS_KEYSPACE_ROW_READER_H_
#define FDBJOBS_KEYSPACE_ROW_READER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fdbjobs/keyspace/job_keys.h"
#include "fdbjobs/keyspace/job_options.h"
#include "fdbjobs/keyspace/job_row.h"
#include "fdbjobs/keyspace/packed_element.h"
#include "fdbjobs/keyspace/sequence.h"

namespace fdbjobs::keyspace {

enum class RowKind {
  kUnknown,
  kData,
  kPending,
  kWatch,
  kActivityTimeout,
  kActivity,
  kPendingWatch,
  kCount,
  kTypesWatch,
  kIncarnation,
  kReceipt,
};

struct Row {
  RowKind kind = RowKind::kUnknown;
  std::string key;
  std::string value;
  std::string key_damage;  // why the key can't be read; empty: it can
  std::string damage;      // the same of the row as a whole

  // Those that the kind has.
  std::optional<PackedElement> type;
  std::optional<PackedElement> id;
  std::optional<PackedElement> priority;
  std::optional<Sequence> sequence;          // of the key of an activity row, the value of a watch row
  std::optional<JobState> state;             // of a counter
  std::optional<JobRow> job;                 // of a data row
  std::optional<JobOptions> options;         // of a data row
  std::optional<int64_t> number;             // of a counter, timeout or incarnation
  std::optional<tuple::Versionstamp> stamp;  // of a pending watch or the types watch

  // In the notation of docs/tuple.md, without the prefix; in hex if it is no tuple.
  std::string KeyText(const JobKeys& keys) const { return keys.Describe(key); }
  // The same; a counter as its number.
  std::string ValueText() const;
};

// `key` begins with the prefix of `keys`.
Row ReadRow(const JobKeys& keys, std::string_view key, std::string_view value);

}  // namespace fdbjobs::keyspace

#endif  // FDBJOBS_KEYSPACE_ROW_READER_H_
