#include "tools/bench/sync_probe.h"

#include <fcntl.h>
#include <unistd.h>

#include "tools/bench/errors.h"
#include "tools/bench/latency.h"

namespace fdbjobs::bench {
namespace {

constexpr size_t kBlock = 4096;
constexpr off_t kFilledSize = 4 << 20;

std::chrono::nanoseconds WriteAndSync(int file, off_t at) {
  static const std::string block(kBlock, 'x');
  const Clock::time_point start = Clock::now();
  const bool done =
      pwrite(file, block.data(), block.size(), at) == static_cast<ssize_t>(kBlock) && fdatasync(file) == 0;
  const Clock::time_point end = Clock::now();
  RequireSystem(done, "write and sync a scratch file");
  return end - start;
}

int Create(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  RequireSystem(file >= 0, "create " + path);
  return file;
}

}  // namespace

SyncProbe::SyncProbe(const std::string& path) : filled_path_(path + "f"), growing_path_(path + "g") {
  filled_ = Create(filled_path_);
  growing_ = Create(growing_path_);
  const std::string zeros(kFilledSize, '\0');
  RequireSystem(pwrite(filled_, zeros.data(), zeros.size(), 0) == kFilledSize && fsync(filled_) == 0,
                "fill " + filled_path_);
  RequireSystem(fsync(growing_) == 0, "sync " + growing_path_);
}

SyncProbe::~SyncProbe() {
  close(filled_);
  close(growing_);
  unlink(filled_path_.c_str());
  unlink(growing_path_.c_str());
}

std::chrono::nanoseconds SyncProbe::Overwrite() {
  const std::chrono::nanoseconds time = WriteAndSync(filled_, filled_at_);
  filled_at_ = (filled_at_ + static_cast<off_t>(kBlock)) % kFilledSize;
  return time;
}

std::chrono::nanoseconds SyncProbe::Append() {
  const std::chrono::nanoseconds time = WriteAndSync(growing_, growing_at_);
  growing_at_ += static_cast<off_t>(kBlock);
  return time;
}

}  // namespace fdbjobs::bench
