#include "tools/cli/top_screen.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/cli/text.h"

namespace fdbjobs::cli {
namespace {

constexpr char kBold[] = "\x1b[1m";
constexpr char kDim[] = "\x1b[2m";
constexpr char kRed[] = "\x1b[31m";
constexpr char kReverse[] = "\x1b[7m";
constexpr char kPlain[] = "\x1b[0m";

std::string PadRight(std::string_view text, size_t width) {
  const std::string shown = Shortened(text, width);
  return shown + std::string(width - std::min(width, Width(shown)), ' ');
}

std::string PadLeft(std::string_view text, size_t width) {
  const std::string shown = Shortened(text, width);
  return std::string(width - std::min(width, Width(shown)), ' ') + shown;
}

// "+12.3", "-400", "0"
std::string RateText(double rate) {
  if (std::abs(rate) < 0.05) return "0";
  return std::abs(rate) < 100 ? absl::StrFormat("%+.1f", rate) : absl::StrFormat("%+.0f", rate);
}

// The queue's depth, one character a second, newest at the right.
std::string Chart(const TypeHistory& history, size_t width, bool unicode) {
  static constexpr const char* kBlocks[] = {"\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84",
                                            "\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88"};
  static constexpr const char* kAscii[] = {"_", ".", ",", "-", "=", "+", "*", "#"};
  const size_t shown = std::min(width, history.samples.size());
  int64_t most = 1;
  for (const TypeHistory::Sample& sample : history.samples) most = std::max(most, sample.counts.pending);
  std::string chart(width - shown, ' ');
  for (size_t i = history.samples.size() - shown; i < history.samples.size(); ++i) {
    const int64_t pending = std::max<int64_t>(0, history.samples[i].counts.pending);
    const auto level = static_cast<size_t>(pending * 7 / most);
    absl::StrAppend(&chart, unicode ? kBlocks[level] : kAscii[level]);
  }
  return chart;
}

class Screen {
 public:
  Screen(const TopData& data, const ScreenSize& size, const TopStyle& style)
      : data_(data), size_(size), style_(style) {}

  std::vector<std::string> Draw(const std::string& trouble) {
    Title();
    Types();
    Running();
    if (lines_.size() > size_.rows) lines_.resize(size_.rows);
    if (!trouble.empty()) {
      lines_.resize(std::min(lines_.size(), size_.rows - 1));
      Add(kRed, Visible(trouble));
    }
    return std::move(lines_);
  }

 private:
  void Add(const char* style, const std::string& text) {
    const std::string shown = Shortened(text, size_.columns);
    lines_.push_back(style_.color && *style != '\0' ? absl::StrCat(style, shown, kPlain) : shown);
  }

  void Title() {
    const std::string left = absl::StrCat("fdbjobs top  ", Visible(data_.context().settings.database));
    const std::string right = absl::FormatTime("%H:%M:%SZ", data_.time(), absl::UTCTimeZone()) + "  q quits";
    const size_t room = size_.columns > Width(right) ? size_.columns - Width(right) : 0;
    Add(kReverse, PadRight(left, room) + right);
  }

  void Types() {
    // At most half of the screen; a line says how many types have no place.
    const size_t room = std::max<size_t>(1, size_.rows / 2 - 2);
    const size_t numbers = 3 * 11 + 2 * 9;
    const size_t rest = size_.columns > numbers ? size_.columns - numbers : 0;
    const size_t name = std::max<size_t>(8, rest / 2);
    const size_t chart = rest > name + 1 ? rest - name - 1 : 0;
    Add(kBold,
        absl::StrCat(PadRight("type", name), PadLeft("pending", 11), PadLeft("running", 11), PadLeft("finished", 11),
                     PadLeft("pend/s", 9), PadLeft("fin/s", 9), " ", PadLeft("queue", chart)));
    size_t shown = 0;
    for (const auto& [type, history] : data_.types()) {
      if (shown + 1 == room && data_.types().size() > room) {
        Add(kDim, absl::StrCat("... and ", data_.types().size() - shown, " more types"));
        break;
      }
      ++shown;
      Add("", absl::StrCat(PadRight(Literal(type), name), PadLeft(Count(history.now.pending), 11),
                           PadLeft(Count(history.now.running), 11), PadLeft(Count(history.now.finished), 11),
                           PadLeft(RateText(history.PendingRate()), 9), PadLeft(RateText(history.FinishedRate()), 9),
                           " ", Chart(history, chart, style_.unicode)));
    }
    if (data_.types().empty()) Add(kDim, "no types");
  }

  void Running() {
    Add("", "");
    const size_t type = size_.columns / 5;
    const size_t id = size_.columns * 3 / 10;
    const size_t age = 11;
    const size_t progress = size_.columns > type + id + age + 3 ? size_.columns - type - id - age - 3 : 0;
    Add(kBold, absl::StrCat(PadRight("running", type), " ", PadRight("job", id), " ", PadLeft("heartbeat", age), " ",
                            PadRight("progress", progress)));
    const size_t room = size_.rows > lines_.size() ? size_.rows - lines_.size() : 0;
    const std::vector<RunningJob>& jobs = data_.running();
    const size_t shown = jobs.size() > room ? (room > 0 ? room - 1 : 0) : jobs.size();
    for (size_t i = 0; i < shown; ++i) {
      const auto history = data_.types().find(jobs[i].type);
      // More than half of its timeout without a sign of life.
      const bool late = history != data_.types().end() && history->second.timeout.has_value() &&
                        jobs[i].heartbeat.value_or(absl::ZeroDuration()) > *history->second.timeout / 2;
      Add(late ? kRed : "",
          absl::StrCat(PadRight(Literal(jobs[i].type), type), " ", PadRight(Literal(jobs[i].id), id), " ",
                       PadLeft(AgeText(jobs[i].heartbeat), age), " ", PadRight(jobs[i].progress, progress)));
    }
    if (jobs.size() > shown) Add(kDim, absl::StrCat("... and ", jobs.size() - shown, " more"));
    if (jobs.empty()) Add(kDim, "no running jobs");
  }

  const TopData& data_;
  const ScreenSize size_;
  const TopStyle style_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> DrawTop(const TopData& data, const ScreenSize& size, const TopStyle& style,
                                 const std::string& trouble) {
  return Screen(data, size, style).Draw(trouble);
}

}  // namespace fdbjobs::cli
