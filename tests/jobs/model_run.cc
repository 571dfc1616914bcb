#include "tests/jobs/model_run.h"

#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "fdbjobs/fdb/error_codes.h"
#include "fdbjobs/fdb/status.h"
#include "fdbjobs/fdb/transact.h"
#include "tests/jobs/check_keyspace.h"
#include "tests/jobs/engine_faults.h"
#include "tests/jobs/keyspace_contents.h"

namespace fdbjobs::test {
namespace {

// Receipt rows are used again: a run has one transaction at a time, and a Claimer's watch may keep another.
constexpr int64_t kMostReceipts = 3;

// Faults do not come one after the other for ever.
constexpr int kMostTries = 1000;

constexpr char kFaults[] =
    "not_committed=0.15,unknown_before=0.1,unknown_after=0.15,timed_out=0.01,too_old=0.01,future_version=0.01,"
    "watch_early=0.5";

}  // namespace

ModelRun::ModelRun(const fdb::Database& db, const std::string& prefix, uint64_t seed, bool faults)
    : db_(db), jobs_({.prefix = prefix + "jobs/"}), effect_key_(prefix + "effects"), faults_(faults), random_(seed) {}

void ModelRun::Fail(const std::string& what) {
  if (failure_.empty()) failure_ = absl::StrCat(what, "\ncalls of the step:\n  ", absl::StrJoin(try_.log, "\n  "));
}

void ModelRun::SetFaults(bool on) {
  if (!faults_) return;
  // Another seed in each try, or the same fault would come again and again.
  const uint64_t seed = step_seed_ + static_cast<uint64_t>(tries_);
  SetEngineFaults(db_, on ? absl::StrCat("seed=", seed, ",", kFaults) : "");
}

void ModelRun::Run(int steps) {
  for (int step = 0; step < steps && failure_.empty(); ++step) Step();
  SetFaults(false);
}

void ModelRun::Step() {
  step_seed_ = random_();
  tries_ = 0;
  try_ = {model_};
  const uint64_t kind = random_() % 100;
  SetFaults(true);
  absl::Status status;
  if (kind < 70) {
    status = RunOwned();
  } else if (kind < 90) {
    status = RunBorrowed();
  } else if (kind < 95) {
    status = RunDropped();
  } else {
    status = RunClaimer();
  }
  SetFaults(false);
  if (!status.ok()) Fail(status.ToString());
  if (failure_.empty()) CompareWithDatabase();
}

absl::Status ModelRun::Body(fdb::Transaction& tr, const std::optional<fdb::Receipt>& receipt) {
  std::mt19937_64 random(step_seed_);
  const std::vector<std::string> log_before = std::move(try_.log);
  try_ = {model_};
  if (++tries_ > kMostTries) {
    try_.log = log_before;
    Fail(absl::StrCat(kMostTries, " tries of one transaction, and none got through"));
    return absl::InternalError("too many tries");
  }
  // The engine's syncs are not what is tested here.
  if (absl::Status status = tr.SetOption(fdb::TransactionFlag::kDurabilityRisky); !status.ok()) return status;
  RandomCalls calls(jobs_, tr, try_.model, random, faults_ ? QueueOrder::kFirstPriority : QueueOrder::kStrict);
  const absl::Status status = calls.Make(static_cast<int>(1 + random() % (random() % 10 == 0 ? 25 : 6)));
  try_.log = calls.log();
  if (!calls.differences().empty()) Fail(absl::StrJoin(calls.differences(), "\n"));
  if (!status.ok()) return status;
  if (receipt.has_value()) tr.WriteReceipt(*receipt);
  if (try_.model.wrote() && !tr.receipt_written()) Fail("the transaction has changed rows and has no receipt");
  try_.receipt = tr.receipt_written() ? tr.receipt() : std::nullopt;
  if (try_.model.wrote()) tr.Add(effect_key_, 1);
  return absl::OkStatus();
}

bool ModelRun::MayTryAgain(const absl::Status& status) {
  ++retries_;
  return faults_ && failure_.empty() &&
         (fdb::IsRetryable(status) || fdb::FdbCode(status) == fdb::error::kTransactionTimedOut);
}

absl::StatusOr<bool> ModelRun::HasCommitted() {
  // A transaction without a receipt has changed nothing, so it may be made again.
  if (!try_.receipt.has_value()) return false;
  SetFaults(false);
  const absl::StatusOr<bool> committed =
      fdb::Transact(db_, [this](fdb::Transaction& tr) { return Jobs::HasCommitted(tr, *try_.receipt); });
  SetFaults(true);
  return committed;
}

absl::Status ModelRun::RunOwned() {
  while (true) {
    int tries = 0;
    const absl::Status status = fdb::Transact(db_, [&](fdb::Transaction& tr) {
      ++tries;
      return Body(tr, std::nullopt);
    });
    retries_ += tries - 1;
    if (status.ok() || !MayTryAgain(status)) return status;
    if (!fdb::MaybeCommitted(status)) continue;
    const absl::StatusOr<bool> committed = HasCommitted();
    if (!committed.ok() || *committed) return committed.status();
  }
}

// A loop of the caller's own, on the caller's raw transaction.
absl::Status ModelRun::RunBorrowed() {
  absl::StatusOr<fdb::OwnedTransaction> callers = db_.CreateTransaction();
  if (!callers.ok()) return callers.status();
  const fdb::Receipt receipt = jobs_.NewReceipt();
  bool unknown = false;
  while (true) {
    absl::Status status;
    {
      fdb::BorrowedTransaction tr(db_.client(), callers->raw());
      if (unknown) {
        const absl::StatusOr<bool> committed = Jobs::HasCommitted(tr, receipt);
        if (committed.ok() && *committed) return absl::OkStatus();
        status = committed.status();
      }
      if (status.ok()) status = Body(tr, receipt);
    }
    if (status.ok()) {
      status = callers->Commit().Await();
      if (status.ok()) return status;
      unknown |= fdb::MaybeCommitted(status);
    }
    if (!MayTryAgain(status)) return status;
    if (!callers->OnError(fdb::FdbCode(status)).Await().ok()) callers->Reset();
  }
}

absl::Status ModelRun::RunDropped() {
  absl::StatusOr<fdb::OwnedTransaction> tr = db_.CreateTransaction();
  if (!tr.ok()) return tr.status();
  const absl::Status status = Body(*tr, std::nullopt);
  const std::vector<std::string> log = std::move(try_.log);
  try_ = {model_};
  try_.log = log;
  return fdb::FdbCode(status) != 0 && faults_ ? absl::OkStatus() : status;
}

absl::Status ModelRun::RunClaimer() {
  std::mt19937_64 random(step_seed_);
  const JobType& type = ModelTypes()[random() % ModelTypes().size()];
  const int limit = static_cast<int>(1 + random() % 3);
  try_.log = {absl::StrCat("Claimer ", type.ToString(), " limit ", limit)};
  Claimer claimer(db_, jobs_, type, {.limit = limit, .risky = true});
  // A deadline in the past looks once; an error that it reports then has claimed nothing.
  const absl::StatusOr<Claimed> claimed = claimer.Accept(absl::InfinitePast());
  if (!claimed.ok()) return MayTryAgain(claimed.status()) ? absl::OkStatus() : claimed.status();
  const QueueOrder order = faults_ ? QueueOrder::kFirstPriority : QueueOrder::kStrict;
  AcceptOptions options;
  options.limit = limit;
  for (const std::string& difference : ApplyClaim(type, options, *claimed, /*to_finish=*/false, order, &try_.model)) {
    Fail(difference);
  }
  // The Claimer's transaction has no effect of the run's.
  if (!claimed->jobs.empty()) --effects_;
  return absl::OkStatus();
}

void ModelRun::CompareWithDatabase() {
  const absl::StatusOr<KeyspaceContents> contents = ReadKeyspace(db_, jobs_.keys());
  if (!contents.ok()) return Fail(contents.status().ToString());
  if (try_.model.wrote()) ++effects_;
  std::vector<std::string> wrong = CheckKeyspace(*contents);
  for (std::string& difference : try_.model.Settle(*contents)) wrong.push_back(std::move(difference));
  if (contents->receipts > kMostReceipts) wrong.push_back(absl::StrCat(contents->receipts, " receipts"));
  const auto effects = fdb::Transact(
      db_, [this](fdb::Transaction& tr) { return tr.Get(effect_key_, fdb::Isolation::kSnapshot).Await(); });
  if (!effects.ok()) return Fail(effects.status().ToString());
  const absl::StatusOr<int64_t> count =
      effects->has_value() ? keyspace::JobKeys::DecodeCount(**effects) : absl::StatusOr<int64_t>(0);
  if (!count.ok() || *count != effects_) {
    wrong.push_back(absl::StrCat(effects_, " transactions had an effect, the database has ", count.value_or(-1)));
  }
  if (!wrong.empty()) return Fail(absl::StrJoin(wrong, "\n"));
  model_ = try_.model;
}

}  // namespace fdbjobs::test
