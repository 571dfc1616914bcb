#include "tests/history/generator.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "fdbjobs/fdb/options.h"

namespace fdbjobs::test {
namespace {

using Kind = Operation::Kind;

constexpr int kFences = 12;
// Fewer than fences, so that a selector never gets past them.
constexpr int kLargestOffset = 8;
constexpr size_t kStampSize = 10;

const std::string kPlaceholder(kStampSize, '\xff');

Operation Marker(const std::string& prefix, uint64_t id) {
  Operation marker;
  marker.kind = Kind::kStampedValue;
  marker.key = MarkerKey(prefix, id);
  marker.value = kPlaceholder;
  return marker;
}

}  // namespace

std::vector<std::string> FenceKeys(const std::string& prefix) {
  std::vector<std::string> keys;
  for (const char* side : {"c", "e"}) {
    for (int i = 0; i < kFences; ++i) keys.push_back(absl::StrFormat("%s%s%02d", prefix, side, i));
  }
  return keys;
}

std::string MarkerPrefix(const std::string& prefix) { return prefix + "m"; }

std::string MarkerKey(const std::string& prefix, uint64_t id) {
  return absl::StrCat(MarkerPrefix(prefix), absl::Hex(id, absl::kZeroPad16));
}

std::string DataBegin(const std::string& prefix) { return prefix + "c"; }
std::string DataEnd(const std::string& prefix) { return prefix + "f"; }

std::string Generator::Letter() {
  return absl::StrCat(prefix_, "d", std::string(1, static_cast<char>(Between('a', 'h'))));
}

std::string Generator::DataKey() { return Chance(20) ? Letter() : absl::StrCat(Letter(), Between(0, 3)); }

std::string Generator::SmallBytes() {
  // Some come again and again, so that COMPARE_AND_CLEAR finds its like.
  if (Chance(40)) return std::string(static_cast<size_t>(Between(0, 2)), static_cast<char>(Between(0, 1)));
  std::string bytes(static_cast<size_t>(Between(0, 12)), '\0');
  for (char& byte : bytes) byte = static_cast<char>(Chance(30) ? 0 : random_());
  return bytes;
}

Selector Generator::AnySelector() {
  const int offset = Chance(60) ? Between(0, 1) : Between(-kLargestOffset, kLargestOffset);
  return {DataKey(), Chance(50), offset};
}

Operation Generator::RangeRead() {
  Operation read;
  read.kind = Kind::kGetRange;
  const bool plain = Chance(60);
  if (plain) {
    const Operation range = RangeOver(Kind::kGetRange);
    read.begin.key = range.key;
    read.end.key = range.value;
  } else {
    read.begin = AnySelector();
    read.end = AnySelector();
  }
  read.reverse = Chance(40);
  read.limit = Chance(50) ? Between(1, 12) : 0;
  read.whole = Chance(50);
  read.mode = Between(static_cast<int>(fdb::StreamingMode::kWantAll), static_cast<int>(fdb::StreamingMode::kSerial));
  // Exactly so many rows: it needs a number.
  if (read.mode == static_cast<int>(fdb::StreamingMode::kExact)) read.limit = Between(1, 12);
  read.snapshot = Chance(30);
  read.rechecked = read.snapshot && plain && Chance(50);
  return read;
}

Operation Generator::Read() {
  if (Chance(40)) return RangeRead();
  Operation read;
  read.snapshot = Chance(30);
  if (Chance(40)) {
    read.kind = Kind::kGetKey;
    read.begin = AnySelector();
    return read;
  }
  read.kind = Kind::kGet;
  read.key = DataKey();
  read.rechecked = read.snapshot && Chance(50);
  return read;
}

Operation Generator::RangeOver(Kind kind) {
  Operation range;
  range.kind = kind;
  range.key = Letter();
  // Mostly a letter with all that begins with it.
  range.value = Chance(70) ? range.key : Letter();
  if (range.value < range.key) std::swap(range.key, range.value);
  ++range.value.back();
  return range;
}

Operation Generator::Atomic() {
  static constexpr fdb::MutationType kTypes[] = {
      fdb::MutationType::kAdd,    fdb::MutationType::kBitAnd,  fdb::MutationType::kBitOr,
      fdb::MutationType::kBitXor, fdb::MutationType::kMax,     fdb::MutationType::kAppendIfFits,
      fdb::MutationType::kMin,    fdb::MutationType::kByteMin, fdb::MutationType::kByteMax,
  };
  return AtomicOf(kTypes[random_() % std::size(kTypes)]);
}

Operation Generator::AtomicOf(fdb::MutationType type) {
  Operation atomic;
  atomic.kind = Kind::kAtomic;
  atomic.mutation = static_cast<int>(type);
  atomic.key = DataKey();
  atomic.value = SmallBytes();
  return atomic;
}

Operation Generator::Write(uint64_t id, int number) {
  const int draw = Between(0, 99);
  if (draw < 30) return Atomic();
  if (draw < 40) return RangeOver(Kind::kReadConflict);
  if (draw < 45) return RangeOver(Kind::kWriteConflict);
  if (draw < 55) return RangeOver(Kind::kClearRange);
  Operation write;
  write.key = DataKey();
  if (draw < 65) {
    write.kind = Kind::kClear;
    return write;
  }
  write.kind = Kind::kSet;
  write.value = Chance(30) ? SmallBytes() : absl::StrCat(absl::Hex(id), ".", number);
  return write;
}

Operation Generator::StampedWrite(int number) {
  Operation write;
  // The user version: what tells the stamps of one transaction apart.
  const std::string user_version = {'\0', static_cast<char>(number)};
  if (Chance(50)) {
    write.kind = Kind::kStampedKey;
    write.key = Letter();
    write.stamp_at = static_cast<uint32_t>(write.key.size());
    write.key += kPlaceholder + user_version;
    write.value = SmallBytes();
  } else {
    write.kind = Kind::kStampedValue;
    write.key = DataKey();
    write.value = "at ";
    write.stamp_at = static_cast<uint32_t>(write.value.size());
    write.value += kPlaceholder + user_version;
  }
  return write;
}

Program Generator::Next(uint64_t id) {
  Program program;
  const int kind = Between(0, 99);
  program.read_only = kind < 15;
  const bool write_only = kind >= 85;
  program.durability_risky = Chance(20);
  program.version_first = Chance(50);
  program.in_the_past = Chance(program.read_only ? 30 : 3);
  program.own_writes = Chance(80)   ? OwnWrites::kSeen
                       : Chance(50) ? OwnWrites::kNotSeen
                                    : OwnWrites::kNotBySnapshotReads;
  if (!program.read_only) program.operations.push_back(Marker(prefix_, id));
  const int count = Between(1, 7);
  for (int i = 0; i < count; ++i) {
    const bool read = program.read_only || (!write_only && Chance(50));
    program.operations.push_back(read ? Read() : Write(id, i));
    Operation& added = program.operations.back();
    added.together = read && Chance(40);
    // A conflict range leaves out what the transaction has written itself, which such a read did not see.
    if (program.own_writes == OwnWrites::kNotBySnapshotReads) added.rechecked = false;
  }
  if (program.read_only || Chance(50)) return program;
  // Last, since nothing may be read behind them: stamps are unreadable until the commit, and selectors of
  // FoundationDB's client count a key that COMPARE_AND_CLEAR has cleared.
  for (int i = Between(1, 3); i > 0; --i) {
    program.operations.push_back(Chance(80) ? StampedWrite(i) : AtomicOf(fdb::MutationType::kCompareAndClear));
  }
  return program;
}

}  // namespace fdbjobs::test
