#include "fdbjobs/monitor/samples.h"

namespace fdbjobs {

void Samples::Add(absl::Time time, const Sequence& sequence) {
  if (!samples_.empty()) {
    const Sample& last = samples_.back();
    if (sequence < last.sequence || sequence.incarnation != last.sequence.incarnation || time < last.time) {
      samples_.clear();
    } else if (sequence == last.sequence) {
      return;
    }
  }
  samples_.push_back({time, sequence});
}

std::optional<Sequence> Samples::Stale(absl::Time now, absl::Duration timeout) const {
  std::optional<Sequence> stale;
  for (const Sample& sample : samples_) {
    if (sample.time + timeout > now) break;
    stale = sample.sequence;
  }
  return stale;
}

std::optional<absl::Time> Samples::NextStale(absl::Time now, absl::Duration timeout) const {
  for (const Sample& sample : samples_) {
    if (sample.time + timeout > now) return sample.time + timeout;
  }
  return std::nullopt;
}

void Samples::DropBefore(const Sequence& first) {
  while (!samples_.empty() && samples_.front().sequence < first) samples_.pop_front();
}

void Samples::DropThrough(const Sequence& last) {
  while (!samples_.empty() && samples_.front().sequence <= last) samples_.pop_front();
}

}  // namespace fdbjobs
