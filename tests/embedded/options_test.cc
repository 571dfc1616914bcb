#include "fdbjobs/embedded/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <limits>
#include <string>

#include "fdbjobs/embedded/api_version.h"
#include "fdbjobs/embedded/error_codes.h"
#include "fdbjobs/embedded/network_options.h"

namespace fdbjobs::embedded {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;

std::string Int(int64_t number) { return std::string(reinterpret_cast<const char*>(&number), sizeof(number)); }

ErrorCode Check(OptionScope scope, int code, std::optional<std::string_view> value) {
  const OptionInfo* info = FindOption(scope, code);
  return info == nullptr ? kInvalidOption : CheckOptionValue(*info, value);
}

ErrorCode CheckNetwork(int code, std::optional<std::string_view> value, bool set_up = false) {
  std::string why;
  const ErrorCode error = CheckNetworkOption(code, value, set_up, &why);
  EXPECT_EQ(why.empty(), error == kSuccess) << why;
  return error;
}

TEST(Options, FoundByScopeAndCode) {
  EXPECT_EQ(FindOption(OptionScope::kNetwork, 30)->name, "TRACE_ENABLE");
  EXPECT_EQ(FindOption(OptionScope::kDatabase, 20)->name, "MAX_WATCHES");
  EXPECT_EQ(FindOption(OptionScope::kTransaction, 20)->name, "CAUSAL_READ_RISKY");
  EXPECT_EQ(FindOption(OptionScope::kDatabase, 504)->default_for, 20);
  for (OptionScope scope : {OptionScope::kNetwork, OptionScope::kDatabase, OptionScope::kTransaction}) {
    for (int missing : {-1, 0, 44, 99, 3000}) EXPECT_EQ(FindOption(scope, missing), nullptr) << missing;
  }
}

TEST(Options, DefaultsAreOptionsOfTransactionsWithTheSameValue) {
  for (const OptionInfo& option : AllOptions(OptionScope::kDatabase)) {
    if (option.default_for < 0) continue;
    const OptionInfo* of_transaction = FindOption(OptionScope::kTransaction, option.default_for);
    ASSERT_NE(of_transaction, nullptr) << option.name;
    EXPECT_EQ(of_transaction->value, option.value) << option.name;
    if (option.value == OptionValue::kInt) {
      EXPECT_EQ(of_transaction->min, option.min) << option.name;
      EXPECT_EQ(of_transaction->max, option.max) << option.name;
    }
  }
}

TEST(Options, Numbers) {
  const auto timeout = [](std::optional<std::string_view> value) {
    return Check(OptionScope::kTransaction, 500, value);
  };
  EXPECT_EQ(timeout(Int(0)), kSuccess);
  EXPECT_EQ(timeout(Int(std::numeric_limits<int>::max())), kSuccess);
  EXPECT_EQ(timeout(Int(-1)), kInvalidOptionValue);
  EXPECT_EQ(timeout(Int(int64_t{1} << 31)), kInvalidOptionValue);
  EXPECT_EQ(timeout(std::nullopt), kInvalidOptionValue);
  EXPECT_EQ(timeout(""), kInvalidOptionValue);
  EXPECT_EQ(timeout("1234567"), kInvalidOptionValue);
  EXPECT_EQ(timeout("123456789"), kInvalidOptionValue);
  EXPECT_EQ(Check(OptionScope::kTransaction, 501, Int(-1)), kSuccess);
  EXPECT_EQ(Check(OptionScope::kTransaction, 503, Int(31)), kInvalidOptionValue);
  EXPECT_EQ(Check(OptionScope::kTransaction, 503, Int(32)), kSuccess);
  EXPECT_EQ(IntOptionValue(Int(-5)), -5);
}

TEST(Options, FlagsTakeNoValue) {
  EXPECT_EQ(Check(OptionScope::kTransaction, 51, std::nullopt), kSuccess);
  EXPECT_EQ(Check(OptionScope::kTransaction, 51, ""), kSuccess);
  EXPECT_EQ(Check(OptionScope::kTransaction, 51, "x"), kInvalidOptionValue);
}

TEST(Options, Strings) {
  EXPECT_EQ(Check(OptionScope::kTransaction, 403, "name"), kSuccess);
  EXPECT_EQ(Check(OptionScope::kTransaction, 403, ""), kInvalidOptionValue);
  EXPECT_EQ(Check(OptionScope::kTransaction, 403, std::nullopt), kInvalidOptionValue);
  EXPECT_EQ(Check(OptionScope::kTransaction, 403, std::string(101, 'x')), kInvalidOptionValue);
  EXPECT_EQ(Check(OptionScope::kDatabase, 21, std::nullopt), kSuccess);
  EXPECT_EQ(Check(OptionScope::kDatabase, 21, "machine"), kSuccess);
}

TEST(NetworkOptions, KnownOnesAreAccepted) {
  EXPECT_EQ(CheckNetwork(30, std::nullopt), kSuccess);
  EXPECT_EQ(CheckNetwork(30, "/tmp"), kSuccess);
  EXPECT_EQ(CheckNetwork(31, Int(0)), kSuccess);
  EXPECT_EQ(CheckNetwork(34, "json"), kSuccess);
  EXPECT_EQ(CheckNetwork(35, "realtime"), kSuccess);
  EXPECT_EQ(CheckNetwork(36, "host_1"), kSuccess);
  EXPECT_EQ(CheckNetwork(40, "name=value"), kSuccess);
  EXPECT_EQ(CheckNetwork(42, "certificate"), kSuccess);
  EXPECT_EQ(CheckNetwork(60, std::nullopt), kSuccess);
  EXPECT_EQ(CheckNetwork(63, "."), kSuccess);
  EXPECT_EQ(CheckNetwork(65, Int(1024)), kSuccess);
  EXPECT_EQ(CheckNetwork(70, ""), kSuccess);
  EXPECT_EQ(CheckNetwork(90, "none"), kSuccess);
}

TEST(NetworkOptions, OthersAreRefused) {
  EXPECT_EQ(CheckNetwork(44, std::nullopt), kInvalidOption);
  EXPECT_EQ(CheckNetwork(-1, std::nullopt), kInvalidOption);
  EXPECT_EQ(CheckNetwork(31, "0"), kInvalidOptionValue);
  EXPECT_EQ(CheckNetwork(34, "yaml"), kInvalidOptionValue);
  EXPECT_EQ(CheckNetwork(35, "sundial"), kInvalidOptionValue);
  EXPECT_EQ(CheckNetwork(36, "a/b"), kInvalidOptionValue);
  EXPECT_EQ(CheckNetwork(40, "no equals sign"), kInvalidOptionValue);
  EXPECT_EQ(CheckNetwork(42, std::nullopt), kInvalidOptionValue);
  EXPECT_EQ(CheckNetwork(65, Int(0)), kInvalidOptionValue);
  EXPECT_EQ(CheckNetwork(70, "1"), kInvalidOptionValue);
  EXPECT_EQ(CheckNetwork(90, "other"), kInvalidOptionValue);
  EXPECT_EQ(CheckNetwork(62, ""), kInvalidOptionValue);
  EXPECT_EQ(CheckNetwork(62, "/no/such/libfdb_c.so"), kFileNotFound);
}

TEST(NetworkOptions, SomeComeTooLate) {
  EXPECT_EQ(CheckNetwork(60, std::nullopt, true), kInvalidOption);
  EXPECT_EQ(CheckNetwork(63, ".", true), kInvalidOption);
  EXPECT_EQ(CheckNetwork(30, std::nullopt, true), kSuccess);
}

TEST(NetworkOptions, ValuesOfAVariable) {
  EXPECT_THAT(SplitOptionValues(""), Optional(ElementsAre("")));
  EXPECT_THAT(SplitOptionValues("a:b"), Optional(ElementsAre("a", "b")));
  EXPECT_THAT(SplitOptionValues("a\\:b\\\\:"), Optional(ElementsAre("a:b\\", "")));
  EXPECT_EQ(SplitOptionValues("a\\b"), std::nullopt);
  EXPECT_EQ(SplitOptionValues("a\\"), std::nullopt);
}

TEST(NetworkOptions, Environment) {
  struct Case {
    const char* name;
    const char* value;
    bool good;
  };
  const Case cases[] = {
      {"FDB_NETWORK_OPTION_TRACE_ENABLE", "/tmp", true},
      {"FDB_NETWORK_OPTION_TRACE_ROLL_SIZE", "1000", true},
      {"FDB_NETWORK_OPTION_TRACE_ROLL_SIZE", "-1", false},
      {"FDB_NETWORK_OPTION_TRACE_ROLL_SIZE", "10x", false},
      {"FDB_NETWORK_OPTION_TRACE_ROLL_SIZE", "", false},
      {"FDB_NETWORK_OPTION_KNOB", "a=1:b=2", true},
      {"FDB_NETWORK_OPTION_KNOB", "a=1:b", false},
      {"FDB_NETWORK_OPTION_KNOB", "a=\\x", false},
      {"FDB_NETWORK_OPTION_DISABLE_CLIENT_STATISTICS_LOGGING", "", true},
      {"FDB_NETWORK_OPTION_DISABLE_CLIENT_STATISTICS_LOGGING", "1", false},
      {"FDB_NETWORK_OPTION_ENABLE_SLOW_TASK_PROFILING", "1", false},
      {"FDB_NETWORK_OPTION_ENABLE_RUN_LOOP_PROFILING", "1", false},
      {"FDB_NETWORK_OPTION_SUPPORTED_CLIENT_VERSIONS", "hidden ones do not count", true},
      {"FDB_NETWORK_OPTION_NO_SUCH_OPTION", "1", true},
  };
  for (const Case& one : cases) {
    std::string why;
    setenv(one.name, one.value, 1);
    EXPECT_EQ(CheckNetworkOptionsOfEnvironment(&why), one.good ? kSuccess : kEnvironmentVariableNetworkOptionFailed)
        << one.name << "=" << one.value;
    if (!one.good) {
      EXPECT_THAT(why, HasSubstr(one.name));
    }
    unsetenv(one.name);
  }
}

TEST(ApiVersion, SelectedOnceWithinBounds) {
  ApiVersion version;
  EXPECT_EQ(version.runtime(), 0);
  EXPECT_EQ(version.Select(640, 630), kApiVersionInvalid);
  EXPECT_EQ(version.Select(731, 730), kApiVersionInvalid);
  EXPECT_EQ(version.Select(630, 731), kApiVersionNotSupported);
  EXPECT_EQ(version.Select(519, 630), kApiVersionNotSupported);
  EXPECT_EQ(version.Select(-1, 0), kApiVersionNotSupported);
  EXPECT_EQ(version.runtime(), 0);
  EXPECT_EQ(version.Select(520, 730), kSuccess);
  EXPECT_EQ(version.runtime(), 520);
  EXPECT_EQ(version.header(), 730);
  EXPECT_EQ(version.Select(520, 730), kApiVersionAlreadySet);
  EXPECT_EQ(version.Select(1, 0), kApiVersionAlreadySet);
}

}  // namespace
}  // namespace fdbjobs::embedded
