// Progress: a bar on standard error while a long command runs, if that is a terminal; nothing otherwise.
//
// Thread safety: one thread. Lifetime: takes its line back when it goes.
//
//   Progress progress("adding", /*total=*/0);     // 0: not known
//   progress.Show(1200);
#ifndef FDBJOBS_TOOLS_CLI_PROGRESS_H_
#define FDBJOBS_TOOLS_CLI_PROGRESS_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"

namespace fdbjobs::cli {

class Progress {
 public:
  Progress(std::string what, int64_t total);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void Show(int64_t done);
  // Takes the line back, so that something else can be printed.
  void Clear();

 private:
  const std::string what_;
  const int64_t total_;
  const bool terminal_;
  const absl::Time begin_;
  absl::Time shown_ = absl::InfinitePast();
};

}  // namespace fdbjobs::cli

#endif  // FDBJOBS_TOOLS_CLI_PROGRESS_H_
