// TupleWriter: packs elements one by one at the end of a string, without temporaries.
//
// Errors are kept: the first one stops all further writing, and Finish reports it. The string is of no use then.
// Thread safety: one thread. Lifetime: the string outlives the writer, and nobody else changes it meanwhile.
//
//   std::string key(prefix);
//   TupleWriter writer(&key);
//   writer.AddString("couch_jobs").AddString("data").AddElement(type).AddElement(job_id);
//   if (absl::Status status = writer.Finish(); !status.ok()) return status;
#ifndef FDBJOBS_KEYSPACE_TUPLE_WRITER_H_
#define FDBJOBS_KEYSPACE_TUPLE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fdbjobs/keyspace/tuple.h"

namespace fdbjobs::tuple {

class TupleWriter {
 public:
  explicit TupleWriter(std::string* out, Utf8 utf8 = Utf8::kRequire) : out_(out), utf8_(utf8) {}
  TupleWriter(const TupleWriter&) = delete;
  TupleWriter& operator=(const TupleWriter&) = delete;

  TupleWriter& AddNull();
  TupleWriter& AddBytes(std::string_view bytes);
  TupleWriter& AddString(std::string_view text);
  TupleWriter& AddInt(int64_t integer);
  TupleWriter& AddUint(uint64_t integer);
  TupleWriter& AddBigInt(const BigInt& integer);
  TupleWriter& AddFloat(float number);
  TupleWriter& AddDouble(double number);
  TupleWriter& AddBool(bool truth);
  TupleWriter& AddUuid(const Uuid& uuid);
  TupleWriter& AddVersionstamp(const Versionstamp& stamp);

  // What is added between the two is in the nested tuple.
  TupleWriter& BeginNested();
  TupleWriter& EndNested();

  TupleWriter& AddElement(const Element& element);
  // Each element of `tuple`, as if they were added one by one: not a nested tuple.
  TupleWriter& AddElements(const Tuple& tuple);
  // One element that is packed already, as TupleReader::ReadRaw gives it. It is not looked into: its strings are
  // kept as they are, and an incomplete versionstamp in it is not found by FinishWithVersionstamp.
  TupleWriter& AddRaw(std::string_view packed_element);

  // An error for a string that is not UTF-8, for too many levels, and for nested tuples that were not ended, or
  // ended without a beginning.
  absl::Status Finish() const;

  // Appends the offset of the incomplete versionstamp, counted from the string's first byte, as the four
  // little-endian bytes that SET_VERSIONSTAMPED_* want, and returns it. `user_version` replaces the one in the
  // stamp. Fails as Finish does, and unless exactly one incomplete versionstamp was added. Call it last.
  absl::StatusOr<uint32_t> FinishWithVersionstamp(std::optional<uint16_t> user_version = std::nullopt);

 private:
  void AppendCode(uint8_t code) { out_->push_back(static_cast<char>(code)); }
  void AppendEscaped(uint8_t code, std::string_view bytes);
  // An integer of at most eight bytes.
  void AppendSmall(bool negative, uint64_t magnitude);

  std::string* const out_;
  const Utf8 utf8_;
  int depth_ = 0;
  int incomplete_stamps_ = 0;
  size_t stamp_offset_ = 0;  // of the last incomplete stamp's ten bytes in *out_; only if incomplete_stamps_ > 0
  absl::Status status_;
};

}  // namespace fdbjobs::tuple

#endif  // FDBJOBS_KEYSPACE_TUPLE_WRITER_H_
