#include "fdbjobs/embedded/log_record.h"

#include <xxhash.h>

namespace fdbjobs::embedded {

namespace {

constexpr uint64_t kSegmentMagic = 0x31676f6c626a6466;  // "fdjblog1"
constexpr size_t kAlignment = 8;

template <typename T>
void AppendInteger(std::string* out, T value) {
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
  out->append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename T>
T ReadInteger(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

uint64_t HashRecord(Version version, std::string_view body, uint64_t previous) {
  return XXH3_64bits_withSeed(body.data(), body.size(), previous ^ static_cast<uint64_t>(version) * 0x9e3779b97f4a7c15);
}

size_t TotalSize(size_t body) { return (kRecordHeaderSize + body + kAlignment - 1) & ~(kAlignment - 1); }

}  // namespace

void AppendEntry(std::string* body, EntryKind kind, bool conflicts, std::string_view first, std::string_view second) {
  body->push_back(static_cast<char>(static_cast<uint8_t>(kind) | (conflicts ? 0 : kNoConflict)));
  AppendInteger(body, static_cast<uint32_t>(first.size()));
  AppendInteger(body, static_cast<uint32_t>(second.size()));
  body->append(first);
  body->append(second);
}

uint64_t AppendRecord(std::string* out, Version version, std::string_view body, uint64_t previous) {
  const uint64_t hash = HashRecord(version, body, previous);
  const size_t start = out->size();
  AppendInteger(out, static_cast<uint32_t>(body.size()));
  AppendInteger(out, uint32_t{0});
  AppendInteger(out, hash);
  AppendInteger(out, version);
  out->append(body);
  out->resize(start + TotalSize(body.size()), '\0');
  return hash;
}

bool ParseRecord(std::string_view bytes, uint64_t previous, Version previous_version, RecordView* record) {
  if (bytes.size() < kRecordHeaderSize) return false;
  const auto body_size = ReadInteger<uint32_t>(bytes.data());
  const auto hash = ReadInteger<uint64_t>(bytes.data() + 8);
  const auto version = ReadInteger<Version>(bytes.data() + 16);
  if (TotalSize(body_size) > bytes.size() || version <= previous_version) return false;
  const std::string_view body = bytes.substr(kRecordHeaderSize, body_size);
  if (HashRecord(version, body, previous) != hash) return false;
  *record = {version, hash, body, TotalSize(body_size)};
  return true;
}

std::string SegmentHeader::Encode() const {
  std::string bytes;
  AppendInteger(&bytes, kSegmentMagic);
  AppendInteger(&bytes, number);
  AppendInteger(&bytes, previous_end);
  AppendInteger(&bytes, previous_hash);
  AppendInteger(&bytes, previous_version);
  AppendInteger(&bytes, static_cast<uint64_t>(XXH3_64bits(bytes.data(), bytes.size())));
  bytes.resize(kSegmentHeaderSize, '\0');
  return bytes;
}

bool SegmentHeader::Decode(std::string_view bytes, SegmentHeader* header) {
  constexpr size_t kHashed = 32;
  if (bytes.size() < kSegmentHeaderSize || ReadInteger<uint64_t>(bytes.data()) != kSegmentMagic) return false;
  if (ReadInteger<uint64_t>(bytes.data() + kHashed) != XXH3_64bits(bytes.data(), kHashed)) return false;
  header->number = ReadInteger<uint32_t>(bytes.data() + 8);
  header->previous_end = ReadInteger<uint32_t>(bytes.data() + 12);
  header->previous_hash = ReadInteger<uint64_t>(bytes.data() + 16);
  header->previous_version = ReadInteger<Version>(bytes.data() + 24);
  return true;
}

}  // namespace fdbjobs::embedded
