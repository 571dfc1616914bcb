#include "fdbjobs/embedded/network_options.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "fdbjobs/embedded/error_codes.h"
#include "fdbjobs/embedded/options.h"

namespace fdbjobs::embedded {
namespace {

constexpr int kTraceFormat = 34;
constexpr int kTraceClockSource = 35;
constexpr int kTraceFileIdentifier = 36;
constexpr int kKnob = 40;
constexpr int kExternalClientLibrary = 62;
constexpr int kExternalClientDirectory = 63;
constexpr int kFutureVersionClientLibrary = 66;
constexpr int kDistributedClientTracer = 90;

bool IsOneOf(std::string_view value, std::initializer_list<std::string_view> allowed) {
  return std::find(allowed.begin(), allowed.end(), value) != allowed.end();
}

bool IsIdentifier(std::string_view value) {
  return std::all_of(value.begin(), value.end(), [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

ErrorCode GoodIf(bool good) { return good ? kSuccess : kInvalidOptionValue; }

// What an option wants beyond its kind of value.
ErrorCode CheckMeaning(int option, std::optional<std::string_view> value) {
  switch (option) {
    case kTraceFormat:
      return GoodIf(IsOneOf(*value, {"xml", "json"}));
    case kTraceClockSource:
      return GoodIf(IsOneOf(*value, {"now", "realtime"}));
    case kTraceFileIdentifier:
      return GoodIf(IsIdentifier(*value));
    case kKnob:
      return GoodIf(value->find('=') != std::string_view::npos);
    case kDistributedClientTracer:
      return GoodIf(IsOneOf(*value, {"none", "disabled", "logfile", "file", "log_file", "network_lossy"}));
    case kExternalClientLibrary:
    case kExternalClientDirectory:
    case kFutureVersionClientLibrary: {
      std::error_code ignored;
      return std::filesystem::exists(*value, ignored) ? kSuccess : kFileNotFound;
    }
    default:
      return kSuccess;
  }
}

// A number of the environment is written in digits; the option takes eight bytes.
std::optional<std::string> EnvironmentValue(const OptionInfo& option, const std::string& text) {
  if (option.value != OptionValue::kInt) return text;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return std::string(reinterpret_cast<const char*>(&number), sizeof(number));
}

bool IsGoodEnvironmentVariable(const OptionInfo& option, std::string_view text) {
  const std::optional<std::vector<std::string>> values = SplitOptionValues(text);
  if (!values) return false;
  return std::all_of(values->begin(), values->end(), [&](const std::string& one) {
    const std::optional<std::string> value = EnvironmentValue(option, one);
    return value && CheckOptionValue(option, *value) == kSuccess && CheckMeaning(option.code, *value) == kSuccess;
  });
}

}  // namespace

ErrorCode CheckNetworkOption(int option, std::optional<std::string_view> value, bool network_is_set_up,
                             std::string* why) {
  const OptionInfo* info = FindOption(OptionScope::kNetwork, option);
  if (info == nullptr) {
    *why = "there is no network option " + std::to_string(option);
    return kInvalidOption;
  }
  ErrorCode error = CheckOptionValue(*info, value);
  if (error == kSuccess) error = CheckMeaning(option, value);
  if (error != kSuccess) {
    *why = "bad value for network option " + std::string(info->name) + ": " + ErrorText(error);
    return error;
  }
  if ((info->flags & kBeforeSetup) != 0 && network_is_set_up) {
    *why = "network option " + std::string(info->name) + " can't be set any more: the network is set up";
    return kInvalidOption;
  }
  return kSuccess;
}

ErrorCode CheckNetworkOptionsOfEnvironment(std::string* why) {
  for (const OptionInfo& option : AllOptions(OptionScope::kNetwork)) {
    if ((option.flags & kHidden) != 0) continue;
    const std::string name = "FDB_NETWORK_OPTION_" + std::string(option.name);
    const char* text = std::getenv(name.c_str());
    if (text == nullptr || IsGoodEnvironmentVariable(option, text)) continue;
    *why = "the environment variable " + name + " has a value that the option does not take: " + text;
    return kEnvironmentVariableNetworkOptionFailed;
  }
  return kSuccess;
}

std::optional<std::vector<std::string>> SplitOptionValues(std::string_view values) {
  std::vector<std::string> split(1);
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == ':') {
      split.emplace_back();
      continue;
    }
    if (values[i] == '\\') {
      ++i;
      if (i == values.size() || (values[i] != ':' && values[i] != '\\')) return std::nullopt;
    }
    split.back().push_back(values[i]);
  }
  return split;
}

}  // namespace fdbjobs::embedded
