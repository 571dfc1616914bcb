// Reads, writes and options of Transaction, case by case. Engine-only: below the C ABI, over a fake engine.
#include "fdbjobs/embedded/transaction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fdbjobs/embedded/limits.h"
#include "tests/embedded/transaction_fixture.h"

namespace fdbjobs::embedded {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

constexpr int kSetVersionstampedKey = 14;
constexpr int kSetVersionstampedValue = 15;
const std::string kStamp(kVersionstampBytes, '\0');
const std::string kOffset0(kVersionstampOffsetBytes, '\0');

std::string Error(ErrorCode code) { return "<" + std::to_string(code) + ">"; }

// Reading.

TEST(TransactionReadTest, ReadsOneVersionOfTheDatabase) {
  const TestDatabase database(Map{{"a", "1"}});
  const TestTransaction reader(database);
  EXPECT_EQ(reader.Get("a"), "1");
  const TestTransaction writer(database);
  writer->Set("a", "2");
  ASSERT_EQ(writer.Commit(), kSuccess);
  EXPECT_EQ(reader.Get("a"), "1");
  EXPECT_EQ(TestTransaction(database).Get("a"), "2");
}

TEST(TransactionReadTest, GetsAReadVersionOnlyWhenItNeedsOne) {
  const TestDatabase database;
  const TestTransaction transaction(database);
  transaction->Set("a", "1");
  transaction->ClearRange("c", "e");
  transaction->Set("d", "2");
  EXPECT_EQ(transaction.Get("a"), "1");
  EXPECT_EQ(transaction.GetRange("c", "e"), "d=2");
  EXPECT_EQ(transaction.GetRange("c", "e", 1, /*reverse=*/true), "d=2...");
  EXPECT_EQ(transaction.GetKey(FirstGreaterOrEqual("c")), "d");
  EXPECT_EQ(transaction.GetKey(LastLessThan("e")), "d");
  EXPECT_EQ(database.engine->read_versions(), 0);
  transaction.Get("b");
  transaction.GetRange("a", "z");
  EXPECT_EQ(database.engine->read_versions(), 1);
}

TEST(TransactionReadTest, ASetReadVersionIsKept) {
  const TestDatabase database(Map{{"a", "1"}});
  const TestTransaction first(database);
  first->Set("a", "2");
  ASSERT_EQ(first.Commit(), kSuccess);

  const TestTransaction old(database);
  old->SetReadVersion(FakeEngine::kFirstVersion);
  EXPECT_EQ(old.Get("a"), "1");
  old->SetReadVersion(FakeEngine::kFirstVersion);
  EXPECT_EQ(old.Get("a"), Error(kReadVersionAlreadySet));

  const TestTransaction too_old(database);
  too_old->SetReadVersion(1);
  EXPECT_EQ(too_old.Get("a"), Error(kTransactionTooOld));
  const TestTransaction future(database);
  future->SetReadVersion(int64_t{1} << 60);
  EXPECT_EQ(future.Get("a"), Error(kFutureVersion));
  const TestTransaction invalid(database);
  invalid->SetReadVersion(0);
  EXPECT_EQ(invalid.Commit(), kVersionInvalid);
}

TEST(TransactionReadTest, OnlyKeysInTheLegalRange) {
  const TestDatabase database(Map{{"\xff/system", "s"}});
  const TestTransaction user(database);
  EXPECT_EQ(user.Get("\xff"), Error(kKeyOutsideLegalRange));
  EXPECT_EQ(user.Get(kMetadataVersionKey), "<none>");
  EXPECT_EQ(user.GetKey(FirstGreaterOrEqual("\xff\x01")), Error(kKeyOutsideLegalRange));
  EXPECT_EQ(user.GetKey(FirstGreaterOrEqual("a")), "\xff");
  EXPECT_EQ(user.GetRange("a", "\xff"), "");
  EXPECT_EQ(user.GetRange("a", "\xff\x01"), Error(kKeyOutsideLegalRange));

  const TestTransaction system(database);
  ASSERT_EQ(system->SetOption(302, std::nullopt), kSuccess);
  EXPECT_EQ(system.Get("\xff/system"), "s");
  EXPECT_EQ(system.GetKey(FirstGreaterOrEqual("a")), "\xff/system");
  EXPECT_EQ(system.GetKey(FirstGreaterThan("\xff/system")), "\xff\xff");
  EXPECT_EQ(system.GetRange("", "\xff\xff"), "\xff/system=s");
}

TEST(TransactionReadTest, KeysThatAreTooLongToExistAreNotThere) {
  const TestDatabase database;
  const TestTransaction transaction(database);
  EXPECT_EQ(transaction.Get(std::string(kKeySizeLimit + 1, 'k')), "<none>");
  EXPECT_EQ(database.engine->read_versions(), 0);
}

TEST(TransactionReadTest, RangeArgumentsAreChecked) {
  const TestDatabase database(Map{{"a", "1"}});
  const TestTransaction transaction(database);
  RangeRequest request{.begin = FirstGreaterOrEqual("a"), .end = FirstGreaterOrEqual("b"), .mode = 0};
  EXPECT_EQ(transaction.GetRange(request), Error(kExactModeWithoutLimits));
  request.limit = -2;
  EXPECT_EQ(transaction.GetRange(request), Error(kRangeLimitsInvalid));
  request.limit = 0;
  request.target_bytes = -2;
  EXPECT_EQ(transaction.GetRange(request), Error(kRangeLimitsInvalid));
  request.target_bytes = 0;
  request.mode = 5;
  EXPECT_EQ(transaction.GetRange(request), Error(kClientInvalidOperation));
  request.mode = -1;
  request.iteration = 0;
  EXPECT_EQ(transaction.GetRange(request), Error(kClientInvalidOperation));
  request.iteration = 1;
  EXPECT_EQ(transaction.GetRange(request), "a=1");
}

TEST(TransactionReadTest, AnInvertedRangeIsEmptyAndConflictsWithNothing) {
  const TestDatabase database(Map{{"a", "1"}});
  const TestTransaction transaction(database);
  EXPECT_EQ(transaction.GetRange("b", "a"), "");
  EXPECT_EQ(transaction.GetRange("a", "a"), "");
  EXPECT_THAT(transaction.ReadConflicts(), IsEmpty());
}

TEST(TransactionReadTest, StreamingModesLimitTheBytes) {
  Map rows;
  for (int i = 0; i < 2000; ++i) rows["k" + std::to_string(10'000 + i)] = std::string(94, 'v');
  const TestDatabase database(rows);
  const TestTransaction transaction(database);
  const auto count = [&](int mode, int iteration, int target_bytes = 0) {
    const FutureRef future = transaction->GetRange({.begin = FirstGreaterOrEqual("k"),
                                                    .end = FirstGreaterOrEqual("l"),
                                                    .limit = mode == 0 ? 1500 : 0,
                                                    .target_bytes = target_bytes,
                                                    .mode = mode,
                                                    .iteration = iteration});
    return future->result_if<Future::RangeResult>()->rows.size();
  };
  // Rows of 100 bytes; the row that reaches the limit is included.
  EXPECT_EQ(count(0, 1), 1500u);
  EXPECT_EQ(count(1, 1), 3u);
  EXPECT_EQ(count(2, 1), 10u);
  EXPECT_EQ(count(3, 1), 41u);
  EXPECT_EQ(count(4, 1), 800u);
  EXPECT_EQ(count(-2, 1), 800u);
  EXPECT_EQ(count(-1, 1), 41u);
  EXPECT_EQ(count(-1, 2), 62u);
  EXPECT_EQ(count(-1, 100), 800u);
  EXPECT_EQ(count(4, 1, 250), 3u);
  EXPECT_EQ(count(0, 1, 1'000'000), 800u);
}

TEST(TransactionReadTest, ARangeWithoutOwnWritesIsOneReadOfTheEngine) {
  const TestDatabase database(Map{{"a", "1"}, {"b", "2"}});
  const TestTransaction transaction(database);
  transaction->Set("x", "9");
  EXPECT_EQ(transaction.GetRange("a", "c"), "a=1 b=2");
  EXPECT_EQ(database.engine->range_reads(), 1);
}

TEST(TransactionReadTest, ARangeThatOwnWritesAnswerReadsNothing) {
  const TestDatabase database(Map{{"a", "1"}, {"b", "2"}});
  const TestTransaction transaction(database);
  transaction->ClearRange("a", "c");
  transaction->Set("b", "3");
  EXPECT_EQ(transaction.GetRange("a", "c"), "b=3");
  EXPECT_EQ(database.engine->range_reads(), 0);
  EXPECT_THAT(transaction.ReadConflicts(), IsEmpty());
}

TEST(TransactionReadTest, AddressesTellThePortFromApiVersion630On) {
  const auto address = [](int api_version, int option = 0) {
    const TestDatabase database({}, api_version);
    const TestTransaction transaction(database);
    if (option != 0) transaction->SetOption(option, std::nullopt);
    const FutureRef future = transaction->GetAddressesForKey("a");
    return future->result_if<Future::StringsResult>()->strings.at(0);
  };
  EXPECT_EQ(address(630), "127.0.0.1:0");
  EXPECT_EQ(address(620), "127.0.0.1");
  EXPECT_EQ(address(620, 23), "127.0.0.1:0");
}

TEST(TransactionReadTest, SizesAndSplitPointsOfARange) {
  const TestDatabase database(Map{{"a", "123"}, {"b", "45"}});
  const TestTransaction transaction(database);
  EXPECT_EQ(*transaction->GetEstimatedRangeSizeBytes("a", "c")->result_if<int64_t>(), 7);
  EXPECT_EQ(transaction->GetEstimatedRangeSizeBytes("c", "a")->error(), kInvertedRange);
  EXPECT_THAT(transaction->GetRangeSplitPoints("a", "c", 100)->result_if<Future::KeysResult>()->keys,
              ElementsAre("a", "c"));
  EXPECT_EQ(transaction->GetRangeSplitPoints("c", "a", 100)->error(), kInvertedRange);
  EXPECT_EQ(transaction->GetRangeSplitPoints("a", "\xff\x01", 100)->error(), kKeyOutsideLegalRange);
}

// Conflict ranges.

TEST(TransactionConflictTest, AGetConflictsWithItsKey) {
  const TestDatabase database(Map{{"a", "1"}});
  const TestTransaction transaction(database);
  transaction.Get("a");
  transaction.Get("b", /*snapshot=*/true);
  EXPECT_THAT(transaction.ReadConflicts(), ElementsAre(Pair("a", KeyAfter("a"))));
}

TEST(TransactionConflictTest, WhatOwnWritesAnswerDoesNotConflict) {
  const TestDatabase database(Map{{"a", "1"}});
  const TestTransaction transaction(database);
  transaction->Set("a", "2");
  transaction->Clear("b");
  transaction->AtomicOp("c", "\x01", 2);
  transaction.Get("a");
  transaction.Get("b");
  EXPECT_THAT(transaction.ReadConflicts(), IsEmpty());
  transaction.Get("c");
  EXPECT_THAT(transaction.ReadConflicts(), ElementsAre(Pair("c", KeyAfter("c"))));
}

TEST(TransactionConflictTest, ASelectorConflictsWithTheWayToItsKey) {
  const TestDatabase database(Map{{"b", "1"}, {"d", "2"}});
  const auto conflict = [&](const KeySelectorView& selector) {
    const TestTransaction transaction(database);
    transaction.GetKey(selector);
    return transaction.ReadConflicts();
  };
  EXPECT_THAT(conflict(FirstGreaterOrEqual("c")), ElementsAre(Pair("c", KeyAfter("d"))));
  EXPECT_THAT(conflict(FirstGreaterThan("b")), ElementsAre(Pair(KeyAfter("b"), KeyAfter("d"))));
  EXPECT_THAT(conflict(LastLessThan("d")), ElementsAre(Pair("b", "d")));
  EXPECT_THAT(conflict(LastLessOrEqual("d")), ElementsAre(Pair("d", KeyAfter("d"))));
  EXPECT_THAT(conflict(LastLessThan("b")), ElementsAre(Pair("", "b")));
  EXPECT_THAT(conflict(FirstGreaterThan("d")), ElementsAre(Pair(KeyAfter("d"), KeyAfter("\xff"))));
}

TEST(TransactionConflictTest, ALimitedRangeConflictsWithWhatItReturned) {
  const TestDatabase database(Map{{"a", "1"}, {"b", "2"}, {"c", "3"}});
  const TestTransaction forward(database);
  EXPECT_EQ(forward.GetRange("a", "z", 2), "a=1 b=2...");
  EXPECT_THAT(forward.ReadConflicts(), ElementsAre(Pair("a", KeyAfter("b"))));
  const TestTransaction backward(database);
  EXPECT_EQ(backward.GetRange("a", "z", 2, /*reverse=*/true), "c=3 b=2...");
  EXPECT_THAT(backward.ReadConflicts(), ElementsAre(Pair("b", "z")));
}

TEST(TransactionConflictTest, ExplicitConflictRanges) {
  const TestDatabase database;
  const TestTransaction transaction(database);
  EXPECT_EQ(transaction->AddConflictRange("a", "c", 0), kSuccess);
  EXPECT_EQ(transaction->AddConflictRange("x", "z", 1), kSuccess);
  EXPECT_EQ(transaction->AddConflictRange("b", "a", 0), kInvertedRange);
  EXPECT_EQ(transaction->AddConflictRange("a", "b", 2), kClientInvalidOperation);
  EXPECT_THAT(transaction.ReadConflicts(), ElementsAre(Pair("a", "c")));
  EXPECT_THAT(transaction.WriteConflicts(), ElementsAre(Pair("x", "z")));
  ASSERT_EQ(transaction.Commit(), kSuccess);
  EXPECT_EQ(ConflictsOf(*database.engine->requests().at(0).writes).at(0).begin, "x");

  const TestTransaction illegal(database);
  EXPECT_EQ(illegal->AddConflictRange("a", "\xff\x01", 0), kKeyOutsideLegalRange);
  EXPECT_EQ(illegal.Commit(), kKeyOutsideLegalRange);
}

TEST(TransactionConflictTest, TheNextWriteCanGoWithoutAConflict) {
  const TestDatabase database;
  const TestTransaction transaction(database);
  ASSERT_EQ(transaction->SetOption(30, std::nullopt), kSuccess);
  transaction->Set("a", "1");
  transaction->Set("b", "2");
  EXPECT_THAT(transaction.WriteConflicts(), ElementsAre(Pair("b", KeyAfter("b"))));
}

// Writing.

TEST(TransactionWriteTest, ErrorsOfWritesComeWithTheNextReadOrCommit) {
  const TestDatabase database;
  const auto commit_after = [&](auto write) {
    const TestTransaction transaction(database);
    write(transaction);
    EXPECT_EQ(transaction.Get("a"), Error(transaction.Commit()));
    return transaction.Commit();
  };
  const std::string long_key(kKeySizeLimit + 1, 'k');
  const std::string long_value(kValueSizeLimit + 1, 'v');
  EXPECT_EQ(commit_after([&](const auto& t) { t->Set(long_key, ""); }), kKeyTooLarge);
  EXPECT_EQ(commit_after([&](const auto& t) { t->Set("a", long_value); }), kValueTooLarge);
  EXPECT_EQ(commit_after([&](const auto& t) { t->AtomicOp(long_key, "", 2); }), kKeyTooLarge);
  EXPECT_EQ(commit_after([&](const auto& t) { t->AtomicOp("a", long_value, 2); }), kValueTooLarge);
  EXPECT_EQ(commit_after([&](const auto& t) { t->AtomicOp("a", "", 0); }), kInvalidMutationType);
  EXPECT_EQ(commit_after([&](const auto& t) { t->AtomicOp("a", "", 1); }), kInvalidMutationType);
  EXPECT_EQ(commit_after([&](const auto& t) { t->AtomicOp("a", "", 10); }), kInvalidMutationType);
  EXPECT_EQ(commit_after([&](const auto& t) { t->AtomicOp("a", "", 258); }), kInvalidMutationType);
  EXPECT_EQ(commit_after([&](const auto& t) { t->AtomicOp("a", "", -1); }), kInvalidMutationType);
  EXPECT_EQ(commit_after([&](const auto& t) { t->Set("\xff", ""); }), kKeyOutsideLegalRange);
  EXPECT_EQ(commit_after([&](const auto& t) { t->Clear("\xff"); }), kKeyOutsideLegalRange);
  EXPECT_EQ(commit_after([&](const auto& t) { t->ClearRange("a", "\xff\x01"); }), kKeyOutsideLegalRange);
  EXPECT_EQ(commit_after([&](const auto& t) { t->ClearRange("b", "a"); }), kInvertedRange);
  EXPECT_EQ(commit_after([&](const auto& t) { t->AtomicOp("\xff", "", 2); }), kKeyOutsideLegalRange);
  EXPECT_EQ(commit_after([&](const auto& t) { t->Set("\xff\xff/x", ""); }), kKeyOutsideLegalRange);
  EXPECT_EQ(commit_after([&](const auto& t) { t->Set(kMetadataVersionKey, ""); }), kClientInvalidOperation);
  EXPECT_THAT(database.engine->requests(), IsEmpty());
}

TEST(TransactionWriteTest, ClearOfAKeyThatCannotExistIsNothing) {
  const TestDatabase database;
  const TestTransaction transaction(database);
  transaction->Clear(std::string(kKeySizeLimit + 1, 'k'));
  EXPECT_EQ(transaction.Commit(), kSuccess);
  EXPECT_THAT(database.engine->requests(), IsEmpty());
}

TEST(TransactionWriteTest, TheMetadataVersionTakesOnlyAVersionstamp) {
  const TestDatabase database;
  const TestTransaction bad(database);
  bad->AtomicOp(kMetadataVersionKey, kStamp + "x" + kOffset0, kSetVersionstampedValue);
  EXPECT_EQ(bad.Commit(), kClientInvalidOperation);
  const TestTransaction good(database);
  good->AtomicOp(kMetadataVersionKey, kStamp + kOffset0, kSetVersionstampedValue);
  EXPECT_EQ(good.Commit(), kSuccess);
  EXPECT_EQ(TestTransaction(database).Get(kMetadataVersionKey).size(), kVersionstampBytes);
}

TEST(TransactionWriteTest, AndAndMinTakeTheOperandWhereThereIsNoValue) {
  const TestDatabase database;
  const TestTransaction transaction(database);
  transaction->AtomicOp("and", "\x05", 6);
  transaction->AtomicOp("min", "\x05", 13);
  EXPECT_EQ(transaction.Get("and"), "\x05");
  EXPECT_EQ(transaction.Get("min"), "\x05");
  ASSERT_EQ(transaction.Commit(), kSuccess);
  EXPECT_EQ(database.engine->rows(), (Map{{"and", "\x05"}, {"min", "\x05"}}));
}

TEST(TransactionWriteTest, TooLargeATransactionIsRefused) {
  const TestDatabase database;
  const TestTransaction transaction(database);
  const std::string value(kValueSizeLimit, 'v');
  for (int i = 0; i < 100; ++i) transaction->Set("key" + std::to_string(i), value);
  EXPECT_EQ(transaction.Commit(), kTransactionTooLarge);

  // One key over and over is one key.
  const TestTransaction small(database);
  for (int i = 0; i < 200; ++i) small->Set("key", value);
  EXPECT_EQ(small.Commit(), kSuccess);

  const TestTransaction limited(database);
  ASSERT_EQ(limited->SetOption(503, IntOption(100)), kSuccess);
  limited->Set("a", std::string(100, 'v'));
  EXPECT_EQ(limited.Commit(), kTransactionTooLarge);
}

TEST(TransactionWriteTest, TheApproximateSizeGrowsWithReadsAndWrites) {
  const TestDatabase database;
  const TestTransaction transaction(database);
  const auto size = [&] { return *transaction->GetApproximateSize()->result_if<int64_t>(); };
  EXPECT_EQ(size(), 0);
  transaction->Set("key", "value");
  EXPECT_EQ(size(), 3 + 5 + 28 + 24 + 7);
  transaction.Get("abc");
  EXPECT_EQ(size(), 67 + 7 + 24);
  transaction->Reset();
  EXPECT_EQ(size(), 0);
}

// Versionstamps.

TEST(TransactionVersionstampTest, BadOffsetsAreRefused) {
  const TestDatabase database;
  for (const int type : {kSetVersionstampedKey, kSetVersionstampedValue}) {
    const TestTransaction transaction(database);
    const std::string bad = kStamp + std::string("\x01\x00\x00\x00", 4);
    type == kSetVersionstampedKey ? transaction->AtomicOp(bad, "v", type) : transaction->AtomicOp("k", bad, type);
    EXPECT_EQ(transaction.Commit(), kClientInvalidOperation);
  }
}

TEST(TransactionVersionstampTest, WhatAStampDecidesCannotBeRead) {
  const TestDatabase database(Map{{"a", "1"}, {"z", "9"}});
  const TestTransaction transaction(database);
  transaction->AtomicOp("v", kStamp + kOffset0, kSetVersionstampedValue);
  EXPECT_EQ(transaction.Get("v"), Error(kAccessedUnreadable));
  EXPECT_EQ(transaction.GetRange("a", "z"), Error(kAccessedUnreadable));
  EXPECT_EQ(transaction.GetRange("a", "z", 1), "a=1...");
  EXPECT_EQ(transaction.GetKey(FirstGreaterThan("a")), Error(kAccessedUnreadable));
  EXPECT_EQ(transaction->Watch("v")->error(), kAccessedUnreadable);
  EXPECT_EQ(transaction.Get("w"), "<none>");

  transaction->AtomicOp("k" + kStamp + std::string("\x01\x00\x00\x00", 4), "x", kSetVersionstampedKey);
  EXPECT_EQ(transaction.Get("k" + std::string(10, '\x20')), Error(kAccessedUnreadable));
  EXPECT_EQ(transaction.Get("k"), "<none>");
  EXPECT_EQ(transaction.Get("l"), "<none>");
  ASSERT_EQ(transaction.Commit(), kSuccess);
  EXPECT_EQ(database.engine->rows().size(), 4u);
}

TEST(TransactionVersionstampTest, WriteConflictsTellTheKeysThatItMayBecomeAndThenTheKey) {
  const TestDatabase database;
  const TestTransaction transaction(database);
  transaction->AtomicOp("k" + kStamp + std::string("\x01\x00\x00\x00", 4), "x", kSetVersionstampedKey);
  EXPECT_THAT(transaction.WriteConflicts(),
              ElementsAre(Pair("k" + std::string(10, '\0'), KeyAfter("k" + std::string(10, '\xff')))));
  ASSERT_EQ(transaction.Commit(), kSuccess);
  const std::string key = database.engine->rows().begin()->first;
  EXPECT_THAT(transaction.WriteConflicts(), ElementsAre(Pair(key, KeyAfter(key))));
  transaction->Reset();
  EXPECT_THAT(transaction.WriteConflicts(), IsEmpty());
}

TEST(TransactionVersionstampTest, SnapshotReadsWithoutOwnWritesAndTheOptionGetPastIt) {
  const TestDatabase database(Map{{"v", "old"}});
  const TestTransaction transaction(database);
  transaction->AtomicOp("v", kStamp + kOffset0, kSetVersionstampedValue);
  ASSERT_EQ(transaction->SetOption(601, std::nullopt), kSuccess);
  EXPECT_EQ(transaction.Get("v", /*snapshot=*/true), "old");
  ASSERT_EQ(transaction->SetOption(1100, std::nullopt), kSuccess);
  EXPECT_EQ(transaction.Get("v"), kStamp + kOffset0);
}

TEST(TransactionVersionstampTest, AClearAfterAVersionstampedKeyComesAfterIt) {
  const TestDatabase database;
  const TestTransaction transaction(database);
  transaction->Set("k0", "before");
  transaction->AtomicOp("k" + kStamp + std::string("\x01\x00\x00\x00", 4), "x", kSetVersionstampedKey);
  transaction->ClearRange("k", "l");
  EXPECT_EQ(transaction.GetRange("a", "z"), "");
  ASSERT_EQ(transaction.Commit(), kSuccess);
  EXPECT_THAT(database.engine->rows(), IsEmpty());
}

TEST(TransactionVersionstampTest, AClearThatEndsBeforeTheStampedKeyLeavesIt) {
  const TestDatabase database;
  const TestTransaction transaction(database);
  transaction->AtomicOp("k" + kStamp + std::string("\x01\x00\x00\x00", 4), "x", kSetVersionstampedKey);
  // The lowest key that it may become lies in here, and the one that it becomes does not.
  transaction->ClearRange("k", "k" + std::string(6, '\0') + "\x01");
  ASSERT_EQ(transaction.Commit(), kSuccess);
  EXPECT_THAT(database.engine->rows(), SizeIs(1));
}

// Options.

TEST(TransactionOptionTest, UnknownOptionsAndBadValuesAreRefused) {
  const TestDatabase database;
  const TestTransaction transaction(database);
  EXPECT_EQ(transaction->SetOption(12345, std::nullopt), kInvalidOption);
  EXPECT_EQ(transaction.Get("a"), "<none>");
  EXPECT_EQ(transaction->SetOption(500, "abc"), kInvalidOptionValue);
  EXPECT_EQ(transaction.Get("a"), Error(kInvalidOptionValue));
  transaction->Reset();
  EXPECT_EQ(transaction->SetOption(30, "value"), kInvalidOptionValue);
  transaction->Reset();
  EXPECT_EQ(transaction->SetOption(800, std::string(17, 't')), kTagTooLong);
  transaction->Reset();
  for (char tag = 'a'; tag < 'f'; ++tag) EXPECT_EQ(transaction->SetOption(800, std::string(1, tag)), kSuccess);
  EXPECT_EQ(transaction->SetOption(801, "f"), kTooManyTags);
  transaction->Reset();
  EXPECT_EQ(transaction->SetOption(404, std::nullopt), kClientInvalidOperation);
}

TEST(TransactionOptionTest, ReadYourWritesCanBeDisabledBeforeTheFirstUseOnly) {
  const TestDatabase database(Map{{"a", "1"}});
  const TestTransaction transaction(database);
  ASSERT_EQ(transaction->SetOption(51, std::nullopt), kSuccess);
  transaction->Set("a", "2");
  EXPECT_EQ(transaction.Get("a"), "1");
  EXPECT_EQ(transaction->Watch("a")->error(), kWatchesDisabled);
  EXPECT_THAT(transaction.ReadConflicts(), ElementsAre(Pair("a", KeyAfter("a"))));
  EXPECT_EQ(transaction.Commit(), kSuccess);
  EXPECT_EQ(database.engine->rows().at("a"), "2");

  const TestTransaction has_read(database);
  has_read.Get("a");
  EXPECT_EQ(has_read->SetOption(51, std::nullopt), kClientInvalidOperation);
  const TestTransaction has_written(database);
  has_written->Set("a", "3");
  EXPECT_EQ(has_written->SetOption(51, std::nullopt), kClientInvalidOperation);
}

TEST(TransactionOptionTest, SnapshotReadYourWritesIsCounted) {
  const TestDatabase database(Map{{"a", "1"}});
  const TestTransaction transaction(database);
  transaction->Set("a", "2");
  EXPECT_EQ(transaction.Get("a", true), "2");
  transaction->SetOption(601, std::nullopt);
  EXPECT_EQ(transaction.Get("a", true), "1");
  transaction->SetOption(601, std::nullopt);
  transaction->SetOption(600, std::nullopt);
  EXPECT_EQ(transaction.Get("a", true), "1");
  transaction->SetOption(600, std::nullopt);
  EXPECT_EQ(transaction.Get("a", true), "2");
}

TEST(TransactionOptionTest, ReadLockAwareTransactionsCannotWrite) {
  const TestDatabase database;
  const TestTransaction transaction(database);
  transaction->SetOption(702, std::nullopt);
  transaction->Set("a", "1");
  EXPECT_EQ(transaction.Commit(), kTransactionReadOnly);
}

TEST(TransactionOptionTest, IdempotencyHasNoEffect) {
  const TestDatabase database;
  const TestTransaction transaction(database);
  EXPECT_EQ(transaction->SetOption(505, std::nullopt), kSuccess);
  EXPECT_EQ(transaction->SetOption(504, std::string(16, 'i')), kSuccess);
  transaction->Set("a", "1");
  database.engine->FailCommits(kCommitUnknownResult);
  EXPECT_EQ(transaction.Commit(), kCommitUnknownResult);
}

TEST(TransactionOptionTest, DurabilityRiskyReachesTheEngine) {
  const TestDatabase database;
  const TestTransaction transaction(database);
  transaction->SetOption(120, std::nullopt);
  transaction->Set("a", "1");
  ASSERT_EQ(transaction.Commit(), kSuccess);
  EXPECT_TRUE(database.engine->requests().at(0).durability_risky);
}

TEST(TransactionOptionTest, DefaultsOfTheDatabaseHold) {
  const TestDatabase database;
  ASSERT_EQ(database.state->SetOption(503, IntOption(100)), kSuccess);
  const TestTransaction transaction(database);
  for (int round = 0; round < 2; ++round) {
    transaction->Set("a", std::string(100, 'v'));
    EXPECT_EQ(transaction.Commit(), kTransactionTooLarge);
    transaction->Reset();
  }
}

// Special keys.

TEST(TransactionSpecialKeysTest, ServedAndRefusedModules) {
  const TestDatabase database;
  const TestTransaction transaction(database);
  EXPECT_EQ(transaction.Get("\xff\xff/connection_string"), "embedded:/folder");
  EXPECT_EQ(transaction.Get("\xff\xff/cluster_file_path"), "/folder");
  EXPECT_EQ(transaction.Get("\xff\xff/status/json"), Error(kUnsupportedOperation));
  EXPECT_EQ(transaction.Get("\xff\xff/transaction/conflicting_keys/a"), Error(kUnsupportedOperation));
  EXPECT_EQ(transaction.Get("\xff\xff/nothing"), Error(kSpecialKeysNoModuleFound));
  EXPECT_EQ(transaction.GetRange("\xff\xff/connection_string", "\xff\xff/z"), Error(kSpecialKeysCrossModuleRead));
  EXPECT_EQ(transaction.GetRange("\xff\xff", "\xff\xff\xff"), Error(kSpecialKeysNoModuleFound));
  EXPECT_EQ(transaction.GetKey(FirstGreaterOrEqual("\xff\xff/a")), Error(kKeyOutsideLegalRange));
  transaction->SetOption(713, std::nullopt);
  EXPECT_EQ(transaction.GetRange("\xff\xff", "\xff\xff\xff", 1), "\xff\xff/cluster_file_path=/folder...");
}

TEST(TransactionSpecialKeysTest, OldApiVersionsHaveNoModules) {
  const TestDatabase database({}, 620);
  const TestTransaction transaction(database);
  EXPECT_EQ(transaction.Get("\xff\xff/cluster_file_path"), "/folder");
  EXPECT_EQ(transaction.Get("\xff\xff/nothing"), Error(kKeyOutsideLegalRange));
  EXPECT_EQ(transaction.GetRange("\xff\xff/connection_string", "\xff\xff/z"), Error(kKeyOutsideLegalRange));
}

TEST(TransactionSpecialKeysTest, WritesAreRefused) {
  const TestDatabase database({}, 700);
  const TestTransaction transaction(database);
  transaction->Set("\xff\xff/management/x", "");
  EXPECT_EQ(transaction.Commit(), kSpecialKeysWriteDisabled);
  transaction->Reset();
  transaction->SetOption(714, std::nullopt);
  transaction->Clear("\xff\xff/management/x");
  EXPECT_EQ(transaction.Commit(), kSpecialKeysNoWriteModuleFound);
}

}  // namespace
}  // namespace fdbjobs::embedded
