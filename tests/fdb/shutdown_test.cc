// The end of a client's network, as a program that calls Shutdown sees it. One case: a client can't start again.
#include <string>
#include <thread>

#include "fdbjobs/fdb/client.h"
#include "fdbjobs/fdb/database.h"
#include "gtest/gtest.h"
#include "tests/support/notification.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace fdbjobs::fdb {
namespace {

using ::fdbjobs::test::IsFdbError;
using ::fdbjobs::test::IsOk;

TEST(Shutdown, StopsTheNetworkOnceAndForGood) {
  const test::TempFolder folder;
  const char* const given = std::getenv("FDBJOBS_TEST_DB");
  const std::string name = given != nullptr && *given != '\0' ? given : "embedded:" + folder.path();
  const absl::StatusOr<DatabaseName> parsed = DatabaseName::Parse(name);
  ASSERT_THAT(parsed, IsOk());
  const absl::StatusOr<Client*> client = Client::Load(parsed->engine);
  ASSERT_THAT(client, IsOk());

  EXPECT_THAT((*client)->Shutdown(), IsOk()) << "harmless before the start";
  EXPECT_THAT((*client)->SetNetworkOption(NetworkFlag::kDisableClientStatisticsLogging), IsOk());
  EXPECT_THAT((*client)->SetNetworkOption(NetworkInt::kTraceRollSize, 1'000'000), IsOk());
  EXPECT_THAT((*client)->SetNetworkOption(NetworkText::kTraceLogGroup, "shutdown-test"), IsOk());

  struct Hook {
    test::Notification ran;
    std::thread::id thread;
  } hook;
  const auto run_hook = [](void* parameter) {
    static_cast<Hook*>(parameter)->thread = std::this_thread::get_id();
    static_cast<Hook*>(parameter)->ran.Notify();
  };
  EXPECT_THAT((*client)->AddNetworkCompletionHook(run_hook, &hook), IsFdbError(error::kNetworkNotSetup));
  ASSERT_THAT((*client)->StartNetwork(), IsOk());
  EXPECT_THAT((*client)->AddNetworkCompletionHook(run_hook, &hook), IsOk());
  {
    absl::StatusOr<Database> database = Database::Open(name);
    ASSERT_THAT(database, IsOk());
    absl::StatusOr<OwnedTransaction> tr = database->CreateTransaction();
    ASSERT_THAT(tr, IsOk());
    ASSERT_THAT(tr->GetReadVersion().Await(), IsOk());
    EXPECT_FALSE(hook.ran.HasBeenNotified());

    EXPECT_THAT((*client)->Shutdown(), IsOk());
    EXPECT_TRUE(hook.ran.HasBeenNotified()) << "the hooks have run when Shutdown returns";
    EXPECT_NE(hook.thread, std::this_thread::get_id());
    EXPECT_THAT((*client)->Shutdown(), IsOk()) << "idempotent";
  }  // handles may go after the network
  EXPECT_THAT(Database::Open(name), IsFdbError(error::kNetworkCannotBeRestarted));
}

}  // namespace
}  // namespace fdbjobs::fdb
