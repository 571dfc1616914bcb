// Reads of the special keys, which are computed and not stored: from \xff\xff up to \xff\xff\xff.
//
// Served are the database's own name and the conflict ranges of the transaction. What FoundationDB has beside them
// tells about a cluster, and is refused with kUnsupportedOperation.

#include <algorithm>
#include <iterator>

#include "fdbjobs/embedded/atomic_ops.h"
#include "fdbjobs/embedded/error_codes.h"
#include "fdbjobs/embedded/transaction_impl.h"

namespace fdbjobs::embedded {
namespace {

// From this version on the special keys are a space of their own, with modules. Before, there are a few such keys.
constexpr int kFirstModulesApiVersion = 630;
// From this version on there are special keys to be written.
constexpr int kFirstWritesApiVersion = 700;

constexpr std::string_view kClusterFilePath = "\xff\xff/cluster_file_path";
constexpr std::string_view kConnectionString = "\xff\xff/connection_string";
constexpr std::string_view kStatusJson = "\xff\xff/status/json";
constexpr std::string_view kReadConflicts = "\xff\xff/transaction/read_conflict_range/";
constexpr std::string_view kWriteConflicts = "\xff\xff/transaction/write_conflict_range/";

// One key, or all keys that begin with a name that ends in a slash.
struct Module {
  std::string_view begin;
  bool served;

  std::string End() const {
    // '0' comes after '/'.
    if (!begin.ends_with('/')) return KeyAfter(begin);
    return std::string(begin.substr(0, begin.size() - 1)) + '0';
  }
  bool Contains(std::string_view key) const { return begin <= key && key < End(); }
};

// Ascending.
constexpr Module kModules[] = {
    {"\xff\xff/actor_lineage/", false},
    {kClusterFilePath, true},
    {"\xff\xff/configuration/", false},
    {kConnectionString, true},
    {"\xff\xff/error_message", false},
    {"\xff\xff/global_config/", false},
    {"\xff\xff/management/", false},
    {"\xff\xff/metrics/", false},
    {kStatusJson, false},
    {"\xff\xff/tracing/", false},
    {"\xff\xff/transaction/conflicting_keys/", false},
    {kReadConflicts, true},
    {kWriteConflicts, true},
    {"\xff\xff/worker_interfaces/", false},
};

const Module* FindModule(std::string_view key) {
  const auto found = std::find_if(std::begin(kModules), std::end(kModules),
                                  [key](const Module& module) { return module.Contains(key); });
  return found == std::end(kModules) ? nullptr : found;
}

void AddConflictRows(std::string_view prefix, RangeSet* ranges, Rows* rows) {
  for (const KeyRange& range : ranges->Ranges()) {
    rows->Add(std::string(prefix) + range.begin, "1");
    rows->Add(std::string(prefix) + range.end, "0");
  }
}

// The index that a selector leads to among `rows`, which may be off either end.
int64_t IndexOf(const Selector& selector, const Rows& rows) {
  const auto first = std::partition_point(rows.begin(), rows.end(),
                                          [&](const Rows::Entry& row) { return row.key_view() < selector.key(); });
  return (first - rows.begin()) + selector.offset() - 1;
}

}  // namespace

bool TransactionImpl::IsSpecialRead(std::string_view key) const {
  if (key < kSystemEnd || key >= kSpecialEnd) return false;
  if (api_version_ >= kFirstModulesApiVersion) return true;
  return key == kClusterFilePath || key == kConnectionString || key == kStatusJson;
}

bool TransactionImpl::IsSpecialRange(const RangeRequest& request) const {
  return api_version_ >= kFirstModulesApiVersion && IsSpecialRead(request.begin.key) && kSystemEnd <= request.end.key &&
         request.end.key <= kSpecialEnd;
}

ErrorCode TransactionImpl::SpecialWriteError() const {
  if (api_version_ < kFirstWritesApiVersion) return kKeyOutsideLegalRange;
  return options_.special_keys_writable() ? kSpecialKeysNoWriteModuleFound : kSpecialKeysWriteDisabled;
}

// All special keys of the module that [begin, end) lies in, ascending; with the option to read across modules, all
// there are.
ErrorCode TransactionImpl::ReadSpecialModule(std::string_view begin, std::string_view end, Rows* rows) {
  if (ErrorCode error = CheckAlive()) return error;
  const bool relaxed = options_.special_keys_relaxed();
  const Module* const module = FindModule(begin);
  if (!relaxed) {
    if (module == nullptr) return kSpecialKeysNoModuleFound;
    if (end > module->End()) return kSpecialKeysCrossModuleRead;
    if (!module->served) return kUnsupportedOperation;
  }
  const auto wanted = [&](std::string_view name) { return relaxed || module->begin == name; };
  if (wanted(kClusterFilePath)) rows->Add(kClusterFilePath, database_->folder());
  if (wanted(kConnectionString)) rows->Add(kConnectionString, "embedded:" + database_->folder());
  if (wanted(kReadConflicts)) AddConflictRows(kReadConflicts, &read_conflicts_, rows);
  if (wanted(kWriteConflicts)) {
    RangeSet writes;
    if (submitted_ != nullptr) CopyWriteConflicts(*submitted_, &writes);
    CopyWriteConflicts(mutations_, &writes);
    writes_.CopyConflicts(&writes);
    AddConflictRows(kWriteConflicts, &writes, rows);
  }
  return kSuccess;
}

// A versionstamped key is one key after the commit. Before, all those count that it may become.
void TransactionImpl::CopyWriteConflicts(const MutationList& mutations, RangeSet* conflicts) const {
  mutations.CopyConflicts(conflicts);
  mutations.ForEach([&](const EntryView& entry) {
    if (entry.kind != UnresolvedKind(MutationType::kSetVersionstampedKey)) return;
    if (stamped_version_ != kNoVersion) {
      std::string key(entry.key);
      if (FillVersionstamp(&key, stamped_version_, stamped_order_) == kSuccess) conflicts->AddKey(key);
    } else if (const std::optional<size_t> position = VersionstampPosition(entry.key)) {
      const KeyRange keys = VersionstampedKeys(entry.key, *position, std::max<Version>(read_version_, 0));
      conflicts->Add(keys.begin, std::min<std::string_view>(keys.end, options_.max_read_key()));
    }
  });
}

ErrorCode TransactionImpl::ReadSpecialValue(std::string_view key, std::optional<std::string>* value) {
  Rows rows;
  if (ErrorCode error = ReadSpecialModule(key, KeyAfter(key), &rows)) return error;
  for (const Rows::Entry& row : rows) {
    if (row.key_view() == key) value->emplace(row.value_view());
  }
  return kSuccess;
}

// Selectors do not leave the module that they start in.
ErrorCode TransactionImpl::ReadSpecialRange(const RangeRequest& request, const RangeLimits& limits,
                                            Future::RangeResult* result) {
  if (!limits.IsValid()) return kRangeLimitsInvalid;
  const Selector begin(request.begin);
  const Selector end(request.end);
  if (begin.offset() >= end.offset() && begin.key() >= end.key()) return kSuccess;
  Rows rows;
  if (ErrorCode error = ReadSpecialModule(begin.key(), end.key(), &rows)) return error;

  const auto size = static_cast<int64_t>(rows.size());
  const int64_t from = std::clamp<int64_t>(IndexOf(begin, rows), 0, size);
  const int64_t to = std::clamp<int64_t>(IndexOf(end, rows), 0, size);
  for (int64_t i = from; i < to && !result->more; ++i) {
    const Rows::Entry& row = rows[static_cast<size_t>(request.reverse ? to - 1 - (i - from) : i)];
    result->rows.Add(row.key_view(), row.value_view());
    result->more = result->rows.size() >= limits.max_rows() || result->rows.bytes() >= limits.max_bytes();
  }
  return kSuccess;
}

}  // namespace fdbjobs::embedded
