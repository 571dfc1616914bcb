#include "tools/cli/job_print.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "fdbjobs/keyspace/json_text.h"
#include "fdbjobs/uuid.h"
#include "tools/cli/text.h"

namespace fdbjobs::cli {

absl::StatusOr<Moment> ReadMoment(const Context& context, fdb::Transaction& tr) {
  const fdb::Int64Future version = tr.GetReadVersion();
  const absl::StatusOr<uint8_t> incarnation = context.jobs().GetIncarnation(tr);
  if (!incarnation.ok()) return incarnation.status();
  const absl::StatusOr<int64_t> read_version = version.Await();
  if (!read_version.ok()) return read_version.status();
  return Moment{*incarnation, *read_version, absl::Now()};
}

std::optional<absl::Duration> HeartbeatAge(const Job& job, const Moment& moment) {
  if (!job.sequence.has_value()) return std::nullopt;
  return SequenceAge(*job.sequence, moment.incarnation, moment.read_version);
}

std::optional<absl::Duration> Age(const Job& job, const Moment& moment) {
  if (!job.added.has_value()) return std::nullopt;
  return moment.now - *job.added;
}

std::string StateText(const Job& job) {
  return absl::StrCat(JobStateName(job.state), job.cancel ? ", cancel" : "", job.resubmit ? ", resubmit" : "");
}

Json DataJson(const Context& context, const std::string& data) {
  if (data.empty()) return Json();
  if (!keyspace::CheckJson(data).ok()) return Json(Visible(data));
  return Json::Raw(context.terminal() ? VisibleJson(data) : data);
}

Json JobJson(const Context& context, const Job& job, const Moment& moment) {
  Json json = Json::Object();
  json["type"] = Literal(job.type);
  json["id"] = Literal(job.id);
  json["state"] = JobStateName(job.state);
  json["priority"] = Literal(job.priority);
  json["cancel"] = job.cancel;
  json["resubmit"] = job.resubmit;
  if (job.added.has_value()) {
    json["added"] = TimeText(*job.added);
    json["age_seconds"] = absl::ToDoubleSeconds(moment.now - *job.added);
  }
  if (job.sequence.has_value()) json["sequence"] = job.sequence->ToString();
  if (const auto age = HeartbeatAge(job, moment)) json["heartbeat_age_seconds"] = absl::ToDoubleSeconds(*age);
  if (job.lock.has_value()) json["lock"] = UuidToString(*job.lock);
  json["data"] = DataJson(context, job.data);
  return json;
}

}  // namespace fdbjobs::cli
