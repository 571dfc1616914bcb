#include "fdbjobs/keyspace/tuple_utf8.h"

#include <cstdint>
#include <cstring>

namespace fdbjobs::tuple {
namespace {

constexpr uint64_t kHighBits = 0x8080808080808080;

size_t SkipAscii(std::string_view text, size_t at) {
  for (; text.size() - at >= sizeof(uint64_t); at += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, text.data() + at, sizeof word);
    if ((word & kHighBits) != 0) break;
  }
  while (at < text.size() && static_cast<uint8_t>(text[at]) < 0x80) ++at;
  return at;
}

// The length of the well-formed character that `rest` begins with; 0 if there is none. The bounds on the second byte
// shut out overlong forms (after E0, F0), surrogates (after ED) and what is past U+10FFFF (after F4).
size_t CharacterLength(std::string_view rest) {
  const auto byte = [rest](size_t i) { return static_cast<uint8_t>(rest[i]); };
  const uint8_t lead = byte(0);
  size_t length;
  uint8_t low = 0x80;
  uint8_t high = 0xbf;
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) {
    length = 2;
  } else if (lead >= 0xe0 && lead <= 0xef) {
    length = 3;
    if (lead == 0xe0) low = 0xa0;
    if (lead == 0xed) high = 0x9f;
  } else if (lead >= 0xf0 && lead <= 0xf4) {
    length = 4;
    if (lead == 0xf0) low = 0x90;
    if (lead == 0xf4) high = 0x8f;
  } else {
    return 0;
  }
  if (rest.size() < length || byte(1) < low || byte(1) > high) return 0;
  for (size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xbf) return 0;
  }
  return length;
}

}  // namespace

std::optional<size_t> FirstInvalidUtf8(std::string_view text) {
  size_t at = SkipAscii(text, 0);
  while (at < text.size()) {
    const size_t length = CharacterLength(text.substr(at));
    if (length == 0) return at;
    at = SkipAscii(text, at + length);
  }
  return std::nullopt;
}

}  // namespace fdbjobs::tuple
