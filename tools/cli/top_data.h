// TopData: what `top` shows, read at one moment, and how it changed since the moments before.
//
// Thread safety: one thread. Lifetime: borrows the context.
//
//   TopData data(context);
//   absl::Status status = data.Refresh();
//   std::vector<std::string> lines = DrawTop(data, size, style);
#ifndef FDBJOBS_TOOLS_CLI_TOP_DATA_H_
#define FDBJOBS_TOOLS_CLI_TOP_DATA_H_

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "fdbjobs/job.h"
#include "tools/cli/context.h"
#include "tools/cli/job_print.h"

namespace fdbjobs::cli {

struct TypeHistory {
  std::optional<absl::Duration> timeout;
  // Newest last; a sample a second, whatever the pace of the changes.
  struct Sample {
    absl::Time time;
    Counts counts;
  };
  std::deque<Sample> samples;
  Counts now;

  // Change a second, over the last ten seconds or so.
  double PendingRate() const;
  double FinishedRate() const;
};

struct RunningJob {
  JobType type;
  JobId id;
  std::string progress;  // of the data: its member "progress", else the data itself
  std::optional<absl::Duration> heartbeat;
};

class TopData {
 public:
  explicit TopData(const Context& context) : context_(context) {}

  absl::Status Refresh();

  const std::map<JobType, TypeHistory>& types() const { return types_; }
  // Oldest heartbeat first.
  const std::vector<RunningJob>& running() const { return running_; }
  absl::Time time() const { return time_; }
  std::vector<JobType> TypeNames() const;
  const Context& context() const { return context_; }

 private:
  absl::Status ReadRunning(const JobType& type);

  const Context& context_;
  std::map<JobType, TypeHistory> types_;
  std::vector<RunningJob> running_;
  absl::Time time_;
};

}  // namespace fdbjobs::cli

#endif  // FDBJOBS_TOOLS_CLI_TOP_DATA_H_
