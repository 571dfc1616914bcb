// Json, by the name that the benchmarks know it by.
#ifndef FDBJOBS_TOOLS_BENCH_JSON_H_
#define FDBJOBS_TOOLS_BENCH_JSON_H_

#include "tools/common/json.h"

namespace fdbjobs::bench {

using tools::Json;

}  // namespace fdbjobs::bench

#endif  // FDBJOBS_TOOLS_BENCH_JSON_H_
