// MergedRead: reads of one version of the database with a transaction's own writes laid over it.
//
// Thread safety: none of its own. Lifetime: borrows the engine and the writes for the time of the calls.
//
//   Version version = kNoVersion;
//   MergedRead view(engine, &version, &writes);
//   Rows rows;
//   bool more;
//   if (ErrorCode error = view.GetRange("a", "b", /*reverse=*/false, 100, kNoRowLimit, &rows, &more)) ...
#ifndef FDBJOBS_EMBEDDED_MERGED_READ_H_
#define FDBJOBS_EMBEDDED_MERGED_READ_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fdbjobs/embedded/engine.h"
#include "fdbjobs/embedded/rows.h"
#include "fdbjobs/embedded/types.h"
#include "fdbjobs/embedded/write_map.h"

namespace fdbjobs::embedded {

class MergedRead {
 public:
  // `*version` may be kNoVersion: the first read that needs the database gets one then. What own writes answer alone
  // needs none. `writes` is null when own writes are not to be seen.
  MergedRead(Engine* engine, Version* version, const WriteMap* writes)
      : engine_(engine), version_(version), writes_(writes != nullptr && !writes->empty() ? writes : nullptr) {}

  // As Engine::GetRange. kAccessedUnreadable when it comes upon what a versionstamp will decide.
  ErrorCode GetRange(std::string_view begin, std::string_view end, bool reverse, size_t max_rows, size_t max_bytes,
                     Rows* rows, bool* more) const;

  // Where a key selector without or_equal leads: the `offset`-th key from `key` on, or for an offset below 1 the
  // (1 - offset)-th one before `key`; keys from `end` on do not count. Where there are not so many keys, `*found` is
  // "" or `end`. `*remaining` is what is left of the offset then: below 1, or above 1 when a key more at the end would
  // not have been enough either. Else it is 1.
  ErrorCode FindKey(std::string_view key, int64_t offset, std::string_view end, std::string* found,
                    int64_t* remaining) const;

 private:
  ErrorCode GetMergedRange(std::string_view begin, std::string_view end, bool reverse, size_t max_rows,
                           size_t max_bytes, Rows* rows, bool* more) const;

  Engine* const engine_;
  Version* const version_;
  // Null when there is nothing to lay over the database.
  const WriteMap* const writes_;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_MERGED_READ_H_
