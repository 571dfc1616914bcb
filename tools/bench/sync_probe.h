// SyncProbe: what one durable write of 4 KB costs on a file system, without any engine.
//
// Thread safety: one user at a time. Lifetime: removes its files at the end.
//
//   SyncProbe probe(folder + "/probe");
//   std::chrono::nanoseconds time = probe.Overwrite();
#ifndef FDBJOBS_TOOLS_BENCH_SYNC_PROBE_H_
#define FDBJOBS_TOOLS_BENCH_SYNC_PROBE_H_

#include <sys/types.h>

#include <chrono>
#include <string>

namespace fdbjobs::bench {

class SyncProbe {
 public:
  // Makes two files, `path` with one letter more each.
  explicit SyncProbe(const std::string& path);
  SyncProbe(const SyncProbe&) = delete;
  SyncProbe& operator=(const SyncProbe&) = delete;
  ~SyncProbe();

  // Writes the next 4 KB of a file that was filled before, and calls fdatasync.
  std::chrono::nanoseconds Overwrite();
  // Writes 4 KB behind the end of a file, and calls fdatasync: the file's size has to become durable too.
  std::chrono::nanoseconds Append();

 private:
  std::string filled_path_;
  std::string growing_path_;
  int filled_ = -1;
  int growing_ = -1;
  off_t filled_at_ = 0;
  off_t growing_at_ = 0;
};

}  // namespace fdbjobs::bench

#endif  // FDBJOBS_TOOLS_BENCH_SYNC_PROBE_H_
