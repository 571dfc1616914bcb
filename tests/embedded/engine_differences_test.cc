// Where the engine differs from FoundationDB below the C ABI: the lines of the table in docs/embedded.md that no other
// test shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <set>
#include <vector>

#include "fdbjobs/embedded/engine_impl.h"
#include "fdbjobs/embedded/error_codes.h"
#include "tests/embedded/temporary_folder.h"

namespace fdbjobs::embedded {
namespace {

class EngineDifferences : public ::testing::Test {
 protected:
  void SetUp() override { Reopen({}); }

  void Reopen(const EngineTuning& tuning) {
    engine_ = nullptr;
    engine_ = std::make_unique<EngineImpl>(tuning);
    std::string why;
    ASSERT_EQ(engine_->OpenFolder(folder_.path(), &why), 0) << why;
  }

  std::future<CommitResult> StartSet(const std::string& key, const std::string& value, bool risky = false) {
    auto writes = std::make_shared<MutationList>();
    writes->Add(MutationType::kSet, key, value, true);
    CommitRequest request;
    request.writes = std::move(writes);
    request.durability_risky = risky;
    auto promise = std::make_shared<std::promise<CommitResult>>();
    engine_->Commit(std::move(request), [promise](CommitResult result) { promise->set_value(result); });
    return promise->get_future();
  }

  TemporaryFolder folder_;
  std::unique_ptr<EngineImpl> engine_;
};

TEST_F(EngineDifferences, EveryCommitHasAVersionOfItsOwn) {
  std::vector<std::future<CommitResult>> commits;
  for (int i = 0; i < 500; ++i) commits.push_back(StartSet("k" + std::to_string(i), "v"));
  std::set<Version> versions;
  for (std::future<CommitResult>& commit : commits) {
    const CommitResult result = commit.get();
    ASSERT_EQ(result.error, 0);
    EXPECT_EQ(result.batch_order, 0);
    EXPECT_TRUE(versions.insert(result.version).second);
  }
}

TEST_F(EngineDifferences, ARiskyCommitCanBeReadWhenItIsAnswered) {
  const CommitResult result = StartSet("key", "value", /*risky=*/true).get();
  ASSERT_EQ(result.error, 0);
  std::optional<std::string> value;
  ASSERT_EQ(engine_->Get(engine_->GetReadVersion(), "key", &value), 0);
  EXPECT_EQ(value, "value");
}

TEST_F(EngineDifferences, ThereAreNoSystemKeysButThoseThatWereWritten) {
  ASSERT_EQ(StartSet("\xff/key", "value").get().error, 0);
  Rows rows;
  bool more = false;
  ASSERT_EQ(engine_->GetRange(engine_->GetReadVersion(), "\xff", "\xff\xff\xff", /*reverse=*/false, kNoRowLimit,
                              kNoRowLimit, &rows, &more),
            0);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].key_view(), "\xff/key");
}

TEST_F(EngineDifferences, AReadVersionAheadOfTheClockFailsAtOnce) {
  std::optional<std::string> value;
  EXPECT_EQ(engine_->Get(engine_->CurrentVersion() + 100'000'000, "key", &value), kFutureVersion);
}

TEST_F(EngineDifferences, VersionsLeapByUpToTenMinutesWhenTheFolderIsOpenedAgain) {
  const Version before = engine_->GetReadVersion();
  Reopen({});
  const Version after = engine_->GetReadVersion();
  EXPECT_GT(after, before);
  EXPECT_LT(after - before, 700'000'000);
}

TEST_F(EngineDifferences, ASmallRangeIsMeasuredAndALargeOneEstimated) {
  EngineTuning tuning;
  tuning.window_versions = 100'000;
  tuning.fold_lag = 110'000;
  tuning.tick_us = 1000;
  tuning.fold_every_us = tuning.fold_little_every_us = 1000;
  Reopen(tuning);
  auto writes = std::make_shared<MutationList>();
  constexpr int kRows = 20'000;
  for (int i = 0; i < kRows; ++i) {
    std::string key = std::to_string(100'000 + i);
    writes->Add(MutationType::kSet, key, std::string(94, 'v'), false);
  }
  CommitRequest request;
  request.writes = std::move(writes);
  std::promise<CommitResult> committed;
  engine_->Commit(std::move(request), [&](CommitResult result) { committed.set_value(result); });
  ASSERT_EQ(committed.get_future().get().error, 0);

  int64_t bytes = 0;
  while (engine_->EstimateBytes(engine_->GetReadVersion(), "100000", "100500", &bytes) == kTransactionTooOld) {
  }
  EXPECT_EQ(bytes, 500 * 100);
  // Once the rows are in the base, their sample is.
  while (bytes < kRows * 100 / 2) {
    const ErrorCode error = engine_->EstimateBytes(engine_->GetReadVersion(), "1", "2", &bytes);
    ASSERT_TRUE(error == 0 || error == kTransactionTooOld) << error;
  }
  EXPECT_NEAR(static_cast<double>(bytes), kRows * 100, kRows * 100 * 0.5);
  std::vector<std::string> keys;
  ASSERT_EQ(engine_->SplitPoints(engine_->GetReadVersion(), "1", "2", 200'000, &keys), 0);
  EXPECT_EQ(keys.front(), "1");
  EXPECT_EQ(keys.back(), "2");
  EXPECT_GT(keys.size(), 4u);
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
}

}  // namespace
}  // namespace fdbjobs::embedded
