// Samples: what the watches row of a type held at some times. They tell which activity entries are stale.
//
// A sample (time, sequence) says: whatever was stamped at or before this sequence was stamped before this time. So one
// timeout after that time, every activity entry at or before the sequence is stale: it was not renewed for at least
// one timeout. The age of a job is found out to within the distance of two samples.
//
// Thread safety: one thread at a time. Lifetime: a plain value.
//
//   samples.Add(now, watch);
//   std::optional<Sequence> stale = samples.Stale(now, timeout);
#ifndef FDBJOBS_MONITOR_SAMPLES_H_
#define FDBJOBS_MONITOR_SAMPLES_H_

#include <cstddef>
#include <deque>
#include <optional>

#include "absl/time/time.h"
#include "fdbjobs/job.h"

namespace fdbjobs {

class Samples {
 public:
  // `time` is not before the read that found `sequence`. A sequence that was there before tells nothing new: its first
  // time stays. One that is lower, or of another incarnation, belongs to another history: earlier samples are
  // forgotten.
  void Add(absl::Time time, const Sequence& sequence);

  // The highest sequence up to which everything is stale.
  std::optional<Sequence> Stale(absl::Time now, absl::Duration timeout) const;
  // When there will be a (higher) one, if entries stay as they are.
  std::optional<absl::Time> NextStale(absl::Time now, absl::Duration timeout) const;

  // No entry is before `first` any more, and none will ever be: samples before it are of no use.
  void DropBefore(const Sequence& first);
  // All entries up to here were dealt with.
  void DropThrough(const Sequence& last);
  void Forget() { samples_.clear(); }

  size_t size() const { return samples_.size(); }

 private:
  struct Sample {
    absl::Time time;
    Sequence sequence;
  };
  std::deque<Sample> samples_;  // times and sequences both rise
};

}  // namespace fdbjobs

#endif  // FDBJOBS_MONITOR_SAMPLES_H_
