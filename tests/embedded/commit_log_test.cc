// The commit log on disk: what is written comes back, what is damaged or left over is not taken for a commit.
#include "fdbjobs/embedded/commit_log.h"

#include <gtest/gtest.h>

#include <fstream>

#include "fdbjobs/embedded/error_codes.h"
#include "tests/embedded/random_seed.h"
#include "tests/embedded/temporary_folder.h"

namespace fdbjobs::embedded {
namespace {

constexpr LogPosition kStart{1, static_cast<uint32_t>(kSegmentHeaderSize)};

class CommitLogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    ASSERT_EQ(log_.Create({.number = 1}, 0, &segment_, &why), 0) << why;
  }

  // A batch of records behind the last one; returns where it ends.
  LogPosition Write(std::initializer_list<std::string> values) {
    std::string bytes;
    for (const std::string& value : values) {
      std::string body;
      AppendEntry(&body, EntryKind::kSet, true, "key", value);
      hash_ = AppendRecord(&bytes, ++version_, body, hash_);
    }
    std::string why;
    EXPECT_EQ(segment_->Write(bytes, end_.offset, &why), 0) << why;
    end_.offset += static_cast<uint32_t>(bytes.size());
    return end_;
  }

  void NextSegment() {
    std::string why;
    const SegmentHeader header{end_.segment + 1, end_.offset, hash_, version_};
    ASSERT_EQ(log_.Create(header, 0, &segment_, &why), 0) << why;
    end_ = {header.number, static_cast<uint32_t>(kSegmentHeaderSize)};
  }

  std::vector<std::string> ReadUnbounded() {
    CommitLog fresh(folder_.path(), "spare-9");
    LogCursor cursor(&fresh);
    cursor.Place(kStart, 0, 0);
    std::vector<std::string> values;
    RecordView record;
    while (cursor.NextUnbounded(&record) == LogCursor::Outcome::kRecord) {
      record.ForEach([&](const EntryView& entry) { values.emplace_back(entry.value); });
    }
    return values;
  }

  void Damage(uint32_t segment, uint32_t offset, const std::string& bytes) {
    std::fstream file(folder_.path() + "/" + CommitLog::FileName(segment),
                      std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(offset);
    file << bytes;
  }

  TemporaryFolder folder_;
  CommitLog log_{folder_.path(), "spare-0"};
  std::shared_ptr<Segment> segment_;
  LogPosition end_ = kStart;
  uint64_t hash_ = 0;
  Version version_ = 0;
};

using Values = std::vector<std::string>;

TEST_F(CommitLogTest, RecordsComeBackInOrderAcrossSegments) {
  Write({"a", "b"});
  NextSegment();
  Write({"", std::string(100'000, 'x')});
  NextSegment();
  Write({"c"});
  EXPECT_EQ(ReadUnbounded(), (Values{"a", "b", "", std::string(100'000, 'x'), "c"}));
}

TEST_F(CommitLogTest, BytesBetweenPlacesAreCountedAcrossSegments) {
  const LogPosition first = Write({"a"});
  const uint64_t size = first.offset - kStart.offset;
  NextSegment();
  Write({"b", "c"});
  NextSegment();
  const LogPosition last = Write({"d"});
  EXPECT_EQ(log_.BytesBetween(kStart, last), 4 * size);
  EXPECT_EQ(log_.BytesBetween(first, last), 3 * size);
  EXPECT_EQ(log_.BytesBetween(first, {2, static_cast<uint32_t>(kSegmentHeaderSize)}), 0u);
  EXPECT_EQ(log_.BytesBetween(last, last), 0u);
  EXPECT_EQ(log_.BytesBetween(last, first), 0u);
}

TEST_F(CommitLogTest, ReadingEndsAtTheTailThatWasPublished) {
  Write({"a"});
  const LogPosition tail = end_;
  Write({"unpublished"});
  LogCursor cursor(&log_);
  cursor.Place(kStart, 0, 0);
  RecordView record;
  EXPECT_EQ(cursor.Next(tail, &record), LogCursor::Outcome::kRecord);
  EXPECT_EQ(cursor.Next(tail, &record), LogCursor::Outcome::kEnd);
  EXPECT_EQ(cursor.position(), tail);
}

TEST_F(CommitLogTest, ARecordThatIsDamagedAnywhereEndsTheLog) {
  const LogPosition first = Write({"a"});
  const LogPosition second = Write({"second"});
  std::mt19937_64 random{RandomSeed()};
  const auto at = static_cast<uint32_t>(first.offset + random() % (kRecordHeaderSize + 9 + 3 + 6));
  // Four bytes of the header are reserved and not covered.
  if (at >= first.offset + 4 && at < first.offset + 8) return;
  Damage(1, at, std::string(1, static_cast<char>(segment_->bytes()[at] ^ 0x40)));
  EXPECT_EQ(ReadUnbounded(), Values{"a"}) << at << " of " << second.offset;
}

TEST_F(CommitLogTest, WhatAWriterThatLostTheLockLeavesBehindIsNotACommit) {
  Write({"a"});
  const LogPosition fenced = end_;
  const uint64_t hash = hash_;
  Write({"lost"});
  end_ = fenced;
  hash_ = hash;
  NextSegment();
  Write({"b"});
  EXPECT_EQ(ReadUnbounded(), (Values{"a", "b"}));
}

TEST_F(CommitLogTest, WhatAWriterThatLostTheLockLeavesBehindIsNotACommitThoughTheNextSegmentStayedEmpty) {
  Write({"a"});
  const LogPosition fenced = end_;
  const uint64_t hash = hash_;
  const Version version = version_;
  Write({"lost"});
  end_ = fenced;
  hash_ = hash;
  version_ = version;
  NextSegment();
  // What came next had no room in it.
  NextSegment();
  EXPECT_EQ(ReadUnbounded(), Values{"a"});
  Write({"b"});
  EXPECT_EQ(ReadUnbounded(), (Values{"a", "b"}));
}

TEST_F(CommitLogTest, ASegmentThatContinuesElsewhereIsNotFollowed) {
  Write({"a"});
  std::string why;
  std::shared_ptr<Segment> stray;
  ASSERT_EQ(log_.Create({2, 12345, 678, 9}, 0, &stray, &why), 0) << why;
  EXPECT_EQ(ReadUnbounded(), Values{"a"});
}

TEST_F(CommitLogTest, ASegmentThatAnotherProcessBeganServesIfItIsTheSame) {
  Write({"a"});
  CommitLog other(folder_.path(), "spare-1");
  std::shared_ptr<Segment> theirs;
  std::string why;
  const SegmentHeader header{2, end_.offset, hash_, version_};
  ASSERT_EQ(other.Create(header, 0, &theirs, &why), 0) << why;
  std::shared_ptr<Segment> ours;
  EXPECT_EQ(log_.Create(header, 0, &ours, &why), 0) << why;
}

TEST_F(CommitLogTest, ASegmentThatWasNeverUsedIsNotInTheWay) {
  Write({"a"});
  CommitLog other(folder_.path(), "spare-1");
  std::shared_ptr<Segment> theirs;
  std::string why;
  ASSERT_EQ(other.Create({2, end_.offset, hash_, version_}, 0, &theirs, &why), 0) << why;
  // They did not publish it, and the log went on before it.
  Write({"b"});
  EXPECT_EQ(ReadUnbounded(), (Values{"a", "b"}));
  NextSegment();
  Write({"c"});
  EXPECT_EQ(ReadUnbounded(), (Values{"a", "b", "c"}));
}

TEST_F(CommitLogTest, ADroppedSegmentIsToldAndStaysReadableForWhoHoldsIt) {
  Write({"a"});
  std::shared_ptr<Segment> held = segment_;
  NextSegment();
  LogCursor cursor(&log_);
  cursor.Place(kStart, 0, 0);
  log_.DropBefore(2);
  RecordView record;
  EXPECT_EQ(cursor.Next(end_, &record), LogCursor::Outcome::kGone);
  EXPECT_TRUE(ParseRecord(held->bytes().substr(kSegmentHeaderSize), 0, 0, &record));
}

TEST_F(CommitLogTest, ALargeTransactionGetsASegmentThatHoldsIt) {
  std::string why;
  std::shared_ptr<Segment> large;
  ASSERT_EQ(log_.Create({2, end_.offset, hash_, version_}, 11'000'000, &large, &why), 0) << why;
  EXPECT_GE(large->size(), 11'000'000u + kSegmentHeaderSize);
}

}  // namespace
}  // namespace fdbjobs::embedded
