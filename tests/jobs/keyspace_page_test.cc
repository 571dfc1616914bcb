// The byte vectors of docs/keyspace.md, made again from the code and compared.
#include "tests/jobs/keyspace_page.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "fdbjobs/job.h"
#include "fdbjobs/keyspace/job_keys.h"
#include "fdbjobs/keyspace/job_options.h"
#include "fdbjobs/keyspace/job_row.h"
#include "fdbjobs/keyspace/priority_json.h"
#include "fdbjobs/keyspace/tuple.h"
#include "fdbjobs/keyspace/tuple_parse.h"
#include "tests/keyspace/tuple_notation.h"

namespace fdbjobs::test {
namespace {

using keyspace::JobKeys;
using keyspace::JobOptions;
using keyspace::JobRow;
using keyspace::KeyRange;
using keyspace::PackedElement;
using Rows = std::vector<std::vector<std::string>>;

constexpr std::string_view kPrefix = "t7/";
// Of all rows that have one.
constexpr uint16_t kUserVersion = 3;

template <size_t size>
std::array<uint8_t, size> BytesOf(std::string_view hex) {
  std::array<uint8_t, size> bytes{};
  const std::string raw = tests::FromHex(hex);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(raw.at(i));
  return bytes;
}

const tuple::Uuid kLock{BytesOf<16>("00112233445566778899aabbccddeeff")};
const tuple::Uuid kUuidId{BytesOf<16>("0199a1b2c3d47e5f8a6b7c8d9eafb0c1")};

Sequence At(uint8_t incarnation, uint16_t user_version = kUserVersion) {
  return {incarnation, {BytesOf<10>("000000deadbeef010203"), user_version}};
}

// In the notation of docs/tuple.md, checked to say the same as the bytes do.
std::string Notation(std::string_view bytes) {
  const absl::StatusOr<tuple::Tuple> decoded = tuple::Decode(bytes);
  EXPECT_TRUE(decoded.ok()) << decoded.status();
  if (!decoded.ok()) return "";
  const absl::StatusOr<tuple::Tuple> parsed = tuple::ParseTuple(decoded->ToString());
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  if (!parsed.ok()) return "";
  EXPECT_EQ(*parsed->Pack(), bytes) << decoded->ToString();
  return Code(decoded->ToString());
}

TEST(KeyspacePage, KeysAreAsListed) {
  const JobKeys keys;
  Rows rows;
  const auto add = [&rows](const char* name, const std::string& key) {
    rows.push_back({name, Notation(key), CodeHex(key)});
  };
  add("data", keys.Data("index", "job-1"));
  add("data", keys.Data("index", 7));
  add("data", keys.Data(tuple::Tuple{"mail", 2}, kUuidId));
  add("pending", keys.Pending("index", 0, "job-1"));
  add("pending", keys.Pending("index", -5, kUuidId));
  add("pending", keys.Pending("index", 1.5, "job-1"));
  add("watches", keys.Watch("index"));
  add("activity_timeout", keys.ActivityTimeout("index"));
  add("activity", keys.Activity("index", At(0)));
  add("activity", keys.Activity("index", At(1)));
  add("pending_watch", keys.PendingWatch("index"));
  add("count", keys.Count("index", JobState::kPending));
  add("count", keys.Count("index", JobState::kRunning));
  add("count", keys.Count("index", JobState::kFinished));
  add("types_watch", keys.TypesWatch());
  add("incarnation", keys.Incarnation());
  add("receipt", keys.Receipt(kLock, 2));
  ExpectTable("| row | key | bytes |", rows);
}

TEST(KeyspacePage, APrefixStandsBeforeEveryKey) {
  const JobKeys plain;
  const JobKeys keys(kPrefix);
  const std::string before(kPrefix);
  EXPECT_EQ(keys.Data("index", 7), before + plain.Data("index", 7));
  EXPECT_EQ(keys.Pending("index", 0, 7), before + plain.Pending("index", 0, 7));
  EXPECT_EQ(keys.Watch("index"), before + plain.Watch("index"));
  EXPECT_EQ(keys.ActivityTimeout("index"), before + plain.ActivityTimeout("index"));
  EXPECT_EQ(keys.Activity("index", At(1)), before + plain.Activity("index", At(1)));
  EXPECT_EQ(keys.PendingWatch("index"), before + plain.PendingWatch("index"));
  EXPECT_EQ(keys.Count("index", JobState::kPending), before + plain.Count("index", JobState::kPending));
  EXPECT_EQ(keys.TypesWatch(), before + plain.TypesWatch());
  EXPECT_EQ(keys.Incarnation(), before + plain.Incarnation());
  EXPECT_EQ(keys.Receipt(kLock, 2), before + plain.Receipt(kLock, 2));
}

std::string RowOf(JobState state, const std::string& options, uint8_t incarnation = 0) {
  JobRow row;
  row.state = state;
  if (state == JobState::kRunning) {
    row.sequence = At(incarnation);
    row.lock = kLock;
  }
  row.options = options;
  return row.Encode();
}

TEST(KeyspacePage, ValuesAreAsListed) {
  Rows rows;
  const auto add = [&rows](const char* name, const std::string& value) {
    rows.push_back({name, Notation(value), CodeHex(value)});
  };
  JobOptions options;
  options.added_ms = 1763440000123;
  options.data = R"({"n":1})";
  add("data, pending", RowOf(JobState::kPending, options.ToJson()));
  add("data, running", RowOf(JobState::kRunning, options.ToJson()));
  options.resubmit = true;
  add("data, running, to be resubmitted", RowOf(JobState::kRunning, options.ToJson(), 1));
  options.cancel = true;
  options.resubmit = false;
  options.data = "";
  options.priority = 5;
  add("data, running, canceled", RowOf(JobState::kRunning, options.ToJson(), 255));
  add("data, finished, canceled", RowOf(JobState::kFinished, options.ToJson()));
  add("data, finished", RowOf(JobState::kFinished, JobOptions().ToJson()));
  add("watches", JobKeys::EncodeSequence(At(0, keyspace::kWatchUserVersion)));
  add("activity_timeout", JobKeys::EncodeNumber(60000));
  add("activity", JobKeys::EncodeId("job-1"));
  add("activity", JobKeys::EncodeId(kUuidId));
  add("pending_watch, types_watch", PackedElement(At(0, keyspace::kWatchUserVersion).stamp).packed());
  add("incarnation", JobKeys::EncodeNumber(1));
  add("receipt", JobKeys::EncodeReceipt(12, 1763440000123));
  ExpectTable("| row | value | bytes |", rows);
}

TEST(KeyspacePage, ListedValuesAreRead) {
  const std::vector<std::vector<tests::Row>> tables = tests::TablesOf(KeyspacePage(), "| row | value | bytes |");
  ASSERT_EQ(tables.size(), 1u);
  for (const tests::Row& row : tables[0]) {
    const std::string bytes = tests::FromHex(row[2]);
    if (row[0].starts_with("data")) {
      const absl::StatusOr<JobRow> read = JobRow::Decode(bytes);
      ASSERT_TRUE(read.ok()) << row[0] << ": " << read.status();
      EXPECT_EQ(read->Encode(), bytes) << row[0];
      EXPECT_TRUE(row[0].find(JobStateName(read->state)) != std::string::npos) << row[0];
      const absl::StatusOr<JobOptions> options = JobOptions::Parse(read->options);
      ASSERT_TRUE(options.ok()) << row[0] << ": " << options.status();
      EXPECT_EQ(options->ToJson(), read->options) << row[0];
    }
  }
}

TEST(KeyspacePage, CountsAreAsListed) {
  Rows rows;
  for (const int64_t count : {int64_t{0}, int64_t{1}, int64_t{1000000}, int64_t{-1}}) {
    std::string bytes;
    for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(static_cast<uint64_t>(count) >> (8 * i)));
    const absl::StatusOr<int64_t> read = JobKeys::DecodeCount(bytes);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(*read, count);
    rows.push_back({Code(absl::StrCat(*read)), CodeHex(bytes)});
  }
  ExpectTable("| count | bytes |", rows);
}

// An operand of SET_VERSIONSTAMPED_*: the bytes with the incomplete stamp, and four bytes of offset.
std::vector<std::string> Operand(const char* name, std::string_view prefix, const std::string& operand) {
  const std::string_view bytes = std::string_view(operand).substr(0, operand.size() - 4);
  const std::string_view tail = std::string_view(operand).substr(operand.size() - 4);
  uint32_t offset = 0;
  for (int i = 3; i >= 0; --i) offset = offset << 8 | static_cast<uint8_t>(tail[i]);
  EXPECT_EQ(bytes.substr(offset, 10), std::string(10, '\xff')) << name;
  return {name, CodeHex(prefix), Notation(bytes.substr(prefix.size())), absl::StrCat(offset), CodeHex(operand)};
}

TEST(KeyspacePage, VersionstampedOperandsAreAsListed) {
  const JobKeys keys;
  const JobKeys prefixed(kPrefix);
  JobRow row;
  row.state = JobState::kRunning;
  row.lock = kLock;
  row.options = R"({"data":1})";
  Rows rows;
  rows.push_back(Operand("activity key", "", keys.ActivityToStamp("index", 0, 0)));
  rows.push_back(Operand("activity key", "", keys.ActivityToStamp("index", 1, 258)));
  rows.push_back(Operand("activity key", kPrefix, prefixed.ActivityToStamp("index", 0, 1)));
  rows.push_back(Operand("data value", "", row.EncodeToStamp(0)));
  row.sequence.incarnation = 1;
  rows.push_back(Operand("data value", "", row.EncodeToStamp(258)));
  rows.push_back(Operand("watches value", "", JobKeys::WatchToStamp(0)));
  rows.push_back(Operand("watches value", "", JobKeys::WatchToStamp(1)));
  rows.push_back(Operand("pending_watch and types_watch value", "", JobKeys::StampAlone()));
  ExpectTable("| written | prefix | tuple | offset | operand |", rows);
}

TEST(KeyspacePage, RangesAreAsListed) {
  const JobKeys keys;
  Rows rows;
  const auto add = [&rows](const char* name, const KeyRange& range) {
    rows.push_back({name, CodeHex(range.begin), CodeHex(range.end)});
  };
  KeyRange due = keys.PendingRange("index");
  due.end = keys.PendingRange("index", 5).end;
  add("pending jobs", keys.PendingRange("index"));
  add("pending jobs of priority 5 at most", due);
  add("all jobs", keys.DataRange("index"));
  add("running jobs, oldest sign of life first", keys.ActivityRange("index"));
  add("running jobs with no later sign of life than the sequence above",
      {keys.ActivityRange("index").begin, keys.Activity("index", At(0)) + '\0'});
  add("all types", keys.TypesRange());
  ExpectTable("| rows of type `\"index\"` | begin | end |", rows);
}

TEST(KeyspacePage, PrioritiesAreAsListed) {
  const Priority priorities[] = {
      nullptr,
      tuple::Bytes{std::string("\x00\x01", 2)},
      "low",
      "say \"hi\"\n",
      tuple::Tuple{"tenant-7", 5},
      -5,
      0,
      5,
      uint64_t{18446744073709551615u},
      *tuple::BigInt::FromMagnitude(false, tests::FromHex("010000000000000000")),
      1.5f,
      -0.0,
      5.0,
      1e300,
      std::numeric_limits<double>::infinity(),
      true,
      kUuidId,
      At(0).stamp,
  };
  Rows rows;
  for (const Priority& priority : priorities) {
    const std::string json = keyspace::PriorityToJson(priority);
    const absl::StatusOr<JobOptions> read = JobOptions::Parse(absl::StrCat("{\"priority\":", json, "}"));
    ASSERT_TRUE(read.ok()) << json << ": " << read.status();
    EXPECT_EQ(read->priority, priority) << json;
    rows.push_back({Code(priority.ToString()), Code(json), CodeHex(priority.packed())});
  }
  ExpectTable("| priority | in JobOpts | in the pending key |", rows);
}

TEST(KeyspacePage, JobOptsAreReadAndWrittenAgainAsListed) {
  const std::string texts[] = {
      R"({})",
      R"({"data":{"n":1}})",
      R"({ "data" : [1.0, 1e2,  "\u00e9"] , "priority" : 5 })",
      R"({"data":null,"cancel":true,"priority":0,"resubmit":false,"added":1763440000123})",
      R"({"later":{"a":[1, 2]},"resubmit":true,"data":"x", "more":3})",
      R"({"priority":5.0,"data":12345678901234567890123})",
  };
  Rows rows;
  for (const std::string& text : texts) {
    const absl::StatusOr<JobOptions> options = JobOptions::Parse(text);
    ASSERT_TRUE(options.ok()) << text << ": " << options.status();
    rows.push_back({Code(text), Code(options->priority.ToString()),
                    options->added_ms.has_value() ? Code(absl::StrCat(*options->added_ms)) : "",
                    options->cancel ? "yes" : "", options->resubmit ? "yes" : "", Code(options->others),
                    Code(options->data), Code(options->ToJson())});
  }
  ExpectTable("| JobOpts | priority | added | cancel | resubmit | other fields | data | written again |", rows);
}

TEST(KeyspacePage, DamagedDataRowsAreRefusedAsListed) {
  const auto packed = [](const tuple::Tuple& tuple) { return *tuple.Pack(); };
  const std::string values[] = {
      "",
      packed({1, nullptr, "{}"}),
      packed({"0", nullptr, "{}"}),
      packed({0, kLock, "{}"}),
      packed({tuple::Tuple{0, At(0).stamp}, nullptr, "{}"}),
      packed({tuple::Tuple{256, At(0).stamp}, kLock, "{}"}),
      packed({nullptr, nullptr, "{}", 1}),
      packed({nullptr, nullptr, tuple::Bytes{"{}"}}),
      packed({0, nullptr, "[]"}),
      packed({0, nullptr, R"({"priority":[1]})"}),
      packed({0, nullptr, R"({"priority":{"packed":"1500"}})"}),
      packed({0, nullptr, R"({"cancel":1})"}),
      packed({0, nullptr, R"({"data":1} {})"}),
  };
  Rows rows;
  for (const std::string& value : values) {
    const absl::StatusOr<JobRow> row = JobRow::Decode(value);
    absl::Status status = row.status();
    if (row.ok()) status = JobOptions::Parse(row->options).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << Notation(value) << status;
    rows.push_back({Notation(value), std::string(status.message())});
  }
  ExpectTable("| data row | what is wrong |", rows);
}

}  // namespace
}  // namespace fdbjobs::test
