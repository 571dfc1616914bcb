// Pace: gaps in long work of the background, for threads that have become ready meanwhile.
//
// A kernel that preempts by its tick alone lets them wait for up to four milliseconds behind a thread that computes.
// One that sleeps for a moment makes room at once.
//
// Thread safety: one thread.
//
//   Pace pace;
//   for (const Entry& entry : many) {
//     pace.MaybeRest();
//     ...
//   }
#ifndef FDBJOBS_EMBEDDED_PACE_H_
#define FDBJOBS_EMBEDDED_PACE_H_

#include <chrono>
#include <thread>

namespace fdbjobs::embedded {

class Pace {
 public:
  void MaybeRest() {
    if (Clock::now() - last_rest_ < kWork) return;
    std::this_thread::sleep_for(kRest);
    last_rest_ = Clock::now();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::microseconds kWork{200};
  static constexpr std::chrono::microseconds kRest{50};

  Clock::time_point last_rest_ = Clock::now();
};

}  // namespace fdbjobs::embedded

#endif  // FDBJOBS_EMBEDDED_PACE_H_
