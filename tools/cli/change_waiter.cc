#include "tools/cli/change_waiter.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tools/cli/signals.h"

namespace fdbjobs::cli {
namespace {

// FoundationDB allows 10,000 watches; each type takes four.
constexpr size_t kMostTypes = 500;

}  // namespace

struct ChangeWaiter::Signal {
  const int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  ~Signal() { close(fd); }
};

ChangeWaiter::ChangeWaiter() : signal_(std::make_shared<Signal>()) {}

// Futures that go are cancelled, which calls their callbacks: each holds the signal.
ChangeWaiter::~ChangeWaiter() = default;

absl::Status ChangeWaiter::Arm(const Context& context, const std::vector<JobType>& types) {
  const keyspace::JobKeys& keys = context.jobs().keys();
  std::vector<fdb::VoidFuture> watches;
  const absl::Status status = context.Transact([&](fdb::Transaction& tr) {
    watches.clear();
    watches.push_back(tr.Watch(keys.TypesWatch()));
    for (size_t i = 0; i < std::min(types.size(), kMostTypes); ++i) {
      watches.push_back(tr.Watch(keys.Watch(types[i])));
      watches.push_back(tr.Watch(keys.PendingWatch(types[i])));
      watches.push_back(tr.Watch(keys.Count(types[i], JobState::kPending)));
      watches.push_back(tr.Watch(keys.Count(types[i], JobState::kFinished)));
    }
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  // The old ones write the old signal when they are dropped.
  signal_ = std::make_shared<Signal>();
  watches_ = std::move(watches);
  for (fdb::VoidFuture& watch : watches_) {
    const absl::Status armed = watch.OnReady([signal = signal_] {
      const uint64_t one = 1;
      [[maybe_unused]] const ssize_t written = write(signal->fd, &one, sizeof one);
    });
    if (!armed.ok()) return armed;
  }
  return absl::OkStatus();
}

ChangeWaiter::Event ChangeWaiter::Wait(int input, absl::Duration timeout) {
  if (Interrupted() != 0) return Event::kSignal;
  pollfd polled[] = {{signal_->fd, POLLIN, 0}, {input, POLLIN, 0}};
  const auto milliseconds = static_cast<int>(absl::ToInt64Milliseconds(std::max(timeout, absl::ZeroDuration())));
  const int ready = poll(polled, input < 0 ? 1 : 2, milliseconds);
  if (ready < 0) return Event::kSignal;
  if (input >= 0 && polled[1].revents != 0) return Event::kInput;
  return polled[0].revents != 0 ? Event::kChange : Event::kTimeout;
}

}  // namespace fdbjobs::cli
