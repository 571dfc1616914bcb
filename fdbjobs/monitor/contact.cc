#include "fdbjobs/monitor/contact.h"

#include <algorithm>
#include <utility>

namespace fdbjobs {
namespace {

constexpr int kFailures = 3;
constexpr absl::Duration kGrace = absl::Seconds(2);

}  // namespace

Contact::Change Contact::Succeeded(absl::Time now) {
  last_gap_ = failures_ > 0 ? now - last_success_.value_or(first_failure_) : absl::ZeroDuration();
  last_success_ = now;
  failures_ = 0;
  backoff_ = first_backoff_;
  retry_at_ = absl::InfinitePast();
  return std::exchange(lost_, false) ? Change::kRegained : Change::kNone;
}

Contact::Change Contact::Failed(absl::Time now, std::minstd_rand& random) {
  if (failures_++ == 0) first_failure_ = now;
  retry_at_ = now + backoff_ * std::uniform_real_distribution<double>(0.5, 1.0)(random);
  backoff_ = std::min(backoff_ * 2, longest_backoff_);
  if (lost_ || (failures_ < kFailures && now - first_failure_ < kGrace)) return Change::kNone;
  lost_ = true;
  return Change::kLost;
}

}  // namespace fdbjobs
