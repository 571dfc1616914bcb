#include "fdbjobs/contention.h"

#include <algorithm>
#include <random>

namespace fdbjobs {
namespace {

constexpr double kGrow = 2.0;
constexpr double kShrink = 0.9;
constexpr double kMostSpread = 128;
// Rows beyond what is claimed cost time to read.
constexpr int kMostRows = 2000;

}  // namespace

int Contention::Window(const JobType& type, int limit, bool conflicted) {
  double spread = 1;
  {
    const std::lock_guard lock(mutex_);
    const auto found = spread_.find(type);
    if (found == spread_.end() && !conflicted) return limit;
    if (conflicted) {
      double& stored = found == spread_.end() ? spread_[type] : found->second;
      stored = std::min(kMostSpread, std::max(1.0, stored) * kGrow);
      spread = stored;
    } else {
      found->second *= kShrink;
      spread = found->second;
      if (spread <= 1) spread_.erase(found);
    }
  }
  const int rows = static_cast<int>(std::max(1.0, spread) * limit);
  return std::min(rows, std::max(limit, kMostRows));
}

int Contention::Choose(int choices) {
  if (choices <= 1) return 0;
  thread_local std::minstd_rand generator(std::random_device{}());
  return std::uniform_int_distribution<int>(0, choices - 1)(generator);
}

}  // namespace fdbjobs
