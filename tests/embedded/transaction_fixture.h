// What tests of Transaction share: a fake engine, a running network thread, and short ways to read and write.
#ifndef FDBJOBS_TESTS_EMBEDDED_TRANSACTION_FIXTURE_H_
#define FDBJOBS_TESTS_EMBEDDED_TRANSACTION_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "fdbjobs/embedded/database_state.h"
#include "fdbjobs/embedded/network.h"
#include "fdbjobs/embedded/transaction.h"
#include "tests/embedded/fake_engine.h"

namespace fdbjobs::embedded {

// Runs the network of the process for as long as the tests do.
class NetworkEnvironment : public testing::Environment {
 public:
  void SetUp() override {
    ASSERT_EQ(Network::Get().Setup(), kSuccess);
    thread_ = std::thread([] { Network::Get().Run(); });
  }
  void TearDown() override {
    Network::Get().Stop();
    thread_.join();
  }

 private:
  std::thread thread_;
};

inline std::string IntOption(int64_t number) {
  std::string bytes(sizeof(number), '\0');
  std::memcpy(bytes.data(), &number, sizeof(number));
  return bytes;
}

inline KeySelectorView FirstGreaterOrEqual(std::string_view key) { return {key, false, 1}; }
inline KeySelectorView FirstGreaterThan(std::string_view key) { return {key, true, 1}; }
inline KeySelectorView LastLessThan(std::string_view key) { return {key, false, 0}; }
inline KeySelectorView LastLessOrEqual(std::string_view key) { return {key, true, 0}; }

inline ErrorCode Wait(const FutureRef& future) {
  if (ErrorCode error = future->BlockUntilReady()) return error;
  return future->error();
}

// A database on a fake engine, and transactions of it.
class TestDatabase {
 public:
  explicit TestDatabase(Map rows = {}, int api_version = 630)
      : engine(std::make_shared<FakeEngine>(std::move(rows))),
        state(std::make_shared<DatabaseState>(engine, api_version, "/folder")) {}

  TestDatabase(const TestDatabase&) = delete;
  TestDatabase& operator=(const TestDatabase&) = delete;
  // A commit and a watch that never end would keep the database for ever.
  ~TestDatabase() {
    engine->ReleaseCommits({.error = kCommitUnknownResult});
    engine->FireWatches();
  }

  const std::shared_ptr<FakeEngine> engine;
  const std::shared_ptr<DatabaseState> state;
};

// Owns a transaction as the handle of the ABI does.
class TestTransaction {
 public:
  using Range = std::pair<std::string, std::string>;

  explicit TestTransaction(const TestDatabase& database) : transaction_(Transaction::Make(database.state)) {}
  TestTransaction(const TestTransaction&) = delete;
  TestTransaction& operator=(const TestTransaction&) = delete;
  ~TestTransaction() { transaction_->Destroy(); }

  Transaction* operator->() const { return transaction_.get(); }

  // "<none>", "<error>" or the value.
  std::string Get(std::string_view key, bool snapshot = false) const {
    const FutureRef future = transaction_->Get(key, snapshot);
    EXPECT_TRUE(future->IsReady());
    if (future->error() != kSuccess) return "<" + std::to_string(future->error()) + ">";
    return future->result_if<Future::ValueResult>()->value.value_or("<none>");
  }

  std::string GetKey(const KeySelectorView& selector, bool snapshot = false) const {
    const FutureRef future = transaction_->GetKey(selector, snapshot);
    EXPECT_TRUE(future->IsReady());
    if (future->error() != kSuccess) return "<" + std::to_string(future->error()) + ">";
    return future->result_if<Future::KeyResult>()->key;
  }

  // "a=1 b=2", with "..." at the end when there may be more.
  std::string GetRange(const RangeRequest& request) const {
    const FutureRef future = transaction_->GetRange(request);
    EXPECT_TRUE(future->IsReady());
    if (future->error() != kSuccess) return "<" + std::to_string(future->error()) + ">";
    const auto* const result = future->result_if<Future::RangeResult>();
    std::string text;
    for (const Rows::Entry& row : result->rows) {
      text += std::string(text.empty() ? "" : " ") + std::string(row.key_view()) + "=" + std::string(row.value_view());
    }
    return result->more ? text + "..." : text;
  }
  std::string GetRange(std::string_view begin, std::string_view end, int limit = 0, bool reverse = false) const {
    return GetRange({.begin = FirstGreaterOrEqual(begin),
                     .end = FirstGreaterOrEqual(end),
                     .limit = limit,
                     .mode = -2,
                     .reverse = reverse});
  }

  ErrorCode Commit() const { return Wait(transaction_->Commit()); }

  // What the transaction conflicts with so far, as the special keys tell it.
  std::vector<Range> ReadConflicts() const { return Conflicts("\xff\xff/transaction/read_conflict_range/"); }
  std::vector<Range> WriteConflicts() const { return Conflicts("\xff\xff/transaction/write_conflict_range/"); }

 private:
  std::vector<Range> Conflicts(const std::string& prefix) const {
    const std::string end = prefix.substr(0, prefix.size() - 1) + "0";
    const FutureRef future = transaction_->GetRange(
        {.begin = FirstGreaterOrEqual(prefix), .end = FirstGreaterOrEqual(end), .limit = 1'000'000, .mode = 0});
    EXPECT_EQ(future->error(), kSuccess);
    std::vector<Range> ranges;
    if (future->error() != kSuccess) return ranges;
    for (const Rows::Entry& row : future->result_if<Future::RangeResult>()->rows) {
      std::string key(row.key_view().substr(prefix.size()));
      if (row.value_view() == "1") {
        ranges.emplace_back(std::move(key), "");
      } else {
        ranges.back().second = std::move(key);
      }
    }
    return ranges;
  }

  std::shared_ptr<Transaction> transaction_;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_TESTS_EMBEDDED_TRANSACTION_FIXTURE_H_
