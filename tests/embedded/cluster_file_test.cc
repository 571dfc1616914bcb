#include "fdbjobs/embedded/cluster_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "fdbjobs/embedded/error_codes.h"

namespace fdbjobs::embedded {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ClusterFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "cluster_file_test.XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    before_ = fs::current_path();
    fs::current_path(root_);
    unsetenv("FDB_CLUSTER_FILE");
  }
  void TearDown() override {
    fs::current_path(before_);
    fs::remove_all(root_);
    unsetenv("FDB_CLUSTER_FILE");
  }

  std::string Path(const std::string& name) const { return (root_ / name).string(); }
  std::string Write(const std::string& name, const std::string& contents) const {
    std::ofstream(Path(name), std::ios::binary) << contents;
    return Path(name);
  }
  ErrorCode Resolve(const char* cluster_file) { return FolderOfClusterFile(cluster_file, &folder_, &why_); }
  ErrorCode Resolve(const std::string& cluster_file) { return Resolve(cluster_file.c_str()); }

  fs::path root_, before_;
  std::string folder_, why_;
};

TEST_F(ClusterFile, FolderWithAndWithoutScheme) {
  EXPECT_EQ(Resolve("embedded:/some/where"), kSuccess);
  EXPECT_EQ(folder_, "/some/where");
  EXPECT_EQ(Resolve(root_.string()), kSuccess);
  EXPECT_EQ(folder_, root_.string());
}

TEST_F(ClusterFile, FolderThatIsStillToBeMade) {
  EXPECT_EQ(Resolve(Path("new")), kSuccess);
  EXPECT_EQ(folder_, Path("new"));
}

TEST_F(ClusterFile, FileThatNamesAFolder) {
  EXPECT_EQ(Resolve(Write("a.cluster", "embedded:/some/where\n")), kSuccess);
  EXPECT_EQ(folder_, "/some/where");
  EXPECT_EQ(Resolve(Write("b.cluster", "# made by hand\n\n  embedded:/some/where \r\nmore\n")), kSuccess);
  EXPECT_EQ(folder_, "/some/where");
  EXPECT_EQ(Resolve(Write("c.cluster", "embedded:/no/newline")), kSuccess);
  EXPECT_EQ(folder_, "/no/newline");
}

TEST_F(ClusterFile, RelativePathBeginsAtTheFile) {
  fs::create_directory(Path("etc"));
  EXPECT_EQ(Resolve(Write("etc/a.cluster", "embedded:data\n")), kSuccess);
  EXPECT_EQ(folder_, Path("etc/data"));
}

TEST_F(ClusterFile, MissingFile) {
  EXPECT_EQ(Resolve(Path("missing.cluster")), kNoClusterFileFound);
  EXPECT_THAT(why_, HasSubstr(Path("missing.cluster")));
}

TEST_F(ClusterFile, FileOfARealCluster) {
  EXPECT_EQ(Resolve(Write("fdb.cluster", "abc:def@127.0.0.1:4500\n")), kConnectionStringInvalid);
  EXPECT_THAT(why_, HasSubstr("not a FoundationDB cluster"));
  EXPECT_THAT(why_, HasSubstr(Path("fdb.cluster")));
}

TEST_F(ClusterFile, FileThatNamesNothing) {
  EXPECT_EQ(Resolve(Write("empty.cluster", "")), kConnectionStringInvalid);
  EXPECT_EQ(Resolve(Write("comment.cluster", "# nothing\n")), kConnectionStringInvalid);
  EXPECT_EQ(Resolve(Write("scheme.cluster", "embedded:\n")), kConnectionStringInvalid);
  EXPECT_EQ(Resolve(Write("long.cluster", std::string(100'000, 'x'))), kConnectionStringInvalid);
  EXPECT_EQ(Resolve("embedded:"), kConnectionStringInvalid);
}

TEST_F(ClusterFile, NeitherFolderNorFile) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(Resolve(Path("pipe")), kConnectionStringInvalid);
  EXPECT_THAT(why_, HasSubstr("neither a folder nor a file"));
}

TEST_F(ClusterFile, PathThroughAFile) {
  EXPECT_EQ(Resolve(Write("file", "embedded:/x\n") + "/below"), kSuccess);
  // The engine says what is wrong when it makes the folder.
  EXPECT_EQ(folder_, Path("file/below"));
}

TEST_F(ClusterFile, PathThatCannotBeLookedAt) {
  fs::create_symlink(Path("loop"), Path("loop"));
  EXPECT_EQ(Resolve(Path("loop")), kFileNotReadable);
  EXPECT_THAT(why_, HasSubstr(Path("loop")));
}

TEST_F(ClusterFile, EnvironmentDecidesWhenNothingIsNamed) {
  const std::string file = Write("env.cluster", "embedded:/from/environment\n");
  Write("fdb.cluster", "embedded:/from/current/folder\n");
  setenv("FDB_CLUSTER_FILE", file.c_str(), 1);
  for (const char* nothing : {static_cast<const char*>(nullptr), ""}) {
    EXPECT_EQ(Resolve(nothing), kSuccess);
    EXPECT_EQ(folder_, "/from/environment");
  }
  setenv("FDB_CLUSTER_FILE", "embedded:/direct", 1);
  EXPECT_EQ(Resolve(nullptr), kSuccess);
  EXPECT_EQ(folder_, "/direct");
  EXPECT_EQ(Resolve("embedded:/named"), kSuccess);
  EXPECT_EQ(folder_, "/named");
}

TEST_F(ClusterFile, EnvironmentThatPointsNowhere) {
  setenv("FDB_CLUSTER_FILE", Path("missing.cluster").c_str(), 1);
  EXPECT_EQ(Resolve(nullptr), kNoClusterFileFound);
  EXPECT_THAT(why_, HasSubstr("FDB_CLUSTER_FILE"));
}

TEST_F(ClusterFile, CurrentFolderComesNext) {
  Write("fdb.cluster", "embedded:/from/current/folder\n");
  setenv("FDB_CLUSTER_FILE", "", 1);
  EXPECT_EQ(Resolve(nullptr), kSuccess);
  EXPECT_EQ(folder_, "/from/current/folder");
}

TEST_F(ClusterFile, ConnectionString) {
  EXPECT_EQ(FolderOfConnectionString("embedded:/some/where", &folder_, &why_), kSuccess);
  EXPECT_EQ(folder_, "/some/where");
  for (const char* bad : {"", "embedded:", "/some/where", "abc:def@127.0.0.1:4500", "fdb:/etc/fdb.cluster"}) {
    EXPECT_EQ(FolderOfConnectionString(bad, &folder_, &why_), kConnectionStringInvalid) << bad;
  }
}

}  // namespace
}  // namespace fdbjobs::embedded
