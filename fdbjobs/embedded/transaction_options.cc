#include "fdbjobs/embedded/transaction_options.h"

#include <algorithm>

#include "fdbjobs/embedded/error_codes.h"
#include "fdbjobs/embedded/options.h"

namespace fdbjobs::embedded {
namespace {

// Below this version a retry keeps no option at all.
constexpr int kFirstPersistentApiVersion = 610;
// From this version on addresses come with their port.
constexpr int kFirstPortApiVersion = 630;

constexpr size_t kMaxTags = 5;
constexpr size_t kMaxTagBytes = 16;

bool IsPersistent(int code) { return code == kOptionTimeout || code == 501 || code == 502; }

}  // namespace

TransactionOptions::TransactionOptions(const DatabaseState& database)
    : api_version_(database.api_version()), defaults_(database.transaction_defaults()) {
  ApplyInitial();
}

void TransactionOptions::Reset(const DatabaseState& database) {
  defaults_ = database.transaction_defaults();
  persistent_.clear();
  ApplyInitial();
}

void TransactionOptions::ResetForRetry() { ApplyInitial(); }

void TransactionOptions::ApplyInitial() {
  values_ = {};
  values_.snapshot_ryw = defaults_->snapshot_ryw;
  values_.include_port = api_version_ >= kFirstPortApiVersion;
  // These were accepted once, so they are accepted again.
  for (const auto& [code, value] : defaults_->options) Apply(code, value);
  for (const auto& [code, value] : persistent_) Apply(code, value);
}

ErrorCode TransactionOptions::Set(int code, std::optional<std::string_view> value) {
  const OptionInfo* const info = FindOption(OptionScope::kTransaction, code);
  if (info == nullptr) return kInvalidOption;
  if (ErrorCode error = CheckOptionValue(*info, value)) return error;
  if (ErrorCode error = Apply(code, value)) return error;
  if (IsPersistent(code) && api_version_ >= kFirstPersistentApiVersion) {
    std::erase_if(persistent_, [code](const auto& option) { return option.code == code; });
    persistent_.push_back({code, std::string(*value)});
  }
  return kSuccess;
}

// Options that are not here ask for something that has no meaning for a database on one machine, or that is done
// anyhow.
ErrorCode TransactionOptions::Apply(int code, std::optional<std::string_view> value) {
  switch (code) {
    case 23:  // INCLUDE_PORT_IN_ADDRESS
      values_.include_port = true;
      break;
    case 30:  // NEXT_WRITE_NO_WRITE_CONFLICT_RANGE
      values_.next_write_no_conflict = true;
      break;
    case kOptionReadYourWritesDisable:
      values_.read_your_writes_disabled = true;
      break;
    case 120:  // DURABILITY_RISKY
      values_.durability_risky = true;
      break;
    case 301:  // ACCESS_SYSTEM_KEYS
      values_.read_system_keys = values_.write_system_keys = true;
      break;
    case 302:  // READ_SYSTEM_KEYS
      values_.read_system_keys = true;
      break;
    case 402:  // TRANSACTION_LOGGING_ENABLE
    case 403:  // DEBUG_TRANSACTION_IDENTIFIER
      return SetDebugIdentifier(*value);
    case 404:  // LOG_TRANSACTION
      return values_.debug_identifier.empty() ? kClientInvalidOperation : kSuccess;
    case 405:  // TRANSACTION_LOGGING_MAX_FIELD_LENGTH
      return IntOptionValue(*value) == 0 ? kInvalidOptionValue : kSuccess;
    case kOptionTimeout:
      values_.timeout = std::chrono::milliseconds(IntOptionValue(*value));
      break;
    case 501:  // RETRY_LIMIT
      values_.retry_limit = IntOptionValue(*value);
      break;
    case 502:  // MAX_RETRY_DELAY
      values_.max_retry_delay = std::chrono::milliseconds(IntOptionValue(*value));
      break;
    case 503:  // SIZE_LIMIT
      values_.size_limit = IntOptionValue(*value);
      break;
    case 600:  // SNAPSHOT_RYW_ENABLE
      ++values_.snapshot_ryw;
      break;
    case 601:  // SNAPSHOT_RYW_DISABLE
      --values_.snapshot_ryw;
      break;
    case 700:  // LOCK_AWARE
      values_.lock_aware = true;
      values_.read_only = false;
      break;
    case 701:  // USED_DURING_COMMIT_PROTECTION_DISABLE
      values_.used_during_commit_protection_disabled = true;
      break;
    case 702:  // READ_LOCK_AWARE
      values_.read_only = values_.read_only || !values_.lock_aware;
      values_.lock_aware = true;
      break;
    case 713:  // SPECIAL_KEY_SPACE_RELAXED
      values_.special_keys_relaxed = true;
      break;
    case 714:  // SPECIAL_KEY_SPACE_ENABLE_WRITES
      values_.special_keys_writable = true;
      break;
    case 800:  // TAG
    case 801:  // AUTO_THROTTLE_TAG
      return AddTag(*value);
    case 1100:  // BYPASS_UNREADABLE
      values_.bypass_unreadable = true;
      break;
    default:
      break;
  }
  return kSuccess;
}

ErrorCode TransactionOptions::SetDebugIdentifier(std::string_view identifier) {
  if (values_.debug_identifier.empty()) values_.debug_identifier = identifier;
  return values_.debug_identifier == identifier ? kSuccess : kClientInvalidOperation;
}

ErrorCode TransactionOptions::AddTag(std::string_view tag) {
  if (std::find(values_.tags.begin(), values_.tags.end(), tag) != values_.tags.end()) return kSuccess;
  if (tag.size() > kMaxTagBytes) return kTagTooLong;
  if (values_.tags.size() >= kMaxTags) return kTooManyTags;
  values_.tags.emplace_back(tag);
  return kSuccess;
}

}  // namespace fdbjobs::embedded
