// The examples of the headers of the keyspace, compiled. As header_examples.cc.
#include <iostream>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fdbjobs/fdb/transaction.h"
#include "fdbjobs/keyspace/id_prefix.h"
#include "fdbjobs/keyspace/job_keys.h"
#include "fdbjobs/keyspace/job_options.h"
#include "fdbjobs/keyspace/job_row.h"
#include "fdbjobs/keyspace/packed_element.h"
#include "fdbjobs/keyspace/row_reader.h"
#include "fdbjobs/keyspace/tuple.h"
#include "fdbjobs/keyspace/tuple_parse.h"
#include "fdbjobs/keyspace/tuple_reader.h"
#include "fdbjobs/keyspace/tuple_types.h"
#include "fdbjobs/keyspace/tuple_utf8.h"
#include "fdbjobs/keyspace/tuple_writer.h"

namespace fdbjobs::tuple {

bool TupleExample(fdb::Transaction& transaction, std::string_view prefix, std::string_view value) {
  Tuple key{"couch_jobs", "data", "index", Bytes{"\x01\x02"}, nullptr, Tuple{1, 2.5}};
  absl::StatusOr<std::string> packed = key.Pack();
  absl::StatusOr<Tuple> again = Decode(*packed);  // *again == key

  Tuple entry{"activity", Versionstamp::Incomplete(0)};
  absl::StatusOr<VersionstampedBytes> stamped = entry.PackWithVersionstamp(prefix, /*user_version=*/7);
  transaction.AtomicOp(fdb::MutationType::kSetVersionstampedKey, stamped->operand, value);
  return *again == key;
}

bool TypesExample() {
  Bytes lock{"\x01\x02"};                            // as opposed to Unicode text, which is a std::string
  Versionstamp stamp = Versionstamp::Incomplete(0);  // the database fills it in at commit
  absl::StatusOr<BigInt> big = BigInt::FromMagnitude(/*negative=*/true, "\x01\x02\x03\x04\x05\x06\x07\x08\x09");
  return big.ok() && Tuple{lock, stamp, *big}.size() == 3;
}

absl::Status ParseExample() {
  absl::StatusOr<Element> priority = ParseElement(R"((1, "a", b"\x00"))");
  absl::StatusOr<Element> type = ParseArgument("thumbnails");  // the string
  std::string text = PrintArgument(*type);                     // thumbnails; ParseArgument reads it
  return priority.status();
}

absl::Status ReaderExample(std::string_view key) {
  TupleReader reader(key);
  std::string scratch;
  absl::StatusOr<std::string_view> name = reader.ReadString(&scratch);
  absl::StatusOr<Element> job_id = reader.ReadElement();
  if (!reader.AtEnd()) return absl::InvalidArgumentError("more than a name and an id");
  return job_id.status();
}

absl::Status WriterExample(std::string_view prefix, const Element& type, const Element& job_id) {
  std::string key(prefix);
  TupleWriter writer(&key);
  writer.AddString("couch_jobs").AddString("data").AddElement(type).AddElement(job_id);
  if (absl::Status status = writer.Finish(); !status.ok()) return status;
  return absl::OkStatus();
}

absl::Status Utf8Example(std::string_view name) {
  if (!IsValidUtf8(name)) return absl::InvalidArgumentError("name is not UTF-8");
  return absl::OkStatus();
}

}  // namespace fdbjobs::tuple

namespace fdbjobs::keyspace {

template <typename... Parts>
void Print(const Parts&... parts) {
  (std::cout << ... << parts) << "\n";
}

void IdPrefixExample() {
  absl::StatusOr<IdPrefix> prefix = IdPrefix::Make("tenant-7/");
  prefix->Matches(PackedElement("tenant-7/a"));  // true
}

void JobKeysExample(const PackedElement& id) {
  JobKeys keys("tenant-7/");
  std::string key = keys.Data("index", id);
}

void JobOptionsExample(JobRow& row) {
  absl::StatusOr<JobOptions> options = JobOptions::Parse(row.options);
  options->data = R"({"done":7})";
  row.options = options->ToJson();
}

void JobRowExample(std::string_view value) {
  absl::StatusOr<JobRow> row = JobRow::Decode(value);
  if (row->state == JobState::kPending) std::cout << "pending\n";
}

bool PackedElementExample() {
  PackedElement type = "index";
  PackedElement id = tuple::Uuid{{1, 2, 3}};
  PackedElement priority = tuple::Tuple{"tenant-7", 5};
  return type.status().ok() && id < priority;
}

void RowReaderExample(const JobKeys& keys, std::string_view key, std::string_view value) {
  const Row row = ReadRow(keys, key, value);
  Print(row.KeyText(keys), " = ", row.ValueText());
}

}  // namespace fdbjobs::keyspace
