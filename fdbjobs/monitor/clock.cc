#include "fdbjobs/monitor/clock.h"

#include <chrono>

#include "absl/time/clock.h"

namespace fdbjobs {

absl::Time SteadyNow() {
  using Steady = std::chrono::steady_clock;
  static const absl::Time first = absl::Now();
  static const Steady::time_point start = Steady::now();
  return first + absl::FromChrono(Steady::now() - start);
}

}  // namespace fdbjobs
