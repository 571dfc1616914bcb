// Finding a client library: what is asked for, what is missing, and what the errors say. Needs no engine.
#include "fdbjobs/fdb/library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "fdbjobs/fdb/client.h"
#include "fdbjobs/fdb/database.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace fdbjobs::fdb {
namespace {

using ::fdbjobs::test::HasStatus;
using ::fdbjobs::test::IsFdbError;
using ::fdbjobs::test::TempFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;

// Built beside this program.
constexpr char kNotAClient[] = FDBJOBS_TEST_NOT_A_CLIENT;
constexpr char kOldClient[] = FDBJOBS_TEST_OLD_CLIENT;

class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (old_.empty()) {
      unsetenv(name_);
    } else {
      setenv(name_, old_.c_str(), 1);
    }
  }

 private:
  const char* const name_;
  std::string old_;
};

TEST(LibraryMissing, AskedForByTheProgram) {
  for (Engine engine : {Engine::kCluster, Engine::kEmbedded}) {
    EXPECT_THAT(Client::Load(engine, "/nowhere/libfdb_c.so"),
                HasStatus(absl::StatusCode::kNotFound,
                          AllOf(HasSubstr("/nowhere/libfdb_c.so"), HasSubstr("asked for by the program"))));
  }
}

TEST(LibraryMissing, AskedForByNameOnly) {
  EXPECT_THAT(Client::Load(Engine::kCluster, "libfdb_c_of_nobody.so"),
              HasStatus(absl::StatusCode::kNotFound, HasSubstr("libfdb_c_of_nobody.so")));
}

TEST(LibraryMissing, AskedForByVariable) {
  const Variable cluster(kClusterLibraryVariable, "/nowhere/cluster.so");
  const Variable embedded(kEmbeddedLibraryVariable, "/nowhere/embedded.so");
  EXPECT_THAT(Client::Load(Engine::kCluster),
              HasStatus(absl::StatusCode::kNotFound,
                        AllOf(HasSubstr("/nowhere/cluster.so"), HasSubstr("asked for by FDBJOBS_FDB_LIBRARY"))));
  EXPECT_THAT(Client::Load(Engine::kEmbedded),
              HasStatus(absl::StatusCode::kNotFound,
                        AllOf(HasSubstr("/nowhere/embedded.so"), HasSubstr("asked for by FDBJOBS_EMBEDDED_LIBRARY"))));
}

TEST(LibraryMissing, TheArgumentGoesBeforeTheVariable) {
  const Variable cluster(kClusterLibraryVariable, "/nowhere/variable.so");
  EXPECT_THAT(Client::Load(Engine::kCluster, "/nowhere/argument.so"),
              HasStatus(absl::StatusCode::kNotFound, HasSubstr("/nowhere/argument.so")));
}

TEST(LibraryMissing, OpenSaysWhichDatabaseItWasFor) {
  EXPECT_THAT(Database::Open("fdb:/etc/fdb.cluster", "/nowhere/libfdb_c.so"),
              HasStatus(absl::StatusCode::kNotFound,
                        AllOf(HasSubstr("open fdb:/etc/fdb.cluster"), HasSubstr("/nowhere/libfdb_c.so"))));
}

TEST(LibraryMissing, OpenRefusesANameBeforeItLooksForALibrary) {
  EXPECT_THAT(Database::Open("/etc/fdb.cluster", "/nowhere/libfdb_c.so"),
              HasStatus(absl::StatusCode::kInvalidArgument, HasSubstr("/etc/fdb.cluster")));
}

TEST(LibraryMissing, EveryMissingFunctionIsNamed) {
  EXPECT_THAT(Client::Load(Engine::kCluster, kNotAClient),
              HasStatus(absl::StatusCode::kFailedPrecondition,
                        AllOf(HasSubstr(kNotAClient), HasSubstr("fdb_select_api_version_impl"),
                              HasSubstr("fdb_transaction_get_approximate_size"), Not(HasSubstr("fdb_get_error")),
                              Not(HasSubstr("split_points")))));
}

TEST(LibraryMissing, AClientThatIsTooOldIsNamedWithItsVersion) {
  const absl::StatusOr<Client*> client = Client::Load(Engine::kCluster, kOldClient);
  EXPECT_THAT(client, IsFdbError(error::kApiVersionNotSupported));
  EXPECT_THAT(client, HasStatus(absl::StatusCode::kFailedPrecondition,
                                AllOf(HasSubstr(kOldClient), HasSubstr("630"), HasSubstr("up to 620"))));
}

TEST(LibraryMissing, AnotherClientIsNotTakenForTheEmbeddedEngine) {
  EXPECT_THAT(Client::Load(Engine::kEmbedded, kOldClient),
              HasStatus(absl::StatusCode::kFailedPrecondition,
                        AllOf(HasSubstr(kOldClient), HasSubstr("is not the embedded engine"))));
}

TEST(LibraryMissing, AFileThatIsNoLibrary) {
  const TempFolder folder;
  const std::string path = folder.path() + "/libfdb_c.so";
  FILE* const file = std::fopen(path.c_str(), "w");
  ASSERT_NE(file, nullptr);
  std::fputs("not a library", file);
  std::fclose(file);
  EXPECT_THAT(Client::Load(Engine::kCluster, path), HasStatus(absl::StatusCode::kNotFound, HasSubstr(path)));
}

TEST(LibraryFound, TheOneThatTheProgramHasLoadedIsTaken) {
  // As an interpreter loads it for an extension: without making its symbols global. Named as clients are.
  const Variable none(kClusterLibraryVariable, "");
  void* const handle = dlopen(kOldClient, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << dlerror();
  EXPECT_THAT(Client::Load(Engine::kCluster), HasStatus(absl::StatusCode::kFailedPrecondition, HasSubstr(kOldClient)));
  dlclose(handle);
}

}  // namespace
}  // namespace fdbjobs::fdb
