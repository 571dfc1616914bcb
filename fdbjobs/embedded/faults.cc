#include "fdbjobs/embedded/faults.h"

#include <atomic>
#include <cstdlib>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "fdbjobs/embedded/error_codes.h"
#include "fdbjobs/embedded/mutex.h"

namespace fdbjobs::embedded {

namespace {

struct Rates {
  uint64_t seed = 1;
  double too_old = 0;
  double future_version = 0;
  double timed_out = 0;
  double not_committed = 0;
  double unknown_before = 0;
  double unknown_after = 0;
  double commit_delay = 0;
  double commit_delay_ms = 10;
  double watch_early = 0;
};

struct Field {
  std::string_view name;
  double Rates::*member;
  double most;
};

constexpr Field kFields[] = {
    {"too_old", &Rates::too_old, 1},
    {"future_version", &Rates::future_version, 1},
    {"timed_out", &Rates::timed_out, 1},
    {"not_committed", &Rates::not_committed, 1},
    {"unknown_before", &Rates::unknown_before, 1},
    {"unknown_after", &Rates::unknown_after, 1},
    {"commit_delay", &Rates::commit_delay, 1},
    {"commit_delay_ms", &Rates::commit_delay_ms, 10'000},
    {"watch_early", &Rates::watch_early, 1},
};

ErrorCode ParseOne(absl::string_view setting, Rates* rates, std::string* why) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(setting, absl::MaxSplits('=', 1));
  if (parts.first == "seed") {
    if (absl::SimpleAtoi(parts.second, &rates->seed)) return 0;
    *why = absl::StrCat("seed is \"", parts.second, "\", not an integer");
    return kInvalidOptionValue;
  }
  for (const Field& field : kFields) {
    if (field.name != parts.first) continue;
    double& value = rates->*field.member;
    if (absl::SimpleAtod(parts.second, &value) && value >= 0 && value <= field.most) return 0;
    *why = absl::StrCat(std::string(field.name), " is \"", parts.second, "\", not a number from 0 to ", field.most);
    return kInvalidOptionValue;
  }
  *why = absl::StrCat("unknown fault \"", parts.first, "\"");
  return kInvalidOptionValue;
}

class FaultState {
 public:
  static FaultState& Get() {
    static FaultState* const state = new FaultState;
    return *state;
  }

  bool on() const { return on_.load(std::memory_order_relaxed); }

  void Set(const Rates& rates, bool on) {
    MutexLock lock(&mutex_);
    rates_ = rates;
    counter_ = rates.seed;
    on_ = on;
  }

  Rates rates() {
    MutexLock lock(&mutex_);
    return rates_;
  }

  // In [0, 1). A counter through a mixing function: the same seed gives the same sequence of draws.
  double Draw() {
    uint64_t x = counter_.fetch_add(0x9e3779b97f4a7c15, std::memory_order_relaxed) + 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return static_cast<double>((x ^ (x >> 31)) >> 11) / 9007199254740992.0;
  }

 private:
  FaultState() {
    if (const char* wanted = std::getenv("FDBJOBS_EMBEDDED_FAULTS")) {
      Rates rates;
      std::string why;
      bool good = true;
      for (absl::string_view setting : absl::StrSplit(wanted, ',', absl::SkipWhitespace())) {
        good = good && ParseOne(absl::StripAsciiWhitespace(setting), &rates, &why) == 0;
      }
      if (good) Set(rates, *wanted != '\0');
    }
  }

  std::atomic<bool> on_{false};
  std::atomic<uint64_t> counter_{0};
  Mutex mutex_;
  Rates rates_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

ErrorCode SetFaults(std::string_view specification, std::string* why) {
  Rates rates;
  bool any = false;
  for (absl::string_view setting : absl::StrSplit(std::string(specification), ',', absl::SkipWhitespace())) {
    if (ErrorCode error = ParseOne(absl::StripAsciiWhitespace(setting), &rates, why)) return error;
    any = true;
  }
  FaultState::Get().Set(rates, any);
  return 0;
}

ErrorCode ReadFault() {
  FaultState& state = FaultState::Get();
  if (!state.on()) return 0;
  const Rates rates = state.rates();
  const double draw = state.Draw();
  double edge = rates.too_old;
  if (draw < edge) return kTransactionTooOld;
  if (draw < (edge += rates.future_version)) return kFutureVersion;
  if (draw < (edge += rates.timed_out)) return kTransactionTimedOut;
  return 0;
}

CommitFault NextCommitFault() {
  CommitFault fault;
  FaultState& state = FaultState::Get();
  if (!state.on()) return fault;
  const Rates rates = state.rates();
  const double draw = state.Draw();
  double edge = rates.not_committed;
  if (draw < edge) {
    fault.before = kNotCommitted;
  } else if (draw < (edge += rates.unknown_before)) {
    fault.before = kCommitUnknownResult;
  } else if (draw < (edge += rates.timed_out)) {
    fault.before = kTransactionTimedOut;
  } else if (draw < (edge += rates.unknown_after)) {
    fault.after = kCommitUnknownResult;
  }
  if (state.Draw() < rates.commit_delay) {
    fault.delay = std::chrono::microseconds(static_cast<int64_t>(state.Draw() * rates.commit_delay_ms * 1000));
  }
  return fault;
}

bool WatchFault() {
  FaultState& state = FaultState::Get();
  return state.on() && state.Draw() < state.rates().watch_early;
}

}  // namespace fdbjobs::embedded
