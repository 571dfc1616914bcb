// MonitorProgram: a real fdbjobs-monitor that a test starts, reads the log of, asks over HTTP, and ends.
//
// Thread safety: one thread at a time. Lifetime: the program is killed when the object goes.
//
//   MonitorProgram monitor({"--db", name});
//   monitor.WaitForLog("watching over");
//   EXPECT_EQ(monitor.Get("/healthz").code, 200);
#ifndef FDBJOBS_TESTS_MONITOR_PROGRAM_H_
#define FDBJOBS_TESTS_MONITOR_PROGRAM_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "tests/support/child_process.h"

namespace fdbjobs::test {

struct HttpAnswer {
  int code = 0;  // 0: no answer
  std::string body;
};

HttpAnswer HttpGet(int port, const std::string& path);

// The value of the line that begins with `series`, as in `up` or `jobs{type="index"}`; -1 when there is none.
double MetricValue(const std::string& page, const std::string& series);

// Looks every few milliseconds; false when it was never so within a minute.
bool Eventually(const std::function<bool()>& condition);

class MonitorProgram {
 public:
  // With `--metrics 0` unless the arguments say --metrics or --once.
  explicit MonitorProgram(std::vector<std::string> arguments, const std::vector<std::string>& environment = {});

  // All that it has logged so far.
  const std::string& log();
  int CountInLog(const std::string& text);
  // False when the text never came.
  bool WaitForLog(const std::string& text);

  HttpAnswer Get(const std::string& path);
  double Metric(const std::string& series) { return MetricValue(Get("/metrics").body, series); }

  // Reads the rest of the log; the exit status, or -1 when it does not end within a minute.
  int Wait();
  ChildProcess& process() { return process_; }

 private:
  ChildProcess process_;
  std::string log_;
  int port_ = 0;
};

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_MONITOR_PROGRAM_H_
