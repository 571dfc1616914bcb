// Faults on demand: by rate and seed, refused when not understood.
#include "fdbjobs/embedded/faults.h"

#include <gtest/gtest.h>

#include <map>

#include "fdbjobs/embedded/error_codes.h"

namespace fdbjobs::embedded {
namespace {

class FaultsTest : public ::testing::Test {
 protected:
  void TearDown() override {
    std::string why;
    SetFaults("", &why);
  }

  std::map<ErrorCode, int> Draw(const std::string& specification) {
    std::string why;
    EXPECT_EQ(SetFaults(specification, &why), 0) << why;
    std::map<ErrorCode, int> counts;
    for (int i = 0; i < 10000; ++i) ++counts[ReadFault()];
    return counts;
  }
};

TEST_F(FaultsTest, ComeAboutAsOftenAsAsked) {
  std::map<ErrorCode, int> counts = Draw("seed=7,too_old=0.1,future_version=0.2,timed_out=0.3");
  EXPECT_NEAR(counts[kTransactionTooOld], 1000, 300);
  EXPECT_NEAR(counts[kFutureVersion], 2000, 300);
  EXPECT_NEAR(counts[kTransactionTimedOut], 3000, 300);
}

TEST_F(FaultsTest, TheSameSeedGivesTheSameFaults) {
  EXPECT_EQ(Draw("seed=3,too_old=0.5"), Draw("seed=3,too_old=0.5"));
  EXPECT_NE(Draw("seed=3,too_old=0.5"), Draw("seed=4,too_old=0.5"));
}

TEST_F(FaultsTest, BothHalvesOfUnknownResults) {
  std::string why;
  ASSERT_EQ(SetFaults("unknown_before=0.5,unknown_after=0.5,commit_delay=1,commit_delay_ms=2", &why), 0) << why;
  int before = 0;
  int after = 0;
  for (int i = 0; i < 1000; ++i) {
    const CommitFault fault = NextCommitFault();
    before += fault.before == kCommitUnknownResult;
    after += fault.after == kCommitUnknownResult;
    EXPECT_LE(fault.delay.count(), 2000);
  }
  EXPECT_EQ(before + after, 1000);
  EXPECT_NEAR(before, 500, 150);
}

TEST_F(FaultsTest, AnEmptySpecificationEndsThem) {
  Draw("too_old=1");
  EXPECT_EQ(Draw("")[0], 10000);
  EXPECT_FALSE(WatchFault());
  EXPECT_EQ(NextCommitFault().before, 0);
}

TEST_F(FaultsTest, WhatIsNotUnderstoodIsRefusedByNameAndChangesNothing) {
  Draw("too_old=1");
  std::string why;
  EXPECT_EQ(SetFaults("to_old=1", &why), kInvalidOptionValue);
  EXPECT_NE(why.find("to_old"), std::string::npos) << why;
  EXPECT_EQ(SetFaults("too_old=1.5", &why), kInvalidOptionValue);
  EXPECT_NE(why.find("1.5"), std::string::npos) << why;
  EXPECT_EQ(SetFaults("seed=x", &why), kInvalidOptionValue);
  EXPECT_EQ(ReadFault(), kTransactionTooOld);
}

}  // namespace
}  // namespace fdbjobs::embedded
