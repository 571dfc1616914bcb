// Receipts: few rows, which later transactions use again, and which can be pruned when their process has ended.
#include <set>
#include <thread>

#include "absl/time/clock.h"
#include "fdbjobs/uuid.h"
#include "tests/jobs/jobs_fixture.h"

namespace fdbjobs::test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class ReceiptsTest : public JobsTest {
 protected:
  std::string Leave(absl::Duration age, uint64_t slot = 0) {
    const std::string key = keys().Receipt(RandomUuid(), slot);
    Commit([&](fdb::Transaction& tr) {
      tr.Set(key, keyspace::JobKeys::EncodeReceipt(7, absl::ToUnixMillis(absl::Now() - age)));
    });
    return key;
  }
  bool Has(const std::string& key) {
    return Do([&](fdb::Transaction& tr) { return tr.Get(key, fdb::Isolation::kSnapshot).Await(); }).has_value();
  }
  PruneResult Prune(int limit = 1000, const std::optional<std::string>& continuation = std::nullopt) {
    return Do([&](fdb::Transaction& tr) {
      return jobs().PruneReceipts(tr, absl::Now() - absl::Hours(24), limit, continuation);
    });
  }
};

TEST_F(ReceiptsTest, TransactionsOneAfterTheOtherUseTheSameRow) {
  for (int id = 0; id < 20; ++id) AddJob(id);
  EXPECT_LE(Contents().receipts, 2);
}

TEST_F(ReceiptsTest, TransactionsAtOnceHaveRowsOfTheirOwn) {
  std::set<std::string> rows;
  std::vector<fdb::OwnedTransaction> open;
  for (int id = 0; id < 5; ++id) {
    open.push_back(Begin());
    EXPECT_THAT(jobs().Add(open.back(), type(), {.id = id}), IsOk());
    rows.insert(open.back().receipt()->key);
  }
  EXPECT_THAT(rows, SizeIs(5));
}

TEST_F(ReceiptsTest, ACommitThatComesLateDoesNotReplaceALaterReceipt) {
  fdb::OwnedTransaction late = Begin();
  fdb::Receipt first = jobs().NewReceipt();
  late.WriteReceipt({first.key, first.token, nullptr});
  first.owner.reset();
  const fdb::Receipt second = jobs().NewReceipt();
  ASSERT_EQ(second.key, first.key);
  Commit([&](fdb::Transaction& tr) { tr.WriteReceipt(second); });
  EXPECT_THAT(late.Commit().Await(), IsOk());
  EXPECT_TRUE(Do([&](fdb::Transaction& tr) { return Jobs::HasCommitted(tr, second); }));
}

TEST_F(ReceiptsTest, CallsThatWriteNothingLeaveNone) {
  fdb::OwnedTransaction tr = Begin();
  EXPECT_THAT(jobs().Accept(tr, type()), IsOk());
  EXPECT_THAT(jobs().Update(tr, {.type = type(), .id = 1}), IsOkAnd(Outcome::kWorkerConflict));
  EXPECT_THAT(jobs().Remove(tr, type(), 1), IsOkAnd(ChangeResult::kNotFound));
  EXPECT_FALSE(tr.receipt_written());
}

TEST_F(ReceiptsTest, PruningRemovesOldOnesAndKeepsOthers) {
  AddJob(1);
  const int64_t own = Contents().receipts;
  const std::string old = Leave(absl::Hours(25));
  const std::string fresh = Leave(absl::Hours(23));
  EXPECT_EQ(Prune().removed, 1);
  EXPECT_FALSE(Has(old));
  EXPECT_TRUE(Has(fresh));
  EXPECT_EQ(Contents().receipts, own + 1);
}

TEST_F(ReceiptsTest, PruningGoesOnInBatches) {
  for (int i = 0; i < 25; ++i) Leave(absl::Hours(48), static_cast<uint64_t>(i));
  int removed = 0;
  int rounds = 0;
  std::optional<std::string> continuation;
  do {
    const PruneResult result = Prune(10, continuation);
    removed += result.removed;
    continuation = result.continuation;
    ++rounds;
  } while (continuation.has_value());
  EXPECT_EQ(removed, 25);
  EXPECT_LE(rounds, 4);
}

TEST_F(ReceiptsTest, PruningReportsWhatItCantRead) {
  KeepDamage();
  const std::string key = Leave(absl::Hours(48));
  Commit([&](fdb::Transaction& tr) { tr.Set(key, "garbage"); });
  Leave(absl::Hours(48));
  const PruneResult result = Prune();
  EXPECT_EQ(result.removed, 1);
  ASSERT_THAT(result.damaged, SizeIs(1));
  EXPECT_EQ(result.damaged[0].key, key);
}

// The process of an old row may live, and use it again.
TEST_F(ReceiptsTest, PruningDoesNotRemoveAReceiptThatIsWrittenMeanwhile) {
  const std::string key = Leave(absl::Hours(48));
  fdb::OwnedTransaction prune = Begin();
  EXPECT_THAT(jobs().PruneReceipts(prune, absl::Now() - absl::Hours(2), 10), IsOk());
  const std::string token = keyspace::JobKeys::EncodeReceipt(8, absl::ToUnixMillis(absl::Now()));
  Commit([&](fdb::Transaction& tr) { tr.WriteReceipt({key, token, nullptr}); });
  EXPECT_THAT(prune.Commit().Await(), IsFdbError(fdb::error::kNotCommitted));
  EXPECT_TRUE(Has(key));
}

}  // namespace
}  // namespace fdbjobs::test
