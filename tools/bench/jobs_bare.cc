// The bare transactions of a jobs layer: what remains when nobody checks anything. The same rows are read and written
// as by the layer, but adds are blind, claimers know beforehand which jobs are theirs, so that they never conflict, and
// locks, JSON and receipts are left out. What the layer costs is the difference.
#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fdbjobs/fdb/transact.h"
#include "fdbjobs/keyspace/job_keys.h"
#include "fdbjobs/uuid.h"
#include "tools/bench/errors.h"
#include "tools/bench/in_threads.h"
#include "tools/bench/jobs_bench.h"
#include "tools/bench/jobs_payload.h"
#include "tools/bench/jobs_workloads.h"
#include "tools/bench/latency.h"
#include "tools/bench/rates.h"

namespace fdbjobs::bench {
namespace {

class Bare {
 public:
  explicit Bare(const JobsSettings& settings)
      : settings_(settings), database_(settings.database), keys_(database_.prefix()) {}

  // Each in jobs a second.
  double Add() {
    ids_.clear();
    for (int i = 0; i < settings_.jobs; ++i) ids_.push_back(NewJobId());
    return Timed(settings_.bulk_chunk, settings_.bulk_in_flight, [&](int from, int to) { AddSome(from, to); });
  }
  double ClaimAndFinish() {
    return Timed(settings_.batch, settings_.in_flight, [&](int from, int to) {
      ClaimSome(from, to);
      FinishSome(from, to);
    });
  }
  double Whole() {
    return Timed(settings_.batch, settings_.in_flight, [&](int from, int to) { WholeSome(from, to); });
  }

 private:
  using Values = std::vector<std::string>;

  // `some` is given each chunk of the jobs once, by one of `in_flight` threads.
  template <typename Some>
  double Timed(int chunk, int in_flight, Some some) {
    const Clock::time_point start = Clock::now();
    std::atomic<int> next = 0;
    InThreads(in_flight, [&] {
      int from;
      while ((from = next.fetch_add(chunk)) < settings_.jobs) some(from, std::min(settings_.jobs, from + chunk));
    });
    return settings_.jobs / SecondsSince(start);
  }

  template <typename Body>
  void Commit(Body body) {
    Require(fdb::Transact(database_.db(), body), "a bare transaction");
  }

  void AddSome(int from, int to) {
    Commit([&](fdb::Transaction& tr) {
      for (int i = from; i < to; ++i) {
        tr.Set(keys_.Data(type_, ids_[i]), Row(i, JobState::kPending, 0));
        tr.Set(Pending(i), "");
      }
      tr.Add(keys_.Count(type_, JobState::kPending), to - from);
      Stamp(tr, keys_.PendingWatch(type_), keyspace::JobKeys::StampAlone());
      return absl::OkStatus();
    });
  }

  void ClaimSome(int from, int to) {
    Commit([&](fdb::Transaction& tr) -> absl::Status {
      const absl::StatusOr<Values> rows = ReadQueueAndRows(tr, from, to);
      if (!rows.ok()) return rows.status();
      for (int i = from; i < to; ++i) {
        const auto version = static_cast<uint16_t>(i - from);
        tr.Clear(Pending(i));
        tr.AtomicOp(fdb::MutationType::kSetVersionstampedKey, keys_.ActivityToStamp(type_, 0, version),
                    keyspace::JobKeys::EncodeId(ids_[i]));
        Stamp(tr, keys_.Data(type_, ids_[i]), Row(i, JobState::kRunning, version));
      }
      tr.Add(keys_.Count(type_, JobState::kPending), from - to);
      tr.Add(keys_.Count(type_, JobState::kRunning), to - from);
      Stamp(tr, keys_.Watch(type_), keyspace::JobKeys::WatchToStamp(0));
      return absl::OkStatus();
    });
  }

  void FinishSome(int from, int to) {
    Commit([&](fdb::Transaction& tr) -> absl::Status {
      const absl::StatusOr<Values> rows = ReadRows(tr, from, to);
      if (!rows.ok()) return rows.status();
      for (int i = from; i < to; ++i) {
        const absl::StatusOr<keyspace::JobRow> row = keyspace::JobRow::Decode((*rows)[i - from]);
        if (!row.ok()) return row.status();
        tr.Clear(keys_.Activity(type_, row->sequence));
        tr.Clear(keys_.Data(type_, ids_[i]));
      }
      tr.Add(keys_.Count(type_, JobState::kRunning), from - to);
      Stamp(tr, keys_.Watch(type_), keyspace::JobKeys::WatchToStamp(0));
      return absl::OkStatus();
    });
  }

  void WholeSome(int from, int to) {
    Commit([&](fdb::Transaction& tr) -> absl::Status {
      if (absl::Status status = ReadQueueAndRows(tr, from, to).status(); !status.ok()) return status;
      for (int i = from; i < to; ++i) {
        tr.Clear(Pending(i));
        tr.Clear(keys_.Data(type_, ids_[i]));
      }
      tr.Add(keys_.Count(type_, JobState::kPending), from - to);
      return absl::OkStatus();
    });
  }

  // As a claim does, in two rounds: the rows of the queue, then the data rows.
  absl::StatusOr<Values> ReadQueueAndRows(fdb::Transaction& tr, int from, int to) {
    const std::string begin = Pending(from);
    const std::string end = Pending(to - 1) + '\0';
    const fdb::RangeFuture queue = tr.GetRange({.begin = fdb::KeySelectorView::FirstGreaterOrEqual(begin),
                                                .end = fdb::KeySelectorView::FirstGreaterOrEqual(end),
                                                .isolation = fdb::Isolation::kSnapshot,
                                                .limit = to - from,
                                                .mode = fdb::StreamingMode::kExact});
    if (absl::Status status = queue.AwaitView().status(); !status.ok()) return status;
    return ReadRows(tr, from, to);
  }

  absl::StatusOr<Values> ReadRows(fdb::Transaction& tr, int from, int to) {
    std::vector<fdb::ValueFuture> asked;
    for (int i = from; i < to; ++i) {
      asked.push_back(tr.Get(keys_.Data(type_, ids_[i]), fdb::Isolation::kSerializable));
    }
    Values values;
    for (const fdb::ValueFuture& one : asked) {
      const absl::StatusOr<std::optional<std::string_view>> value = one.AwaitView();
      if (!value.ok()) return value.status();
      if (!value->has_value()) return absl::InternalError("a job that was added is not there");
      values.emplace_back(**value);
    }
    return values;
  }

  std::string Pending(int i) const { return keys_.Pending(type_, 0, ids_[i]); }

  static std::string Row(int i, JobState state, uint16_t user_version) {
    keyspace::JobRow row;
    row.state = state;
    row.options = "{\"added\":1763440000123,\"data\":" + MakePayload({.id = i}) + "}";
    if (state != JobState::kRunning) return row.Encode();
    row.sequence = {0, tuple::Versionstamp::Incomplete(user_version)};
    return row.EncodeToStamp(user_version);
  }

  static void Stamp(fdb::Transaction& tr, const std::string& key, const std::string& value) {
    tr.AtomicOp(fdb::MutationType::kSetVersionstampedValue, key, value);
  }

  const JobsSettings& settings_;
  const BenchDatabase database_;
  const keyspace::JobKeys keys_;
  const JobType type_ = kBenchType;
  std::vector<JobId> ids_;
};

}  // namespace

Json MeasureBare(const JobsSettings& settings) {
  Bare bare(settings);
  std::vector<double> adds, drains, wholes;
  for (int i = 0; i < settings.reps; ++i) {
    adds.push_back(bare.Add());
    drains.push_back(bare.ClaimAndFinish());
    adds.push_back(bare.Add());
    wholes.push_back(bare.Whole());
  }
  const auto rates = [](const std::vector<double>& values) {
    Json runs = Json::Array();
    for (const double value : values) runs.Add(value);
    return Rates(values, std::move(runs));
  };
  Json json = Json::Object();
  json["enqueueBulk"] = rates(adds);
  json["claimAndFinish"] = rates(drains);
  json["wholeJobs"] = rates(wholes);
  return json;
}

}  // namespace fdbjobs::bench
