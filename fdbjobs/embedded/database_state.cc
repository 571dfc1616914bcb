#include "fdbjobs/embedded/database_state.h"

#include <algorithm>
#include <utility>

#include "fdbjobs/embedded/error_codes.h"
#include "fdbjobs/embedded/options.h"

namespace fdbjobs::embedded {
namespace {

// Codes of database options that are more than a default for transactions.
constexpr int kMaxWatches = 20;
constexpr int kSnapshotRywEnable = 26;
constexpr int kSnapshotRywDisable = 27;
constexpr int kUseConfigDatabase = 800;

}  // namespace

DatabaseState::DatabaseState(std::shared_ptr<Engine> engine, int api_version, std::string folder)
    : engine_(std::move(engine)),
      api_version_(api_version),
      folder_(std::move(folder)),
      defaults_(std::make_shared<const TransactionDefaults>()) {}

ErrorCode DatabaseState::SetOption(int option, std::optional<std::string_view> value) {
  const OptionInfo* info = FindOption(OptionScope::kDatabase, option);
  if (info == nullptr) return kInvalidOption;
  if (ErrorCode error = CheckOptionValue(*info, value)) return error;
  if (info->default_for >= 0) {
    ChangeDefaults([&](TransactionDefaults* defaults) { ReplaceOption(info->default_for, value, defaults); });
    return kSuccess;
  }
  switch (option) {
    case kMaxWatches:
      max_watches_.store(IntOptionValue(*value), std::memory_order_relaxed);
      return kSuccess;
    case kSnapshotRywEnable:
      ChangeDefaults([](TransactionDefaults* defaults) { ++defaults->snapshot_ryw; });
      return kSuccess;
    case kSnapshotRywDisable:
      ChangeDefaults([](TransactionDefaults* defaults) { --defaults->snapshot_ryw; });
      return kSuccess;
    case kUseConfigDatabase:
      // There is no such database here, and the main one must not be taken for it.
      return kUnsupportedOperation;
    default:
      // Sizes of caches and places of machines: nothing here depends on them.
      return kSuccess;
  }
}

std::shared_ptr<const TransactionDefaults> DatabaseState::transaction_defaults() const {
  std::lock_guard lock(mutex_);
  return defaults_;
}

template <typename Change>
void DatabaseState::ChangeDefaults(Change change) {
  std::lock_guard lock(mutex_);
  auto changed = std::make_shared<TransactionDefaults>(*defaults_);
  change(changed.get());
  defaults_ = std::move(changed);
}

void DatabaseState::ReplaceOption(int code, std::optional<std::string_view> value, TransactionDefaults* defaults) {
  std::erase_if(defaults->options, [&](const TransactionDefaults::Option& option) { return option.code == code; });
  defaults->options.push_back({code, value ? std::optional<std::string>(*value) : std::nullopt});
}

bool DatabaseState::TryAddWatch() {
  int64_t watches = watches_.load(std::memory_order_relaxed);
  do {
    if (watches >= max_watches_.load(std::memory_order_relaxed)) return false;
  } while (!watches_.compare_exchange_weak(watches, watches + 1, std::memory_order_relaxed));
  return true;
}

void DatabaseState::RemoveWatch() { watches_.fetch_sub(1, std::memory_order_relaxed); }

}  // namespace fdbjobs::embedded
