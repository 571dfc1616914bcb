#include "fdbjobs/embedded/database_state.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "fdbjobs/embedded/error_codes.h"
#include "fdbjobs/embedded/last_error.h"

namespace fdbjobs::embedded {
namespace {

constexpr int kMaxWatches = 20;
constexpr int kSnapshotRywEnable = 26;
constexpr int kSnapshotRywDisable = 27;
constexpr int kTransactionTimeout = 500;
constexpr int kTransactionRetryLimit = 501;
constexpr int kTransactionCausalReadRisky = 504;
constexpr int kUseConfigDatabase = 800;

std::string Int(int64_t number) { return std::string(reinterpret_cast<const char*>(&number), sizeof(number)); }

// None of these look at the engine.
class DatabaseStateTest : public testing::Test {
 protected:
  DatabaseState database_{nullptr, 630, "/folder"};
};

TEST_F(DatabaseStateTest, RemembersWhatItIs) {
  EXPECT_EQ(database_.api_version(), 630);
  EXPECT_EQ(database_.folder(), "/folder");
  EXPECT_EQ(database_.engine(), nullptr);
  EXPECT_TRUE(database_.transaction_defaults()->options.empty());
  EXPECT_EQ(database_.transaction_defaults()->snapshot_ryw, 1);
}

TEST_F(DatabaseStateTest, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(database_.SetOption(12345, std::nullopt), kInvalidOption);
  EXPECT_EQ(database_.SetOption(kMaxWatches, std::nullopt), kInvalidOptionValue);
  EXPECT_EQ(database_.SetOption(kMaxWatches, Int(1'000'001)), kInvalidOptionValue);
  EXPECT_EQ(database_.SetOption(kTransactionTimeout, "x"), kInvalidOptionValue);
  EXPECT_EQ(database_.SetOption(kTransactionCausalReadRisky, "x"), kInvalidOptionValue);
  EXPECT_EQ(database_.SetOption(kUseConfigDatabase, std::nullopt), kUnsupportedOperation);
  EXPECT_TRUE(database_.transaction_defaults()->options.empty());
}

TEST_F(DatabaseStateTest, AcceptsWhatDoesNothingHere) {
  EXPECT_EQ(database_.SetOption(10, Int(1000)), kSuccess);
  EXPECT_EQ(database_.SetOption(21, "machine"), kSuccess);
  EXPECT_EQ(database_.SetOption(22, "datacenter"), kSuccess);
  EXPECT_EQ(database_.SetOption(900, Int(50)), kSuccess);
}

TEST_F(DatabaseStateTest, DefaultsOfTransactions) {
  EXPECT_EQ(database_.SetOption(kTransactionTimeout, Int(100)), kSuccess);
  EXPECT_EQ(database_.SetOption(kTransactionCausalReadRisky, std::nullopt), kSuccess);
  const auto before = database_.transaction_defaults();
  EXPECT_EQ(database_.SetOption(kTransactionRetryLimit, Int(3)), kSuccess);
  EXPECT_EQ(database_.SetOption(kTransactionTimeout, Int(200)), kSuccess);

  // A set that a transaction holds does not change.
  ASSERT_EQ(before->options.size(), 2u);
  EXPECT_EQ(before->options[0].code, 500);
  EXPECT_EQ(before->options[0].value, Int(100));
  // Option 504 of the database is option 20 of its transactions.
  EXPECT_EQ(before->options[1].code, 20);
  EXPECT_EQ(before->options[1].value, std::nullopt);

  const auto after = database_.transaction_defaults();
  ASSERT_EQ(after->options.size(), 3u);
  EXPECT_EQ(after->options[0].code, 20);
  EXPECT_EQ(after->options[1].code, 501);
  EXPECT_EQ(after->options[2].code, 500);
  EXPECT_EQ(after->options[2].value, Int(200));
}

TEST_F(DatabaseStateTest, SnapshotRywIsCounted) {
  database_.SetOption(kSnapshotRywDisable, std::nullopt);
  EXPECT_EQ(database_.transaction_defaults()->snapshot_ryw, 0);
  database_.SetOption(kSnapshotRywEnable, std::nullopt);
  database_.SetOption(kSnapshotRywEnable, std::nullopt);
  EXPECT_EQ(database_.transaction_defaults()->snapshot_ryw, 2);
}

TEST_F(DatabaseStateTest, WatchesAreLimited) {
  database_.SetOption(kMaxWatches, Int(2));
  EXPECT_TRUE(database_.TryAddWatch());
  EXPECT_TRUE(database_.TryAddWatch());
  EXPECT_FALSE(database_.TryAddWatch());
  database_.RemoveWatch();
  EXPECT_TRUE(database_.TryAddWatch());
  database_.SetOption(kMaxWatches, Int(1));
  database_.RemoveWatch();
  EXPECT_FALSE(database_.TryAddWatch());
  database_.RemoveWatch();
  EXPECT_TRUE(database_.TryAddWatch());
}

TEST_F(DatabaseStateTest, TenThousandWatchesUnlessSet) {
  int added = 0;
  while (database_.TryAddWatch()) ++added;
  EXPECT_EQ(added, 10'000);
}

TEST_F(DatabaseStateTest, WatchesOfManyThreads) {
  database_.SetOption(kMaxWatches, Int(500));
  std::atomic<int> added = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 200; ++j) added += database_.TryAddWatch() ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(added, 500);
}

TEST(LastError, EachThreadHasItsOwn) {
  EXPECT_EQ(Fail(kFileNotFound, "no file at /x"), kFileNotFound);
  std::thread([] {
    EXPECT_STREQ(LastErrorDetail(), "");
    EXPECT_EQ(Fail(kIoError, "other"), kIoError);
  }).join();
  EXPECT_STREQ(LastErrorDetail(), "no file at /x");
}

}  // namespace
}  // namespace fdbjobs::embedded
