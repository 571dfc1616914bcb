// The thin loop around RunOnce, and its end.
#include <algorithm>
#include <chrono>
#include <future>

#include "fdbjobs/monitor/supervisor.h"

namespace fdbjobs {
namespace {

// How long the transaction at hand may go on after Stop.
constexpr std::chrono::milliseconds kGrace(500);

}  // namespace

void MonitorSupervisor::Start() {
  const std::lock_guard lock(thread_mutex_);
  if (stop_.stopped() || thread_.joinable()) return;
  thread_ = std::thread([this] { Loop(); });
}

void MonitorSupervisor::Loop() {
  while (!stop_.stopped()) {
    const absl::Time next = RunOnce(options_.clock());
    if (stop_.stopped()) break;
    watches_.Wait(next - options_.clock());
  }
  ended_.set_value();
}

void MonitorSupervisor::Stop() {
  stop_.Stop();
  watches_.Notify();
  const std::lock_guard lock(thread_mutex_);
  if (!thread_.joinable()) return;
  if (ended_.get_future().wait_for(kGrace) != std::future_status::ready) stop_.CutOff();
  thread_.join();
}

}  // namespace fdbjobs
