#include "fdbjobs/keyspace/job_keys.h"

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "fdbjobs/keyspace/tuple_reader.h"
#include "fdbjobs/keyspace/tuple_writer.h"

namespace fdbjobs::keyspace {
namespace {

std::string Below(std::string_view parent, std::string_view name) {
  std::string key(parent);
  tuple::TupleWriter(&key).AddString(name);
  return key;
}

// What follows `parent` and the type in `key`.
absl::StatusOr<std::string_view> Rest(std::string_view parent, const PackedElement& type, std::string_view key) {
  const size_t size = parent.size() + type.packed().size();
  if (key.size() <= size || !key.starts_with(parent) || !key.substr(parent.size()).starts_with(type.packed())) {
    return absl::DataLossError(absl::StrCat("key is not one of type ", type.ToString()));
  }
  return key.substr(size);
}

}  // namespace

JobKeys::JobKeys(std::string_view prefix)
    : prefix_(prefix),
      root_(Below(prefix, "couch_jobs")),
      data_(Below(root_, "data")),
      pending_(Below(root_, "pending")),
      watches_(Below(root_, "watches")),
      activity_timeout_(Below(root_, "activity_timeout")),
      activity_(Below(root_, "activity")),
      pending_watch_(Below(root_, "pending_watch")),
      count_(Below(root_, "count")),
      types_watch_(Below(root_, "types_watch")),
      incarnation_(Below(root_, "incarnation")),
      receipt_(Below(root_, "receipt")) {}

std::string JobKeys::Join(std::string_view a, std::string_view b, std::string_view c) {
  std::string key;
  key.reserve(a.size() + b.size() + c.size());
  return key.append(a).append(b).append(c);
}

std::string JobKeys::Pending(const PackedElement& type, const PackedElement& priority, const PackedElement& id) const {
  std::string key;
  key.reserve(PendingSize(type, priority, id));
  return key.append(pending_).append(type.packed()).append(priority.packed()).append(id.packed());
}

absl::Status JobKeys::CheckPending(const PackedElement& type, const PackedElement& priority,
                                   const PackedElement& id) const {
  const size_t bytes = PendingSize(type, priority, id);
  if (bytes <= kMaxKeyBytes) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("JobOpts: the priority makes a pending key of ", bytes, " bytes; at most ",
                                          kMaxKeyBytes, " are allowed"));
}

std::string JobKeys::Activity(const PackedElement& type, const Sequence& sequence) const {
  std::string key = Join(activity_, type.packed());
  tuple::TupleWriter writer(&key);
  WriteSequence(sequence, &writer);
  return key;
}

std::string JobKeys::ActivityToStamp(const PackedElement& type, uint8_t incarnation, uint16_t user_version) const {
  std::string operand;
  operand.reserve(activity_.size() + type.packed().size() + 24);
  operand.append(activity_).append(type.packed());
  tuple::TupleWriter writer(&operand);
  WriteSequence({incarnation, tuple::Versionstamp::Incomplete(user_version)}, &writer);
  // There is one incomplete stamp and nothing that could fail.
  writer.FinishWithVersionstamp().IgnoreError();
  return operand;
}

std::string JobKeys::Count(const PackedElement& type, JobState state) const {
  std::string key = Join(count_, type.packed());
  tuple::TupleWriter(&key).AddString(JobStateName(state));
  return key;
}

std::string JobKeys::Receipt(const tuple::Uuid& process, uint64_t slot) const {
  std::string key = receipt_;
  tuple::TupleWriter(&key).AddUuid(process).AddUint(slot);
  return key;
}

absl::StatusOr<JobKeys::PendingParts> JobKeys::ReadPending(const PackedElement& type, std::string_view key) const {
  const absl::StatusOr<std::string_view> rest = Rest(pending_, type, key);
  if (!rest.ok()) return rest.status();
  tuple::TupleReader reader(*rest);
  const absl::StatusOr<std::string_view> priority = reader.ReadRaw();
  if (!priority.ok()) return absl::DataLossError(absl::StrCat("priority: ", priority.status().message()));
  const absl::StatusOr<std::string_view> id = reader.ReadRaw();
  if (!id.ok()) return absl::DataLossError(absl::StrCat("job id: ", id.status().message()));
  if (!reader.AtEnd()) return absl::DataLossError("further elements behind the job id");
  return PendingParts{*priority, *id};
}

absl::StatusOr<std::string_view> JobKeys::ReadDataId(const PackedElement& type, std::string_view key) const {
  const absl::StatusOr<std::string_view> rest = Rest(data_, type, key);
  if (!rest.ok()) return rest.status();
  tuple::TupleReader reader(*rest);
  const absl::StatusOr<std::string_view> id = reader.ReadRaw();
  if (!id.ok()) return absl::DataLossError(absl::StrCat("job id: ", id.status().message()));
  if (!reader.AtEnd()) return absl::DataLossError("further elements behind the job id");
  return *id;
}

absl::StatusOr<Sequence> JobKeys::ReadActivity(const PackedElement& type, std::string_view key) const {
  const absl::StatusOr<std::string_view> rest = Rest(activity_, type, key);
  if (!rest.ok()) return rest.status();
  tuple::TupleReader reader(*rest);
  absl::StatusOr<Sequence> sequence = ReadSequence(&reader);
  if (!sequence.ok()) return absl::DataLossError(absl::StrCat("sequence: ", sequence.status().message()));
  if (!reader.AtEnd()) return absl::DataLossError("further elements behind the sequence");
  return sequence;
}

absl::StatusOr<PackedElement> JobKeys::ReadType(std::string_view key) const {
  if (!key.starts_with(activity_timeout_)) return absl::DataLossError("key is not one of an activity timeout");
  tuple::TupleReader reader(key.substr(activity_timeout_.size()));
  const absl::StatusOr<std::string_view> type = reader.ReadRaw();
  if (!type.ok()) return absl::DataLossError(absl::StrCat("type: ", type.status().message()));
  if (!reader.AtEnd()) return absl::DataLossError("further elements behind the type");
  return PackedElement::FromPacked(*type);
}

absl::StatusOr<PackedElement> JobKeys::DecodeId(std::string_view value) {
  tuple::TupleReader reader(value);
  const absl::StatusOr<std::string_view> id = reader.ReadRaw();
  if (!id.ok()) return absl::DataLossError(absl::StrCat("job id: ", id.status().message()));
  if (!reader.AtEnd()) return absl::DataLossError("further elements behind the job id");
  return PackedElement::FromPacked(*id);
}

std::string JobKeys::EncodeNumber(int64_t number) {
  std::string value;
  tuple::TupleWriter(&value).AddInt(number);
  return value;
}

absl::StatusOr<int64_t> JobKeys::DecodeNumber(std::string_view value) {
  tuple::TupleReader reader(value);
  const absl::StatusOr<int64_t> number = reader.ReadInt64();
  if (!number.ok()) return absl::DataLossError(std::string(number.status().message()));
  if (!reader.AtEnd()) return absl::DataLossError("further elements behind the number");
  return *number;
}

absl::StatusOr<int64_t> JobKeys::DecodeTimeout(std::string_view value) {
  const absl::StatusOr<int64_t> milliseconds = DecodeNumber(value);
  if (milliseconds.ok() && *milliseconds < 1) {
    return absl::DataLossError(absl::StrCat("a timeout of ", *milliseconds, " ms; it should be 1 or more"));
  }
  return milliseconds;
}

absl::StatusOr<int64_t> JobKeys::DecodeCount(std::string_view value) {
  if (value.size() != sizeof(int64_t)) {
    return absl::DataLossError(absl::StrCat("a counter of ", value.size(), " bytes; it should have 8"));
  }
  uint64_t count = 0;
  for (size_t i = value.size(); i-- > 0;) count = count << 8 | static_cast<uint8_t>(value[i]);
  return static_cast<int64_t>(count);
}

std::string JobKeys::EncodeSequence(const Sequence& sequence) {
  std::string value;
  tuple::TupleWriter writer(&value);
  WriteSequence(sequence, &writer);
  return value;
}

std::string JobKeys::WatchToStamp(uint8_t incarnation) {
  std::string operand;
  tuple::TupleWriter writer(&operand);
  WriteSequence({incarnation, tuple::Versionstamp::Incomplete(kWatchUserVersion)}, &writer);
  // There is one incomplete stamp and nothing that could fail.
  writer.FinishWithVersionstamp().IgnoreError();
  return operand;
}

const std::string& JobKeys::StampAlone() {
  static const std::string* const operand = [] {
    auto* stamp = new std::string;
    tuple::TupleWriter writer(stamp);
    writer.AddVersionstamp(tuple::Versionstamp::Incomplete(kWatchUserVersion));
    writer.FinishWithVersionstamp().IgnoreError();
    return stamp;
  }();
  return *operand;
}

std::string JobKeys::EncodeReceipt(uint64_t number, int64_t milliseconds) {
  std::string value;
  tuple::TupleWriter(&value).AddUint(number).AddInt(milliseconds);
  return value;
}

absl::StatusOr<int64_t> JobKeys::DecodeReceiptTime(std::string_view value) {
  tuple::TupleReader reader(value);
  const absl::StatusOr<uint64_t> number = reader.ReadUint64();
  if (!number.ok()) return absl::DataLossError(absl::StrCat("number: ", number.status().message()));
  const absl::StatusOr<int64_t> milliseconds = reader.ReadInt64();
  if (!milliseconds.ok()) return absl::DataLossError(absl::StrCat("time: ", milliseconds.status().message()));
  if (!reader.AtEnd()) return absl::DataLossError("further elements behind the time");
  return *milliseconds;
}

std::string JobKeys::Describe(std::string_view key) const {
  if (key.starts_with(prefix_)) {
    const absl::StatusOr<tuple::Tuple> tuple = tuple::Decode(key.substr(prefix_.size()));
    if (tuple.ok()) return tuple->ToString();
  }
  return absl::StrCat("0x", absl::BytesToHexString({key.data(), key.size()}));
}

absl::StatusOr<Sequence> JobKeys::DecodeSequence(std::string_view value) {
  tuple::TupleReader reader(value);
  absl::StatusOr<Sequence> sequence = ReadSequence(&reader);
  if (!sequence.ok()) return absl::DataLossError(std::string(sequence.status().message()));
  if (!reader.AtEnd()) return absl::DataLossError("further elements behind the sequence");
  return sequence;
}

}  // namespace fdbjobs::keyspace
