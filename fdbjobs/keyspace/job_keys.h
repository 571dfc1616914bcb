// JobKeys: every key of the jobs layer, built and taken apart. No other code knows how they look.
//
// All keys are tuples below an optional prefix of the caller's. docs/keyspace.md has every row with bytes and vectors.
//
//   ("couch_jobs", "data",             Type, JobId)           = (Sequence, WorkerLockId, JobOpts)
//   ("couch_jobs", "pending",          Type, Priority, JobId) = ""
//   ("couch_jobs", "watches",          Type)                  = (Sequence)
//   ("couch_jobs", "activity_timeout", Type)                  = (milliseconds)
//   ("couch_jobs", "activity",         Type, Sequence)        = (JobId)
//   ("couch_jobs", "pending_watch",    Type)                  = (Versionstamp) a job of the type got pending
//   ("couch_jobs", "count",            Type, State)           = 64-bit little endian, changed by ADD
//   ("couch_jobs", "types_watch")                             = (Versionstamp) a timeout was set, changed or cleared
//   ("couch_jobs", "incarnation")                             = (number)
//   ("couch_jobs", "receipt",          Process, Slot)         = (number, milliseconds)
//
// Thread safety: immutable. Lifetime: owns its prefix.
//
//   JobKeys keys("tenant-7/");
//   std::string key = keys.Data("index", id);
#ifndef FDBJOBS_KEYSPACE_JOB_KEYS_H_
#define FDBJOBS_KEYSPACE_JOB_KEYS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "fdbjobs/keyspace/id_prefix.h"
#include "fdbjobs/keyspace/job_row.h"
#include "fdbjobs/keyspace/packed_element.h"
#include "fdbjobs/keyspace/sequence.h"
#include "fdbjobs/keyspace/tuple.h"

namespace fdbjobs::keyspace {

using tuple::KeyRange;

class JobKeys {
 public:
  explicit JobKeys(std::string_view prefix = {});

  // Everything of the layer.
  KeyRange All() const { return tuple::RangeBelow(root_); }
  const std::string& prefix() const { return prefix_; }

  std::string Data(const PackedElement& type, const PackedElement& id) const {
    return Join(data_, type.packed(), id.packed());
  }
  std::string Pending(const PackedElement& type, const PackedElement& priority, const PackedElement& id) const;
  // Its size, without making it.
  size_t PendingSize(const PackedElement& type, const PackedElement& priority, const PackedElement& id) const {
    return pending_.size() + type.packed().size() + priority.packed().size() + id.packed().size();
  }
  // kDataLoss when it is longer than a key may be: a data row that says so could never get pending.
  absl::Status CheckPending(const PackedElement& type, const PackedElement& priority, const PackedElement& id) const;
  std::string Watch(const PackedElement& type) const { return Join(watches_, type.packed()); }
  std::string ActivityTimeout(const PackedElement& type) const { return Join(activity_timeout_, type.packed()); }
  std::string Activity(const PackedElement& type, const Sequence& sequence) const;
  // What SET_VERSIONSTAMPED_KEY takes to make an activity entry.
  std::string ActivityToStamp(const PackedElement& type, uint8_t incarnation, uint16_t user_version) const;
  std::string PendingWatch(const PackedElement& type) const { return Join(pending_watch_, type.packed()); }
  std::string Count(const PackedElement& type, JobState state) const;
  const std::string& TypesWatch() const { return types_watch_; }
  const std::string& Incarnation() const { return incarnation_; }
  std::string Receipt(const tuple::Uuid& process, uint64_t slot) const;

  // Rows of one type, or of all types.
  KeyRange DataRange(const PackedElement& type) const { return tuple::RangeBelow(Join(data_, type.packed())); }
  // The jobs whose ids begin so, and perhaps others beside them.
  KeyRange DataRange(const PackedElement& type, const IdPrefix& prefix) const {
    return prefix.Range(Join(data_, type.packed()));
  }
  KeyRange PendingRange(const PackedElement& type) const { return tuple::RangeBelow(Join(pending_, type.packed())); }
  // The pending jobs of one priority.
  KeyRange PendingRange(const PackedElement& type, const PackedElement& priority) const {
    return tuple::RangeBelow(Join(pending_, type.packed(), priority.packed()));
  }
  KeyRange ActivityRange(const PackedElement& type) const { return tuple::RangeBelow(Join(activity_, type.packed())); }
  KeyRange CountRange(const PackedElement& type) const { return tuple::RangeBelow(Join(count_, type.packed())); }
  KeyRange AllDataRange() const { return tuple::RangeBelow(data_); }
  KeyRange WatchesRange() const { return tuple::RangeBelow(watches_); }
  KeyRange TypesRange() const { return tuple::RangeBelow(activity_timeout_); }
  KeyRange CountsRange() const { return tuple::RangeBelow(count_); }
  KeyRange ReceiptRange() const { return tuple::RangeBelow(receipt_); }

  // What a key of a range above holds. kDataLoss when it is not such a key. The views are of `key`.
  struct PendingParts {
    std::string_view priority;  // packed
    std::string_view id;        // packed
  };
  absl::StatusOr<PendingParts> ReadPending(const PackedElement& type, std::string_view key) const;
  absl::StatusOr<std::string_view> ReadDataId(const PackedElement& type, std::string_view key) const;
  absl::StatusOr<Sequence> ReadActivity(const PackedElement& type, std::string_view key) const;
  absl::StatusOr<PackedElement> ReadType(std::string_view activity_timeout_key) const;

  // For messages: the key as a tuple, without the prefix; in hex when it is none.
  std::string Describe(std::string_view key) const;

  // Values that are no job row.
  static std::string EncodeId(const PackedElement& id) { return id.packed(); }
  // A receipt's value: a number that its slot never had before, and the time in milliseconds since 1970.
  // Higher numbers are higher in the order of bytes.
  static std::string EncodeReceipt(uint64_t number, int64_t milliseconds);
  // Its time in milliseconds.
  static absl::StatusOr<int64_t> DecodeReceiptTime(std::string_view value);
  static absl::StatusOr<PackedElement> DecodeId(std::string_view value);
  static std::string EncodeNumber(int64_t number);
  static absl::StatusOr<int64_t> DecodeNumber(std::string_view value);
  // Milliseconds, 1 or more.
  static absl::StatusOr<int64_t> DecodeTimeout(std::string_view value);
  static absl::StatusOr<int64_t> DecodeCount(std::string_view value);
  static std::string EncodeSequence(const Sequence& sequence);
  // What SET_VERSIONSTAMPED_VALUE takes to write a watches row.
  static std::string WatchToStamp(uint8_t incarnation);
  // The same for the pending watch and the types watch.
  static const std::string& StampAlone();
  static absl::StatusOr<Sequence> DecodeSequence(std::string_view value);

 private:
  static std::string Join(std::string_view a, std::string_view b, std::string_view c = {});

  const std::string prefix_;
  const std::string root_;
  const std::string data_;
  const std::string pending_;
  const std::string watches_;
  const std::string activity_timeout_;
  const std::string activity_;
  const std::string pending_watch_;
  const std::string count_;
  const std::string types_watch_;
  const std::string incarnation_;
  const std::string receipt_;
};

// FoundationDB's limits.
inline constexpr size_t kMaxKeyBytes = 10000;
inline constexpr size_t kMaxValueBytes = 100000;

}  // namespace fdbjobs::keyspace

#endif  // FDBJOBS_KEYSPACE_JOB_KEYS_H_
