#include "fdbjobs/fdb/database_name.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace fdbjobs::fdb {
namespace {

using ::fdbjobs::test::HasStatus;
using ::fdbjobs::test::IsOkAnd;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(DatabaseName, ClusterFile) {
  EXPECT_THAT(DatabaseName::Parse("fdb:/etc/foundationdb/fdb.cluster"),
              IsOkAnd(DatabaseName{Engine::kCluster, "/etc/foundationdb/fdb.cluster"}));
}

TEST(DatabaseName, DefaultClusterFile) {
  EXPECT_THAT(DatabaseName::Parse("fdb:"), IsOkAnd(DatabaseName{Engine::kCluster, ""}));
}

TEST(DatabaseName, EmbeddedFolder) {
  EXPECT_THAT(DatabaseName::Parse("embedded:/var/lib/jobs"), IsOkAnd(DatabaseName{Engine::kEmbedded, "/var/lib/jobs"}));
}

TEST(DatabaseName, PathsMayHoldColonsAndSchemes) {
  EXPECT_THAT(DatabaseName::Parse("embedded:fdb:a:b"), IsOkAnd(DatabaseName{Engine::kEmbedded, "fdb:a:b"}));
}

TEST(DatabaseName, ComesBackAsItWas) {
  for (const char* text : {"fdb:", "fdb:/a/b", "embedded:/c"}) {
    EXPECT_EQ(DatabaseName::Parse(text)->ToString(), text);
  }
}

TEST(DatabaseName, AnythingElseIsRefusedWithWhatIsAllowed) {
  for (const char* text : {"", "/var/lib/jobs", "FDB:/x", "sqlite:/x", "fdb", " fdb:/x", "embedded/x"}) {
    EXPECT_THAT(DatabaseName::Parse(text),
                HasStatus(absl::StatusCode::kInvalidArgument,
                          AllOf(HasSubstr("\"" + std::string(text) + "\""), HasSubstr("fdb:/path/to/fdb.cluster"),
                                HasSubstr("embedded:/path/to/folder"))));
  }
}

TEST(DatabaseName, AFolderIsNeeded) {
  EXPECT_THAT(DatabaseName::Parse("embedded:"),
              HasStatus(absl::StatusCode::kInvalidArgument, HasSubstr("the folder is missing")));
}

TEST(DatabaseName, ZeroBytesDoNotFitIntoAPath) {
  EXPECT_THAT(DatabaseName::Parse(std::string("fdb:/a\0b", 8)),
              HasStatus(absl::StatusCode::kInvalidArgument, HasSubstr("\\x00")));
}

}  // namespace
}  // namespace fdbjobs::fdb
