#include "tests/jobs/random_calls.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "fdbjobs/fdb/status.h"
#include "fdbjobs/uuid.h"

namespace fdbjobs::test {
namespace {

tuple::Uuid MakeUuid(uint8_t first) {
  tuple::Uuid uuid;
  uuid.bytes[0] = first;
  return uuid;
}

tuple::Versionstamp MakeStamp(uint16_t user_version) {
  tuple::Versionstamp stamp;
  stamp.transaction[9] = 7;
  stamp.user_version = user_version;
  return stamp;
}

tuple::BigInt MakeBig(bool negative) {
  return *tuple::BigInt::FromMagnitude(negative, "\x01\x02\x03\x04\x05\x06\x07\x08\x09");
}

const std::vector<JobId>& Ids() {
  static const auto* const ids = new std::vector<JobId>{nullptr,
                                                        tuple::Bytes{std::string("\0\xff", 2)},
                                                        "text",
                                                        std::string("te\0xt", 5),
                                                        -5,
                                                        0,
                                                        7,
                                                        MakeBig(false),
                                                        1.5f,
                                                        -2.5,
                                                        true,
                                                        MakeUuid(9),
                                                        MakeStamp(3),
                                                        tuple::Tuple{1, nullptr, "x"}};
  return *ids;
}

const std::vector<Priority>& Priorities() {
  static const auto* const priorities = new std::vector<Priority>{0,
                                                                  0,
                                                                  0,
                                                                  5,
                                                                  -1,
                                                                  1763440000123,
                                                                  std::numeric_limits<uint64_t>::max(),
                                                                  MakeBig(true),
                                                                  nullptr,
                                                                  1.5,
                                                                  -0.0,
                                                                  0.25f,
                                                                  false,
                                                                  "later \"\\\n",
                                                                  tuple::Bytes{"b"},
                                                                  MakeUuid(1),
                                                                  MakeStamp(0),
                                                                  tuple::Tuple{"tenant", 5}};
  return *priorities;
}

const std::vector<std::string>& Data() {
  static const auto* const data =
      new std::vector<std::string>{"",
                                   "{}",
                                   " {\"a\" : [1, 2.50, -0] }\n",
                                   "null",
                                   "\"\\u0000 \xc3\xa4\"",
                                   "123456789012345678901234567890",
                                   "[[[]]]",
                                   R"({"data":{"priority":1,"cancel":true},"resubmit":true})"};
  return *data;
}

std::string Show(AddResult result) {
  return result == AddResult::kAdded ? "added" : result == AddResult::kExists ? "exists" : "resubmitted";
}
std::string Show(ChangeResult result) {
  return result == ChangeResult::kChanged ? "changed" : result == ChangeResult::kUnchanged ? "unchanged" : "not found";
}
std::string Show(Outcome outcome) { return OutcomeName(outcome); }
std::string Show(uint8_t number) { return absl::StrCat(number); }
std::string Show(const Counts& counts) {
  return absl::StrCat(counts.pending, " pending ", counts.running, " running ", counts.finished, " finished");
}
std::string Show(const std::string& text) { return text; }
template <typename T>
std::string Show(const std::vector<T>& values) {
  std::string text;
  for (const T& value : values) absl::StrAppend(&text, Show(value), " ");
  return text;
}

// Two StatusOr in words: equal words, equal answers. Of errors only the code counts.
template <typename T>
std::string ShowAnswer(const absl::StatusOr<T>& answer) {
  return answer.ok() ? Show(*answer) : absl::StatusCodeToString(answer.status().code());
}

std::string ShowJob(const Job& job) {
  return absl::StrCat(JobStateName(job.state), " ", job.priority.ToString(), job.cancel ? " cancel" : "",
                      job.resubmit ? " resubmit" : "", job.lock.has_value() ? UuidToString(*job.lock) : "", " ",
                      job.sequence.has_value() ? job.sequence->ToString() : "", " ", job.data);
}

std::string ShowJob(const ModelJob& job) {
  const bool running = job.state == JobState::kRunning;
  return absl::StrCat(JobStateName(job.state), " ", job.priority.ToString(), job.cancel ? " cancel" : "",
                      job.resubmit ? " resubmit" : "", running ? UuidToString(job.lock) : "", " ",
                      job.sequence.has_value() ? job.sequence->ToString() : "", " ", job.data);
}

// Whether `ids` may have been claimed, given the queue.
bool MayClaim(const JobType& type, const std::vector<JobId>& queue, const std::vector<JobId>& ids, size_t limit,
              QueueOrder order, const Model& model) {
  const size_t most = std::min(limit, queue.size());
  const bool in_order = ids.size() <= most && std::equal(ids.begin(), ids.end(), queue.begin());
  if (in_order && ids.size() == most) return true;
  if (order == QueueOrder::kStrict || ids.empty() || ids.size() > most) return false;
  // After a conflict some are left to others; the first in order are right then, too.
  if (in_order) return true;
  const Priority& first = model.Find(type, queue.front())->priority;
  return std::all_of(ids.begin(), ids.end(), [&](const JobId& id) {
    return std::count(queue.begin(), queue.end(), id) == 1 && std::count(ids.begin(), ids.end(), id) == 1 &&
           model.Find(type, id)->priority == first;
  });
}

}  // namespace

const std::vector<JobType>& ModelTypes() {
  static const auto* const types = new std::vector<JobType>{"index", 7, tuple::Tuple{"mail", nullptr}};
  return *types;
}

std::vector<std::string> ApplyClaim(const JobType& type, const AcceptOptions& options, const Claimed& claimed,
                                    bool to_finish, QueueOrder order, Model* model) {
  std::vector<std::string> differences;
  for (const Damage& damage : claimed.damaged) differences.push_back("claim: damaged: " + damage.what);
  std::vector<JobId> ids;
  for (const ClaimedJob& job : claimed.jobs) ids.push_back(job.id);
  const std::vector<JobId> queue = model->Queue(type, options.max_priority);
  if (!MayClaim(type, queue, ids, static_cast<size_t>(options.limit), order, *model)) {
    std::string is;
    std::string should;
    for (const JobId& id : ids) absl::StrAppend(&is, id.ToString(), " ");
    for (const JobId& id : queue) absl::StrAppend(&should, id.ToString(), " ");
    differences.push_back(absl::StrCat("claim of ", options.limit, ": got ", is, "of the queue ", should));
    return differences;
  }
  for (const ClaimedJob& job : claimed.jobs) {
    const ModelJob& expected = *model->Find(type, job.id);
    const bool same = job.type == type && job.priority == expected.priority && job.data == expected.data &&
                      !job.resubmit && job.added.has_value() && job.lock == claimed.jobs.front().lock &&
                      (!options.lock.has_value() || job.lock == *options.lock);
    if (!same) differences.push_back(absl::StrCat("claim: job ", job.id.ToString(), " is not as it was added"));
    if (to_finish) {
      model->Reserve(type, job.id, job.lock);
    } else {
      model->Claim(type, job.id, job.lock);
    }
  }
  return differences;
}

template <typename... Words>
void RandomCalls::Log(const Words&... words) {
  log_.push_back(absl::StrCat(words...));
}

template <typename T>
absl::Status RandomCalls::Compare(const absl::StatusOr<T>& is, const absl::StatusOr<T>& should) {
  if (fdb::FdbCode(is.status()) != 0) return is.status();
  const std::string is_text = ShowAnswer(is);
  const std::string should_text = ShowAnswer(should);
  absl::StrAppend(&log_.back(), " = ", is_text);
  if (is_text != should_text) {
    differences_.push_back(absl::StrCat(log_.back(), ", should be ", should_text, "; ", is.status().ToString()));
  }
  return absl::OkStatus();
}

absl::Status RandomCalls::Make(int calls) {
  static constexpr struct {
    Call call;
    int weight;
  } kCalls[] = {
      {&RandomCalls::Add, 14},       {&RandomCalls::AddMany, 8},
      {&RandomCalls::Remove, 5},     {&RandomCalls::Cancel, 8},
      {&RandomCalls::Resubmit, 8},   {&RandomCalls::SetPriority, 7},
      {&RandomCalls::Accept, 14},    {&RandomCalls::AcceptToFinish, 8},
      {&RandomCalls::Update, 10},    {&RandomCalls::Finish, 10},
      {&RandomCalls::UpdateMany, 5}, {&RandomCalls::FinishMany, 5},
      {&RandomCalls::Rescue, 8},     {&RandomCalls::ResubmitByWorker, 7},
      {&RandomCalls::Timeout, 3},    {&RandomCalls::Incarnation, 2},
      {&RandomCalls::Look, 6},
  };
  int total = 0;
  for (const auto& [call, weight] : kCalls) total += weight;
  for (int i = 0; i < calls && differences_.empty(); ++i) {
    int chosen = static_cast<int>(Below(total));
    for (const auto& [call, weight] : kCalls) {
      if ((chosen -= weight) >= 0) continue;
      if (absl::Status status = (this->*call)(); !status.ok()) return status;
      break;
    }
  }
  return absl::OkStatus();
}

NewJob RandomCalls::AnyNewJob() { return {.id = Any(Ids()), .data = Any(Data()), .priority = Any(Priorities())}; }

std::optional<std::string> RandomCalls::MaybeData() {
  if (OneIn(2)) return std::nullopt;
  return Any(Data());
}

ClaimedJob RandomCalls::AnyClaim() {
  std::vector<ClaimedJob> held;
  std::vector<Lock> locks = {RandomUuid()};
  for (const auto& [type, of_type] : model_.types()) {
    for (const auto& [id, job] : of_type.jobs) {
      // Jobs that are pending or finished by now still have their last lock here: a stale one.
      locks.push_back(job.lock);
      if (!job.reserved && job.state != JobState::kRunning) continue;
      ClaimedJob claim;
      claim.type = type;
      claim.id = id;
      claim.lock = job.lock;
      held.push_back(std::move(claim));
    }
  }
  ClaimedJob claim;
  if (!held.empty() && !OneIn(5)) {
    claim = Any(held);
    if (OneIn(6)) claim.lock = Any(locks);
    return claim;
  }
  claim.type = Any(ModelTypes());
  claim.id = Any(Ids());
  const ModelJob* const job = model_.Find(claim.type, claim.id);
  claim.lock = job != nullptr && OneIn(2) ? job->lock : Any(locks);
  return claim;
}

absl::Status RandomCalls::Timeout() {
  const JobType& type = Any(ModelTypes());
  absl::Status status;
  if (OneIn(8)) {
    Log("ClearActivityTimeout ", type.ToString());
    model_.SetActivityTimeout(type, std::nullopt);
    status = jobs_.ClearActivityTimeout(tr_, type);
  } else {
    const int64_t milliseconds = static_cast<int64_t>(1 + Below(2)) * 1000;
    Log("SetActivityTimeout ", type.ToString(), " ", milliseconds);
    model_.SetActivityTimeout(type, milliseconds);
    status = jobs_.SetActivityTimeout(tr_, type, absl::Milliseconds(milliseconds));
  }
  return Compare<std::string>(status.ok() ? absl::StatusOr<std::string>("") : status, std::string());
}

absl::Status RandomCalls::Add() {
  const JobType& type = Any(ModelTypes());
  const NewJob job = AnyNewJob();
  const auto if_exists = static_cast<IfExists>(Below(3));
  Log("Add ", type.ToString(), " ", job.id.ToString(), " priority ", job.priority.ToString(), " if exists ",
      static_cast<int>(if_exists));
  const absl::StatusOr<AddResult> is = jobs_.Add(tr_, type, job, if_exists);
  const absl::StatusOr<std::vector<AddResult>> should = model_.AddMany(type, {&job, 1}, if_exists);
  return Compare<AddResult>(is, should.ok() ? absl::StatusOr<AddResult>(should->front()) : should.status());
}

absl::Status RandomCalls::AddMany() {
  const JobType& type = Any(ModelTypes());
  std::vector<NewJob> added;
  // Now and then so many that one look may tell that all are new.
  const bool many = OneIn(3);
  for (uint64_t i = many ? 8 + Below(6) : Below(6); i > 0; --i) {
    NewJob job = AnyNewJob();
    const auto same_id = [&](const NewJob& other) { return other.id == job.id; };
    if (!many || std::none_of(added.begin(), added.end(), same_id)) added.push_back(std::move(job));
  }
  const auto if_exists = static_cast<IfExists>(Below(3));
  Log("AddMany ", type.ToString(), " if exists ", static_cast<int>(if_exists));
  for (const NewJob& job : added) {
    absl::StrAppend(&log_.back(), " ", job.id.ToString(), " priority ", job.priority.ToString());
  }
  return Compare(jobs_.AddMany(tr_, type, added, if_exists), model_.AddMany(type, added, if_exists));
}

absl::Status RandomCalls::Remove() {
  const JobType& type = Any(ModelTypes());
  const JobId& id = Any(Ids());
  Log("Remove ", type.ToString(), " ", id.ToString());
  return Compare<ChangeResult>(jobs_.Remove(tr_, type, id), model_.Remove(type, id));
}

absl::Status RandomCalls::Cancel() {
  const JobType& type = Any(ModelTypes());
  const JobId& id = Any(Ids());
  Log("Cancel ", type.ToString(), " ", id.ToString());
  return Compare<ChangeResult>(jobs_.Cancel(tr_, type, id), model_.Cancel(type, id));
}

absl::Status RandomCalls::Resubmit() {
  const JobType& type = Any(ModelTypes());
  const JobId& id = Any(Ids());
  Log("Resubmit ", type.ToString(), " ", id.ToString());
  return Compare<ChangeResult>(jobs_.Resubmit(tr_, type, id), model_.Resubmit(type, id));
}

absl::Status RandomCalls::SetPriority() {
  const JobType& type = Any(ModelTypes());
  const JobId& id = Any(Ids());
  const Priority& priority = Any(Priorities());
  Log("SetPriority ", type.ToString(), " ", id.ToString(), " ", priority.ToString());
  return Compare<ChangeResult>(jobs_.SetPriority(tr_, type, id, priority), model_.SetPriority(type, id, priority));
}

absl::Status RandomCalls::AcceptAs(bool to_finish) {
  const JobType& type = Any(ModelTypes());
  AcceptOptions options;
  options.limit = static_cast<int>(1 + Below(5));
  if (OneIn(4)) options.max_priority = Any(Priorities());
  if (OneIn(2)) options.lock = RandomUuid();
  Log(to_finish ? "AcceptToFinish " : "Accept ", type.ToString(), " limit ", options.limit, " to priority ",
      options.max_priority.has_value() ? options.max_priority->ToString() : "any");
  const absl::StatusOr<Claimed> claimed =
      to_finish ? jobs_.AcceptToFinish(tr_, type, options) : jobs_.Accept(tr_, type, options);
  if (!claimed.ok()) return Compare<std::string>(claimed.status(), std::string());
  for (const ClaimedJob& job : claimed->jobs) absl::StrAppend(&log_.back(), " ", job.id.ToString());
  for (std::string& difference : ApplyClaim(type, options, *claimed, to_finish, order_, &model_)) {
    differences_.push_back(absl::StrCat(log_.back(), ": ", difference));
  }
  return absl::OkStatus();
}

absl::Status RandomCalls::Accept() { return AcceptAs(/*to_finish=*/false); }
absl::Status RandomCalls::AcceptToFinish() { return AcceptAs(/*to_finish=*/true); }

absl::Status RandomCalls::Update() {
  const ClaimedJob claim = AnyClaim();
  const std::optional<std::string> data = MaybeData();
  Log("Update ", claim.type.ToString(), " ", claim.id.ToString());
  return Compare<Outcome>(jobs_.Update(tr_, claim, data), model_.Update({claim.type, claim.id, claim.lock, data}));
}

absl::Status RandomCalls::Finish() {
  const ClaimedJob claim = AnyClaim();
  const std::optional<std::string> data = MaybeData();
  Log("Finish ", claim.type.ToString(), " ", claim.id.ToString());
  return Compare<Outcome>(jobs_.Finish(tr_, claim, data),
                          model_.Finish({claim.type, claim.id, claim.lock, data, false}));
}

absl::Status RandomCalls::UpdateMany() {
  std::vector<UpdateRequest> requests;
  std::vector<Outcome> should;
  Log("UpdateMany");
  for (uint64_t i = Below(6); i > 0; --i) {
    const ClaimedJob claim = AnyClaim();
    requests.push_back({claim.type, claim.id, claim.lock, MaybeData()});
    absl::StrAppend(&log_.back(), " ", claim.type.ToString(), " ", claim.id.ToString());
  }
  for (const UpdateRequest& request : requests) should.push_back(model_.Update(request));
  return Compare<std::vector<Outcome>>(jobs_.UpdateMany(tr_, requests), should);
}

absl::Status RandomCalls::FinishMany() {
  std::vector<FinishRequest> requests;
  std::vector<Outcome> should;
  Log("FinishMany");
  for (uint64_t i = Below(6); i > 0; --i) {
    const ClaimedJob claim = AnyClaim();
    requests.push_back({claim.type, claim.id, claim.lock, MaybeData(), OneIn(2)});
    absl::StrAppend(&log_.back(), " ", claim.type.ToString(), " ", claim.id.ToString(),
                    requests.back().remove ? " remove" : "");
  }
  for (const FinishRequest& request : requests) should.push_back(model_.Finish(request));
  return Compare<std::vector<Outcome>>(jobs_.FinishMany(tr_, requests), should);
}

absl::Status RandomCalls::ResubmitByWorker() {
  const ClaimedJob claim = AnyClaim();
  std::optional<Priority> priority;
  if (OneIn(2)) priority = Any(Priorities());
  Log("ResubmitByWorker ", claim.type.ToString(), " ", claim.id.ToString(), " ",
      priority.has_value() ? priority->ToString() : "");
  return Compare<Outcome>(jobs_.ResubmitByWorker(tr_, claim, priority), model_.ResubmitByWorker(claim, priority));
}

absl::Status RandomCalls::Rescue() {
  const JobType& type = Any(ModelTypes());
  if (!model_.MayRescue(type)) return absl::OkStatus();
  // Up to some entry that is there, or up to the watch row: everything.
  std::vector<Sequence> sequences;
  if (const auto of_type = model_.types().find(type); of_type != model_.types().end()) {
    for (const auto& [sequence, id] : of_type->second.leftovers) sequences.push_back(sequence);
    for (const auto& [id, job] : of_type->second.jobs) {
      if (job.state == JobState::kRunning) sequences.push_back(*job.sequence);
    }
    if (of_type->second.watch.has_value()) sequences.push_back(*of_type->second.watch);
  }
  if (sequences.empty()) return absl::OkStatus();
  const Sequence until = Any(sequences);
  const int limit = static_cast<int>(1 + Below(4));
  const bool all = OneIn(2);
  Log("Rescue ", type.ToString(), " until ", until.ToString(), all ? " all by " : " first ", limit);
  const auto show = [](int reenqueued, int finished, int dropped) {
    return absl::StrCat(reenqueued, " pending ", finished, " finished ", dropped, " dropped");
  };
  std::optional<std::string> continuation;
  do {
    const absl::StatusOr<RescueResult> result = jobs_.Rescue(tr_, type, until, limit, continuation);
    if (!result.ok()) return Compare<std::string>(result.status(), std::string());
    const Model::Rescued should = model_.Rescue(type, until, limit);
    continuation = result->continuation;
    if (!result->damaged.empty()) differences_.push_back("Rescue: damaged: " + result->damaged.front().what);
    if (absl::Status status = Compare<std::string>(show(result->reenqueued, result->finished, result->dropped),
                                                   show(should.reenqueued, should.finished, should.dropped));
        !status.ok()) {
      return status;
    }
  } while (all && continuation.has_value() && differences_.empty());
  if (!all) return absl::OkStatus();
  const Model::Rescued left = model_.Rescue(type, until, std::numeric_limits<int>::max());
  if (left.reenqueued + left.finished + left.dropped > 0) differences_.push_back(log_.back() + ": not all were found");
  return absl::OkStatus();
}

absl::Status RandomCalls::Incarnation() {
  if (OneIn(2)) {
    Log("GetIncarnation");
    return Compare<uint8_t>(jobs_.GetIncarnation(tr_), model_.incarnation());
  }
  Log("RaiseIncarnation");
  return Compare<uint8_t>(jobs_.RaiseIncarnation(tr_), model_.RaiseIncarnation());
}

absl::Status RandomCalls::Look() {
  const JobType& type = Any(ModelTypes());
  if (OneIn(2)) {
    Log("CountJobs ", type.ToString());
    return Compare<Counts>(jobs_.CountJobs(tr_, type), model_.Count(type));
  }
  const JobId& id = Any(Ids());
  Log("GetJob ", type.ToString(), " ", id.ToString());
  const absl::StatusOr<std::optional<Job>> job = jobs_.GetJob(tr_, type, id);
  if (!job.ok()) return Compare<std::string>(job.status(), std::string());
  const ModelJob* const should = model_.Find(type, id);
  return Compare<std::string>(job->has_value() ? ShowJob(**job) : "absent",
                              should != nullptr ? ShowJob(*should) : "absent");
}

}  // namespace fdbjobs::test
