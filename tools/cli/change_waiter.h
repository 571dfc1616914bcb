// ChangeWaiter: sleeps until jobs of some types change their states, a key is pressed, a signal comes, or time is up.
//
// Watches stand on the rows that change with every change of state. Arm before you read, then Wait: what changes in
// between is not missed. Marks on running jobs and changed data touch none of these rows: the timeout is for them.
//
// Thread safety: one thread. Lifetime: callbacks of watches may come late, and keep what they need.
//
//   ChangeWaiter waiter;
//   absl::Status status = waiter.Arm(context, types);
//   ... read ...
//   if (waiter.Wait(STDIN_FILENO, absl::Seconds(1)) == ChangeWaiter::Event::kInput) ...
#ifndef FDBJOBS_TOOLS_CLI_CHANGE_WAITER_H_
#define FDBJOBS_TOOLS_CLI_CHANGE_WAITER_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "fdbjobs/fdb/future.h"
#include "fdbjobs/job.h"
#include "tools/cli/context.h"

namespace fdbjobs::cli {

class ChangeWaiter {
 public:
  enum class Event { kChange, kInput, kTimeout, kSignal };

  ChangeWaiter();
  ChangeWaiter(const ChangeWaiter&) = delete;
  ChangeWaiter& operator=(const ChangeWaiter&) = delete;
  ~ChangeWaiter();

  // Sets the watches anew. Of very many types only the first are watched; for others the timeout has to do.
  absl::Status Arm(const Context& context, const std::vector<JobType>& types);
  // `input` is a descriptor, or -1.
  Event Wait(int input, absl::Duration timeout);

 private:
  struct Signal;  // an eventfd that callbacks write

  std::shared_ptr<Signal> signal_;
  std::vector<fdb::VoidFuture> watches_;
};

}  // namespace fdbjobs::cli

#endif  // FDBJOBS_TOOLS_CLI_CHANGE_WAITER_H_
