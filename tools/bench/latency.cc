#include "tools/bench/latency.h"

#include <algorithm>
#include <bit>

namespace fdbjobs::bench {

Json LatencySummary::ToJson() const {
  Json json = Json::Object();
  json["count"] = count;
  json["median"] = median_us;
  json["p99"] = p99_us;
  json["max"] = max_us;
  json["mean"] = mean_us;
  return json;
}

LatencySummary Summarize(std::vector<std::chrono::nanoseconds> sample) {
  LatencySummary summary;
  summary.count = sample.size();
  if (sample.empty()) return summary;
  std::sort(sample.begin(), sample.end());
  const auto us = [](std::chrono::nanoseconds time) { return static_cast<double>(time.count()) / 1000; };
  summary.median_us = us(sample[sample.size() / 2]);
  summary.p99_us = us(sample[sample.size() * 99 / 100]);
  summary.max_us = us(sample.back());
  for (const std::chrono::nanoseconds time : sample) summary.mean_us += us(time) / static_cast<double>(sample.size());
  return summary;
}

int Histogram::BucketOf(uint64_t ns) {
  const int shift = std::max(0, static_cast<int>(std::bit_width(ns)) - 7);
  return std::min(kBuckets - 1, shift * kCuts + static_cast<int>(ns >> shift));
}

double Histogram::MiddleOf(int bucket) {
  if (bucket < 2 * kCuts) return bucket;
  const int shift = bucket / kCuts - 1;
  const uint64_t low = static_cast<uint64_t>(bucket - shift * kCuts) << shift;
  return static_cast<double>(low) + static_cast<double>(uint64_t{1} << shift) / 2;
}

void Histogram::Add(std::chrono::nanoseconds latency) {
  const auto ns = static_cast<uint64_t>(std::max<int64_t>(0, latency.count()));
  ++buckets_[BucketOf(ns)];
  ++count_;
  sum_ns_ += ns;
  max_ns_ = std::max(max_ns_, ns);
}

void Histogram::Merge(const Histogram& other) {
  for (int i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  sum_ns_ += other.sum_ns_;
  max_ns_ = std::max(max_ns_, other.max_ns_);
}

double Histogram::Quantile(double part) const {
  const auto rank = static_cast<uint64_t>(part * static_cast<double>(count_));
  uint64_t seen = 0;
  for (int i = 0; i < kBuckets; ++i) {
    seen += buckets_[i];
    if (seen > rank) return MiddleOf(i) / 1000;
  }
  return static_cast<double>(max_ns_) / 1000;
}

LatencySummary Histogram::Summarize() const {
  LatencySummary summary;
  summary.count = count_;
  if (count_ == 0) return summary;
  summary.median_us = Quantile(0.5);
  summary.p99_us = Quantile(0.99);
  summary.max_us = static_cast<double>(max_ns_) / 1000;
  summary.mean_us = static_cast<double>(sum_ns_) / static_cast<double>(count_) / 1000;
  return summary;
}

}  // namespace fdbjobs::bench
