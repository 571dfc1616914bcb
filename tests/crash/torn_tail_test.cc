// Engine only. What a crash of the machine may leave at the end of the commit log, and beside it, is put there by hand:
// the next one to open the folder finds all that was acknowledged, and nothing else.
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "fdbjobs/embedded/commit_log.h"
#include "fdbjobs/embedded/log_record.h"
#include "fdbjobs/fdb/database.h"
#include "gtest/gtest.h"
#include "tests/crash/writers.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_seed.h"

namespace fdbjobs::test {
namespace {

using embedded::CommitLog;
using embedded::SegmentHeader;

// The newest segment of the log and where its records end.
struct LogEnd {
  std::string path;
  uint32_t segment = 0;
  size_t offset = 0;
  uint64_t hash = 0;
  embedded::Version version = 0;
};

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void WriteAt(const std::string& path, size_t offset, const std::string& bytes) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(offset));
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  ASSERT_TRUE(file.flush()) << path;
}

void WriteFile(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

LogEnd FindEnd(const std::string& folder) {
  LogEnd end;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    uint32_t number = 0;
    if (!CommitLog::ParseFileName(entry.path().filename().string(), &number) || number < end.segment) continue;
    end.segment = number;
    end.path = entry.path().string();
  }
  const std::string bytes = ReadFile(end.path);
  SegmentHeader header;
  EXPECT_TRUE(SegmentHeader::Decode(bytes, &header)) << end.path;
  end.offset = embedded::kSegmentHeaderSize;
  end.hash = header.previous_hash;
  end.version = header.previous_version;
  embedded::RecordView record;
  while (embedded::ParseRecord(std::string_view(bytes).substr(end.offset), end.hash, end.version, &record)) {
    end.offset += record.total_size;
    end.hash = record.hash;
    end.version = record.version;
  }
  return end;
}

// A record that would break every sum of the ledger.
std::string FalseRecord(const LogEnd& end) {
  std::string body;
  for (const char* key : {"total", "account/1", "sequence/0/0", "newest"}) {
    embedded::AppendEntry(&body, embedded::EntryKind::kSet, true, key, std::string(3000, 'x'));
  }
  std::string record;
  embedded::AppendRecord(&record, end.version + 1, body, end.hash);
  return record;
}

class TornTailTest : public ::testing::Test {
 protected:
  TornTailTest() : random_(TestSeed()), writers_(Name(), TestSeed()) {
    for (uint32_t writer : {0, 1}) writers_.Start(writer);
    EXPECT_TRUE(writers_.WaitForCommitsOfAll({0, 1}, 50));
    writers_.KillAll();
    end_ = FindEnd(folder_.path());
  }

  std::string Name() const { return "embedded:" + folder_.path(); }
  std::string Garbage(size_t size) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random_());
    return bytes;
  }

  void ExpectIntact() {
    absl::StatusOr<fdb::Database> database = fdb::Database::Open(Name());
    ASSERT_THAT(database, IsOk());
    writers_.ExpectAllIn(*database);
  }

  // All is there, goes on, and is there again after the next crash.
  void ExpectIntactAndGoesOn() {
    ExpectIntact();
    writers_.Start(0);
    ASSERT_TRUE(writers_.WaitForCommits(0, 20));
    writers_.KillAll();
    ExpectIntact();
  }

  TempFolder folder_;
  std::mt19937_64 random_;
  Writers writers_;
  LogEnd end_;
};

TEST_F(TornTailTest, AWholeRecordCounts) {
  // What the other tests rely on: it is the damage that makes the record not count.
  WriteAt(end_.path, end_.offset, FalseRecord(end_));
  absl::StatusOr<fdb::Database> database = fdb::Database::Open(Name());
  ASSERT_THAT(database, IsOk());
  const absl::StatusOr<LedgerView> ledger = ReadLedger(*database);
  ASSERT_THAT(ledger, IsOk());
  EXPECT_THAT(ledger->problems, Not(::testing::IsEmpty()));
}

TEST_F(TornTailTest, GarbageBehindTheLastRecord) {
  const size_t room = std::filesystem::file_size(end_.path) - end_.offset;
  WriteAt(end_.path, end_.offset, Garbage(std::min<size_t>(room, 10'000)));
  ExpectIntactAndGoesOn();
}

TEST_F(TornTailTest, ARecordOfWhichHalfWasWritten) {
  const std::string record = FalseRecord(end_);
  WriteAt(end_.path, end_.offset, record.substr(0, record.size() / 2));
  ExpectIntactAndGoesOn();
}

TEST_F(TornTailTest, ARecordWhoseMiddleIsMissing) {
  std::string record = FalseRecord(end_);
  std::fill_n(record.begin() + 4096, 512, '\0');
  WriteAt(end_.path, end_.offset, record);
  ExpectIntactAndGoesOn();
}

TEST_F(TornTailTest, ARecordThatFollowsAnother) {
  // Whole, but written behind a record that is not there: by one who had lost the append lock.
  LogEnd elsewhere = end_;
  ++elsewhere.hash;
  WriteAt(end_.path, end_.offset, FalseRecord(elsewhere));
  ExpectIntactAndGoesOn();
}

TEST_F(TornTailTest, ASegmentThatEndsWithItsLastRecord) {
  std::filesystem::resize_file(end_.path, end_.offset);
  ExpectIntactAndGoesOn();
}

TEST_F(TornTailTest, ANextSegmentThatContinuesElsewhere) {
  SegmentHeader header{end_.segment + 1, static_cast<uint32_t>(end_.offset), end_.hash + 1, end_.version};
  LogEnd elsewhere = end_;
  ++elsewhere.hash;
  std::string bytes = header.Encode() + FalseRecord(elsewhere);
  bytes.resize(256 << 10, '\0');
  WriteFile(folder_.path() + "/" + CommitLog::FileName(header.number), bytes);
  ExpectIntactAndGoesOn();
}

TEST_F(TornTailTest, ANextSegmentThatWasMadeAndNotUsed) {
  const SegmentHeader header{end_.segment + 1, static_cast<uint32_t>(end_.offset), end_.hash, end_.version};
  std::string bytes = header.Encode();
  bytes.resize(256 << 10, '\0');
  WriteFile(folder_.path() + "/" + CommitLog::FileName(header.number), bytes);
  ExpectIntactAndGoesOn();
}

TEST_F(TornTailTest, SharedWordsAndSparesFromBeforeTheCrash) {
  WriteFile(folder_.path() + "/control", Garbage(4096));
  for (int i = 0; i < 4; ++i) WriteFile(folder_.path() + "/spare-" + std::to_string(i), Garbage(1000));
  ExpectIntactAndGoesOn();
}

TEST_F(TornTailTest, AControlFileOfNoLength) {
  WriteFile(folder_.path() + "/control", "");
  ExpectIntactAndGoesOn();
}

}  // namespace
}  // namespace fdbjobs::test
