#include "fdbjobs/embedded/options.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>

#include "fdbjobs/embedded/error_codes.h"
#include "fdbjobs/embedded/limits.h"

namespace fdbjobs::embedded {
namespace {

using enum OptionValue;

constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();
constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max();

constexpr OptionInfo kNetworkOptions[] = {
    {10, "LOCAL_ADDRESS", kOptional},
    {20, "CLUSTER_FILE", kOptional},
    {30, "TRACE_ENABLE", kOptional},
    {31, "TRACE_ROLL_SIZE", kInt},
    {32, "TRACE_MAX_LOGS_SIZE", kInt},
    {33, "TRACE_LOG_GROUP", kOptional},
    {34, "TRACE_FORMAT", kString},
    {35, "TRACE_CLOCK_SOURCE", kString},
    {36, "TRACE_FILE_IDENTIFIER", kString, 0, 50},
    {37, "TRACE_SHARE_AMONG_CLIENT_THREADS", kNone},
    {38, "TRACE_INITIALIZE_ON_SETUP", kOptional},
    {39, "TRACE_PARTIAL_FILE_SUFFIX", kString},
    {40, "KNOB", kString},
    {41, "TLS_PLUGIN", kString},
    {42, "TLS_CERT_BYTES", kString},
    {43, "TLS_CERT_PATH", kString},
    {45, "TLS_KEY_BYTES", kString},
    {46, "TLS_KEY_PATH", kString},
    {47, "TLS_VERIFY_PEERS", kString},
    {48, "BUGGIFY_ENABLE", kOptional},
    {49, "BUGGIFY_DISABLE", kOptional},
    {50, "BUGGIFY_SECTION_ACTIVATED_PROBABILITY", kOptional},
    {51, "BUGGIFY_SECTION_FIRED_PROBABILITY", kOptional},
    {52, "TLS_CA_BYTES", kString},
    {53, "TLS_CA_PATH", kString},
    {54, "TLS_PASSWORD", kString},
    {60, "DISABLE_MULTI_VERSION_CLIENT_API", kNone, 0, 0, kBeforeSetup},
    {61, "CALLBACKS_ON_EXTERNAL_THREADS", kNone, 0, 0, kBeforeSetup},
    {62, "EXTERNAL_CLIENT_LIBRARY", kString, 1, kMaxInt64, kBeforeSetup},
    {63, "EXTERNAL_CLIENT_DIRECTORY", kString, 1, kMaxInt64, kBeforeSetup},
    {64, "DISABLE_LOCAL_CLIENT", kNone, 0, 0, kBeforeSetup},
    {65, "CLIENT_THREADS_PER_VERSION", kInt, 1, 1'024, kBeforeSetup},
    {66, "FUTURE_VERSION_CLIENT_LIBRARY", kString, 1, kMaxInt64, kBeforeSetup},
    {67, "RETAIN_CLIENT_LIBRARY_COPIES", kNone},
    {68, "IGNORE_EXTERNAL_CLIENT_FAILURES", kNone},
    {69, "FAIL_INCOMPATIBLE_CLIENT", kNone},
    {70, "DISABLE_CLIENT_STATISTICS_LOGGING", kNone},
    {71, "ENABLE_SLOW_TASK_PROFILING", kNone},
    {71, "ENABLE_RUN_LOOP_PROFILING", kNone},
    {72, "DISABLE_CLIENT_BYPASS", kOptional},
    {80, "CLIENT_BUGGIFY_ENABLE", kOptional},
    {81, "CLIENT_BUGGIFY_DISABLE", kOptional},
    {82, "CLIENT_BUGGIFY_SECTION_ACTIVATED_PROBABILITY", kInt, 0, 100},
    {83, "CLIENT_BUGGIFY_SECTION_FIRED_PROBABILITY", kInt, 0, 100},
    {90, "DISTRIBUTED_CLIENT_TRACER", kString},
    {91, "CLIENT_TMP_DIR", kString, 1, kMaxInt64},
    {1000, "SUPPORTED_CLIENT_VERSIONS", kOptional, 0, kMaxInt64, kHidden},
    {1001, "EXTERNAL_CLIENT", kOptional, 0, kMaxInt64, kHidden},
    {1002, "EXTERNAL_CLIENT_TRANSPORT_ID", kOptional, 0, kMaxInt64, kHidden},
};

constexpr OptionInfo kDatabaseOptions[] = {
    {10, "LOCATION_CACHE_SIZE", kInt, 0, kMaxInt32},
    {20, "MAX_WATCHES", kInt, 0, 1'000'000},
    {21, "MACHINE_ID", kOptional},
    {22, "DATACENTER_ID", kOptional},
    {26, "SNAPSHOT_RYW_ENABLE", kNone},
    {27, "SNAPSHOT_RYW_DISABLE", kNone},
    {405, "TRANSACTION_LOGGING_MAX_FIELD_LENGTH", kInt, -1, kMaxInt32, kOptionPlain, 405},
    {500, "TRANSACTION_TIMEOUT", kInt, 0, kMaxInt32, kOptionPlain, 500},
    {501, "TRANSACTION_RETRY_LIMIT", kInt, -1, kMaxInt32, kOptionPlain, 501},
    {502, "TRANSACTION_MAX_RETRY_DELAY", kInt, 0, kMaxInt32, kOptionPlain, 502},
    {503, "TRANSACTION_SIZE_LIMIT", kInt, kMinTransactionSizeLimit, kTransactionSizeLimit, kOptionPlain, 503},
    {504, "TRANSACTION_CAUSAL_READ_RISKY", kNone, 0, 0, kOptionPlain, 20},
    {505, "TRANSACTION_INCLUDE_PORT_IN_ADDRESS", kNone, 0, 0, kOptionPlain, 23},
    {506, "TRANSACTION_AUTOMATIC_IDEMPOTENCY", kNone, 0, 0, kOptionPlain, 505},
    {700, "TRANSACTION_BYPASS_UNREADABLE", kNone, 0, 0, kOptionPlain, 1100},
    {701, "TRANSACTION_USED_DURING_COMMIT_PROTECTION_DISABLE", kNone, 0, 0, kOptionPlain, 701},
    {702, "TRANSACTION_REPORT_CONFLICTING_KEYS", kNone, 0, 0, kOptionPlain, 712},
    {800, "USE_CONFIG_DATABASE", kNone},
    {900, "TEST_CAUSAL_READ_RISKY", kInt, 0, 100},
};

constexpr OptionInfo kTransactionOptions[] = {
    {10, "CAUSAL_WRITE_RISKY", kNone},
    {20, "CAUSAL_READ_RISKY", kNone},
    {21, "CAUSAL_READ_DISABLE", kOptional},
    {23, "INCLUDE_PORT_IN_ADDRESS", kNone},
    {30, "NEXT_WRITE_NO_WRITE_CONFLICT_RANGE", kNone},
    {40, "COMMIT_ON_FIRST_PROXY", kNone, 0, 0, kHidden},
    {50, "CHECK_WRITES_ENABLE", kNone, 0, 0, kHidden},
    {51, "READ_YOUR_WRITES_DISABLE", kNone},
    {52, "READ_AHEAD_DISABLE", kNone},
    {110, "DURABILITY_DATACENTER", kOptional},
    {120, "DURABILITY_RISKY", kOptional},
    {130, "DURABILITY_DEV_NULL_IS_WEB_SCALE", kOptional},
    {200, "PRIORITY_SYSTEM_IMMEDIATE", kNone},
    {201, "PRIORITY_BATCH", kNone},
    {300, "INITIALIZE_NEW_DATABASE", kNone},
    {301, "ACCESS_SYSTEM_KEYS", kNone},
    {302, "READ_SYSTEM_KEYS", kNone},
    {303, "RAW_ACCESS", kNone},
    {304, "BYPASS_STORAGE_QUOTA", kOptional},
    {400, "DEBUG_DUMP", kNone, 0, 0, kHidden},
    {401, "DEBUG_RETRY_LOGGING", kOptional},
    {402, "TRANSACTION_LOGGING_ENABLE", kString, 1, 100},
    {403, "DEBUG_TRANSACTION_IDENTIFIER", kString, 1, 100},
    {404, "LOG_TRANSACTION", kNone},
    {405, "TRANSACTION_LOGGING_MAX_FIELD_LENGTH", kInt, -1, kMaxInt32},
    {406, "SERVER_REQUEST_TRACING", kNone},
    {500, "TIMEOUT", kInt, 0, kMaxInt32},
    {501, "RETRY_LIMIT", kInt, -1, kMaxInt32},
    {502, "MAX_RETRY_DELAY", kInt, 0, kMaxInt32},
    {503, "SIZE_LIMIT", kInt, kMinTransactionSizeLimit, kTransactionSizeLimit},
    {504, "IDEMPOTENCY_ID", kString, 16, 255, kHidden},
    {505, "AUTOMATIC_IDEMPOTENCY", kNone},
    {507, "READ_SERVER_SIDE_CACHE_ENABLE", kOptional},
    {508, "READ_SERVER_SIDE_CACHE_DISABLE", kOptional},
    {509, "READ_PRIORITY_NORMAL", kOptional},
    {510, "READ_PRIORITY_LOW", kOptional},
    {511, "READ_PRIORITY_HIGH", kOptional},
    {600, "SNAPSHOT_RYW_ENABLE", kNone},
    {601, "SNAPSHOT_RYW_DISABLE", kNone},
    {700, "LOCK_AWARE", kNone},
    {701, "USED_DURING_COMMIT_PROTECTION_DISABLE", kNone},
    {702, "READ_LOCK_AWARE", kNone},
    {710, "FIRST_IN_BATCH", kNone, 0, 0, kHidden},
    {711, "USE_PROVISIONAL_PROXIES", kNone},
    {712, "REPORT_CONFLICTING_KEYS", kNone},
    {713, "SPECIAL_KEY_SPACE_RELAXED", kNone},
    {714, "SPECIAL_KEY_SPACE_ENABLE_WRITES", kNone},
    {800, "TAG", kString},
    {801, "AUTO_THROTTLE_TAG", kString},
    {900, "SPAN_PARENT", kString, 33, 33},
    {1000, "EXPENSIVE_CLEAR_COST_ESTIMATION_ENABLE", kNone},
    {1100, "BYPASS_UNREADABLE", kNone},
    {1101, "USE_GRV_CACHE", kNone},
    {1102, "SKIP_GRV_CACHE", kNone, 0, 0, kHidden},
    {2000, "AUTHORIZATION_TOKEN", kOptional},
};

constexpr bool ByCode(const OptionInfo& a, const OptionInfo& b) { return a.code < b.code; }

static_assert(std::is_sorted(std::begin(kNetworkOptions), std::end(kNetworkOptions), ByCode));
static_assert(std::is_sorted(std::begin(kDatabaseOptions), std::end(kDatabaseOptions), ByCode));
static_assert(std::is_sorted(std::begin(kTransactionOptions), std::end(kTransactionOptions), ByCode));

bool InBounds(const OptionInfo& option, int64_t number) { return option.min <= number && number <= option.max; }

}  // namespace

std::span<const OptionInfo> AllOptions(OptionScope scope) {
  switch (scope) {
    case OptionScope::kNetwork:
      return kNetworkOptions;
    case OptionScope::kDatabase:
      return kDatabaseOptions;
    default:
      return kTransactionOptions;
  }
}

const OptionInfo* FindOption(OptionScope scope, int code) {
  const std::span<const OptionInfo> options = AllOptions(scope);
  const auto found = std::lower_bound(options.begin(), options.end(), code,
                                      [](const OptionInfo& option, int wanted) { return option.code < wanted; });
  return found != options.end() && found->code == code ? &*found : nullptr;
}

ErrorCode CheckOptionValue(const OptionInfo& option, std::optional<std::string_view> value) {
  bool good = true;
  switch (option.value) {
    case kNone:
      good = !value || value->empty();
      break;
    case kInt:
      good = value && value->size() == sizeof(int64_t) && InBounds(option, IntOptionValue(*value));
      break;
    case kString:
      good = value && InBounds(option, static_cast<int64_t>(value->size()));
      break;
    case kOptional:
      break;
  }
  return good ? kSuccess : kInvalidOptionValue;
}

int64_t IntOptionValue(std::string_view value) {
  int64_t number = 0;
  std::memcpy(&number, value.data(), std::min(value.size(), sizeof(number)));
  return number;
}

}  // namespace fdbjobs::embedded
