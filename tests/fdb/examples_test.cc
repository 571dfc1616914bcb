// The examples of the headers in fdbjobs/fdb, so that they compile and do what they say.
#include <optional>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "fdbjobs/fdb/range.h"
#include "fdbjobs/fdb/transact.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_database.h"

namespace fdbjobs::fdb {
namespace {

using ::fdbjobs::test::IsOk;
using ::fdbjobs::test::IsOkAnd;

using ExamplesTest = ::fdbjobs::test::DatabaseTest;

// database.h, transaction.h
absl::Status WriteOnce(const std::string& name, const std::string& key) {
  absl::StatusOr<Database> database = Database::Open(name);
  if (!database.ok()) return database.status();
  absl::StatusOr<OwnedTransaction> tr = database->CreateTransaction();
  if (!tr.ok()) return tr.status();
  ValueFuture old = tr->Get(key, Isolation::kSerializable);
  tr->Set(key, "yes");
  return tr->Commit().Await();
}

TEST_F(ExamplesTest, OpenReadWriteCommit) {
  EXPECT_THAT(WriteOnce(test::TestDatabaseName(), Key("seen")), IsOk());
  EXPECT_EQ(Read("seen"), "yes");
}

// future.h
absl::StatusOr<size_t> BytesOfBoth(Transaction& tr, const std::string& one, const std::string& two) {
  ValueFuture a = tr.Get(one, Isolation::kSerializable);
  ValueFuture b = tr.Get(two, Isolation::kSerializable);
  if (absl::Status status = AwaitAll(a, b); !status.ok()) return status;
  absl::StatusOr<std::optional<std::string_view>> first = a.AwaitView();
  absl::StatusOr<std::optional<std::string_view>> second = b.AwaitView();
  if (!first.ok()) return first.status();
  if (!second.ok()) return second.status();
  return first->value_or("").size() + second->value_or("").size();
}

TEST_F(ExamplesTest, TwoReadsAtOnce) {
  Put("a", "123");
  OwnedTransaction tr = Begin();
  EXPECT_THAT(BytesOfBoth(tr, Key("a"), Key("b")), IsOkAnd(3u));
}

// range.h
absl::StatusOr<size_t> CountJobs(Transaction& tr, const std::string& begin, const std::string& end) {
  size_t count = 0;
  RangeReader reader(tr, {.begin = KeySelectorView::FirstGreaterOrEqual(begin),
                          .end = KeySelectorView::FirstGreaterOrEqual(end),
                          .isolation = Isolation::kSnapshot});  // only counted, so nothing to conflict with
  while (true) {
    absl::StatusOr<absl::Span<const KeyValueView>> batch = reader.Next();
    if (!batch.ok()) return batch.status();
    if (batch->empty()) return count;
    count += batch->size();
  }
}

TEST_F(ExamplesTest, CountsARange) {
  Put("job/1", "");
  Put("job/2", "");
  OwnedTransaction tr = Begin();
  EXPECT_THAT(CountJobs(tr, Key("job/"), Key("job0")), IsOkAnd(2u));
}

// transact.h
TEST_F(ExamplesTest, CountsInATransaction) {
  const absl::StatusOr<int> count =
      Transact(db(), {.timeout = absl::Seconds(60)}, [&](Transaction& tr) -> absl::StatusOr<int> {
        absl::StatusOr<std::optional<std::string>> value = tr.Get(Key("count"), Isolation::kSerializable).Await();
        if (!value.ok()) return value.status();
        int next = 0;
        if (value->has_value() && !absl::SimpleAtoi(**value, &next)) return absl::DataLossError("not a number");
        tr.Set(Key("count"), absl::StrCat(++next));
        return next;
      });
  EXPECT_THAT(count, IsOkAnd(1));
}

// client.h, transaction.h
TEST_F(ExamplesTest, BorrowsTheCallersTransaction) {
  OwnedTransaction callers = Begin();
  FDBTransaction* const raw = callers.raw();
  absl::StatusOr<Client*> client = Client::Load(db().name().engine);
  ASSERT_THAT(client, IsOk());
  BorrowedTransaction borrowed(**client, raw);
  borrowed.Set(Key("a"), "1");
  EXPECT_THAT(callers.Commit().Await(), IsOk());
}

}  // namespace
}  // namespace fdbjobs::fdb
