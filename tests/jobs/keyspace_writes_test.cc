// What each call writes: the table of docs/keyspace.md, made again by running the calls and comparing the rows of the
// database before and after.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "fdbjobs/fdb/range.h"
#include "fdbjobs/fdb/transact.h"
#include "fdbjobs/jobs.h"
#include "tests/jobs/keyspace_page.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_database.h"

namespace fdbjobs::test {
namespace {

const char kType[] = "index";
const char kId[] = "job-1";

class KeyspaceWritesTest : public DatabaseTest {
 protected:
  using Database = std::map<std::string, std::string>;
  using Body = std::function<absl::Status(fdb::Transaction&)>;

  struct Scenario {
    const char* call;
    std::vector<Body> before;  // each in a transaction of its own
    Body body;
  };

  // The rows of the layer, in the database as it is.
  Database Rows() {
    Database rows;
    const keyspace::KeyRange all = jobs_->keys().All();
    const absl::StatusOr<std::vector<fdb::KeyValue>> read = fdb::Transact(db(), [&](fdb::Transaction& tr) {
      return fdb::ReadRange(tr, {.begin = fdb::KeySelectorView::FirstGreaterOrEqual(all.begin),
                                 .end = fdb::KeySelectorView::FirstGreaterOrEqual(all.end)});
    });
    EXPECT_THAT(read, IsOk());
    if (read.ok()) {
      for (const fdb::KeyValue& row : *read) rows[row.key] = row.value;
    }
    return rows;
  }

  void Run(const Body& body) { EXPECT_THAT(fdb::Transact(db(), body), IsOk()); }

  // "data" of ("couch_jobs", "data", ...).
  std::string NameOf(const std::string& key) {
    const absl::StatusOr<tuple::Tuple> decoded = tuple::Decode(std::string_view(key).substr(prefix().size()));
    EXPECT_THAT(decoded, IsOk());
    return decoded.ok() ? *(*decoded)[1].get_if<std::string>() : "";
  }

  // The state and the marks of the job.
  std::string StateNow() {
    const absl::StatusOr<std::optional<Job>> job =
        fdb::Transact(db(), [&](fdb::Transaction& tr) { return jobs_->GetJob(tr, kType, kId); });
    EXPECT_THAT(job, IsOk());
    if (!job.ok() || !job->has_value()) return "absent";
    return absl::StrCat(JobStateName((*job)->state), (*job)->cancel ? ", cancel" : "",
                        (*job)->resubmit ? ", resubmit" : "");
  }

  Counts CountsNow() {
    const absl::StatusOr<Counts> counts =
        fdb::Transact(db(), [&](fdb::Transaction& tr) { return jobs_->CountJobs(tr, kType); });
    EXPECT_THAT(counts, IsOk());
    return counts.ok() ? *counts : Counts();
  }

  static std::string Difference(const Counts& before, const Counts& after) {
    std::vector<std::string> parts;
    const auto add = [&parts](JobState state, int64_t delta) {
      if (delta != 0) parts.push_back(absl::StrCat(JobStateName(state), delta > 0 ? " +" : " ", delta));
    };
    add(JobState::kPending, after.pending - before.pending);
    add(JobState::kRunning, after.running - before.running);
    add(JobState::kFinished, after.finished - before.finished);
    return absl::StrJoin(parts, ", ");
  }

  // One row of the table.
  std::vector<std::string> Observe(const Scenario& scenario) {
    SCOPED_TRACE(scenario.call);
    Commit([&](fdb::Transaction& tr) { tr.ClearRange(prefix(), PrefixEnd()); });
    jobs_.emplace(JobsOptions{.prefix = prefix()});
    for (const Body& body : scenario.before) Run(body);
    const Database before = Rows();
    const std::string state_before = StateNow();
    const Counts counts_before = CountsNow();
    Run(scenario.body);
    const Database after = Rows();
    std::vector<std::string> set;
    std::vector<std::string> cleared;
    for (const auto& [key, value] : after) {
      const std::string name = NameOf(key);
      if (name == "count" || (before.contains(key) && before.at(key) == value)) continue;
      set.push_back(Code(name));
    }
    for (const auto& [key, value] : before) {
      if (!after.contains(key)) cleared.push_back(Code(NameOf(key)));
    }
    return {scenario.call,
            state_before,
            StateNow(),
            absl::StrJoin(set, " "),
            absl::StrJoin(cleared, " "),
            Difference(counts_before, CountsNow())};
  }

  ClaimedJob Held() const { return {.type = kType, .id = kId, .lock = kLock, .priority = 0}; }

  // What the scenarios are made of.
  Body SetTimeout(int seconds = 60) {
    return
        [this, seconds](fdb::Transaction& tr) { return jobs_->SetActivityTimeout(tr, kType, absl::Seconds(seconds)); };
  }
  Body Add(IfExists if_exists = IfExists::kError) {
    return [this, if_exists](fdb::Transaction& tr) {
      return jobs_->Add(tr, kType, {.id = kId, .data = "1"}, if_exists).status();
    };
  }
  Body Accept() {
    return [this](fdb::Transaction& tr) { return jobs_->Accept(tr, kType, {.lock = kLock}).status(); };
  }
  Body AcceptToFinish() {
    return [this](fdb::Transaction& tr) { return jobs_->AcceptToFinish(tr, kType, {.lock = kLock}).status(); };
  }
  Body Update() {
    return [this](fdb::Transaction& tr) { return jobs_->Update(tr, Held(), "2").status(); };
  }
  Body Finish(bool remove = false) {
    return [this, remove](fdb::Transaction& tr) {
      const FinishRequest request{.type = kType, .id = kId, .lock = kLock, .remove = remove};
      return jobs_->FinishMany(tr, {&request, 1}).status();
    };
  }
  Body WorkersResubmit() {
    return [this](fdb::Transaction& tr) { return jobs_->ResubmitByWorker(tr, Held()).status(); };
  }
  Body Cancel() {
    return [this](fdb::Transaction& tr) { return jobs_->Cancel(tr, kType, kId).status(); };
  }
  Body Resubmit() {
    return [this](fdb::Transaction& tr) { return jobs_->Resubmit(tr, kType, kId).status(); };
  }
  Body SetPriority() {
    return [this](fdb::Transaction& tr) { return jobs_->SetPriority(tr, kType, kId, 5).status(); };
  }
  Body Remove() {
    return [this](fdb::Transaction& tr) { return jobs_->Remove(tr, kType, kId).status(); };
  }
  // All that has not been renewed since now.
  Body Rescue() {
    return [this](fdb::Transaction& tr) -> absl::Status {
      const absl::StatusOr<std::optional<Sequence>> now = jobs_->GetWatch(tr, kType);
      if (!now.ok()) return now.status();
      return jobs_->Rescue(tr, kType, **now, 10).status();
    };
  }
  static Body Both(Body first, Body second) {
    return [first, second](fdb::Transaction& tr) -> absl::Status {
      if (absl::Status status = first(tr); !status.ok()) return status;
      return second(tr);
    };
  }

  static constexpr Lock kLock{{1, 2, 3}};
  std::optional<Jobs> jobs_;
};

TEST_F(KeyspaceWritesTest, EachCallWritesTheListedRows) {
  const std::vector<Body> pending = {SetTimeout(), Add()};
  const std::vector<Body> running = {SetTimeout(), Add(), Accept()};
  const std::vector<Body> finished = {SetTimeout(), Add(), Accept(), Finish()};
  const auto and_then = [](std::vector<Body> before, std::vector<Body> more) {
    before.insert(before.end(), more.begin(), more.end());
    return before;
  };
  const std::vector<Body> canceled = and_then(running, {Cancel()});
  const std::vector<Body> resubmitted = and_then(running, {Resubmit()});
  const std::vector<Body> both = and_then(canceled, {Resubmit()});
  const Scenario scenarios[] = {
      {"set timeout", {}, SetTimeout()},
      {"set timeout, the same", {SetTimeout()}, SetTimeout()},
      {"clear timeout",
       {SetTimeout()},
       [this](fdb::Transaction& tr) { return jobs_->ClearActivityTimeout(tr, kType); }},
      {"raise incarnation", {}, [this](fdb::Transaction& tr) { return jobs_->RaiseIncarnation(tr).status(); }},
      {"add", {SetTimeout()}, Add()},
      {"add or keep", pending, Add(IfExists::kKeep)},
      {"add or resubmit", running, Add(IfExists::kResubmit)},
      {"add or resubmit", finished, Add(IfExists::kResubmit)},
      {"accept", pending, Accept()},
      {"accept and finish in one transaction", pending, Both(Accept(), Finish())},
      {"whole job in one transaction", pending, Both(AcceptToFinish(), Finish())},
      {"update", running, Update()},
      {"update", resubmitted, Update()},
      {"update", canceled, Update()},
      {"update", both, Update()},
      {"finish", running, Finish()},
      {"finish", resubmitted, Finish()},
      {"finish", canceled, Finish()},
      {"finish", both, Finish()},
      {"finish and remove", running, Finish(true)},
      {"worker's resubmit", running, WorkersResubmit()},
      {"cancel", pending, Cancel()},
      {"cancel", running, Cancel()},
      {"cancel", resubmitted, Cancel()},
      {"resubmit", running, Resubmit()},
      {"resubmit", canceled, Resubmit()},
      {"resubmit", finished, Resubmit()},
      {"set priority", pending, SetPriority()},
      {"set priority", running, SetPriority()},
      {"set priority", finished, SetPriority()},
      {"remove", pending, Remove()},
      {"remove", running, Remove()},
      {"remove", finished, Remove()},
      {"rescue", running, Rescue()},
      {"rescue", resubmitted, Rescue()},
      {"rescue", canceled, Rescue()},
      {"rescue", both, Rescue()},
      {"rescue of an entry that was left behind", and_then(pending, {Both(Accept(), Finish())}), Rescue()},
  };
  std::vector<std::vector<std::string>> rows;
  for (const Scenario& scenario : scenarios) rows.push_back(Observe(scenario));
  ExpectTable("| call | job before | job after | set or stamped | cleared | counts |", rows);
}

}  // namespace
}  // namespace fdbjobs::test
