// Transact: what is retried, what ends it, and what the last error says.
#include "fdbjobs/fdb/transact.h"

#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_database.h"

namespace fdbjobs::fdb {
namespace {

using ::fdbjobs::test::HasStatus;
using ::fdbjobs::test::IsFdbError;
using ::fdbjobs::test::IsOk;
using ::fdbjobs::test::IsOkAnd;
using ::testing::AllOf;
using ::testing::Eq;
using ::testing::HasSubstr;

class TransactTest : public ::fdbjobs::test::DatabaseTest {
 protected:
  absl::Status Error(int code) { return StatusFromCode(db().client().api(), code, "body"); }

  // Makes the transaction of the body conflict with a commit of another one.
  absl::Status MakeConflict(Transaction& tr) {
    const absl::Status status = tr.Get(Key("conflict"), Isolation::kSerializable).Await().status();
    if (status.ok()) Commit([this](Transaction& other) { other.Add(Key("conflict"), 1); });
    return status;
  }
};

TEST_F(TransactTest, CommitsWhatTheBodyWrote) {
  EXPECT_THAT(Transact(db(),
                       [&](Transaction& tr) {
                         tr.Set(Key("a"), "1");
                         return absl::OkStatus();
                       }),
              IsOk());
  EXPECT_EQ(Read("a"), "1");
}

TEST_F(TransactTest, ReturnsTheBodysValue) {
  const absl::StatusOr<std::string> value = Transact(db(), [&](Transaction& tr) -> absl::StatusOr<std::string> {
    tr.Set(Key("a"), "1");
    return "the value";
  });
  EXPECT_THAT(value, IsOkAnd(Eq("the value")));
}

TEST_F(TransactTest, RetriesConflicts) {
  int tries = 0;
  EXPECT_THAT(Transact(db(),
                       [&](Transaction& tr) {
                         tr.Set(Key("a"), std::to_string(++tries));
                         return tries <= 2 ? MakeConflict(tr) : absl::OkStatus();
                       }),
              IsOk());
  EXPECT_EQ(tries, 3);
  EXPECT_EQ(Read("a"), "3");
}

TEST_F(TransactTest, RetriesFdbErrorsOfTheBody) {
  for (int code : {error::kTransactionTooOld, error::kFutureVersion, error::kNotCommitted, error::kProcessBehind}) {
    int tries = 0;
    EXPECT_THAT(Transact(db(),
                         [&](Transaction& tr) -> absl::Status {
                           tr.Set(Key("a"), std::to_string(++tries));
                           return tries == 1 ? Annotate(Error(code), "with some words of the body") : absl::OkStatus();
                         }),
                IsOk());
    EXPECT_EQ(tries, 2);
    EXPECT_EQ(Read("a"), "2");
  }
}

TEST_F(TransactTest, OtherErrorsEndItAndCommitNothing) {
  int tries = 0;
  EXPECT_THAT(Transact(db(),
                       [&](Transaction& tr) -> absl::StatusOr<int> {
                         ++tries;
                         tr.Set(Key("a"), "1");
                         return absl::NotFoundError("no such job");
                       }),
              HasStatus(absl::StatusCode::kNotFound, Eq("no such job")));
  EXPECT_EQ(tries, 1);
  EXPECT_EQ(Read("a"), std::nullopt);
}

TEST_F(TransactTest, ErrorsThatNoRetryCuresEndIt) {
  int tries = 0;
  EXPECT_THAT(Transact(db(),
                       [&](Transaction& tr) {
                         ++tries;
                         tr.Set("\xff/not-allowed", "1");
                         return absl::OkStatus();
                       }),
              IsFdbError(error::kKeyOutsideLegalRange));
  EXPECT_EQ(tries, 1);
}

TEST_F(TransactTest, RetryLimit) {
  int tries = 0;
  const absl::Status status = Transact(db(), {.max_retries = 2}, [&](Transaction& tr) {
    ++tries;
    tr.Set(Key("a"), "1");
    return MakeConflict(tr);
  });
  EXPECT_EQ(tries, 3);
  EXPECT_THAT(status, IsFdbError(error::kNotCommitted));
  EXPECT_TRUE(IsRetryable(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("after try 3"));
}

TEST_F(TransactTest, NoRetriesAtAll) {
  int tries = 0;
  EXPECT_THAT(Transact(db(), {.max_retries = 0},
                       [&](Transaction&) {
                         ++tries;
                         return Error(error::kNotCommitted);
                       }),
              IsFdbError(error::kNotCommitted));
  EXPECT_EQ(tries, 1);
}

TEST_F(TransactTest, TheDeadlineEndsItAndNamesTheLastError) {
  int tries = 0;
  const absl::Status status = Transact(
      db(), {.timeout = absl::Milliseconds(300), .max_retry_delay = absl::Milliseconds(5)}, [&](Transaction& tr) {
        ++tries;
        tr.Set(Key("a"), "1");
        return MakeConflict(tr);
      });
  EXPECT_THAT(status, HasStatus(absl::StatusCode::kDeadlineExceeded,
                                AllOf(HasSubstr("fdb error 1031"), HasSubstr("the last error before: commit"),
                                      HasSubstr("fdb error 1020"))));
  EXPECT_THAT(status, IsFdbError(error::kTransactionTimedOut));
  EXPECT_GT(tries, 1);
}

TEST_F(TransactTest, AnyRetryDelayIsTaken) {
  for (const absl::Duration delay : {-absl::Seconds(1), absl::ZeroDuration(), absl::Hours(24 * 365)}) {
    EXPECT_THAT(Transact(db(), {.max_retry_delay = delay}, [](Transaction&) { return absl::OkStatus(); }), IsOk());
  }
}

TEST_F(TransactTest, TheDeadlineEndsABodyThatKeepsReading) {
  const absl::Status status = Transact(db(), {.timeout = absl::Milliseconds(20)}, [&](Transaction& tr) {
    while (true) {
      const absl::Status read = tr.Get(Key("a"), Isolation::kSnapshot).Await().status();
      if (!read.ok()) return read;
    }
  });
  EXPECT_THAT(status, IsFdbError(error::kTransactionTimedOut));
  EXPECT_FALSE(MaybeCommitted(status));
}

TEST_F(TransactTest, ATryThatMayHaveCommittedIsRememberedInLaterErrors) {
  int tries = 0;
  const absl::Status status = Transact(db(), [&](Transaction&) -> absl::Status {
    return ++tries == 1 ? Error(error::kCommitUnknownResult) : absl::NotFoundError("no such job");
  });
  EXPECT_EQ(tries, 2);
  EXPECT_THAT(status, HasStatus(absl::StatusCode::kNotFound, Eq("no such job")));
  EXPECT_TRUE(MaybeCommitted(status));
}

TEST_F(TransactTest, UserVersionsBeginAgainWithEachTry) {
  int tries = 0;
  EXPECT_THAT(Transact(db(),
                       [&](Transaction& tr) -> absl::Status {
                         EXPECT_THAT(tr.NextUserVersion(), IsOkAnd(0));
                         EXPECT_THAT(tr.NextUserVersion(), IsOkAnd(1));
                         return ++tries < 3 ? Error(error::kNotCommitted) : absl::OkStatus();
                       }),
              IsOk());
  EXPECT_EQ(tries, 3);
}

TEST_F(TransactTest, BodiesMayHoldWhatCanOnlyMove) {
  auto owned = std::make_unique<int>(7);
  EXPECT_THAT(Transact(db(), [owned = std::move(owned)](Transaction&) -> absl::StatusOr<int> { return *owned; }),
              IsOkAnd(7));
}

TEST_F(TransactTest, ManyThreadsIncrementOneCounter) {
  constexpr int kThreads = 6, kIncrements = 10;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([this] {
      for (int n = 0; n < kIncrements; ++n) {
        const absl::Status status = Transact(db(), [this](Transaction& tr) -> absl::Status {
          const auto value = tr.Get(Key("n"), Isolation::kSerializable).Await();
          if (!value.ok()) return value.status();
          int count = 0;
          if (value->has_value() && !absl::SimpleAtoi(**value, &count)) return absl::DataLossError(**value);
          tr.Set(Key("n"), absl::StrCat(count + 1));
          return absl::OkStatus();
        });
        EXPECT_THAT(status, IsOk());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Read("n"), std::to_string(kThreads * kIncrements));
}

}  // namespace
}  // namespace fdbjobs::fdb
