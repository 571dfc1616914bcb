// BatchBuilder: turns the requests of a group commit into log records, one after the other.
//
// Each request is checked against the history and against the ones before it in the batch; what passes gets the next
// version, has its versionstamps filled in and its atomic operations turned into plain values, and is appended.
//
// Thread safety: none; used under the append lock. Lifetime: for one batch.
#ifndef FDBJOBS_EMBEDDED_BATCH_BUILDER_H_
#define FDBJOBS_EMBEDDED_BATCH_BUILDER_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/btree_map.h"
#include "fdbjobs/embedded/conflict_history.h"
#include "fdbjobs/embedded/engine.h"
#include "fdbjobs/embedded/types.h"

namespace fdbjobs::embedded {

class BatchBuilder {
 public:
  // The newest committed value of a key.
  using Latest = std::function<ErrorCode(std::string_view key, std::optional<std::string>* value)>;

  // Versions from `first_version` on; `oldest_read` is the least read version that is still young enough;
  // `atomics` tells whether any request has an operation that depends on the old value.
  BatchBuilder(const ConflictHistory* history, Latest latest, Version first_version, Version oldest_read, uint64_t hash,
               bool atomics)
      : history_(history),
        latest_(std::move(latest)),
        next_version_(first_version),
        oldest_read_(oldest_read),
        keep_overlay_(atomics),
        hash_(hash) {}

  // 0 and the version it got, or why it is refused; nothing is appended then.
  ErrorCode Add(const CommitRequest& request, Version* version);

  const std::string& bytes() const { return bytes_; }
  bool empty() const { return bytes_.empty(); }
  // The base could not be read in the midst of a request, parts of which were taken up: add no more to this batch.
  bool broken() const { return broken_; }
  uint64_t hash() const { return hash_; }
  Version last_version() const { return next_version_ - 1; }

 private:
  // What the batch itself wrote so far. Keys in front of ranges: a key set after a range was cleared counts.
  struct Overlay {
    absl::btree_map<std::string, std::optional<std::string>, std::less<>> keys;
    WrittenRanges cleared;
  };

  ErrorCode CheckConflicts(const CommitRequest& request) const;
  ErrorCode AppendMutation(const Mutation& mutation);
  ErrorCode AppendStamped(const Mutation& mutation);
  ErrorCode Newest(std::string_view key, std::optional<std::string>* value) const;
  void WriteKey(std::string_view key, std::optional<std::string> value, bool conflicts);
  void WriteClear(std::string_view begin, std::string_view end, bool conflicts);
  void AddWritten(std::string_view begin, std::string_view end);
  // Whether exactly [begin, end) is among the write conflict ranges of the request at hand; then it needs no entry
  // of its own.
  bool ConsumeConflict(std::string_view begin, std::string_view end);
  bool ConsumeKeyConflict(std::string_view key);
  void AppendOtherConflicts();

  const ConflictHistory* const history_;
  const Latest latest_;
  Version next_version_;
  const Version oldest_read_;
  const bool keep_overlay_;
  uint64_t hash_;

  std::string bytes_;
  bool broken_ = false;
  Overlay overlay_;
  WrittenRanges written_;

  // Of the request at hand.
  struct PendingConflict {
    std::string_view begin;
    std::string_view end;
    bool consumed;
  };
  std::string body_;
  std::string scratch_;
  std::vector<PendingConflict> conflicts_;  // by begin, then end
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_BATCH_BUILDER_H_
