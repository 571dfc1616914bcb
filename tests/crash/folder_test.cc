// Engine only. Folders that can't be used are refused with a clear error and left alone; when the cause is gone, all
// data is there.
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/fdb/transact.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/child_process.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace fdbjobs::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

constexpr int kIncompatibleProtocolVersion = 1109;
constexpr char kMark[] = "fdbjobs-embedded";

MATCHER_P(SaysThat, text, "has a message that says so") {
  *result_listener << StatusOf(arg);
  return std::string(StatusOf(arg).message()).find(text) != std::string::npos;
}

class FolderTest : public ::testing::Test {
 protected:
  const std::string& path() const { return folder_.path(); }
  std::string PathOf(const std::string& name) const { return path() + "/" + name; }

  absl::StatusOr<fdb::Database> Open() const { return fdb::Database::Open("embedded:" + path()); }

  // In a process that then ends, so that nobody has the folder open any more.
  void PutElsewhere() const { EXPECT_EQ(Probe(path(), "put")["put"], "ok"); }

  void ExpectThere(const std::string& value) const {
    const absl::StatusOr<fdb::Database> database = Open();
    ASSERT_THAT(database, IsOk());
    const auto found = fdb::Transact(*database, [&](fdb::Transaction& tr) {
      return tr.Get("key", fdb::Isolation::kSnapshot).Await();  // nobody else writes
    });
    EXPECT_THAT(found, IsOkAnd(std::optional<std::string>(value)));
  }

  // Everything in the folder, by name.
  std::map<std::string, std::string> Files() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(path())) {
      std::ifstream file(entry.path(), std::ios::binary);
      files[entry.path().filename()] = {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }
    return files;
  }

  void WriteFile(const std::string& name, const std::string& bytes) const {
    std::ofstream(PathOf(name), std::ios::binary) << bytes;
  }

  // What the probe reports of this folder, by name.
  std::map<std::string, std::string> Probe(const std::string& folder, const std::string& how) const {
    ChildProcess probe({FDBJOBS_FOLDER_PROBE, folder, how});
    std::map<std::string, std::string> reports;
    for (const absl::string_view line : absl::StrSplit(probe.ReadAll(), '\n', absl::SkipEmpty())) {
      reports.insert(absl::StrSplit(line, absl::MaxSplits(": ", 1)));
    }
    EXPECT_EQ(probe.Wait(), 0);
    return reports;
  }

  TempFolder folder_;
};

TEST_F(FolderTest, AFolderOfOthersIsRefusedAndLeftAlone) {
  WriteFile("thesis.txt", "chapter one");
  EXPECT_THAT(Open(),
              AllOf(IsFdbError(fdb::error::kConnectionStringInvalid), SaysThat("thesis.txt"), SaysThat(path())));
  EXPECT_THAT(Files(), ElementsAre(Pair("thesis.txt", "chapter one")));
}

TEST_F(FolderTest, ANewerFormatIsRefusedAndLeftAlone) {
  PutElsewhere();
  const std::string mark = Files()[kMark];
  ASSERT_THAT(mark, HasSubstr("format "));
  WriteFile(kMark, mark.substr(0, mark.find("format ")) + "format 1000\n");
  const auto before = Files();
  EXPECT_THAT(Open(), AllOf(IsFdbError(kIncompatibleProtocolVersion), SaysThat("format 1000"), SaysThat("newer")));
  EXPECT_EQ(Files(), before);
  WriteFile(kMark, mark);
  ExpectThere("value");
}

TEST_F(FolderTest, AMarkThatIsNotOursIsRefused) {
  PutElsewhere();
  const std::string mark = Files()[kMark];
  WriteFile(kMark, "something else");
  EXPECT_THAT(Open(), AllOf(IsFdbError(fdb::error::kFileCorrupt), SaysThat(kMark)));
  WriteFile(kMark, mark);
  ExpectThere("value");
}

TEST_F(FolderTest, ADamagedBaseIsRefused) {
  PutElsewhere();
  const auto before = Files();
  // Without SQLite's own log, which may have all of it.
  for (const char* suffix : {"-wal", "-shm"}) fs::remove(PathOf("base.sqlite") + suffix);
  WriteFile("base.sqlite", std::string(10'000, 'x'));
  EXPECT_THAT(Open(), AllOf(IsFdbError(fdb::error::kFileCorrupt), SaysThat("base.sqlite")));
  for (const auto& [name, bytes] : before) WriteFile(name, bytes);
  ExpectThere("value");
}

TEST_F(FolderTest, ABaseThatIsMissingIsNotTakenForAnEmptyOne) {
  PutElsewhere();
  const auto before = Files();
  for (const auto& [name, bytes] : before) {
    if (name.starts_with("base.sqlite")) fs::remove(PathOf(name));
  }
  const auto without = Files();
  EXPECT_THAT(Open(), AllOf(IsFdbError(fdb::error::kFileCorrupt), SaysThat("base.sqlite")));
  EXPECT_EQ(Files(), without);
  WriteFile("base.sqlite", "");
  EXPECT_THAT(Open(), AllOf(IsFdbError(fdb::error::kFileCorrupt), SaysThat("base.sqlite")));
  for (const auto& [name, bytes] : before) WriteFile(name, bytes);
  ExpectThere("value");
}

TEST_F(FolderTest, ALogThatIsMissingIsNotTakenForAnEmptyOne) {
  PutElsewhere();
  const std::string log = PathOf("log-00000001");
  fs::rename(log, path() + ".log");
  EXPECT_THAT(Open(), AllOf(IsFdbError(fdb::error::kFileCorrupt), SaysThat("log-00000001")));
  fs::rename(path() + ".log", log);
  ExpectThere("value");
}

TEST_F(FolderTest, AFolderBelowAFileIsRefused) {
  WriteFile("file", "");
  EXPECT_THAT(fdb::Database::Open("embedded:" + PathOf("file/folder")), SaysThat(PathOf("file/folder")));
}

TEST_F(FolderTest, AReadOnlyFolderIsRefused) {
  PutElsewhere();
  fs::permissions(path(), fs::perms(0555));
  for (const auto& entry : fs::directory_iterator(path())) fs::permissions(entry.path(), fs::perms(0444));
  EXPECT_THAT(Probe(path(), "unprivileged")["open"],
              AllOf(StartsWith("1514 "), HasSubstr(path()), HasSubstr("Permission denied")));
  EXPECT_THAT(Probe(PathOf("new"), "unprivileged")["open"],
              AllOf(StartsWith("1514 "), HasSubstr(PathOf("new")), HasSubstr("Permission denied")));
  fs::permissions(path(), fs::perms(0755));
  for (const auto& entry : fs::directory_iterator(path())) fs::permissions(entry.path(), fs::perms(0644));
  ExpectThere("value");
}

TEST_F(FolderTest, AFullDiskIsToldWhenTheFolderIsOpened) {
  PutElsewhere();
  EXPECT_THAT(Probe(path(), "no-space")["open"], AllOf(StartsWith("1510 "), HasSubstr(path())));
  EXPECT_THAT(Probe(PathOf("new"), "no-space")["open"], AllOf(StartsWith("1510 "), HasSubstr(PathOf("new"))));
  ExpectThere("value");
}

TEST_F(FolderTest, ADiskThatGetsFullFailsCommitsUntilThereIsRoom) {
  std::map<std::string, std::string> reports = Probe(path(), "fill");
  SCOPED_TRACE(reports["disk"]);
  EXPECT_EQ(reports["open"], "ok");
  EXPECT_THAT(reports["full"], StartsWith("1510 "));
  EXPECT_THAT(reports["detail"], AllOf(HasSubstr("can't write"), HasSubstr(path())));
  EXPECT_THAT(reports["full again"], StartsWith("1510 "));
  EXPECT_EQ(reports["while full"], "right");
  EXPECT_EQ(reports["with room"], "ok");
  EXPECT_EQ(reports["after"], "right");
  EXPECT_EQ(reports["open again"], "ok");
  EXPECT_EQ(reports["reopened"], "right");
}

TEST_F(FolderTest, ADatabaseMayBeClosedRightAfterACommit) {
  // The last who lets go of the engine may be the thread that answered the commit.
  for (int i = 0; i < 50; ++i) {
    const absl::StatusOr<fdb::Database> database = Open();
    ASSERT_THAT(database, IsOk());
    ASSERT_THAT(fdb::Transact(*database,
                              [i](fdb::Transaction& tr) {
                                tr.Set("key", std::to_string(i));
                                return absl::OkStatus();
                              }),
                IsOk());
  }
  ExpectThere("49");
}

// A process that has it open does not write to where nobody else would look for it.
TEST_F(FolderTest, AFolderThatIsTakenAwayTakesNoCommitsUntilItIsBack) {
  const absl::StatusOr<fdb::Database> database = Open();
  ASSERT_THAT(database, IsOk());
  const auto put = [&](const std::string& value) {
    return fdb::Transact(*database, [&](fdb::Transaction& tr) {
      tr.Set("key", value);
      return absl::OkStatus();
    });
  };
  ASSERT_THAT(put("before"), IsOk());
  const std::string elsewhere = path() + "-elsewhere";
  fs::rename(path(), elsewhere);
  const absl::Time deadline = absl::Now() + absl::Seconds(30);
  absl::Status away = absl::OkStatus();
  while (away.ok() && absl::Now() < deadline) away = put("before");
  EXPECT_THAT(away, IsFdbError(fdb::error::kFileNotFound));
  EXPECT_FALSE(fs::exists(path()));
  fs::rename(elsewhere, path());
  absl::Status back = put("after");
  while (!back.ok() && absl::Now() < deadline) back = put("after");
  EXPECT_THAT(back, IsOk());
  ExpectThere("after");
}

}  // namespace
}  // namespace fdbjobs::test
