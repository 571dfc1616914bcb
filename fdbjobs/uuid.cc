#include "fdbjobs/uuid.h"

#include <atomic>
#include <random>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace fdbjobs {
namespace {

// Seeded by the system for each thread. 64 bits of state would not do for identity, so it is a large generator.
uint64_t RandomBits() {
  thread_local std::mt19937_64 generator = [] {
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device(), device(), device(), device(), device()};
    return std::mt19937_64(seed);
  }();
  return generator();
}

tuple::Uuid FromHalves(uint64_t high, uint64_t low, uint8_t version) {
  high = (high & ~uint64_t{0xF000}) | uint64_t{version} << 12;
  low = (low & ~(uint64_t{3} << 62)) | uint64_t{2} << 62;
  tuple::Uuid uuid;
  for (int i = 0; i < 8; ++i) {
    uuid.bytes[i] = static_cast<uint8_t>(high >> (56 - 8 * i));
    uuid.bytes[8 + i] = static_cast<uint8_t>(low >> (56 - 8 * i));
  }
  return uuid;
}

// Milliseconds and a 12-bit counter in one number that only grows. When the counter runs over, it borrows from the
// milliseconds to come.
uint64_t NextTick() {
  static std::atomic<uint64_t> last = 0;
  const uint64_t now = static_cast<uint64_t>(absl::ToUnixMillis(absl::Now())) << 12;
  uint64_t before = last.load(std::memory_order_relaxed);
  uint64_t next;
  do {
    next = now > before ? now : before + 1;
  } while (!last.compare_exchange_weak(before, next, std::memory_order_relaxed));
  return next;
}

}  // namespace

tuple::Uuid RandomUuid() { return FromHalves(RandomBits(), RandomBits(), 4); }

tuple::Uuid TimeOrderedUuid() {
  const uint64_t tick = NextTick();
  return FromHalves((tick >> 12) << 16 | (tick & 0xFFF), RandomBits(), 7);
}

std::string UuidToString(const tuple::Uuid& uuid) {
  const std::string hex = absl::BytesToHexString({reinterpret_cast<const char*>(uuid.bytes.data()), uuid.bytes.size()});
  const std::string_view all(hex);
  std::string text;
  for (const auto& [begin, size] : {std::pair{0, 8}, {8, 4}, {12, 4}, {16, 4}, {20, 12}}) {
    if (!text.empty()) text.push_back('-');
    text.append(all.substr(begin, size));
  }
  return text;
}

std::optional<tuple::Uuid> UuidFromString(std::string_view text) {
  std::string hex;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool dash = text.size() == 36 && (i == 8 || i == 13 || i == 18 || i == 23);
    if (dash ? text[i] != '-' : !absl::ascii_isxdigit(static_cast<unsigned char>(text[i]))) return std::nullopt;
    if (!dash) hex.push_back(text[i]);
  }
  if (hex.size() != 32) return std::nullopt;
  const std::string bytes = absl::HexStringToBytes(hex);
  tuple::Uuid uuid;
  for (size_t i = 0; i < bytes.size(); ++i) uuid.bytes[i] = static_cast<uint8_t>(bytes[i]);
  return uuid;
}

}  // namespace fdbjobs
