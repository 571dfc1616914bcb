// Latencies: the sample, or a histogram of it, and what it comes to.
//
// Thread safety: none; each thread fills one of its own, which are merged afterwards.
//
//   Histogram histogram;
//   histogram.Add(std::chrono::nanoseconds(1500));
//   double median_us = histogram.Summarize().median_us;
#ifndef FDBJOBS_TOOLS_BENCH_LATENCY_H_
#define FDBJOBS_TOOLS_BENCH_LATENCY_H_

#include <array>
#include <chrono>
#include <cstdint>
#include <vector>

#include "tools/bench/json.h"

namespace fdbjobs::bench {

using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC: the same in all processes

inline double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct LatencySummary {
  uint64_t count = 0;
  double median_us = 0;
  double p99_us = 0;
  double max_us = 0;
  double mean_us = 0;

  Json ToJson() const;
};

// Exact; may hold negative times.
LatencySummary Summarize(std::vector<std::chrono::nanoseconds> sample);

// Takes the same memory whatever the number of entries, so that it does not disturb what is measured. Within 1.6 %.
class Histogram {
 public:
  void Add(std::chrono::nanoseconds latency);
  void Merge(const Histogram& other);
  LatencySummary Summarize() const;

 private:
  // Buckets below 128 hold one value each; above, each power of two is cut into 64.
  static constexpr int kCuts = 64;
  static constexpr int kBuckets = 40 * kCuts;

  static int BucketOf(uint64_t ns);
  static double MiddleOf(int bucket);
  double Quantile(double part) const;

  std::array<uint64_t, kBuckets> buckets_ = {};
  uint64_t count_ = 0;
  uint64_t sum_ns_ = 0;
  uint64_t max_ns_ = 0;
};

}  // namespace fdbjobs::bench

#endif  // FDBJOBS_TOOLS_BENCH_LATENCY_H_
