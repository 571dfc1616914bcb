// Contact: whether the database answers, since when not, and when to try again.
//
// A failure or two do not make a loss: FoundationDB's own recoveries take a moment. Three in a row do, or failures for
// longer than two seconds.
//
// Thread safety: one thread at a time. Lifetime: a plain value.
#ifndef FDBJOBS_MONITOR_CONTACT_H_
#define FDBJOBS_MONITOR_CONTACT_H_

#include <optional>
#include <random>

#include "absl/time/time.h"

namespace fdbjobs {

class Contact {
 public:
  Contact(absl::Duration first_backoff, absl::Duration longest_backoff)
      : first_backoff_(first_backoff), longest_backoff_(longest_backoff), backoff_(first_backoff) {}

  enum class Change { kNone, kLost, kRegained };
  Change Succeeded(absl::Time now);
  Change Failed(absl::Time now, std::minstd_rand& random);

  bool lost() const { return lost_; }
  std::optional<absl::Time> last_success() const { return last_success_; }
  // How long the database had not answered before it did so last.
  absl::Duration last_gap() const { return last_gap_; }
  // Nothing is to be tried before.
  absl::Time retry_at() const { return retry_at_; }

 private:
  const absl::Duration first_backoff_;
  const absl::Duration longest_backoff_;
  absl::Duration backoff_;
  bool lost_ = false;
  int failures_ = 0;
  absl::Time first_failure_ = absl::InfinitePast();
  std::optional<absl::Time> last_success_;
  absl::Duration last_gap_ = absl::ZeroDuration();
  absl::Time retry_at_ = absl::InfinitePast();
};

}  // namespace fdbjobs

#endif  // FDBJOBS_MONITOR_CONTACT_H_
