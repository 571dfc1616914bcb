#include "tools/bench/report.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace fdbjobs::bench {

void Report::Head(std::string_view title) { lines_.push_back({std::string(title), "", ""}); }

void Report::Row(std::string_view what, std::string_view value, std::string_view beside) {
  lines_.push_back({absl::StrCat("  ", std::string(what)), std::string(value), std::string(beside)});
}

void Report::Ratio(std::string_view name, std::string_view what, double value, std::string_view wanted) {
  Json& ratios = json_["ratios"];
  if (ratios_.empty()) ratios = Json::Object();
  ratios[name] = value;
  ratios_.push_back({absl::StrCat("  ", std::string(what)), absl::StrFormat("%.2f", value),
                     absl::StrCat("wanted: ", std::string(wanted))});
}

void Report::PrintLine(const Line& line, std::string* out) {
  if (line.value.empty()) {
    absl::StrAppend(out, "\n", line.what, "\n");
  } else {
    absl::StrAppendFormat(out, "%-46s %22s", line.what, line.value);
    absl::StrAppend(out, line.beside.empty() ? "" : "   ", line.beside, "\n");
  }
}

std::string Report::ToTable() const {
  std::string out;
  for (const Line& line : lines_) PrintLine(line, &out);
  if (!ratios_.empty()) PrintLine({"Beside what is wanted", "", ""}, &out);
  for (const Line& line : ratios_) PrintLine(line, &out);
  return out;
}

std::string WithCommas(double number) {
  std::string digits = absl::StrCat(std::llround(number));
  const size_t first_digit = number < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > first_digit + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string Rate(double per_second, std::string_view unit) {
  return absl::StrCat(WithCommas(per_second), " ", std::string(unit));
}

std::string Time(double microseconds) {
  if (std::abs(microseconds) < 1000) return absl::StrFormat("%.0f us", microseconds);
  return absl::StrFormat("%.2f ms", microseconds / 1000);
}

std::string Times(const LatencySummary& latency) {
  return absl::StrCat("median ", Time(latency.median_us), ", p99 ", Time(latency.p99_us));
}

std::string Megabytes(int64_t bytes) { return absl::StrFormat("%.1f MB", static_cast<double>(bytes) / 1e6); }

}  // namespace fdbjobs::bench
