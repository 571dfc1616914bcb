// FoldPiece: what a piece of the commit log comes to in the base. First ranges are cleared, then keys set or cleared.
//
// It weighs what it will cost: in bytes of the keys and values that the base has to be touched for. A key that was set
// and cleared again within the piece weighs nothing, since the base hardly ever has it. So a queue that was filled and
// drained makes one piece, however long its log is.
//
// Thread safety: one thread. Lifetime: keeps the segments that its keys and values are views of.
//
//   FoldPiece piece;
//   while (piece.weight() < limit && ...) piece.Add(record, segment);
//   ErrorCode error = piece.WriteTo(base, stop, &pace);
#ifndef FDBJOBS_EMBEDDED_FOLD_PIECE_H_
#define FDBJOBS_EMBEDDED_FOLD_PIECE_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "fdbjobs/embedded/base_store.h"
#include "fdbjobs/embedded/commit_log.h"
#include "fdbjobs/embedded/log_record.h"
#include "fdbjobs/embedded/pace.h"

namespace fdbjobs::embedded {

class FoldPiece {
 public:
  void Add(const RecordView& record, const std::shared_ptr<Segment>& segment);
  size_t weight() const { return weight_; }

  // Gives up between keys when `stop` is set.
  ErrorCode WriteTo(BaseWriter* base, const std::atomic<bool>& stop, Pace* pace) const;

 private:
  // What the last record that wrote the key says.
  struct Last {
    std::optional<std::string_view> value;  // none: cleared
    bool was_set = false;                   // by a record of this piece
  };
  using Keys = absl::btree_map<std::string_view, Last>;

  static size_t WeightOf(std::string_view key, const Last& last) {
    if (last.value.has_value()) return key.size() + last.value->size();
    return last.was_set ? 0 : key.size();
  }
  void Write(std::string_view key, std::optional<std::string_view> value);
  void ClearRange(std::string_view begin, std::string_view end);

  // Views into these.
  std::vector<std::shared_ptr<Segment>> segments_;
  Keys keys_;
  std::vector<std::pair<std::string_view, std::string_view>> ranges_;
  size_t weight_ = 0;  // of all keys_ and ranges_
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_FOLD_PIECE_H_
