#include "tests/jobs/keyspace_contents.h"

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "fdbjobs/fdb/range.h"
#include "fdbjobs/fdb/transact.h"
#include "fdbjobs/keyspace/tuple_reader.h"

namespace fdbjobs::test {
namespace {

constexpr int kRowsAtATime = 10000;
constexpr JobState kStates[] = {JobState::kPending, JobState::kRunning, JobState::kFinished};

absl::Status Bad(std::string_view what) { return absl::DataLossError(std::string(what)); }

// What follows the root and the name in a key, packed, element by element.
absl::StatusOr<std::vector<std::string>> ReadParts(tuple::TupleReader* reader) {
  std::vector<std::string> parts;
  while (!reader->AtEnd()) {
    const absl::StatusOr<std::string_view> part = reader->ReadRaw();
    if (!part.ok()) return part.status();
    parts.emplace_back(*part);
  }
  return parts;
}

absl::StatusOr<tuple::Versionstamp> DecodeStampAlone(std::string_view value) {
  tuple::TupleReader reader(value);
  absl::StatusOr<tuple::Versionstamp> stamp = reader.ReadVersionstamp();
  if (stamp.ok() && !reader.AtEnd()) return Bad("further elements behind the versionstamp");
  return stamp;
}

absl::StatusOr<Sequence> DecodePackedSequence(std::string_view packed) {
  return keyspace::JobKeys::DecodeSequence(packed);
}

absl::StatusOr<JobState> DecodeStateName(std::string_view packed) {
  tuple::TupleReader reader(packed);
  std::string scratch;
  const absl::StatusOr<std::string_view> name = reader.ReadString(&scratch);
  if (!name.ok()) return name.status();
  for (const JobState state : kStates) {
    if (*name == JobStateName(state)) return state;
  }
  return Bad(absl::StrCat("\"", std::string(*name), "\" is no state"));
}

absl::StatusOr<StoredJob> DecodeJobRow(std::string_view value) {
  absl::StatusOr<keyspace::JobRow> row = keyspace::JobRow::Decode(value);
  if (!row.ok()) return row.status();
  absl::StatusOr<keyspace::JobOptions> options = keyspace::JobOptions::Parse(row->options);
  if (!options.ok()) return options.status();
  return StoredJob{*std::move(row), *std::move(options)};
}

// (number, milliseconds)
absl::Status CheckReceipt(const std::vector<std::string>& parts, std::string_view value, const keyspace::JobKeys& keys,
                          std::string* rebuilt) {
  if (parts.size() != 2) return Bad("a receipt's key has a process and a slot");
  tuple::TupleReader process(parts[0]);
  tuple::TupleReader slot(parts[1]);
  const absl::StatusOr<tuple::Uuid> uuid = process.ReadUuid();
  const absl::StatusOr<uint64_t> number = slot.ReadUint64();
  if (!uuid.ok()) return uuid.status();
  if (!number.ok()) return number.status();
  *rebuilt = keys.Receipt(*uuid, *number);
  tuple::TupleReader reader(value);
  if (absl::Status status = reader.ReadUint64().status(); !status.ok()) return status;
  if (absl::Status status = reader.ReadInt64().status(); !status.ok()) return status;
  return reader.AtEnd() ? absl::OkStatus() : Bad("further elements behind the time");
}

}  // namespace

std::map<Sequence, JobId> TypeContents::StaleActivity() const {
  std::map<Sequence, JobId> stale;
  for (const auto& [sequence, id] : activity) {
    const auto job = jobs.find(id);
    const bool own =
        job != jobs.end() && job->second.row.state == JobState::kRunning && job->second.row.sequence == sequence;
    if (!own) stale.emplace(sequence, id);
  }
  return stale;
}

void KeyspaceContents::Add(const keyspace::JobKeys& keys, std::string_view key, std::string_view value) {
  ++rows;
  if (absl::Status status = AddRow(keys, key, value); !status.ok()) {
    unreadable.push_back(absl::StrCat(keys.Describe(key), ": ", std::string(status.message())));
  }
}

absl::Status KeyspaceContents::AddRow(const keyspace::JobKeys& keys, std::string_view key, std::string_view value) {
  tuple::TupleReader reader(key.substr(keys.prefix().size()));
  std::string scratch;
  const absl::StatusOr<std::string_view> root = reader.ReadString(&scratch);
  if (!root.ok()) return root.status();
  if (*root != "couch_jobs") return Bad("not a row of the jobs layer");
  std::string name_scratch;
  const absl::StatusOr<std::string_view> name = reader.ReadString(&name_scratch);
  if (!name.ok()) return name.status();
  const absl::StatusOr<std::vector<std::string>> parts = ReadParts(&reader);
  if (!parts.ok()) return parts.status();

  std::string rebuilt;
  absl::Status status;
  if (*name == "incarnation" && parts->empty()) {
    rebuilt = keys.Incarnation();
    const absl::StatusOr<int64_t> number = keyspace::JobKeys::DecodeNumber(value);
    if (number.ok()) incarnation = *number;
    status = number.status();
  } else if (*name == "types_watch" && parts->empty()) {
    rebuilt = keys.TypesWatch();
    const absl::StatusOr<tuple::Versionstamp> stamp = DecodeStampAlone(value);
    if (stamp.ok()) types_watch = *stamp;
    status = stamp.status();
  } else if (*name == "receipt") {
    ++receipts;
    status = CheckReceipt(*parts, value, keys, &rebuilt);
  } else {
    status = AddOfType(keys, *name, *parts, value, &rebuilt);
  }
  if (status.ok() && rebuilt != key) {
    return Bad(absl::StrCat("fdbjobs would write this key as 0x", absl::BytesToHexString(rebuilt)));
  }
  return status;
}

absl::Status KeyspaceContents::AddOfType(const keyspace::JobKeys& keys, std::string_view name,
                                         const std::vector<std::string>& parts, std::string_view value,
                                         std::string* rebuilt) {
  if (parts.empty()) return Bad("unknown row");
  const JobType type = JobType::FromPacked(parts[0]);
  // Nothing is entered for a row that can't be read.
  const auto keep = [&](auto decoded, auto member) {
    if (decoded.ok()) member(types[type]) = *std::move(decoded);
    return decoded.status();
  };
  if (name == "data" && parts.size() == 2) {
    const JobId id = JobId::FromPacked(parts[1]);
    *rebuilt = keys.Data(type, id);
    return keep(
        DecodeJobRow(value), [&](TypeContents & of_type) -> auto& { return of_type.jobs[id]; });
  }
  if (name == "pending" && parts.size() == 3) {
    const QueueRow row{Priority::FromPacked(parts[1]), JobId::FromPacked(parts[2])};
    *rebuilt = keys.Pending(type, row.priority, row.id);
    types[type].queue.push_back(row);
    return value.empty() ? absl::OkStatus() : Bad("a pending row has no value");
  }
  if (name == "activity" && parts.size() == 2) {
    const absl::StatusOr<Sequence> sequence = DecodePackedSequence(parts[1]);
    if (!sequence.ok()) return sequence.status();
    *rebuilt = keys.Activity(type, *sequence);
    return keep(
        keyspace::JobKeys::DecodeId(value), [&](TypeContents & of_type) -> auto& {
          return of_type.activity[*sequence];
        });
  }
  if (name == "count" && parts.size() == 2) {
    const absl::StatusOr<JobState> state = DecodeStateName(parts[1]);
    if (!state.ok()) return state.status();
    *rebuilt = keys.Count(type, *state);
    return keep(
        keyspace::JobKeys::DecodeCount(value), [&](TypeContents & of_type) -> auto& { return of_type.counts[*state]; });
  }
  if (parts.size() != 1) return Bad("unknown row");
  if (name == "watches") {
    *rebuilt = keys.Watch(type);
    return keep(
        keyspace::JobKeys::DecodeSequence(value), [](TypeContents & of_type) -> auto& { return of_type.watch; });
  }
  if (name == "pending_watch") {
    *rebuilt = keys.PendingWatch(type);
    return keep(
        DecodeStampAlone(value), [](TypeContents & of_type) -> auto& { return of_type.pending_watch; });
  }
  if (name == "activity_timeout") {
    *rebuilt = keys.ActivityTimeout(type);
    return keep(
        keyspace::JobKeys::DecodeNumber(value), [](TypeContents & of_type) -> auto& { return of_type.timeout_ms; });
  }
  return Bad("unknown row");
}

absl::StatusOr<KeyspaceContents> ReadKeyspace(const fdb::Database& db, const keyspace::JobKeys& keys) {
  KeyspaceContents contents;
  keyspace::KeyRange range = keys.All();
  while (true) {
    const auto rows = fdb::Transact(db, [&](fdb::Transaction& tr) {
      return fdb::ReadRange(tr, {.begin = fdb::KeySelectorView::FirstGreaterOrEqual(range.begin),
                                 .end = fdb::KeySelectorView::FirstGreaterOrEqual(range.end),
                                 .isolation = fdb::Isolation::kSnapshot,  // nothing is written
                                 .limit = kRowsAtATime,
                                 .mode = fdb::StreamingMode::kWantAll});
    });
    if (!rows.ok()) return rows.status();
    for (const fdb::KeyValue& row : *rows) contents.Add(keys, row.key, row.value);
    if (rows->size() < kRowsAtATime) return contents;
    range.begin = rows->back().key + '\0';
  }
}

}  // namespace fdbjobs::test
