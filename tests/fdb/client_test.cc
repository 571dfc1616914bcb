// Client: loading, versions, the network and its options.
#include "fdbjobs/fdb/client.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "fdbjobs/fdb/database.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_database.h"

namespace fdbjobs::fdb {
namespace {

using ::fdbjobs::test::IsFdbError;
using ::fdbjobs::test::IsOk;
using ::fdbjobs::test::IsOkAnd;
using ::testing::HasSubstr;

Client& TheClient() { return test::TestDatabase().client(); }

TEST(Client, ServesTheApiVersionThatWeSelect) {
  EXPECT_GE(TheClient().max_api_version(), abi::kApiVersion);
  EXPECT_FALSE(TheClient().version().empty());
  EXPECT_THAT(TheClient().library_path(), HasSubstr("/"));
}

TEST(Client, EveryRequiredFunctionIsBound) {
  // A table of pointers and nothing else, the three optional ones last.
  constexpr size_t kPointers = sizeof(abi::Api) / sizeof(void*);
  void* pointers[kPointers];
  std::memcpy(pointers, &TheClient().api(), sizeof(pointers));
  EXPECT_EQ(std::count(pointers, pointers + kPointers - 3, nullptr), 0);
}

TEST(Client, IsOnePerLibrary) {
  EXPECT_THAT(Client::Load(test::TestDatabase().name().engine, TheClient().library_path()), IsOkAnd(&TheClient()));
  EXPECT_THAT(Client::Load(test::TestDatabase().name().engine), IsOkAnd(&TheClient()));
}

TEST(Client, LoadsFromManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([] {
      const absl::StatusOr<Database> database = Database::Open(test::TestDatabaseName());
      ASSERT_THAT(database, IsOk());
      EXPECT_EQ(&database->client(), &TheClient());
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Client, TheNetworkStartsOnce) {
  EXPECT_THAT(TheClient().StartNetwork(), IsOk());
  EXPECT_THAT(TheClient().StartNetwork(), IsOk());
  EXPECT_FALSE(TheClient().uses_callers_network());
  EXPECT_EQ(TheClient().api().setup_network(), error::kNetworkAlreadySetup);
}

TEST(Client, TheApiVersionIsSelectedOnce) {
  EXPECT_EQ(TheClient().api().select_api_version_impl(abi::kApiVersion, abi::kApiVersion),
            error::kApiVersionAlreadySet);
}

TEST(Client, UnknownNetworkOptionsAreRefused) {
  EXPECT_THAT(TheClient().SetNetworkOption(static_cast<NetworkFlag>(9999)), IsFdbError(error::kInvalidOption));
}

TEST(Database, Moves) {
  absl::StatusOr<Database> first = Database::Open(test::TestDatabaseName());
  ASSERT_THAT(first, IsOk());
  Database second = *std::move(first);
  EXPECT_EQ(second.name().ToString(), test::TestDatabaseName());
  absl::StatusOr<Database> third = Database::Open(test::TestDatabaseName());
  ASSERT_THAT(third, IsOk());
  second = *std::move(third);
  EXPECT_THAT(second.CreateTransaction(), IsOk());
}

// Of the embedded engine alone: FoundationDB does not touch a database before the first transaction.
TEST(EmbeddedDatabase, OpenTellsWhatIsWrongWithTheFolder) {
  const test::TempFolder folder;
  const std::string file = folder.path() + "/file";
  FILE* const opened = std::fopen(file.c_str(), "w");
  ASSERT_NE(opened, nullptr);
  std::fputs("not a database\n", opened);
  std::fclose(opened);
  const absl::StatusOr<Database> database = Database::Open("embedded:" + file);
  ASSERT_FALSE(database.ok());
  EXPECT_NE(FdbCode(database.status()), 0);
  EXPECT_THAT(std::string(database.status().message()), HasSubstr("open embedded:" + file));
  // After the code's own text, the engine's words.
  EXPECT_THAT(std::string(database.status().message()), HasSubstr("): "));
}

}  // namespace
}  // namespace fdbjobs::fdb
