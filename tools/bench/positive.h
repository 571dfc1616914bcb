// Positive: the check of an option that is a number above 0. CLI11's own names the largest double as the upper bound.
//
// Thread safety: pure functions.
//
//   command->add_option("--jobs", settings->jobs, "Jobs of the drains")->check(Positive(settings->jobs));
#ifndef FDBJOBS_TOOLS_BENCH_POSITIVE_H_
#define FDBJOBS_TOOLS_BENCH_POSITIVE_H_

#include <type_traits>

#include "CLI/CLI.hpp"

namespace fdbjobs::bench {

// For counts and for seconds: more of either would not come to an end.
template <typename Number>
CLI::Range Positive(const Number& /*setting*/) {
  if constexpr (std::is_floating_point_v<Number>) {
    return CLI::Range(Number{0.001}, Number{86'400});
  } else {
    return CLI::Range(Number{1}, Number{1'000'000'000});
  }
}

}  // namespace fdbjobs::bench

#endif  // FDBJOBS_TOOLS_BENCH_POSITIVE_H_
