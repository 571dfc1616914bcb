// EngineBench: what the parts of `fdbjobs-bench engine` share: the database, the rows, a place for scratch files.
//
// Each part opens the database for itself and closes it again, so that no part runs beside the threads of another.
//
// Thread safety: none. Lifetime: at the end the rows are cleared and the scratch files removed; a folder of our own is
// removed altogether.
//
//   EngineBench bench(settings);
//   fdb::Database database = bench.OpenLoaded();
#ifndef FDBJOBS_TOOLS_BENCH_ENGINE_BENCH_H_
#define FDBJOBS_TOOLS_BENCH_ENGINE_BENCH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "fdbjobs/fdb/database.h"
#include "fdbjobs/fdb/database_name.h"
#include "tools/bench/data_set.h"
#include "tools/bench/engine_settings.h"

namespace fdbjobs::bench {

// Removes a folder with all that is in it.
struct RemovedAtEnd {
  explicit RemovedAtEnd(std::string folder) : path(std::move(folder)) {}
  RemovedAtEnd(const RemovedAtEnd&) = delete;
  RemovedAtEnd& operator=(const RemovedAtEnd&) = delete;
  ~RemovedAtEnd();

  const std::string path;
};

class EngineBench {
 public:
  explicit EngineBench(EngineSettings settings);
  EngineBench(const EngineBench&) = delete;
  EngineBench& operator=(const EngineBench&) = delete;
  ~EngineBench();

  const EngineSettings& settings() const { return settings_; }
  bool embedded() const { return name_.engine == fdb::Engine::kEmbedded; }
  // "embedded:/folder" or "fdb:..."
  std::string database_name() const { return name_.ToString(); }
  // Of the embedded engine; empty on a cluster.
  std::string folder() const { return embedded() ? name_.path : ""; }
  // A path for a file that only we use, on the same file system as the embedded engine.
  std::string ScratchPath(std::string_view file) const;

  const DataSet& data() const { return data_; }
  // All keys of this run lie below it.
  const std::string& prefix() const { return prefix_; }

  fdb::Database Open() const;
  // The same, with all rows of data() there and nothing of weight left to fold.
  fdb::Database OpenLoaded();
  // To be told of what a part has committed, so that the next one does not pay for it.
  void NoteCommits(uint64_t commits) { unsettled_commits_ += commits; }
  // Waits until the embedded engine has folded everything that was committed so far. Nothing to do on a cluster.
  void Settle(const fdb::Database& database);

 private:
  void MakeFolder();

  EngineSettings settings_;
  fdb::DatabaseName name_;
  std::optional<RemovedAtEnd> own_folder_;
  std::optional<RemovedAtEnd> scratch_;
  std::string prefix_;
  DataSet data_;
  bool loaded_ = false;
  uint64_t unsettled_commits_ = 0;
};

}  // namespace fdbjobs::bench

#endif  // FDBJOBS_TOOLS_BENCH_ENGINE_BENCH_H_
