#include "tools/cli/top_data.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "fdbjobs/listing.h"
#include "tools/cli/text.h"
#include "tools/cli/type_list.h"
#include "tools/common/json_object.h"

namespace fdbjobs::cli {
namespace {

constexpr size_t kSamples = 60;
constexpr int kRunning = 200;  // of each type; more do not fit on a screen

double Rate(const TypeHistory& history, int64_t Counts::*count) {
  constexpr size_t kSpan = 10;
  if (history.samples.size() < 2) return 0;
  const size_t from = history.samples.size() > kSpan ? history.samples.size() - kSpan - 1 : 0;
  const TypeHistory::Sample& first = history.samples[from];
  const TypeHistory::Sample& last = history.samples.back();
  const double seconds = absl::ToDoubleSeconds(last.time - first.time);
  return seconds <= 0 ? 0 : static_cast<double>(last.counts.*count - first.counts.*count) / seconds;
}

// "[#####     ] 50%" for a number from 0 to 1, or from 0 to 100.
std::string ProgressBar(double progress) {
  constexpr size_t kWidth = 10;
  const double part = std::clamp(progress > 1 ? progress / 100 : progress, 0.0, 1.0);
  const auto full = static_cast<size_t>(part * kWidth + 0.5);
  return absl::StrFormat("[%s%s] %3.0f%%", std::string(full, '#'), std::string(kWidth - full, ' '), part * 100);
}

std::string ProgressOf(const Job& job) {
  if (job.data.empty()) return "";
  const absl::StatusOr<std::vector<tools::JsonMember>> members = tools::ReadJsonObject(job.data);
  if (members.ok()) {
    for (const tools::JsonMember& member : *members) {
      double number;
      if (member.name != "progress") continue;
      if (member.kind == tools::JsonKind::kNumber && absl::SimpleAtod(member.raw, &number)) return ProgressBar(number);
      return Visible(member.kind == tools::JsonKind::kString ? member.text : member.raw);
    }
  }
  return Visible(job.data);
}

}  // namespace

double TypeHistory::PendingRate() const { return Rate(*this, &Counts::pending); }
double TypeHistory::FinishedRate() const { return Rate(*this, &Counts::finished); }

absl::Status TopData::Refresh() {
  const absl::StatusOr<TypeList> types = ReadTypes(context_);
  if (!types.ok()) return types.status();
  time_ = absl::Now();
  std::erase_if(types_, [&](const auto& entry) { return !types->contains(entry.first); });
  running_.clear();
  for (const auto& [type, facts] : *types) {
    TypeHistory& history = types_[type];
    history.timeout = facts.timeout;
    history.now = facts.counts;
    if (history.samples.empty() || time_ - history.samples.back().time >= absl::Milliseconds(950)) {
      history.samples.push_back({time_, facts.counts});
    }
    if (history.samples.size() > kSamples) history.samples.pop_front();
    if (facts.counts.running == 0) continue;
    if (absl::Status status = ReadRunning(type); !status.ok()) return status;
  }
  std::stable_sort(running_.begin(), running_.end(), [](const RunningJob& a, const RunningJob& b) {
    return a.heartbeat.value_or(absl::ZeroDuration()) > b.heartbeat.value_or(absl::ZeroDuration());
  });
  return absl::OkStatus();
}

absl::Status TopData::ReadRunning(const JobType& type) {
  const absl::StatusOr<std::vector<RunningJob>> running =
      context_.Transact([&](fdb::Transaction& tr) -> absl::StatusOr<std::vector<RunningJob>> {
        const absl::StatusOr<Moment> moment = ReadMoment(context_, tr);
        if (!moment.ok()) return moment.status();
        const absl::StatusOr<JobPage> page =
            ListJobs(context_.jobs(), tr, type,
                     {.state = JobState::kRunning, .id_prefix = {}, .limit = kRunning, .continuation = ""});
        if (!page.ok()) return page.status();
        std::vector<RunningJob> jobs;
        for (const Job& job : page->jobs) {
          jobs.push_back({job.type, job.id, ProgressOf(job), HeartbeatAge(job, *moment)});
        }
        return jobs;
      });
  if (!running.ok()) return running.status();
  running_.insert(running_.end(), running->begin(), running->end());
  return absl::OkStatus();
}

std::vector<JobType> TopData::TypeNames() const {
  std::vector<JobType> names;
  for (const auto& [type, history] : types_) names.push_back(type);
  return names;
}

}  // namespace fdbjobs::cli
