#include "tools/cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "tools/cli/text.h"

namespace fdbjobs::cli {

Progress::Progress(std::string what, int64_t total)
    : what_(std::move(what)), total_(total), terminal_(isatty(STDERR_FILENO) == 1), begin_(absl::Now()) {}

Progress::~Progress() { Clear(); }

void Progress::Show(int64_t done) {
  constexpr int kBar = 30;
  const absl::Time now = absl::Now();
  if (!terminal_ || now - shown_ < absl::Milliseconds(100)) return;
  shown_ = now;
  const double seconds = std::max(0.001, absl::ToDoubleSeconds(now - begin_));
  std::string bar;
  if (total_ > 0) {
    const auto full = static_cast<size_t>(std::min<int64_t>(kBar, done * kBar / total_));
    bar = absl::StrFormat(" [%s%s] %d%%", std::string(full, '#'), std::string(kBar - full, ' '),
                          std::min<int64_t>(100, done * 100 / total_));
  }
  std::fprintf(stderr, "\r\x1b[K%s%s %s, %s/s", what_.c_str(), bar.c_str(), Count(done).c_str(),
               Count(static_cast<int64_t>(static_cast<double>(done) / seconds)).c_str());
  std::fflush(stderr);
}

void Progress::Clear() {
  if (shown_ == absl::InfinitePast()) return;
  std::fprintf(stderr, "\r\x1b[K");
  std::fflush(stderr);
  shown_ = absl::InfinitePast();
}

}  // namespace fdbjobs::cli
