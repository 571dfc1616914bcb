// TupleReader: reads packed elements one by one, with views of the input wherever the bytes lie there as they are.
//
// Any bytes are safe. A read that fails leaves the reader where it was, and its error names the offset of what could
// not be read, the byte there, and what was expected.
// Thread safety: one thread. Lifetime: the bytes outlive the reader and the views that it gives.
//
//   TupleReader reader(key);
//   std::string scratch;
//   absl::StatusOr<std::string_view> name = reader.ReadString(&scratch);
//   absl::StatusOr<Element> job_id = reader.ReadElement();
//   if (!reader.AtEnd()) ...
#ifndef FDBJOBS_KEYSPACE_TUPLE_READER_H_
#define FDBJOBS_KEYSPACE_TUPLE_READER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fdbjobs/keyspace/tuple.h"

namespace fdbjobs::tuple {

class TupleReader {
 public:
  explicit TupleReader(std::string_view bytes) : bytes_(bytes) {}

  // Nothing is left in the tuple that is being read: the nested one after EnterNested, else the whole.
  bool AtEnd() const;
  // Where in the bytes the next read begins.
  size_t offset() const { return offset_; }
  // What the next element is; nullopt at the end, and where no element begins.
  std::optional<Kind> Peek() const;

  // Each fails if the next element is of another kind.
  absl::Status ReadNull();
  // The view is of the input, or of `*scratch` when the bytes hold a 0x00, which is escaped in the input.
  absl::StatusOr<std::string_view> ReadBytes(std::string* scratch);
  // The same. The text is as it was stored, UTF-8 or not.
  absl::StatusOr<std::string_view> ReadString(std::string* scratch);
  // Fail also for an integer that does not fit.
  absl::StatusOr<int64_t> ReadInt64();
  absl::StatusOr<uint64_t> ReadUint64();
  absl::StatusOr<float> ReadFloat();
  absl::StatusOr<double> ReadDouble();
  absl::StatusOr<bool> ReadBool();
  absl::StatusOr<Uuid> ReadUuid();
  absl::StatusOr<Versionstamp> ReadVersionstamp();

  // Goes into the nested tuple that is next; at most kMaxNesting levels.
  absl::Status EnterNested();
  // Goes on behind the nested tuple. Fails unless all of it was read.
  absl::Status LeaveNested();

  // Of any kind, integers of any size included.
  absl::StatusOr<Element> ReadElement();
  // All that is left in the tuple that is being read.
  absl::StatusOr<Tuple> ReadRest();
  // The packed bytes of the next element, whatever it is, for TupleWriter::AddRaw. A null gives one 0x00, nested or
  // not.
  absl::StatusOr<std::string_view> ReadRaw();

 private:
  // An integer as it is stored, without the leading bytes that say nothing.
  struct StoredInteger {
    bool negative;
    std::string_view bytes;  // big endian; each flipped when negative

    bool small() const { return bytes.size() <= sizeof(uint64_t); }
    // Only if small().
    uint64_t magnitude() const;
  };

  uint8_t ByteAt(size_t offset) const { return static_cast<uint8_t>(bytes_[offset]); }
  bool AtNestedEnd() const;
  bool NextIs(uint8_t code) const;
  // "... at offset 7: byte 0x22 (long double, reserved), expected ..." or "... at offset 7: end of input, ...".
  absl::Status Refuse(const std::string& expected) const;
  // For a byte that stands where no type code belongs, and for input that ends too early.
  absl::Status RefuseAt(size_t offset, const std::string& expected) const;
  absl::Status RefuseElement() const;

  absl::StatusOr<std::string_view> ReadEscaped(uint8_t code, std::string* scratch);
  // The offset of the 0x00 that ends the bytes or string that is next; `*escapes` whether it holds a 0x00.
  absl::StatusOr<size_t> FindEnd(bool* escapes) const;
  // The `size` bytes behind the header (the type code, and what else there is), which the caller has checked.
  absl::StatusOr<std::string_view> ReadFixed(size_t size, Kind kind, size_t header = 1);
  absl::StatusOr<StoredInteger> ReadStoredInteger();
  absl::StatusOr<Element> ReadInteger();
  absl::StatusOr<Tuple> ReadNested();
  // May leave the reader anywhere when it fails.
  absl::Status Skip();

  std::string_view bytes_;
  size_t offset_ = 0;
  int depth_ = 0;
};

}  // namespace fdbjobs::tuple

#endif  // FDBJOBS_KEYSPACE_TUPLE_READER_H_
