#include "fdbjobs/keyspace/job_row.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "fdbjobs/keyspace/tuple_reader.h"
#include "fdbjobs/keyspace/tuple_writer.h"

namespace fdbjobs {

const char* JobStateName(JobState state) {
  switch (state) {
    case JobState::kPending:
      return "pending";
    case JobState::kRunning:
      return "running";
    case JobState::kFinished:
      return "finished";
  }
  return "unknown";
}

}  // namespace fdbjobs

namespace fdbjobs::keyspace {
namespace {

absl::Status Damaged(const char* what) { return absl::DataLossError(absl::StrCat("data row: ", what)); }
absl::Status Damaged(const absl::Status& status) {
  return absl::DataLossError(absl::StrCat("data row: ", status.message()));
}

// The first element: what it is says in which state the job is.
absl::Status ReadState(tuple::TupleReader* reader, JobRow* row) {
  switch (reader->Peek().value_or(tuple::Kind::kBool)) {
    case tuple::Kind::kNull:
      row->state = JobState::kFinished;
      return reader->ReadNull();
    case tuple::Kind::kTuple: {
      row->state = JobState::kRunning;
      const absl::StatusOr<Sequence> sequence = ReadSequence(reader);
      if (sequence.ok()) row->sequence = *sequence;
      return sequence.status();
    }
    case tuple::Kind::kInteger: {
      row->state = JobState::kPending;
      const absl::StatusOr<int64_t> zero = reader->ReadInt64();
      if (zero.ok() && *zero != 0) return absl::DataLossError(absl::StrCat("sequence ", *zero, " where 0 is expected"));
      return zero.status();
    }
    default:
      return absl::DataLossError("the sequence is neither 0, null nor a nested tuple");
  }
}

void Begin(size_t options_size, std::string* value) { value->reserve(options_size + 48); }

}  // namespace

absl::StatusOr<JobRow> JobRow::Decode(std::string_view value) {
  JobRow row;
  tuple::TupleReader reader(value);
  if (absl::Status status = ReadState(&reader, &row); !status.ok()) return Damaged(status);
  if (row.state == JobState::kRunning) {
    const absl::StatusOr<tuple::Uuid> lock = reader.ReadUuid();
    if (!lock.ok()) return Damaged(lock.status());
    row.lock = *lock;
  } else if (absl::Status status = reader.ReadNull(); !status.ok()) {
    return Damaged(status);
  }
  std::string scratch;
  const absl::StatusOr<std::string_view> options = reader.ReadString(&scratch);
  if (!options.ok()) return Damaged(options.status());
  row.options = *options;
  if (!reader.AtEnd()) return Damaged("further elements behind the third");
  return row;
}

std::string JobRow::Encode() const {
  std::string value;
  Begin(options.size(), &value);
  tuple::TupleWriter writer(&value, tuple::Utf8::kKeep);
  switch (state) {
    case JobState::kPending:
      writer.AddInt(0).AddNull();
      break;
    case JobState::kRunning:
      WriteSequence(sequence, &writer);
      writer.AddUuid(lock);
      break;
    case JobState::kFinished:
      writer.AddNull().AddNull();
      break;
  }
  writer.AddString(options);
  return value;
}

std::string JobRow::EncodeToStamp(uint16_t user_version) const {
  std::string operand;
  Begin(options.size(), &operand);
  tuple::TupleWriter writer(&operand, tuple::Utf8::kKeep);
  WriteSequence({sequence.incarnation, tuple::Versionstamp::Incomplete(user_version)}, &writer);
  writer.AddUuid(lock).AddString(options);
  // There is one incomplete stamp and nothing that could fail.
  writer.FinishWithVersionstamp().IgnoreError();
  return operand;
}

}  // namespace fdbjobs::keyspace
