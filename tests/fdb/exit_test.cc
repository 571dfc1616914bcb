// The end of a process: with handles in static objects, pending futures and callbacks, it ends in time and cleanly.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "fdbjobs/fdb/client.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/fdb/transaction.h"
#include "gtest/gtest.h"
#include "tests/support/notification.h"
#include "tests/support/temp_folder.h"

namespace fdbjobs::fdb {
namespace {

// Destroyed after the network was stopped: their destructors are registered before the client is loaded.
std::optional<Database> static_database;
std::optional<OwnedTransaction> static_transaction;
std::optional<VoidFuture> static_watch;

std::string DatabaseToOpen(const test::TempFolder& folder) {
  const char* const given = std::getenv("FDBJOBS_TEST_DB");
  return given != nullptr && *given != '\0' ? given : "embedded:" + folder.path();
}

void OpenStatics(const std::string& name) {
  absl::StatusOr<Database> database = Database::Open(name);
  if (!database.ok()) std::abort();
  static_database.emplace(*std::move(database));
  absl::StatusOr<OwnedTransaction> tr = static_database->CreateTransaction();
  if (!tr.ok()) std::abort();
  static_watch.emplace(tr->Watch("fdbjobs-test/exit/nobody-writes-this"));
  if (!tr->Commit().Await().ok()) std::abort();
  static_transaction.emplace(*std::move(tr));
}

class ExitTest : public ::testing::Test {
 protected:
  // Each case runs in a child of its own, which starts the program anew.
  ExitTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  test::TempFolder folder_;
};

TEST_F(ExitTest, WithHandlesInStaticObjects) {
  EXPECT_EXIT(
      {
        OpenStatics(DatabaseToOpen(folder_));
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(ExitTest, WithCallbacksPending) {
  EXPECT_EXIT(
      {
        OpenStatics(DatabaseToOpen(folder_));
        if (!static_watch->OnReady([] {}).ok()) std::abort();
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(ExitTest, WithHandlesInFunctionStatics) {
  EXPECT_EXIT(
      {
        static const absl::StatusOr<Database> database = Database::Open(DatabaseToOpen(folder_));
        if (!database.ok()) std::abort();
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

// Not under a sanitizer: a lock of its allocator that another thread holds during the fork stays locked in the child.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// The child has the memory of the client, and none of its threads.
TEST_F(ExitTest, OfAForkedChild) {
  EXPECT_EXIT(
      {
        const std::string name = DatabaseToOpen(folder_);
        absl::StatusOr<Database> database = Database::Open(name);
        if (!database.ok()) std::abort();
        const pid_t child = fork();
        if (child == 0) {
          const int code = FdbCode(Database::Open(name).status());
          std::exit(code == error::kNetworkCannotBeRestarted ? 5 : 6);
        }
        int state = 0;
        if (waitpid(child, &state, 0) != child || !WIFEXITED(state) || WEXITSTATUS(state) != 5) std::abort();
        // The parent works on.
        absl::StatusOr<OwnedTransaction> tr = database->CreateTransaction();
        if (!tr.ok() || !tr->GetReadVersion().Await().ok()) std::abort();
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}
#endif

// A callback that borrows a transaction asks for its client, which must not wait for the network to end.
TEST_F(ExitTest, WhileACallbackAsksForItsClient) {
  EXPECT_EXIT(
      {
        OpenStatics(DatabaseToOpen(folder_));
        static test::Notification* const exiting = new test::Notification;
        const auto ask_until_the_network_stops = [] {
          exiting->WaitForNotification();
          const Engine engine = static_database->name().engine;
          while (true) {
            const absl::StatusOr<Client*> client = Client::Load(engine);
            if (!client.ok()) std::abort();
            if (!(*client)->StartNetwork().ok()) break;
          }
        };
        if (!static_watch->OnReady(ask_until_the_network_stops).ok()) std::abort();
        static_watch->Cancel();
        // Runs before the exit handler that was set when the network started.
        std::atexit([] { exiting->Notify(); });
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(ExitTest, FromACallbackOnTheNetworkThread) {
  EXPECT_EXIT(
      {
        OpenStatics(DatabaseToOpen(folder_));
        if (!static_watch->OnReady([] { std::exit(7); }).ok()) std::abort();
        static_watch->Cancel();
        while (static_watch->WaitFor(absl::InfiniteDuration())) {
        }
      },
      ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace fdbjobs::fdb
