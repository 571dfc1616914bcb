// interop_peer: the C++ side of tests/node/jobs_interop.mjs. Reads calls of the jobs layer from standard input, a line
// each, runs each in a transaction of its own, and answers with a line of JSON.
//
//   interop_peer <database>
//   add <prefix> <type> <id> <priority> <data> error|keep|resubmit     "added", "resubmitted", "exists"
//   accept <prefix> <type> <limit> <lock> <max priority>               [{"id":...,"priority":...,"data":...}, ...]
//   ...                                                                see Calls()
//
// Words are hex digits: of raw bytes (prefix, lock, data) or of packed tuple elements (type, id, priority); "-" is what
// is not given. An error is {"error":"..."}.
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "fdbjobs/fdb/transact.h"
#include "fdbjobs/jobs.h"
#include "fdbjobs/keyspace/priority_json.h"
#include "fdbjobs/listing.h"
#include "tests/jobs/check_keyspace.h"
#include "tests/jobs/keyspace_contents.h"
#include "tests/keyspace/tuple_notation.h"

namespace fdbjobs::test {
namespace {

using keyspace::JsonString;
using tests::FromHex;
using tests::ToHex;
using Answer = absl::StatusOr<std::string>;

// The words of one call, behind its name and prefix.
class Words {
 public:
  explicit Words(std::vector<std::string> words) : words_(std::move(words)) {}

  std::string Bytes(size_t i) const { return FromHex(words_.at(i)); }
  keyspace::PackedElement Element(size_t i) const { return keyspace::PackedElement::FromPacked(Bytes(i)); }
  std::optional<keyspace::PackedElement> ElementIfAny(size_t i) const {
    return words_.at(i) == "-" ? std::nullopt : std::optional(Element(i));
  }
  std::optional<std::string> BytesIfAny(size_t i) const {
    return words_.at(i) == "-" ? std::nullopt : std::optional(Bytes(i));
  }
  int Number(size_t i) const {
    int number = 0;
    return absl::SimpleAtoi(words_.at(i), &number) ? number : -1;
  }
  Lock LockAt(size_t i) const {
    Lock lock;
    const std::string bytes = Bytes(i);
    for (size_t at = 0; at < lock.bytes.size(); ++at) lock.bytes[at] = static_cast<uint8_t>(bytes.at(at));
    return lock;
  }
  const std::string& Text(size_t i) const { return words_.at(i); }

 private:
  const std::vector<std::string> words_;
};

std::string Hex(const keyspace::PackedElement& element) { return JsonString(ToHex(element.packed())); }

Answer Of(const absl::Status& status) {
  if (!status.ok()) return status;
  return "true";
}
Answer Of(const absl::StatusOr<Outcome>& outcome) {
  if (!outcome.ok()) return outcome.status();
  return JsonString(OutcomeName(*outcome));
}
Answer Of(const absl::StatusOr<ChangeResult>& result) {
  if (!result.ok()) return result.status();
  switch (*result) {
    case ChangeResult::kChanged:
      return "\"changed\"";
    case ChangeResult::kUnchanged:
      return "\"unchanged\"";
    case ChangeResult::kNotFound:
      break;
  }
  return "\"not_found\"";
}
Answer Of(const absl::StatusOr<AddResult>& result) {
  if (absl::IsAlreadyExists(result.status())) return "\"exists\"";
  if (!result.ok()) return result.status();
  switch (*result) {
    case AddResult::kAdded:
      return "\"added\"";
    case AddResult::kResubmitted:
      return "\"resubmitted\"";
    case AddResult::kExists:
      break;
  }
  return "\"exists\"";
}
Answer Of(const absl::StatusOr<Claimed>& claimed) {
  if (!claimed.ok()) return claimed.status();
  std::vector<std::string> jobs;
  for (const ClaimedJob& job : claimed->jobs) {
    jobs.push_back(absl::StrCat("{\"id\":", Hex(job.id), ",\"priority\":", Hex(job.priority),
                                ",\"data\":", JsonString(job.data), "}"));
  }
  return absl::StrCat("[", absl::StrJoin(jobs, ","), "]");
}

IfExists IfExistsNamed(const std::string& name) {
  if (name == "keep") return IfExists::kKeep;
  return name == "resubmit" ? IfExists::kResubmit : IfExists::kError;
}

ClaimedJob Held(const Words& words) {
  ClaimedJob job;
  job.type = words.Element(0);
  job.id = words.Element(1);
  job.lock = words.LockAt(2);
  return job;
}

AcceptOptions HowToAccept(const Words& words) {
  return {.limit = words.Number(1), .max_priority = words.ElementIfAny(3), .lock = words.LockAt(2)};
}

// One job after the other in a transaction that finishes it and adds one to its row below `effects`.
Answer Drain(const fdb::Database& db, const Jobs& jobs, const JobType& type, const std::string& effects) {
  int done = 0;
  while (true) {
    const absl::StatusOr<Claimed> claimed =
        fdb::Transact(db, [&](fdb::Transaction& tr) { return jobs.Accept(tr, type, {.limit = 3}); });
    if (!claimed.ok()) return claimed.status();
    if (claimed->jobs.empty()) return absl::StrCat(done);
    for (const ClaimedJob& job : claimed->jobs) {
      const absl::Status status = fdb::Transact(db, [&](fdb::Transaction& tr) -> absl::Status {
        const absl::StatusOr<Outcome> outcome = jobs.Finish(tr, job);
        if (!outcome.ok()) return outcome.status();
        if (*outcome != Outcome::kOk) return absl::InternalError(OutcomeName(*outcome));
        tr.Add(effects + job.id.packed(), 1);
        return absl::OkStatus();
      });
      if (!status.ok()) return status;
      ++done;
    }
  }
}

Answer Show(const std::optional<Job>& job) {
  if (!job.has_value()) return "null";
  std::string lock = "null";
  if (job->lock.has_value()) {
    const char* const bytes = reinterpret_cast<const char*>(job->lock->bytes.data());
    lock = JsonString(ToHex({bytes, job->lock->bytes.size()}));
  }
  return absl::StrCat("{\"state\":", JsonString(JobStateName(job->state)), ",\"priority\":", Hex(job->priority),
                      ",\"data\":", JsonString(job->data), ",\"cancel\":", job->cancel ? "true" : "false",
                      ",\"resubmit\":", job->resubmit ? "true" : "false", ",\"lock\":", lock, "}");
}

Answer ShowQueue(const absl::StatusOr<JobPage>& page) {
  if (!page.ok()) return page.status();
  std::vector<std::string> ids;
  for (const Job& job : page->jobs) ids.push_back(Hex(job.id));
  return absl::StrCat("[", absl::StrJoin(ids, ","), "]");
}

// All that has given no sign of life since now.
Answer RescueAll(const Jobs& jobs, fdb::Transaction& tr, const JobType& type) {
  const absl::StatusOr<std::optional<Sequence>> now = jobs.GetWatch(tr, type);
  if (!now.ok()) return now.status();
  if (!now->has_value()) return R"({"reenqueued":0,"finished":0,"dropped":0})";
  const absl::StatusOr<RescueResult> result = jobs.Rescue(tr, type, **now, 1000);
  if (!result.ok()) return result.status();
  return absl::StrCat("{\"reenqueued\":", result->reenqueued, ",\"finished\":", result->finished,
                      ",\"dropped\":", result->dropped, "}");
}

Answer Violations(const fdb::Database& db, const Jobs& jobs) {
  const absl::StatusOr<KeyspaceContents> contents = ReadKeyspace(db, jobs.keys());
  if (!contents.ok()) return contents.status();
  const std::vector<std::string> violations = CheckKeyspace(*contents);
  return absl::StrCat(
      "[",
      absl::StrJoin(violations, ",", [](std::string* out, const std::string& text) { out->append(JsonString(text)); }),
      "]");
}

using Call = std::function<Answer(const Jobs&, fdb::Transaction&, const Words&)>;

const std::map<std::string, Call>& Calls() {
  static const auto* const calls = new std::map<std::string, Call>{
      {"timeout",
       [](const Jobs& jobs, fdb::Transaction& tr, const Words& words) {
         return Of(jobs.SetActivityTimeout(tr, words.Element(0), absl::Milliseconds(words.Number(1))));
       }},
      {"clearTimeout", [](const Jobs& jobs, fdb::Transaction& tr,
                          const Words& words) { return Of(jobs.ClearActivityTimeout(tr, words.Element(0))); }},
      {"raise",
       [](const Jobs& jobs, fdb::Transaction& tr, const Words&) { return Of(jobs.RaiseIncarnation(tr).status()); }},
      {"add",
       [](const Jobs& jobs, fdb::Transaction& tr, const Words& words) {
         const NewJob job{.id = words.Element(1), .data = words.Bytes(3), .priority = words.Element(2)};
         return Of(jobs.Add(tr, words.Element(0), job, IfExistsNamed(words.Text(4))));
       }},
      {"accept", [](const Jobs& jobs, fdb::Transaction& tr,
                    const Words& words) { return Of(jobs.Accept(tr, words.Element(0), HowToAccept(words))); }},
      {"whole",
       [](const Jobs& jobs, fdb::Transaction& tr, const Words& words) -> Answer {
         const absl::StatusOr<Claimed> claimed = jobs.AcceptToFinish(tr, words.Element(0), HowToAccept(words));
         if (!claimed.ok()) return claimed.status();
         for (const ClaimedJob& job : claimed->jobs) {
           const absl::StatusOr<Outcome> outcome = jobs.Finish(tr, job);
           if (!outcome.ok()) return outcome.status();
         }
         return Of(claimed);
       }},
      {"update", [](const Jobs& jobs, fdb::Transaction& tr,
                    const Words& words) { return Of(jobs.Update(tr, Held(words), words.BytesIfAny(3))); }},
      {"finish",
       [](const Jobs& jobs, fdb::Transaction& tr, const Words& words) -> Answer {
         const FinishRequest request{words.Element(0), words.Element(1), words.LockAt(2), words.BytesIfAny(3),
                                     words.Text(4) == "remove"};
         const absl::StatusOr<std::vector<Outcome>> outcomes = jobs.FinishMany(tr, {&request, 1});
         if (!outcomes.ok()) return outcomes.status();
         return JsonString(OutcomeName(outcomes->front()));
       }},
      {"resubmitByWorker",
       [](const Jobs& jobs, fdb::Transaction& tr, const Words& words) {
         return Of(jobs.ResubmitByWorker(tr, Held(words), words.ElementIfAny(3)));
       }},
      {"cancel", [](const Jobs& jobs, fdb::Transaction& tr,
                    const Words& words) { return Of(jobs.Cancel(tr, words.Element(0), words.Element(1))); }},
      {"resubmit", [](const Jobs& jobs, fdb::Transaction& tr,
                      const Words& words) { return Of(jobs.Resubmit(tr, words.Element(0), words.Element(1))); }},
      {"remove", [](const Jobs& jobs, fdb::Transaction& tr,
                    const Words& words) { return Of(jobs.Remove(tr, words.Element(0), words.Element(1))); }},
      {"setPriority",
       [](const Jobs& jobs, fdb::Transaction& tr, const Words& words) {
         return Of(jobs.SetPriority(tr, words.Element(0), words.Element(1), words.Element(2)));
       }},
      {"rescue", [](const Jobs& jobs, fdb::Transaction& tr,
                    const Words& words) { return RescueAll(jobs, tr, words.Element(0)); }},
      {"get",
       [](const Jobs& jobs, fdb::Transaction& tr, const Words& words) -> Answer {
         const absl::StatusOr<std::optional<Job>> job = jobs.GetJob(tr, words.Element(0), words.Element(1));
         if (!job.ok()) return job.status();
         return Show(*job);
       }},
      {"queue",
       [](const Jobs& jobs, fdb::Transaction& tr, const Words& words) {
         return ShowQueue(ListJobs(jobs, tr, words.Element(0), {.state = JobState::kPending, .limit = 1000}));
       }},
      {"counts",
       [](const Jobs& jobs, fdb::Transaction& tr, const Words& words) -> Answer {
         const absl::StatusOr<Counts> counts = jobs.CountJobs(tr, words.Element(0));
         if (!counts.ok()) return counts.status();
         return absl::StrCat("{\"pending\":", counts->pending, ",\"running\":", counts->running,
                             ",\"finished\":", counts->finished, "}");
       }},
  };
  return *calls;
}

// The layers of all prefixes that were named, and the calls on them.
class Peer {
 public:
  explicit Peer(const fdb::Database& db) : db_(db) {}

  Answer Run(const std::string& line) {
    std::vector<std::string> words = absl::StrSplit(line, ' ');
    if (words.size() < 2) return absl::InvalidArgumentError(absl::StrCat("no call: ", line));
    const std::string name = words[0];
    const Jobs& jobs = LayerOf(FromHex(words[1]));
    words.erase(words.begin(), words.begin() + 2);
    const Words arguments(std::move(words));
    // Those with transactions of their own.
    if (name == "drain") return Drain(db_, jobs, arguments.Element(0), arguments.Bytes(1));
    if (name == "check") return Violations(db_, jobs);
    const auto call = Calls().find(name);
    if (call == Calls().end()) return absl::InvalidArgumentError(absl::StrCat("unknown call: ", name));
    return fdb::Transact(db_, [&](fdb::Transaction& tr) { return call->second(jobs, tr, arguments); });
  }

 private:
  const Jobs& LayerOf(const std::string& prefix) {
    std::unique_ptr<Jobs>& layer = layers_[prefix];
    if (layer == nullptr) layer = std::make_unique<Jobs>(JobsOptions{.prefix = prefix});
    return *layer;
  }

  const fdb::Database& db_;
  std::map<std::string, std::unique_ptr<Jobs>> layers_;
};

int Main(const char* database) {
  const absl::StatusOr<fdb::Database> db = fdb::Database::Open(database);
  if (!db.ok()) {
    std::cerr << db.status() << "\n";
    return 1;
  }
  Peer peer(*db);
  for (std::string line; std::getline(std::cin, line);) {
    const Answer answer = peer.Run(line);
    std::cout << (answer.ok() ? *answer : absl::StrCat("{\"error\":", JsonString(answer.status().ToString()), "}"))
              << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace fdbjobs::test

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: interop_peer <database>, and calls on standard input\n";
    return 2;
  }
  return fdbjobs::test::Main(argv[1]);
}
