// The embedded engine, asked for by name as it is installed: found on the run path of this program, which leads to a
// folder with nothing else in it. Of the embedded engine alone.
#include <cstdlib>
#include <string>

#include "fdbjobs/fdb/client.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace fdbjobs::fdb {
namespace {

using ::fdbjobs::test::HasStatus;
using ::fdbjobs::test::IsOk;
using ::fdbjobs::test::IsOkAnd;
using ::testing::HasSubstr;

constexpr char kName[] = "libfdbjobs_embedded.so";

class LibraryName : public ::testing::Test {
 protected:
  LibraryName() {
    unsetenv("FDBJOBS_FDB_LIBRARY");
    unsetenv("FDBJOBS_EMBEDDED_LIBRARY");
  }
};

TEST_F(LibraryName, OurEngineIsNotTakenForTheSystemsLibrary) {
  const absl::StatusOr<Client*> engine = Client::Load(Engine::kEmbedded, kName);
  ASSERT_THAT(engine, IsOk());
  for (const char* const asked_for : {"", "libfdb_c.so"}) {
    const absl::StatusOr<Client*> system = Client::Load(Engine::kCluster, asked_for);
    if (system.ok()) {
      EXPECT_NE(*system, *engine);
    } else {
      EXPECT_THAT(system, HasStatus(absl::StatusCode::kNotFound, HasSubstr("libfdb_c.so")));
    }
  }
}

TEST_F(LibraryName, OurEngineIsFoundAgain) {
  const absl::StatusOr<Client*> engine = Client::Load(Engine::kEmbedded, kName);
  ASSERT_THAT(engine, IsOk());
  EXPECT_THAT(Client::Load(Engine::kEmbedded, kName), IsOkAnd(*engine));
  EXPECT_THAT(Client::Load(Engine::kEmbedded, (*engine)->library_path()), IsOkAnd(*engine));
}

}  // namespace
}  // namespace fdbjobs::fdb
