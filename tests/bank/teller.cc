#include "tests/bank/teller.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "fdbjobs/fdb/status.h"
#include "fdbjobs/fdb/transact.h"

namespace fdbjobs::test {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(1);

absl::StatusOr<Progress> ProgressOf(const ClaimedJob& job) {
  absl::StatusOr<Progress> at = Progress::FromJson(job.data);
  if (at.ok() && job.id != JobId(at->job)) {
    return absl::DataLossError(absl::StrCat("job ", job.id.ToString(), " has the data of job ", at->job));
  }
  return at;
}

}  // namespace

absl::Duration Teller::MaybeStall(int one_in) {
  if (!OneIn(one_in)) return absl::ZeroDuration();
  return timeout_ * (static_cast<double>(random_() % 1000) / 250);
}

absl::StatusOr<TellerReport> Teller::Work() {
  TellerReport report;
  const absl::Status status = OneIn(3) ? WholeJobs(&report) : WithLease(&report);
  if (status.ok()) return report;
  // A time-out, most likely: whatever was claimed is left to the rescuers.
  if (fdb::FdbCode(status) == 0) return status;
  ++report.errors;
  return report;
}

absl::Status Teller::WithLease(TellerReport* report) {
  absl::StatusOr<Claimed> claimed = claimer_.Accept(absl::Now() + kPatience);
  if (!claimed.ok()) return claimed.status();
  if (!claimed->damaged.empty()) return absl::DataLossError(claimed->damaged.front().what);
  std::vector<Held> held;
  for (ClaimedJob& job : claimed->jobs) {
    const absl::StatusOr<Progress> at = ProgressOf(job);
    if (!at.ok()) return at.status();
    held.push_back({std::move(job), *at});
  }
  absl::SleepFor(MaybeStall(20));
  while (!held.empty()) {
    if (absl::Status status = NextSteps(&held, report); !status.ok()) return status;
    absl::SleepFor(MaybeStall(40));
  }
  return absl::OkStatus();
}

Teller::Plan Teller::PlanFor(const Held& held) {
  const int left = StepsOf(held.at.job) - held.at.step;
  if (left == 1) return {.finish = true};
  return {.update_steps = 1, .finish = left == 2 && OneIn(2)};
}

absl::Status Teller::NextSteps(std::vector<Held>* held, TellerReport* report) {
  std::vector<Plan> plans;
  for (const Held& one : *held) plans.push_back(PlanFor(one));
  const absl::Duration stall = MaybeStall(40);
  const absl::StatusOr<std::vector<bool>> lost =
      fdb::Transact(db_, [&](fdb::Transaction& tr) { return MakeSteps(tr, *held, plans, stall); });
  if (!lost.ok()) return lost.status();
  std::vector<Held> kept;
  for (size_t i = 0; i < held->size(); ++i) {
    if ((*lost)[i]) {
      ++report->conflicts;
      continue;
    }
    report->steps += plans[i].update_steps + (plans[i].finish ? 1 : 0);
    if (plans[i].finish) continue;
    (*held)[i].at.step += plans[i].update_steps;
    kept.push_back(std::move((*held)[i]));
  }
  *held = std::move(kept);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<bool>> Teller::MakeSteps(fdb::Transaction& tr, const std::vector<Held>& held,
                                                    const std::vector<Plan>& plans, absl::Duration stall) const {
  std::vector<UpdateRequest> updates;
  std::vector<FinishRequest> finishes;
  for (size_t i = 0; i < held.size(); ++i) {
    const auto& [job, at] = held[i];
    const Progress next{at.job, at.step + plans[i].update_steps};
    if (plans[i].update_steps > 0) updates.push_back({job.type, job.id, job.lock, next.ToJson()});
    if (plans[i].finish) {
      finishes.push_back(
          {job.type, job.id, job.lock, Progress{at.job, next.step + 1}.ToJson(), IsRemovedAtEnd(at.job)});
    }
  }
  const absl::StatusOr<std::vector<Outcome>> updated = jobs_.UpdateMany(tr, updates);
  if (!updated.ok()) return updated.status();
  const absl::StatusOr<std::vector<Outcome>> finished = jobs_.FinishMany(tr, finishes);
  if (!finished.ok()) return finished.status();

  std::vector<bool> lost(held.size());
  auto update = updated->begin();
  auto finish = finished->begin();
  for (size_t i = 0; i < held.size(); ++i) {
    int step = held[i].at.step;
    const auto settle = [&](Outcome outcome) -> absl::Status {
      if (outcome == Outcome::kOk && !lost[i]) return bank_.Move(tr, held[i].at.job, step++);
      if (outcome == Outcome::kOk) return absl::InternalError("finish says ok after update said worker_conflict");
      if (outcome == Outcome::kCanceled) return absl::InternalError("a job is canceled that nobody canceled");
      lost[i] = true;
      return absl::OkStatus();
    };
    absl::Status status;
    if (plans[i].update_steps > 0) status = settle(*update++);
    if (status.ok() && plans[i].finish) status = settle(*finish++);
    if (!status.ok()) return status;
  }
  absl::SleepFor(stall);
  return lost;
}

absl::Status Teller::WholeJobs(TellerReport* report) {
  const bool leave_some = OneIn(4);
  const absl::Duration stall = MaybeStall(40);
  int64_t made = 0;
  const absl::StatusOr<Claimed> done = claimer_.AcceptAndFinish(
      absl::Now() + kPatience, [&](fdb::Transaction& tr, const Claimed& claimed) -> absl::Status {
        made = 0;
        std::vector<FinishRequest> finishes;
        for (const ClaimedJob& job : claimed.jobs) {
          if (leave_some && finishes.size() * 2 > claimed.jobs.size()) break;
          const absl::StatusOr<Progress> at = ProgressOf(job);
          if (!at.ok()) return at.status();
          for (int step = at->step; step < StepsOf(at->job); ++step) {
            if (absl::Status status = bank_.Move(tr, at->job, step); !status.ok()) return status;
          }
          finishes.push_back({job.type, job.id, job.lock, std::nullopt, IsRemovedAtEnd(at->job)});
        }
        const absl::StatusOr<std::vector<Outcome>> outcomes = jobs_.FinishMany(tr, finishes);
        if (!outcomes.ok()) return outcomes.status();
        for (const Outcome outcome : *outcomes) {
          // Claimed and finished in one transaction: nobody can come between.
          if (outcome != Outcome::kOk) return absl::InternalError(OutcomeName(outcome));
          ++made;
        }
        absl::SleepFor(stall);
        return absl::OkStatus();
      });
  if (!done.ok()) return done.status();
  if (!done->damaged.empty()) return absl::DataLossError(done->damaged.front().what);
  if (!done->jobs.empty()) report->whole += made;
  return absl::OkStatus();
}

}  // namespace fdbjobs::test
