// One process with two clients at once: the embedded engine for a folder, and another libfdb_c for `fdb:` names. The
// other one is FDBJOBS_FDB_LIBRARY with FDBJOBS_TEST_DB when these name a cluster; else a copy of the embedded engine,
// which is another library with the same soname and the same symbols. Of the embedded engine alone otherwise.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "fdbjobs/fdb/client.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/fdb/transact.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace fdbjobs::fdb {
namespace {

using ::fdbjobs::test::HasStatus;
using ::fdbjobs::test::IsOk;
using ::fdbjobs::test::IsOkAnd;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::Optional;

constexpr char kKey[] = "fdbjobs-test/two-clients";

// The folders go last, after all that is open in them.
class TwoClients : public ::testing::Test {
 protected:
  TwoClients() {
    const char* const given = std::getenv("FDBJOBS_TEST_DB");
    if (given != nullptr && std::string_view(given).starts_with("fdb:")) {
      cluster_name_ = given;
      return;  // the library comes from FDBJOBS_FDB_LIBRARY or the system
    }
    cluster_library_ = folder_.path() + "/libfdb_c.so";
    std::filesystem::copy_file(FDBJOBS_TEST_EMBEDDED, cluster_library_);
    const std::string cluster_file = folder_.path() + "/fdb.cluster";
    std::ofstream(cluster_file) << "embedded:" << folder_.path() << "/cluster\n";
    cluster_name_ = "fdb:" + cluster_file;
  }

  static absl::Status Put(const Database& database, const std::string& value) {
    return Transact(database, [&value](Transaction& tr) {
      tr.Set(kKey, value);
      return absl::OkStatus();
    });
  }
  static absl::StatusOr<std::optional<std::string>> Get(const Database& database) {
    return Transact(database, [](Transaction& tr) { return tr.Get(kKey, Isolation::kSerializable).Await(); });
  }
  static absl::Status Remove(const Database& database) {
    return Transact(database, [](Transaction& tr) {
      tr.Clear(kKey);
      return absl::OkStatus();
    });
  }

  test::TempFolder folder_;
  std::string cluster_name_;
  std::string cluster_library_;
};

TEST_F(TwoClients, HoldTwoDatabasesWithNetworksOfTheirOwn) {
  const std::string embedded_name = "embedded:" + folder_.path() + "/folder";
  const absl::StatusOr<Database> embedded = Database::Open(embedded_name, FDBJOBS_TEST_EMBEDDED);
  ASSERT_THAT(embedded, IsOk());
  const absl::StatusOr<Database> cluster = Database::Open(cluster_name_, cluster_library_);
  ASSERT_THAT(cluster, IsOk());
  EXPECT_NE(&embedded->client(), &cluster->client());
  EXPECT_NE(embedded->client().library_path(), cluster->client().library_path());
  EXPECT_NE(embedded->client().api().transaction_get, cluster->client().api().transaction_get);
  EXPECT_FALSE(embedded->client().uses_callers_network());
  EXPECT_FALSE(cluster->client().uses_callers_network());

  EXPECT_THAT(Put(*embedded, "embedded"), IsOk());
  EXPECT_THAT(Put(*cluster, "cluster"), IsOk());
  EXPECT_THAT(Get(*embedded), IsOkAnd(Optional(Eq("embedded"))));
  EXPECT_THAT(Get(*cluster), IsOkAnd(Optional(Eq("cluster"))));
  EXPECT_THAT(Remove(*cluster), IsOk());
}

TEST_F(TwoClients, OurEngineIsNotTakenForTheSystemsLibrary) {
  unsetenv("FDBJOBS_FDB_LIBRARY");
  ASSERT_THAT(Client::Load(Engine::kEmbedded, FDBJOBS_TEST_EMBEDDED), IsOk());
  // By name, the dynamic linker would answer with the engine that is loaded: it has that soname.
  const absl::StatusOr<Client*> system = Client::Load(Engine::kCluster, "libfdb_c.so");
  if (system.ok()) {
    EXPECT_NE((*system)->library_path(), FDBJOBS_TEST_EMBEDDED);
  } else {
    EXPECT_THAT(system, HasStatus(absl::StatusCode::kNotFound, HasSubstr("libfdb_c.so")));
  }
}

}  // namespace
}  // namespace fdbjobs::fdb
