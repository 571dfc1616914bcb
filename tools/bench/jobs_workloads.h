// The workloads of the peers' harness on fdbjobs, as one row of its table; claims under competition; bare
// transactions to compare with.
//
// Thread safety: one thread.
#ifndef FDBJOBS_TOOLS_BENCH_JOBS_WORKLOADS_H_
#define FDBJOBS_TOOLS_BENCH_JOBS_WORKLOADS_H_

#include "tools/bench/jobs_settings.h"
#include "tools/bench/json.h"

namespace fdbjobs::bench {

// `measured` of the row.
Json MeasureRow(const JobsSettings& settings, ClaimMode mode);

// Claims per second and conflicts per claim, one job at a time, with 1, 4, 16 and 64 claimers; all but the one in two
// processes.
Json MeasureCompetition(const JobsSettings& settings);

// What the same adds, claims and finishes cost as bare transactions, without a layer: the figures to hold ours against.
Json MeasureBare(const JobsSettings& settings);

}  // namespace fdbjobs::bench

#endif  // FDBJOBS_TOOLS_BENCH_JOBS_WORKLOADS_H_
