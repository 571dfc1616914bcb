// Sequence: when a job gave its last sign of life, as (incarnation, versionstamp).
//
// Sequences grow with every transaction. The versionstamp is the database's; the incarnation is raised when the data
// moves to another cluster, whose versionstamps may be lower. Stored as a nested tuple, in keys and in values.
//
// Thread safety: a plain value. Lifetime: no references.
#ifndef FDBJOBS_KEYSPACE_SEQUENCE_H_
#define FDBJOBS_KEYSPACE_SEQUENCE_H_

#include <compare>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "fdbjobs/keyspace/tuple_reader.h"
#include "fdbjobs/keyspace/tuple_types.h"
#include "fdbjobs/keyspace/tuple_writer.h"

namespace fdbjobs::keyspace {

struct Sequence {
  uint8_t incarnation = 0;
  tuple::Versionstamp stamp;

  // The version at which it was committed: the first eight bytes of the stamp.
  uint64_t version() const;
  // "0:00000000075bcd15000a0003": the incarnation, and the stamp in hex.
  std::string ToString() const;

  friend bool operator==(const Sequence&, const Sequence&) = default;
  friend auto operator<=>(const Sequence&, const Sequence&) = default;
};

// The user version of watch rows. They are at least as high as everything else that their transaction stamped.
inline constexpr uint16_t kWatchUserVersion = 0xFFFF;

void WriteSequence(const Sequence& sequence, tuple::TupleWriter* writer);
absl::StatusOr<Sequence> ReadSequence(tuple::TupleReader* reader);

}  // namespace fdbjobs::keyspace

#endif  // FDBJOBS_KEYSPACE_SEQUENCE_H_
