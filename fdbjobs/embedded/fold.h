// Fold: moves a piece of the commit log into the base.
//
// Only the last value of each key in the piece is written, in the order of the keys. The mark how far the base has come
// is written in the same SQLite transaction.
//
// Thread safety: one call at a time per BaseWriter; other processes may try at the same time, one of them wins.
#ifndef FDBJOBS_EMBEDDED_FOLD_H_
#define FDBJOBS_EMBEDDED_FOLD_H_

#include <atomic>
#include <cstddef>
#include <string>

#include "fdbjobs/embedded/base_store.h"
#include "fdbjobs/embedded/commit_log.h"
#include "fdbjobs/embedded/control_block.h"

namespace fdbjobs::embedded {

struct FoldOutcome {
  size_t bytes = 0;   // of the log that went into the base
  bool more = false;  // there is more that is old enough
  // How far the base has come, if any went into it. The segments before that are needed no more.
  LogPosition position;
};

// Folds records up to `up_to`, until the keys and values that remain of them have about `max_bytes`; more of the log,
// up to four times that, if much of it comes to nothing. Gives up between keys when `stop` is set.
ErrorCode Fold(CommitLog* log, BaseWriter* base, ControlBlock* control, Version up_to, size_t max_bytes,
               const std::atomic<bool>& stop, FoldOutcome* outcome, std::string* why);

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_FOLD_H_
