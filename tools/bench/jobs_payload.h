// The data of a benchmark job: some 100 bytes of JSON, as the peers' jobs carry.
//
// Thread safety: pure functions.
#ifndef FDBJOBS_TOOLS_BENCH_JOBS_PAYLOAD_H_
#define FDBJOBS_TOOLS_BENCH_JOBS_PAYLOAD_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace fdbjobs::bench {

// The job type of all benchmarks.
inline constexpr char kBenchType[] = "bench";

struct Payload {
  int64_t id = 0;
  int64_t enqueued_us = 0;  // CLOCK_MONOTONIC; 0: not measured
};

std::string MakePayload(const Payload& payload);
// Throws when it is not one of ours.
Payload ReadPayload(std::string_view data);
// CLOCK_MONOTONIC in microseconds.
int64_t NowMicros();

}  // namespace fdbjobs::bench

#endif  // FDBJOBS_TOOLS_BENCH_JOBS_PAYLOAD_H_
