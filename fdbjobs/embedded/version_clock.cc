#include "fdbjobs/embedded/version_clock.h"

#include <algorithm>

namespace fdbjobs::embedded {

Version VersionClock::Now() const {
  const Version clock = control_->version_base + (MonotonicMicros() - control_->monotonic_base_us);
  return std::max(clock, control_->acked_version.load());
}

Version VersionClock::ReadVersion() {
  const Version clock = control_->version_base + (MonotonicMicros() - control_->monotonic_base_us);
  const Version wanted = std::min(clock, control_->version_lease.load());
  RaiseTo(control_->read_version_max, wanted);
  // In this order: were `acked` read first, a commit could be assigned and acknowledged in between and be missed.
  const Version assigned = control_->assigned_version.load();
  const Version acked = control_->acked_version.load();
  if (acked >= assigned) {
    // A commit may be assigned right now, at first below `wanted`. It will move above, but until then the next reader
    // must not fall back behind this one.
    RaiseTo(control_->read_floor, wanted);
    return std::max(wanted, acked);
  }
  return std::max(acked, control_->read_floor.load());
}

bool VersionClock::Pin(Version version) {
  RaiseTo(control_->read_version_max, version);
  const Version assigned = control_->assigned_version.load();
  const Version acked = control_->acked_version.load();
  return acked >= assigned || acked >= version || control_->read_floor.load() >= version;
}

Version VersionClock::AssignFirst(int count) {
  Version before = control_->assigned_version.load();
  const bool none_under_way = control_->acked_version.load() >= before;
  Version first = before + 1;
  for (;;) {
    const Version clock = control_->version_base + (MonotonicMicros() - control_->monotonic_base_us);
    first = std::max({first, clock, control_->read_version_max.load() + 1});
    if (none_under_way) RaiseTo(control_->read_floor, first - 1);
    // Not a plain store: a process that was stopped here must not take back what others assigned since.
    if (!control_->assigned_version.compare_exchange_strong(before, first + count - 1)) return kNoVersion;
    before = first + count - 1;
    if (control_->read_version_max.load() < first) return first;
  }
}

void VersionClock::SettleAssigned(Version assigned, Version published) {
  // Not a plain store: the lock may have been lost, and the word be another's by now.
  control_->assigned_version.compare_exchange_strong(assigned, published);
}

}  // namespace fdbjobs::embedded
