#include "fdbjobs/keyspace/row_reader.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "fdbjobs/keyspace/tuple_reader.h"

namespace fdbjobs::keyspace {
namespace {

constexpr JobState kStates[] = {JobState::kPending, JobState::kRunning, JobState::kFinished};

struct KindName {
  const char* name;
  RowKind kind;
  size_t parts;  // elements behind the name
};
constexpr KindName kKinds[] = {
    {"data", RowKind::kData, 2},
    {"pending", RowKind::kPending, 3},
    {"watches", RowKind::kWatch, 1},
    {"activity_timeout", RowKind::kActivityTimeout, 1},
    {"activity", RowKind::kActivity, 2},
    {"pending_watch", RowKind::kPendingWatch, 1},
    {"count", RowKind::kCount, 2},
    {"types_watch", RowKind::kTypesWatch, 0},
    {"incarnation", RowKind::kIncarnation, 0},
    {"receipt", RowKind::kReceipt, 2},
};

absl::Status Bad(std::string_view what) { return absl::DataLossError(std::string(what)); }

absl::StatusOr<JobState> StateOf(std::string_view packed) {
  for (const JobState state : kStates) {
    if (PackedElement(JobStateName(state)).packed() == packed) return state;
  }
  return Bad("the last element names no state");
}

// Splits the key, and finds out the kind.
absl::Status SplitKey(const JobKeys& keys, Row* row, std::vector<std::string_view>* parts) {
  tuple::TupleReader reader(std::string_view(row->key).substr(keys.prefix().size()));
  std::string scratch;
  const absl::StatusOr<std::string_view> root = reader.ReadString(&scratch);
  if (!root.ok()) return root.status();
  if (*root != "couch_jobs") return Bad("not a row of the jobs layer");
  const absl::StatusOr<std::string_view> name = reader.ReadString(&scratch);
  if (!name.ok()) return name.status();
  const KindName* known = nullptr;
  for (const KindName& kind : kKinds) {
    if (*name == kind.name) known = &kind;
  }
  if (known == nullptr) return Bad("nobody knows rows of this name");
  row->kind = known->kind;
  while (!reader.AtEnd()) {
    const absl::StatusOr<std::string_view> part = reader.ReadRaw();
    if (!part.ok()) return part.status();
    parts->push_back(*part);
  }
  if (parts->size() == known->parts) return absl::OkStatus();
  return Bad(absl::StrCat("the key has ", parts->size(), " elements behind its name; it should have ", known->parts));
}

// Takes the parts of the key apart, and builds it again.
absl::Status ReadParts(const JobKeys& keys, const std::vector<std::string_view>& parts, Row* row,
                       std::string* rebuilt) {
  if (row->kind == RowKind::kTypesWatch || row->kind == RowKind::kIncarnation) {
    *rebuilt = row->kind == RowKind::kTypesWatch ? keys.TypesWatch() : keys.Incarnation();
    return absl::OkStatus();
  }
  if (row->kind == RowKind::kReceipt) {
    tuple::TupleReader process(parts[0]);
    tuple::TupleReader slot(parts[1]);
    const absl::StatusOr<tuple::Uuid> uuid = process.ReadUuid();
    const absl::StatusOr<uint64_t> number = slot.ReadUint64();
    if (!uuid.ok()) return uuid.status();
    if (!number.ok()) return number.status();
    *rebuilt = keys.Receipt(*uuid, *number);
    return absl::OkStatus();
  }
  row->type = PackedElement::FromPacked(parts[0]);
  // Packed anew, so that an integer in a longer form than need be shows.
  const auto proper = [](std::string_view packed) {
    return PackedElement(PackedElement::FromPacked(packed).element());
  };
  switch (row->kind) {
    case RowKind::kData:
      row->id = PackedElement::FromPacked(parts[1]);
      *rebuilt = keys.Data(proper(parts[0]), proper(parts[1]));
      break;
    case RowKind::kPending:
      row->priority = PackedElement::FromPacked(parts[1]);
      row->id = PackedElement::FromPacked(parts[2]);
      *rebuilt = keys.Pending(proper(parts[0]), proper(parts[1]), proper(parts[2]));
      break;
    case RowKind::kActivity: {
      const absl::StatusOr<Sequence> sequence = JobKeys::DecodeSequence(parts[1]);
      if (!sequence.ok()) return sequence.status();
      row->sequence = *sequence;
      *rebuilt = keys.Activity(proper(parts[0]), *sequence);
      break;
    }
    case RowKind::kCount: {
      const absl::StatusOr<JobState> state = StateOf(parts[1]);
      if (!state.ok()) return state.status();
      row->state = *state;
      *rebuilt = keys.Count(proper(parts[0]), *state);
      break;
    }
    case RowKind::kWatch:
      *rebuilt = keys.Watch(proper(parts[0]));
      break;
    case RowKind::kPendingWatch:
      *rebuilt = keys.PendingWatch(proper(parts[0]));
      break;
    default:
      *rebuilt = keys.ActivityTimeout(proper(parts[0]));
      break;
  }
  return absl::OkStatus();
}

absl::Status ReadKey(const JobKeys& keys, Row* row) {
  std::vector<std::string_view> parts;
  if (absl::Status status = SplitKey(keys, row, &parts); !status.ok()) return status;
  std::string rebuilt;
  if (absl::Status status = ReadParts(keys, parts, row, &rebuilt); !status.ok()) return status;
  return rebuilt == row->key ? absl::OkStatus() : Bad("the key is not packed as it should be");
}

// Puts a part into its place, or returns why there is none.
template <typename T>
absl::Status Store(absl::StatusOr<T> part, std::optional<T>* place) {
  if (!part.ok()) return part.status();
  *place = *std::move(part);
  return absl::OkStatus();
}

absl::StatusOr<tuple::Versionstamp> DecodeStamp(std::string_view value) {
  tuple::TupleReader reader(value);
  absl::StatusOr<tuple::Versionstamp> stamp = reader.ReadVersionstamp();
  if (stamp.ok() && !reader.AtEnd()) return Bad("further elements behind the versionstamp");
  return stamp;
}

absl::Status CheckReceipt(std::string_view value) {
  tuple::TupleReader reader(value);
  if (absl::Status status = reader.ReadUint64().status(); !status.ok()) return status;
  if (absl::Status status = reader.ReadInt64().status(); !status.ok()) return status;
  return reader.AtEnd() ? absl::OkStatus() : Bad("further elements behind the time");
}

absl::Status ReadData(const JobKeys& keys, Row* row) {
  if (absl::Status status = Store(JobRow::Decode(row->value), &row->job); !status.ok()) return status;
  if (absl::Status status = Store(JobOptions::Parse(row->job->options), &row->options); !status.ok()) return status;
  if (!row->type.has_value() || !row->id.has_value()) return absl::OkStatus();
  return keys.CheckPending(*row->type, row->options->priority, *row->id);
}

absl::Status ReadValue(const JobKeys& keys, Row* row) {
  switch (row->kind) {
    case RowKind::kData:
      return ReadData(keys, row);
    case RowKind::kPending:
      return row->value.empty() ? absl::OkStatus() : Bad("the value is not empty");
    case RowKind::kWatch:
      return Store(JobKeys::DecodeSequence(row->value), &row->sequence);
    case RowKind::kActivity:
      return Store(JobKeys::DecodeId(row->value), &row->id);
    case RowKind::kActivityTimeout:
    case RowKind::kIncarnation:
      return Store(JobKeys::DecodeNumber(row->value), &row->number);
    case RowKind::kCount:
      return Store(JobKeys::DecodeCount(row->value), &row->number);
    case RowKind::kPendingWatch:
    case RowKind::kTypesWatch:
      return Store(DecodeStamp(row->value), &row->stamp);
    case RowKind::kReceipt:
      return CheckReceipt(row->value);
    case RowKind::kUnknown:
      break;
  }
  return absl::OkStatus();
}

}  // namespace

Row ReadRow(const JobKeys& keys, std::string_view key, std::string_view value) {
  Row row;
  row.key = key;
  row.value = value;
  const absl::Status read_key = ReadKey(keys, &row);
  if (!read_key.ok()) row.key_damage = row.damage = std::string(read_key.message());
  const absl::Status read_value = ReadValue(keys, &row);
  if (read_key.ok() && !read_value.ok()) row.damage = std::string(read_value.message());
  return row;
}

std::string Row::ValueText() const {
  if (kind == RowKind::kCount && number.has_value()) return absl::StrCat(*number);
  if (value.empty()) return "\"\"";
  const absl::StatusOr<tuple::Tuple> tuple = tuple::Decode(value);
  if (tuple.ok()) return tuple->ToString();
  return absl::StrCat("0x", absl::BytesToHexString({value.data(), value.size()}));
}

}  // namespace fdbjobs::keyspace
