// Rates: what several runs of one workload come to.
//
// Thread safety: pure functions.
//
//   json["drain1"] = Rates({81000, 85000, 79000}, std::move(runs));   // perSecond is the median
#ifndef FDBJOBS_TOOLS_BENCH_RATES_H_
#define FDBJOBS_TOOLS_BENCH_RATES_H_

#include <vector>

#include "tools/bench/json.h"

namespace fdbjobs::bench {

// 0 of no values.
double Percentile(std::vector<double> values, double percent);
double Median(std::vector<double> values);

// perSecond, min, max and `runs`, which says more of each. At least one rate.
Json Rates(const std::vector<double>& rates, Json runs);

}  // namespace fdbjobs::bench

#endif  // FDBJOBS_TOOLS_BENCH_RATES_H_
