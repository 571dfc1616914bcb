#include "tests/history/model.h"

#include <algorithm>
#include <functional>

#include "absl/strings/str_cat.h"
#include "fdbjobs/fdb/options.h"

namespace fdbjobs::test {
namespace {

using fdb::MutationType;

constexpr size_t kStampSize = 10;
constexpr size_t kLongestValue = 100'000;

// Numbers are little endian and as long as the operand.
std::string FitTo(std::string_view operand, std::string_view old) {
  std::string fitted(old.substr(0, operand.size()));
  fitted.resize(operand.size(), '\0');
  return fitted;
}

bool LessAsNumber(std::string_view a, std::string_view b) {
  // Most significant byte first. Chars are compared as unsigned bytes by string_view.
  const std::string big_a(a.rbegin(), a.rend());
  const std::string big_b(b.rbegin(), b.rend());
  return big_a < big_b;
}

std::string Sum(std::string_view a, std::string_view b) {
  std::string sum;
  int carry = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    carry += static_cast<uint8_t>(a[i]) + static_cast<uint8_t>(b[i]);
    sum.push_back(static_cast<char>(carry & 255));
    carry >>= 8;
  }
  return sum;
}

template <typename Combine>
std::string ByteByByte(std::string a, std::string_view b, Combine combine) {
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<char>(combine(a[i], b[i]));
  return a;
}

std::string Stamped(std::string bytes, uint32_t at, std::string_view stamp) {
  return bytes.replace(at, kStampSize, std::string(stamp));
}

// All rows that the operation may return, in its order.
std::vector<Row> RowsBetween(const Map& map, const Operation& operation) {
  // A selector before the first key stands for the empty key, one behind the last for the end of everything.
  const std::string begin = Resolve(map, operation.begin).value_or(operation.begin.offset > 0 ? "\xff" : "");
  const std::string end = Resolve(map, operation.end).value_or(operation.end.offset > 0 ? "\xff" : "");
  if (begin >= end) return {};
  std::vector<Row> rows(map.lower_bound(begin), map.lower_bound(end));
  if (operation.reverse) std::reverse(rows.begin(), rows.end());
  return rows;
}

std::string CheckRange(const Operation& operation, const Map& map) {
  std::vector<Row> expected = RowsBetween(map, operation);
  const size_t limit = operation.limit == 0 ? expected.size() : static_cast<size_t>(operation.limit);
  if (expected.size() > limit) expected.resize(limit);
  const bool exact = operation.whole || operation.mode == static_cast<int>(fdb::StreamingMode::kExact);
  // A batch may end early when it says that there is more.
  if (!exact && operation.more && operation.rows.size() < expected.size()) expected.resize(operation.rows.size());
  if (operation.rows == expected) return "";
  Operation right = operation;
  right.rows = expected;
  return absl::StrCat("should be: ", Show(right));
}

}  // namespace

std::optional<std::string> AfterAtomic(int mutation, const std::optional<std::string>& old, std::string_view operand) {
  const std::string before = old.value_or("");
  const std::string fitted = FitTo(operand, before);
  const std::string given(operand);
  switch (static_cast<MutationType>(mutation)) {
    case MutationType::kAdd:
      return Sum(fitted, operand);
    case MutationType::kBitAnd:
      return old ? ByteByByte(fitted, operand, std::bit_and<>()) : given;
    case MutationType::kBitOr:
      return ByteByByte(fitted, operand, std::bit_or<>());
    case MutationType::kBitXor:
      return ByteByByte(fitted, operand, std::bit_xor<>());
    case MutationType::kAppendIfFits:
      return before.size() + given.size() <= kLongestValue ? before + given : before;
    case MutationType::kMax:
      return LessAsNumber(fitted, operand) ? given : fitted;
    case MutationType::kMin:
      return !old || LessAsNumber(operand, fitted) ? given : fitted;
    case MutationType::kByteMin:
      return old ? std::min(before, given) : given;
    case MutationType::kByteMax:
      return std::max(before, given);
    case MutationType::kCompareAndClear:
      return before == given ? std::nullopt : old;
    default:
      return old;
  }
}

void ApplyWrite(const Operation& operation, std::string_view stamp, Map* map) {
  switch (operation.kind) {
    case Operation::Kind::kSet:
      (*map)[operation.key] = operation.value;
      break;
    case Operation::Kind::kClear:
      map->erase(operation.key);
      break;
    case Operation::Kind::kClearRange:
      map->erase(map->lower_bound(operation.key), map->lower_bound(operation.value));
      break;
    case Operation::Kind::kStampedKey:
      (*map)[Stamped(operation.key, operation.stamp_at, stamp)] = operation.value;
      break;
    case Operation::Kind::kStampedValue:
      (*map)[operation.key] = Stamped(operation.value, operation.stamp_at, stamp);
      break;
    case Operation::Kind::kAtomic: {
      const auto found = map->find(operation.key);
      const auto after =
          AfterAtomic(operation.mutation,
                      found == map->end() ? std::nullopt : std::optional<std::string>(found->second), operation.value);
      if (after) (*map)[operation.key] = *after;
      if (!after) map->erase(operation.key);
      break;
    }
    default:
      break;
  }
}

std::optional<std::string> Resolve(const Map& map, const Selector& selector) {
  // The first key behind the place that the selector starts from has offset 1.
  auto at = selector.or_equal ? map.upper_bound(selector.key) : map.lower_bound(selector.key);
  int offset = 1;
  for (; offset < selector.offset && at != map.end(); ++offset) ++at;
  for (; offset > selector.offset; --offset) {
    if (at == map.begin()) return std::nullopt;
    --at;
  }
  return at == map.end() ? std::nullopt : std::optional<std::string>(at->first);
}

std::string CheckRead(const Operation& operation, const Map& map) {
  if (operation.kind == Operation::Kind::kGetRange) return CheckRange(operation, map);
  std::optional<std::string> expected;
  if (operation.kind == Operation::Kind::kGetKey) {
    expected = Resolve(map, operation.begin);
  } else if (const auto at = map.find(operation.key); at != map.end()) {
    expected = at->second;
  }
  if (operation.found == expected) return "";
  return expected ? absl::StrCat("should be \"", Show(*expected), "\"") : "should be nothing";
}

void Replay(const Attempt& attempt, std::string_view stamp, ReadsToCheck which, Map* map,
            std::vector<std::string>* problems) {
  const Map before = *map;
  for (const Operation& operation : attempt.operations) {
    if (operation.IsWrite()) ApplyWrite(operation, stamp, map);
    if (!operation.IsRead()) continue;
    if (which == ReadsToCheck::kSerializable && operation.snapshot && !operation.rechecked) continue;
    const bool past_own = attempt.own_writes == OwnWrites::kNotSeen ||
                          (attempt.own_writes == OwnWrites::kNotBySnapshotReads && operation.snapshot);
    const std::string wrong = CheckRead(operation, past_own ? before : *map);
    if (wrong.empty()) continue;
    problems->push_back(absl::StrCat(which == ReadsToCheck::kAll ? "at its read version: " : "at its commit: ",
                                     Show(operation), "\n  ", wrong, "\n", Show(attempt)));
  }
}

}  // namespace fdbjobs::test
