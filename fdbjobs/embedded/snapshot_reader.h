// SnapshotReader: reads at one version, from the window and the base together.
//
// Thread safety: none; made for one read, on the stack. Lifetime: holds a base snapshot while it lives.
#ifndef FDBJOBS_EMBEDDED_SNAPSHOT_READER_H_
#define FDBJOBS_EMBEDDED_SNAPSHOT_READER_H_

#include <optional>
#include <string>
#include <string_view>

#include "fdbjobs/embedded/base_store.h"
#include "fdbjobs/embedded/rows.h"
#include "fdbjobs/embedded/window.h"

namespace fdbjobs::embedded {

class SnapshotReader {
 public:
  // Everything up to `at` must have been applied to the window.
  SnapshotReader(const Window* window, BaseReaders* readers, Version at)
      : window_(window), readers_(readers), at_(at) {}

  ErrorCode Get(std::string_view key, std::optional<std::string>* value);

  // As Engine::GetRange.
  ErrorCode GetRange(std::string_view begin, std::string_view end, bool reverse, size_t max_rows, size_t max_bytes,
                     Rows* rows, bool* more);

 private:
  struct Limits {
    size_t rows;
    size_t bytes;
    bool Reached(const Rows& out) const { return out.size() >= rows || out.bytes() >= bytes; }
  };

  ErrorCode Borrow();
  ErrorCode RefreshBase();
  ErrorCode CheckBase() const;
  ErrorCode ScanBase(std::string_view begin, std::string_view end, bool reverse, const Limits& limits, Rows* rows,
                     bool* full);
  void NoteGap(const Window::Slice& slice, std::string_view first) const;
  ErrorCode MergeSlice(const Window::Slice& slice, bool reverse, const Limits& limits, Rows* rows, bool* full);
  ErrorCode MergePiece(std::string_view begin, std::string_view end, bool with_base, bool reverse, const Limits& limits,
                       const Window::Slice& slice, Rows* rows, bool* full);

  const Window* const window_;
  BaseReaders* const readers_;
  const Version at_;
  BaseReaders::Lease base_;
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_SNAPSHOT_READER_H_
