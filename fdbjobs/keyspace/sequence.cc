#include "fdbjobs/keyspace/sequence.h"

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace fdbjobs::keyspace {

uint64_t Sequence::version() const {
  uint64_t version = 0;
  for (size_t i = 0; i < sizeof version; ++i) version = version << 8 | stamp.transaction[i];
  return version;
}

std::string Sequence::ToString() const {
  std::string bytes(stamp.transaction.begin(), stamp.transaction.end());
  bytes.push_back(static_cast<char>(stamp.user_version >> 8));
  bytes.push_back(static_cast<char>(stamp.user_version & 0xFF));
  return absl::StrCat(incarnation, ":", absl::BytesToHexString(bytes));
}

void WriteSequence(const Sequence& sequence, tuple::TupleWriter* writer) {
  writer->BeginNested().AddInt(sequence.incarnation).AddVersionstamp(sequence.stamp).EndNested();
}

absl::StatusOr<Sequence> ReadSequence(tuple::TupleReader* reader) {
  if (absl::Status status = reader->EnterNested(); !status.ok()) return status;
  const absl::StatusOr<int64_t> incarnation = reader->ReadInt64();
  if (!incarnation.ok()) return incarnation.status();
  if (*incarnation < 0 || *incarnation > 255) {
    return absl::DataLossError(absl::StrCat("incarnation ", *incarnation, " is not within 0 to 255"));
  }
  const absl::StatusOr<tuple::Versionstamp> stamp = reader->ReadVersionstamp();
  if (!stamp.ok()) return stamp.status();
  if (absl::Status status = reader->LeaveNested(); !status.ok()) return status;
  return Sequence{static_cast<uint8_t>(*incarnation), *stamp};
}

}  // namespace fdbjobs::keyspace
