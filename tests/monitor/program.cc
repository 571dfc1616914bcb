#include "tests/monitor/program.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"

namespace fdbjobs::test {
namespace {

std::vector<std::string> CommandOf(std::vector<std::string> arguments) {
  const bool has_own = std::any_of(arguments.begin(), arguments.end(), [](const std::string& argument) {
    return argument == "--metrics" || argument == "--once";
  });
  // Its standard error is the pipe that the test reads.
  std::vector<std::string> command = {"/bin/sh", "-c", absl::StrCat("exec \"$0\" \"$@\" 2>&", kReportDescriptor),
                                      FDBJOBS_MONITOR_PROGRAM};
  command.insert(command.end(), arguments.begin(), arguments.end());
  if (!has_own) command.insert(command.end(), {"--metrics", "0"});
  return command;
}

}  // namespace

HttpAnswer HttpGet(int port, const std::string& path) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string text;
  if (connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) {
    const std::string request = absl::StrCat("GET ", path, " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    char buffer[65536];
    if (send(descriptor, request.data(), request.size(), MSG_NOSIGNAL) > 0) {
      for (ssize_t got; (got = recv(descriptor, buffer, sizeof(buffer), 0)) > 0;) text.append(buffer, got);
    }
  }
  close(descriptor);
  HttpAnswer answer;
  const size_t end = text.find("\r\n\r\n");
  if (end == std::string::npos || !absl::SimpleAtoi(text.substr(9, 3), &answer.code)) return {};
  answer.body = text.substr(end + 4);
  return answer;
}

double MetricValue(const std::string& page, const std::string& series) {
  for (const auto line : absl::StrSplit(page, '\n')) {
    double value = 0;
    const std::string text(line);
    if (absl::StartsWith(text, series + " ") && absl::SimpleAtod(text.substr(series.size() + 1), &value)) return value;
  }
  return -1;
}

bool Eventually(const std::function<bool()>& condition) {
  const absl::Time deadline = absl::Now() + absl::Minutes(1);
  while (!condition()) {
    if (absl::Now() > deadline) return false;
    absl::SleepFor(absl::Milliseconds(10));
  }
  return true;
}

MonitorProgram::MonitorProgram(std::vector<std::string> arguments, const std::vector<std::string>& environment)
    : process_(CommandOf(std::move(arguments)), environment) {}

const std::string& MonitorProgram::log() {
  process_.ReadSome(&log_);
  return log_;
}

int MonitorProgram::CountInLog(const std::string& text) {
  int count = 0;
  for (size_t at = log().find(text); at != std::string::npos; at = log_.find(text, at + 1)) ++count;
  return count;
}

bool MonitorProgram::WaitForLog(const std::string& text) {
  return Eventually([&] { return CountInLog(text) > 0; });
}

HttpAnswer MonitorProgram::Get(const std::string& path) {
  if (port_ == 0) {
    if (!WaitForLog("port=\"")) return {};
    const size_t at = log().find("port=\"") + 6;
    if (!absl::SimpleAtoi(log_.substr(at, log_.find('"', at) - at), &port_)) return {};
  }
  return HttpGet(port_, path);
}

int MonitorProgram::Wait() {
  if (!Eventually([&] { return !process_.ReadSome(&log_); })) return -1;
  return process_.Wait();
}

}  // namespace fdbjobs::test
