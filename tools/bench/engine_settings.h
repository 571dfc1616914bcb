// EngineSettings: what `fdbjobs-bench engine` was asked for.
//
// Thread safety: a plain value.
#ifndef FDBJOBS_TOOLS_BENCH_ENGINE_SETTINGS_H_
#define FDBJOBS_TOOLS_BENCH_ENGINE_SETTINGS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace fdbjobs::bench {

struct EngineSettings {
  bool json = false;
  // As fdb::Database::Open takes it. Empty: an embedded folder of our own, removed at the end.
  std::string database;
  // How long each measurement runs; the one of sustained load four times as long.
  double seconds = 3;
  uint64_t rows = 200'000;
  int watch_rounds = 200;
  // Names of parts. Empty: all.
  std::vector<std::string> only;
};

}  // namespace fdbjobs::bench

#endif  // FDBJOBS_TOOLS_BENCH_ENGINE_SETTINGS_H_
