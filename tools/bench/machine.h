// What the numbers were measured on: the machine, the file system, the memory of this process.
//
// Thread safety: pure functions.
//
//   report.json()["machine"] = DescribeMachine("/var/lib/jobs");
//   int64_t resident = ReadMemory().resident;
#ifndef FDBJOBS_TOOLS_BENCH_MACHINE_H_
#define FDBJOBS_TOOLS_BENCH_MACHINE_H_

#include <cstdint>
#include <string>

#include "tools/bench/json.h"

namespace fdbjobs::bench {

// Cores, processor, memory, kernel; and the file system of `folder` unless that is empty.
Json DescribeMachine(const std::string& folder);

// Of this process, in bytes, from /proc/self/status.
struct Memory {
  int64_t resident = 0;
  int64_t anonymous = 0;  // of these: heap and stacks
  int64_t file = 0;       // of these: mapped files, which the kernel can drop

  Json ToJson() const;
};
Memory ReadMemory();

}  // namespace fdbjobs::bench

#endif  // FDBJOBS_TOOLS_BENCH_MACHINE_H_
