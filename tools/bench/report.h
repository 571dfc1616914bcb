// Report: the outcome of a run, as JSON with all numbers and as a table for readers.
//
// Thread safety: none. Lifetime: owns its contents.
//
//   Report report;
//   report.Head("Reads");
//   report.Row("point reads", Rate(rate, "reads/s"), "bare SQLite: 350,000");
//   report.Ratio("reads_of_bare", "point reads, of bare SQLite", rate / bare, "at least 0.5");
#ifndef FDBJOBS_TOOLS_BENCH_REPORT_H_
#define FDBJOBS_TOOLS_BENCH_REPORT_H_

#include <string>
#include <string_view>
#include <vector>

#include "tools/bench/json.h"
#include "tools/bench/latency.h"

namespace fdbjobs::bench {

class Report {
 public:
  Json& json() { return json_; }

  // Starts a part of the table.
  void Head(std::string_view title);
  void Row(std::string_view what, std::string_view value, std::string_view beside = "");
  // A number that there is a wish for. They stand at the end of the table, and in "ratios" of the JSON.
  void Ratio(std::string_view name, std::string_view what, double value, std::string_view wanted);

  std::string ToTable() const;

 private:
  struct Line {
    std::string what;
    std::string value;
    std::string beside;
  };
  static void PrintLine(const Line& line, std::string* out);

  Json json_ = Json::Object();
  std::vector<Line> lines_;
  std::vector<Line> ratios_;
};

// 12345.6 -> "12,346"
std::string WithCommas(double number);
// A rate, with its unit.
std::string Rate(double per_second, std::string_view unit);
// "123 us" or "4.56 ms"
std::string Time(double microseconds);
std::string Times(const LatencySummary& latency);
std::string Megabytes(int64_t bytes);

}  // namespace fdbjobs::bench

#endif  // FDBJOBS_TOOLS_BENCH_REPORT_H_
