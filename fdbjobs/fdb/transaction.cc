#include "fdbjobs/fdb/transaction.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "fdbjobs/fdb/bytes.h"
#include "fdbjobs/fdb/status.h"

namespace fdbjobs::fdb {
namespace {

constexpr uint32_t kUserVersions = 65536;

abi::Bool IsSnapshot(Isolation isolation) { return isolation == Isolation::kSnapshot; }

// The form that the versionstamp mutations take: the offset follows, in four little-endian bytes.
std::string WithOffset(std::string_view bytes, uint32_t offset) {
  const auto suffix = LittleEndian(offset);
  std::string result;
  result.reserve(bytes.size() + suffix.size());
  result.append(bytes);
  result.append(suffix.begin(), suffix.end());
  return result;
}

// The smallest range with `key` in it ends here.
std::string KeyAfter(std::string_view key) {
  std::string after;
  after.reserve(key.size() + 1);
  after.append(key);
  after.push_back('\0');
  return after;
}

}  // namespace

Transaction::Transaction(Transaction&& other) noexcept
    : client_(other.client_),
      handle_(std::exchange(other.handle_, nullptr)),
      keeps_receipts_(other.keeps_receipts_),
      retry_of_(other.retry_of_),
      receipt_written_(other.receipt_written_),
      receipt_(std::move(other.receipt_)),
      memory_(std::move(other.memory_)),
      user_versions_used_(other.user_versions_used_.load(std::memory_order_relaxed)) {}

void Transaction::Swap(Transaction& other) noexcept {
  std::swap(client_, other.client_);
  std::swap(handle_, other.handle_);
  std::swap(keeps_receipts_, other.keeps_receipts_);
  std::swap(retry_of_, other.retry_of_);
  std::swap(receipt_written_, other.receipt_written_);
  std::swap(receipt_, other.receipt_);
  std::swap(memory_, other.memory_);
  user_versions_used_ = other.user_versions_used_.exchange(user_versions_used_);
}

ValueFuture Transaction::Get(std::string_view key, Isolation isolation) {
  return {api(), api().transaction_get(handle_, Bytes(key), Length(key), IsSnapshot(isolation)), "get"};
}

KeyFuture Transaction::GetKey(const KeySelectorView& selector, Isolation isolation) {
  return {api(),
          api().transaction_get_key(handle_, Bytes(selector.key), Length(selector.key), selector.or_equal,
                                    selector.offset, IsSnapshot(isolation)),
          "get key"};
}

RangeFuture Transaction::GetRange(const RangeRequest& request) {
  const KeySelectorView& begin = request.begin;
  const KeySelectorView& end = request.end;
  return {api(),
          api().transaction_get_range(handle_, Bytes(begin.key), Length(begin.key), begin.or_equal, begin.offset,
                                      Bytes(end.key), Length(end.key), end.or_equal, end.offset, request.limit,
                                      request.target_bytes, static_cast<int>(request.mode), request.iteration,
                                      IsSnapshot(request.isolation), request.reverse),
          "get range"};
}

Int64Future Transaction::GetReadVersion() {
  return {api(), api().transaction_get_read_version(handle_), "get read version"};
}

void Transaction::SetReadVersion(int64_t version) { api().transaction_set_read_version(handle_, version); }

StringsFuture Transaction::GetAddressesForKey(std::string_view key) {
  return {api(), api().transaction_get_addresses_for_key(handle_, Bytes(key), Length(key)), "get addresses for key"};
}

Int64Future Transaction::GetEstimatedRangeSizeBytes(std::string_view begin, std::string_view end) {
  return {
      api(),
      api().transaction_get_estimated_range_size_bytes(handle_, Bytes(begin), Length(begin), Bytes(end), Length(end)),
      "get estimated range size"};
}

KeysFuture Transaction::GetRangeSplitPoints(std::string_view begin, std::string_view end, int64_t chunk_bytes) {
  constexpr char kOperation[] = "get range split points";
  if (api().transaction_get_range_split_points == nullptr || api().future_get_key_array == nullptr) {
    return {api(), error::kUnsupportedOperation, kOperation};
  }
  return {api(),
          api().transaction_get_range_split_points(handle_, Bytes(begin), Length(begin), Bytes(end), Length(end),
                                                   chunk_bytes),
          kOperation};
}

void Transaction::Set(std::string_view key, std::string_view value) {
  api().transaction_set(handle_, Bytes(key), Length(key), Bytes(value), Length(value));
}

void Transaction::Clear(std::string_view key) { api().transaction_clear(handle_, Bytes(key), Length(key)); }

void Transaction::ClearRange(std::string_view begin, std::string_view end) {
  api().transaction_clear_range(handle_, Bytes(begin), Length(begin), Bytes(end), Length(end));
}

void Transaction::AtomicOp(MutationType type, std::string_view key, std::string_view operand) {
  api().transaction_atomic_op(handle_, Bytes(key), Length(key), Bytes(operand), Length(operand),
                              static_cast<int>(type));
}

void Transaction::Add(std::string_view key, int64_t delta) {
  const auto operand = LittleEndian(delta);
  AtomicOp(MutationType::kAdd, key, View(operand.data(), operand.size()));
}

void Transaction::SetVersionstampedKey(std::string_view key, uint32_t offset, std::string_view value) {
  AtomicOp(MutationType::kSetVersionstampedKey, WithOffset(key, offset), value);
}

void Transaction::SetVersionstampedValue(std::string_view key, std::string_view value, uint32_t offset) {
  AtomicOp(MutationType::kSetVersionstampedValue, key, WithOffset(value, offset));
}

absl::StatusOr<uint16_t> Transaction::NextUserVersion() {
  uint32_t used = user_versions_used_.load(std::memory_order_relaxed);
  do {
    if (used >= kUserVersions) {
      return absl::ResourceExhaustedError(
          absl::StrCat("a transaction has ", kUserVersions, " user versions, and all were used: split the work"));
    }
  } while (!user_versions_used_.compare_exchange_weak(used, used + 1, std::memory_order_relaxed));
  return static_cast<uint16_t>(used);
}

absl::Status Transaction::AddConflictRange(std::string_view begin, std::string_view end, abi::ConflictRangeType type) {
  const abi::ErrorCode code =
      api().transaction_add_conflict_range(handle_, Bytes(begin), Length(begin), Bytes(end), Length(end), type);
  return StatusFromCode(api(), code, "add conflict range");
}

absl::Status Transaction::AddReadConflictRange(std::string_view begin, std::string_view end) {
  return AddConflictRange(begin, end, abi::kConflictRead);
}

absl::Status Transaction::AddReadConflictKey(std::string_view key) {
  return AddConflictRange(key, KeyAfter(key), abi::kConflictRead);
}

absl::Status Transaction::AddWriteConflictRange(std::string_view begin, std::string_view end) {
  return AddConflictRange(begin, end, abi::kConflictWrite);
}

absl::Status Transaction::AddWriteConflictKey(std::string_view key) {
  return AddConflictRange(key, KeyAfter(key), abi::kConflictWrite);
}

VoidFuture Transaction::Watch(std::string_view key) {
  return {api(), api().transaction_watch(handle_, Bytes(key), Length(key)), "watch"};
}

absl::Status Transaction::SetOption(TransactionFlag option) {
  const int number = static_cast<int>(option);
  return StatusFromCode(api(), api().transaction_set_option(handle_, number, nullptr, 0), "set transaction option");
}

absl::Status Transaction::SetOption(TransactionInt option, int64_t value) {
  const IntParameter parameter(value);
  return StatusFromCode(
      api(), api().transaction_set_option(handle_, static_cast<int>(option), parameter.data(), parameter.length()),
      "set transaction option");
}

absl::Status Transaction::SetOption(TransactionText option, std::string_view value) {
  return StatusFromCode(api(),
                        api().transaction_set_option(handle_, static_cast<int>(option), Bytes(value), Length(value)),
                        "set transaction option");
}

absl::Status Transaction::SetTimeout(absl::Duration timeout) {
  constexpr int64_t kMost = std::numeric_limits<int>::max();
  const int64_t milliseconds = absl::ToInt64Milliseconds(absl::Ceil(timeout, absl::Milliseconds(1)));
  // 0 is FoundationDB's word for "never". It counts up to an int of milliseconds; 24 days and more are never, too.
  return SetOption(TransactionInt::kTimeoutMilliseconds, milliseconds > kMost ? 0 : std::max<int64_t>(milliseconds, 1));
}

VoidFuture Transaction::Commit() { return {api(), api().transaction_commit(handle_), "commit", Phase::kCommit}; }

absl::StatusOr<int64_t> Transaction::GetCommittedVersion() {
  int64_t version = 0;
  const abi::ErrorCode code = api().transaction_get_committed_version(handle_, &version);
  if (code != 0) return StatusFromCode(api(), code, "get committed version");
  return version;
}

KeyFuture Transaction::GetVersionstamp() {
  return {api(), api().transaction_get_versionstamp(handle_), "get versionstamp"};
}

Int64Future Transaction::GetApproximateSize() {
  return {api(), api().transaction_get_approximate_size(handle_), "get approximate size"};
}

void Transaction::WriteReceipt(Receipt receipt) {
  if (receipt_written_) return;
  if (!receipt_.has_value()) receipt_ = std::move(receipt);
  // A commit that was given up on may still be under way when another transaction uses the key: it must not replace
  // the later token.
  AtomicOp(MutationType::kByteMax, receipt_->key, receipt_->token);
  receipt_written_ = true;
}

void Transaction::ForgetTry() {
  user_versions_used_.store(0, std::memory_order_relaxed);
  receipt_written_ = false;
  memory_.reset();
}

VoidFuture Transaction::OnError(int fdb_code) {
  ForgetTry();
  retry_of_ = fdb_code;
  return {api(), api().transaction_on_error(handle_, fdb_code), "retry"};
}

void Transaction::Reset() {
  ForgetTry();
  retry_of_ = 0;
  receipt_.reset();
  api().transaction_reset(handle_);
}

void Transaction::Cancel() { api().transaction_cancel(handle_); }

OwnedTransaction::~OwnedTransaction() {
  if (raw() != nullptr) api().transaction_destroy(raw());
}

}  // namespace fdbjobs::fdb
