// Holds the tuple layer against every row of every table in docs/tuple.md, so that the page can't drift.
#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "fdbjobs/keyspace/tuple.h"
#include "fdbjobs/keyspace/tuple_parse.h"
#include "tests/keyspace/tuple_notation.h"

namespace fdbjobs::tests {
namespace {

using tuple::Decode;
using tuple::KeyRange;
using tuple::Tuple;
using tuple::Utf8;
using tuple::VersionstampedBytes;

const std::string& Page() {
  static const std::string page = [] {
    std::ifstream file(FDBJOBS_TUPLE_PAGE);
    std::stringstream content;
    content << file.rdbuf();
    return content.str();
  }();
  return page;
}

std::vector<Row> OnlyTableOf(std::string_view header) {
  const auto tables = TablesOf(Page(), header);
  EXPECT_EQ(tables.size(), 1u) << header;
  return tables.empty() ? std::vector<Row>() : tables[0];
}

Tuple Parsed(const std::string& notation) {
  absl::StatusOr<Tuple> tuple = tuple::ParseTuple(notation);
  EXPECT_TRUE(tuple.ok()) << tuple.status();
  return tuple.ok() ? *tuple : Tuple();
}

std::vector<std::vector<Row>> VectorTables() { return TablesOf(Page(), "| tuple | packed bytes |"); }

std::vector<Row> Vectors() {
  std::vector<Row> all;
  for (const auto& table : VectorTables()) all.insert(all.end(), table.begin(), table.end());
  return all;
}

TEST(TuplePage, HasVectorsOfEveryKind) {
  std::vector<int> seen(static_cast<size_t>(tuple::Kind::kVersionstamp) + 1);
  for (const Row& row : Vectors()) {
    for (const tuple::Element& element : Parsed(row[0])) ++seen[static_cast<size_t>(element.kind())];
  }
  for (size_t kind = 0; kind < seen.size(); ++kind) {
    EXPECT_GE(seen[kind], 2) << tuple::KindName(static_cast<tuple::Kind>(kind));
  }
}

TEST(TuplePage, VectorsPackToTheirBytes) {
  for (const Row& row : Vectors()) {
    const absl::StatusOr<std::string> packed = Parsed(row[0]).Pack();
    ASSERT_TRUE(packed.ok()) << row[0] << ": " << packed.status();
    EXPECT_EQ(ToHex(*packed), ToHex(FromHex(row[1]))) << row[0];
  }
}

TEST(TuplePage, BytesDecodeToTheirVectors) {
  for (const Row& row : Vectors()) {
    const absl::StatusOr<Tuple> decoded = Decode(FromHex(row[1]));
    ASSERT_TRUE(decoded.ok()) << row[0] << ": " << decoded.status();
    EXPECT_EQ(*decoded, Parsed(row[0])) << row[0];
    EXPECT_EQ(decoded->ToString(), row[0]);
  }
}

TEST(TuplePage, RowsOfEachTableAscend) {
  for (const auto& table : VectorTables()) {
    for (size_t i = 1; i < table.size(); ++i) {
      EXPECT_LT(FromHex(table[i - 1][1]), FromHex(table[i][1])) << table[i][0];
      EXPECT_LT(Parsed(table[i - 1][0]), Parsed(table[i][0])) << table[i][0];
    }
  }
}

TEST(TuplePage, AnyTwoVectorsSortAsTheirBytesDo) {
  const std::vector<Row> vectors = Vectors();
  for (const Row& a : vectors) {
    for (const Row& b : vectors) {
      EXPECT_EQ(Parsed(a[0]) <=> Parsed(b[0]), FromHex(a[1]) <=> FromHex(b[1])) << a[0] << " and " << b[0];
    }
  }
}

TEST(TuplePage, VersionstampedOperandsAreAsListed) {
  const std::vector<Row> rows = OnlyTableOf("| prefix | tuple | user version | offset | operand |");
  EXPECT_FALSE(rows.empty());
  for (const Row& row : rows) {
    std::optional<uint16_t> user_version;
    if (!row[2].empty()) user_version = static_cast<uint16_t>(std::stoi(row[2]));
    const absl::StatusOr<VersionstampedBytes> stamped =
        Parsed(row[1]).PackWithVersionstamp(FromHex(row[0]), user_version);
    ASSERT_TRUE(stamped.ok()) << row[1] << ": " << stamped.status();
    EXPECT_EQ(std::to_string(stamped->offset), row[3]) << row[1];
    EXPECT_EQ(ToHex(stamped->operand), ToHex(FromHex(row[4]))) << row[1];
  }
}

TEST(TuplePage, RangesAreAsListed) {
  const std::vector<Row> rows = OnlyTableOf("| prefix | tuple | begin | end |");
  EXPECT_FALSE(rows.empty());
  for (const Row& row : rows) {
    const absl::StatusOr<KeyRange> range = Parsed(row[1]).Range(FromHex(row[0]));
    ASSERT_TRUE(range.ok()) << row[1] << ": " << range.status();
    EXPECT_EQ(ToHex(range->begin), ToHex(FromHex(row[2]))) << row[1];
    EXPECT_EQ(ToHex(range->end), ToHex(FromHex(row[3]))) << row[1];
  }
}

TEST(TuplePage, OddBytesAreReadAndPackedAgainAsListed) {
  const std::vector<Row> rows = OnlyTableOf("| bytes | tuple | packed again |");
  EXPECT_FALSE(rows.empty());
  for (const Row& row : rows) {
    const absl::StatusOr<Tuple> decoded = Decode(FromHex(row[0]));
    ASSERT_TRUE(decoded.ok()) << row[0] << ": " << decoded.status();
    EXPECT_EQ(decoded->ToString(), row[1]);
    EXPECT_EQ(*decoded, Parsed(row[1]));
    const absl::StatusOr<std::string> again = decoded->Pack(Utf8::kKeep);
    ASSERT_TRUE(again.ok()) << row[0] << ": " << again.status();
    EXPECT_EQ(ToHex(*again), ToHex(FromHex(row[2]))) << row[0];
  }
}

TEST(TuplePage, BadBytesAreRefusedWithTheListedErrors) {
  const std::vector<Row> rows = OnlyTableOf("| bytes | error |");
  EXPECT_FALSE(rows.empty());
  for (const Row& row : rows) {
    const absl::StatusOr<Tuple> decoded = Decode(FromHex(row[0]));
    ASSERT_FALSE(decoded.ok()) << row[0];
    EXPECT_EQ(std::string(decoded.status().message()), row[1]) << row[0];
  }
}

}  // namespace
}  // namespace fdbjobs::tests
