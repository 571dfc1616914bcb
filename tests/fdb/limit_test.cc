// FoundationDB's limits: what still fits, and the error for what does not.
#include <string>

#include "fdbjobs/fdb/transaction.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_database.h"

namespace fdbjobs::fdb {
namespace {

using ::fdbjobs::test::IsFdbError;
using ::fdbjobs::test::IsOk;

constexpr size_t kKeyBytes = 10'000;
constexpr size_t kValueBytes = 100'000;
constexpr size_t kTransactionBytes = 10'000'000;

class LimitTest : public ::fdbjobs::test::DatabaseTest {
 protected:
  std::string KeyOf(size_t bytes) { return Key(std::string(bytes - prefix().size(), 'k')); }
};

TEST_F(LimitTest, Keys) {
  Commit([this](Transaction& tr) { tr.Set(KeyOf(kKeyBytes), "fits"); });
  OwnedTransaction tr = Begin();
  tr.Set(KeyOf(kKeyBytes + 1), "");
  EXPECT_THAT(tr.Commit().Await(), IsFdbError(error::kKeyTooLarge));
}

TEST_F(LimitTest, Values) {
  Put("a", std::string(kValueBytes, 'v'));
  EXPECT_EQ(Read("a")->size(), kValueBytes);
  OwnedTransaction tr = Begin();
  tr.Set(Key("a"), std::string(kValueBytes + 1, 'v'));
  EXPECT_THAT(tr.Commit().Await(), IsFdbError(error::kValueTooLarge));
}

TEST_F(LimitTest, Transactions) {
  OwnedTransaction tr = Begin();
  for (size_t written = 0, i = 0; written <= kTransactionBytes; written += kValueBytes, ++i) {
    tr.Set(Key(std::to_string(i)), std::string(kValueBytes, 'v'));
  }
  const absl::Status status = tr.Commit().Await();
  EXPECT_THAT(status, IsFdbError(error::kTransactionTooLarge));
  EXPECT_FALSE(IsRetryable(status));
  EXPECT_TRUE(IsPermanent(status));
  EXPECT_EQ(Read("0"), std::nullopt);
}

// A cleared range with new rows in it: what others conflict with is that one range.
TEST_F(LimitTest, ConflictRangesThatTouchCountOnce) {
  constexpr size_t kRows = 100, kLength = 1000;
  OwnedTransaction tr = Begin();
  // The rows and the clears between them come to some 300,000 bytes, conflict ranges of their own to 400,000 more.
  ASSERT_THAT(tr.SetOption(TransactionInt::kSizeLimitBytes, 400'000), IsOk());
  tr.ClearRange(prefix(), PrefixEnd());
  for (size_t i = 0; i < kRows; ++i) tr.Set(KeyOf(kLength) + std::to_string(i), "");
  EXPECT_THAT(tr.Commit().Await(), IsOk());
}

TEST_F(LimitTest, TheConflictOfAKeyCountsOnceWhateverIsDoneToIt) {
  OwnedTransaction tr = Begin();
  // Ten operations on a key of 5,000 bytes, and its conflict range; ten of those would be 100,000 bytes.
  ASSERT_THAT(tr.SetOption(TransactionInt::kSizeLimitBytes, 100'000), IsOk());
  for (int i = 0; i < 10; ++i) tr.AtomicOp(MutationType::kCompareAndClear, KeyOf(5'000), "x");
  EXPECT_THAT(tr.Commit().Await(), IsOk());
}

TEST_F(LimitTest, ErrorsOfWritesComeWithTheNextReadToo) {
  OwnedTransaction tr = Begin();
  tr.Set(KeyOf(kKeyBytes + 1), "");
  EXPECT_THAT(tr.Get(Key("a"), Isolation::kSnapshot).Await(), IsFdbError(error::kKeyTooLarge));
}

TEST_F(LimitTest, RangeLimitsThatMeanNothingAreRefused) {
  OwnedTransaction tr = Begin();
  const std::string end = PrefixEnd();
  const RangeRequest good{.begin = KeySelectorView::FirstGreaterOrEqual(prefix()),
                          .end = KeySelectorView::FirstGreaterOrEqual(end)};
  const auto error_of = [&tr](const RangeRequest& request) { return tr.GetRange(request).AwaitReady(); };
  RangeRequest request = good;
  request.limit = -2;  // -1 is how FoundationDB writes "no limit" inside
  EXPECT_THAT(error_of(request), IsFdbError(error::kRangeLimitsInvalid));
  request = good;
  request.target_bytes = -2;
  EXPECT_THAT(error_of(request), IsFdbError(error::kRangeLimitsInvalid));
  request = good;
  request.iteration = 0;
  EXPECT_THAT(error_of(request), IsFdbError(error::kClientInvalidOperation));
  request = good;
  request.mode = static_cast<StreamingMode>(5);
  EXPECT_THAT(error_of(request), IsFdbError(error::kClientInvalidOperation));
}

}  // namespace
}  // namespace fdbjobs::fdb
