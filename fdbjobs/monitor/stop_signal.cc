#include "fdbjobs/monitor/stop_signal.h"

namespace fdbjobs {

void StopSignal::Stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
}

void StopSignal::CutOff() {
  const std::lock_guard lock(mutex_);
  stopped_ = cut_off_ = true;
  for (fdb::Transaction* tr : at_hand_) tr->Cancel();
}

bool StopSignal::stopped() const {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

bool StopSignal::cut_off() const {
  const std::lock_guard lock(mutex_);
  return cut_off_;
}

StopSignal::Scope::Scope(StopSignal& signal, fdb::Transaction& tr) : signal_(signal), tr_(tr) {
  const std::lock_guard lock(signal_.mutex_);
  signal_.at_hand_.insert(&tr_);
  if (signal_.cut_off_) tr_.Cancel();
}

StopSignal::Scope::~Scope() {
  const std::lock_guard lock(signal_.mutex_);
  signal_.at_hand_.erase(&tr_);
}

}  // namespace fdbjobs
