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
void WriteInteger(char* at, T value) {
  std::memcpy(at, &value, sizeof value);
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
  char header[kEntryHeaderSize];
  header[0] = static_cast<char>(static_cast<uint8_t>(kind) | (conflicts ? 0 : kNoConflict));
  WriteInteger(header + 1, static_cast<uint32_t>(first.size()));
  WriteInteger(header + 5, static_cast<uint32_t>(second.size()));
  body->append(header, kEntryHeaderSize);
  body->append(first);
  body->append(second);
}

size_t BeginRecord(std::string* out) {
  const size_t start = out->size();
  out->append(kRecordHeaderSize, '\0');
  return start;
}

uint64_t EndRecord(std::string* out, size_t start, Version version, uint64_t previous) {
  const size_t body_size = out->size() - start - kRecordHeaderSize;
  const std::string_view body = std::string_view(*out).substr(start + kRecordHeaderSize);
  const uint64_t hash = HashRecord(version, body, previous);
  char* const header = out->data() + start;
  WriteInteger(header, static_cast<uint32_t>(body_size));
  WriteInteger(header + 8, hash);
  WriteInteger(header + 16, version);
  out->resize(start + TotalSize(body_size), '\0');
  return hash;
}

uint64_t AppendRecord(std::string* out, Version version, std::string_view body, uint64_t previous) {
  const size_t start = BeginRecord(out);
  out->append(body);
  return EndRecord(out, start, version, previous);
}

RecordView OwnRecord(std::string_view bytes) {
  const auto body_size = ReadInteger<uint32_t>(bytes.data());
  return {ReadInteger<Version>(bytes.data() + 16), ReadInteger<uint64_t>(bytes.data() + 8),
          bytes.substr(kRecordHeaderSize, body_size), TotalSize(body_size)};
}

bool ParseRecord(std::string_view bytes, uint64_t previous, Version previous_version, RecordView* record) {
  if (bytes.size() < kRecordHeaderSize) return false;
  const auto body_size = ReadInteger<uint32_t>(bytes.data());
  if (TotalSize(body_size) > bytes.size()) return false;
  *record = OwnRecord(bytes);
  return record->version > previous_version && HashRecord(record->version, record->body, previous) == record->hash;
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
