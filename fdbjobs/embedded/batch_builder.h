// BatchBuilder: turns the requests of a group commit into log records, one after the other.
//
// Each request is checked against the window, the history and the ones before it in the batch; what passes gets the
// next version, has its versionstamps filled in and its atomic operations turned into plain values, and is appended.
//
// Thread safety: none; used under the append lock. Lifetime: for one batch.
#ifndef FDBJOBS_EMBEDDED_BATCH_BUILDER_H_
#define FDBJOBS_EMBEDDED_BATCH_BUILDER_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_set.h"
#include "fdbjobs/embedded/batch_writes.h"
#include "fdbjobs/embedded/conflict_history.h"
#include "fdbjobs/embedded/engine.h"
#include "fdbjobs/embedded/types.h"
#include "fdbjobs/embedded/window.h"

namespace fdbjobs::embedded {

class BatchBuilder {
 public:
  // The newest committed value of a key.
  using Latest = std::function<ErrorCode(std::string_view key, std::optional<std::string>* value)>;

  // The keys of operations that depend on the old value, of all requests of a batch. Views of their bytes.
  using AtomicKeys = absl::flat_hash_set<std::string_view>;
  static void CollectAtomicKeys(const MutationList& writes, AtomicKeys* keys);

  // Versions from `first_version` on; `oldest_read` is the least read version that is still young enough.
  BatchBuilder(const Window* window, const ConflictHistory* history, Latest latest, Version first_version,
               Version oldest_read, uint64_t hash, AtomicKeys atomic_keys)
      : window_(window),
        history_(history),
        latest_(std::move(latest)),
        next_version_(first_version),
        oldest_read_(oldest_read),
        atomic_keys_(std::move(atomic_keys)),
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
  // What the batch itself wrote so far to keys that some atomic operation of it reads. Keys in front of ranges: a key
  // set after a range was cleared counts.
  struct Overlay {
    absl::btree_map<std::string, std::optional<std::string>, std::less<>> keys;
    WrittenRanges cleared;
  };

  ErrorCode CheckConflicts(const CommitRequest& request);
  ErrorCode AppendEntries(const MutationList& writes);
  ErrorCode AppendResolved(const EntryView& entry);
  ErrorCode AppendStamped(const EntryView& entry);
  ErrorCode Newest(std::string_view key, std::optional<std::string>* value) const;
  bool keeps_overlay() const { return !atomic_keys_.empty(); }
  void NoteInOverlay(const EntryView& entry);

  const Window* const window_;
  const ConflictHistory* const history_;
  const Latest latest_;
  Version next_version_;
  const Version oldest_read_;
  const AtomicKeys atomic_keys_;
  uint64_t hash_;

  std::string bytes_;
  bool broken_ = false;
  Overlay overlay_;
  BatchWrites written_;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_BATCH_BUILDER_H_
