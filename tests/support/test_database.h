// The database that tests run on, and a fixture that keeps each test to keys of its own.
//
// FDBJOBS_TEST_DB names the database ("fdb:/path/to/fdb.cluster", "embedded:/path"); without it, a fresh embedded
// folder is made for the test program and removed at its end. Every key of a test is below a prefix that no other
// test has, and is cleared when the test ends, so the suite leaves a real cluster as it was.
//
// Thread safety: as fdb::Database. Lifetime: the database is open until the test program ends.
//
//   using CounterTest = fdbjobs::test::DatabaseTest;
//   TEST_F(CounterTest, Counts) { Commit([&](fdb::Transaction& tr) { tr.Add(Key("n"), 1); }); }
#ifndef FDBJOBS_TESTS_SUPPORT_TEST_DATABASE_H_
#define FDBJOBS_TESTS_SUPPORT_TEST_DATABASE_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "fdbjobs/fdb/database.h"
#include "fdbjobs/fdb/transaction.h"
#include "gtest/gtest.h"

namespace fdbjobs::test {

// Opened at the first call. Ends the program when it can't be opened.
fdb::Database& TestDatabase();
// For Database::Open, when a test needs a second handle on the same database.
std::string TestDatabaseName();
// Whether the tests run on the embedded engine. For tests that are of that engine alone.
bool IsEmbedded();

class DatabaseTest : public ::testing::Test {
 protected:
  DatabaseTest();
  ~DatabaseTest() override;

  fdb::Database& db() { return TestDatabase(); }
  fdb::OwnedTransaction Begin();

  // All keys of this test begin with it; keys of others don't.
  const std::string& prefix() const { return prefix_; }
  std::string PrefixEnd() const;
  std::string Key(std::string_view suffix) const { return prefix_ + std::string(suffix); }

  // Each in a transaction of its own that is tried until it commits.
  void Commit(const std::function<void(fdb::Transaction&)>& body);
  void Put(std::string_view suffix, std::string_view value);
  std::optional<std::string> Read(std::string_view suffix);

 private:
  std::string prefix_;
};

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_SUPPORT_TEST_DATABASE_H_
