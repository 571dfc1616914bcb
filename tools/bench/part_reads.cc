#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tools/bench/abi_reader.h"
#include "tools/bench/bare_sqlite.h"
#include "tools/bench/engine_parts.h"
#include "tools/bench/latency.h"

namespace fdbjobs::bench {
namespace {

constexpr int kRowsInRange = 1000;
// Rows of the set that is read while it is in the engine's memory, and how long loading and reading it may take: the
// engine folds what is older than five and a half seconds.
constexpr uint64_t kFreshRows = 20'000;
constexpr double kFreshLoadSeconds = 1.5;
constexpr double kFreshReadSeconds = 2.5;

// One way to read, timed.
struct Subject {
  std::string name;
  // Reads some rows. How many.
  std::function<uint64_t()> read;
  uint64_t rows = 0;
  double seconds = 0;

  void RunFor(double duration) {
    const Clock::time_point start = Clock::now();
    do {
      rows += read();
    } while (SecondsSince(start) < duration);
    seconds += SecondsSince(start);
  }
  double PerSecond() const { return seconds > 0 ? static_cast<double>(rows) / seconds : 0; }
};

// Runs all for `seconds` each, in small slices by turns, so that a busy moment of the machine hits all alike.
void RunByTurns(std::vector<Subject>* subjects, double seconds) {
  constexpr double kSlice = 0.05;
  for (Subject& subject : *subjects) {
    subject.RunFor(kSlice);  // warms the caches
    subject.rows = 0;
    subject.seconds = 0;
  }
  while (subjects->front().seconds < seconds) {
    for (Subject& subject : *subjects) subject.RunFor(std::min(kSlice, seconds));
  }
}

// Random rows of a data set.
class Keys {
 public:
  Keys(const DataSet& data, uint64_t rows, uint64_t behind) : key_(data), rows_(0, rows - std::min(rows, behind + 1)) {}

  std::string_view Next() { return key_.At(rows_(random_)); }

 private:
  RowKey key_;
  std::mt19937_64 random_;
  std::uniform_int_distribution<uint64_t> rows_;
};

// The four ways to read `data` through the ABI. Borrows all that it is given.
std::vector<Subject> AbiSubjects(const fdb::Database& database, const DataSet& data, int in_flight) {
  std::vector<Subject> subjects;
  for (const bool snapshot : {false, true}) {
    auto reader = std::make_shared<AbiReader>(database, snapshot, in_flight);
    auto keys = std::make_shared<Keys>(data, data.rows(), 0);
    const std::string kind = snapshot ? "snapshot_" : "";
    subjects.push_back({kind + "point_reads", [=] { return reader->GetMany([&] { return keys->Next(); }); }});
    auto begins = std::make_shared<Keys>(data, data.rows(), kRowsInRange);
    subjects.push_back({kind + "range_rows", [=, end = data.End()] {
                          return reader->GetRanges([&] { return begins->Next(); }, end, kRowsInRange);
                        }});
  }
  return subjects;
}

// The same on bare SQLite.
std::vector<Subject> BareSubjects(std::shared_ptr<BareSqlite> bare, const DataSet& data) {
  auto keys = std::make_shared<Keys>(data, data.rows(), 0);
  auto begins = std::make_shared<Keys>(data, data.rows(), kRowsInRange);
  return {{"point_reads",
           [=] {
             for (int i = 0; i < AbiReader::kGetsInTransaction; ++i) bare->Get(keys->Next());
             return AbiReader::kGetsInTransaction;
           }},
          {"range_rows", [=, end = data.End()] {
             uint64_t rows = 0;
             for (int i = 0; i < AbiReader::kRangesInTransaction; ++i) {
               rows += bare->GetRange(begins->Next(), end, kRowsInRange);
             }
             return rows;
           }}};
}

Json ToJson(const std::vector<Subject>& subjects) {
  Json json = Json::Object();
  for (const Subject& subject : subjects) json[subject.name + "_per_second"] = subject.PerSecond();
  return json;
}

void AddRows(Report& report, const std::string& where, const std::vector<Subject>& subjects) {
  for (const Subject& subject : subjects) {
    std::string what = subject.name;
    std::replace(what.begin(), what.end(), '_', ' ');
    report.Row(absl::StrCat(what, ", ", where), Rate(subject.PerSecond(), "/s"));
  }
}

// Freshly committed rows, which the engine answers from memory.
std::vector<Subject> MeasureFresh(EngineBench& bench, const fdb::Database& database) {
  const DataSet asked(bench.prefix() + "fresh/", std::min(kFreshRows, bench.settings().rows));
  const uint64_t loaded = asked.Load(database, std::chrono::duration<double>(kFreshLoadSeconds));
  bench.NoteCommits(loaded);
  const DataSet fresh(asked.prefix(), loaded);
  std::vector<Subject> subjects = AbiSubjects(database, fresh, 1);
  RunByTurns(&subjects, std::min(bench.settings().seconds, kFreshReadSeconds / static_cast<double>(subjects.size())));
  return subjects;
}

void MeasureOnCluster(EngineBench& bench, const fdb::Database& database, Report& report, Json* json) {
  constexpr int kInFlight = 100;
  std::vector<Subject> subjects = AbiSubjects(database, bench.data(), kInFlight);
  RunByTurns(&subjects, bench.settings().seconds);
  (*json)["in_flight"] = kInFlight;
  (*json)["cluster"] = ToJson(subjects);
  AddRows(report, "cluster", subjects);
}

}  // namespace

void MeasureReads(EngineBench& bench, Report& report) {
  const fdb::Database database = bench.OpenLoaded();
  report.Head("Reads, one thread");
  Json json = Json::Object();
  json["rows_in_range"] = kRowsInRange;
  if (!bench.embedded()) {
    MeasureOnCluster(bench, database, report, &json);
    report.json()["reads"] = std::move(json);
    return;
  }
  bench.Settle(database);
  auto bare = std::make_shared<BareSqlite>(bench.ScratchPath("bare.sqlite"), bench.data());
  std::vector<Subject> subjects = BareSubjects(bare, bench.data());
  const size_t bare_count = subjects.size();
  for (Subject& subject : AbiSubjects(database, bench.data(), 1)) subjects.push_back(std::move(subject));
  RunByTurns(&subjects, bench.settings().seconds);
  const std::vector<Subject> of_bare(subjects.begin(), subjects.begin() + static_cast<long>(bare_count));
  const std::vector<Subject> of_base(subjects.begin() + static_cast<long>(bare_count), subjects.end());
  const std::vector<Subject> of_window = MeasureFresh(bench, database);

  json["bare"] = ToJson(of_bare);
  json["base"] = ToJson(of_base);
  json["window"] = ToJson(of_window);
  report.json()["reads"] = std::move(json);
  AddRows(report, "bare SQLite", of_bare);
  AddRows(report, "engine, in SQLite", of_base);
  AddRows(report, "engine, fresh", of_window);
  for (const Subject& subject : of_base) {
    const bool point = subject.name.ends_with("point_reads");
    std::string what = subject.name;
    std::replace(what.begin(), what.end(), '_', ' ');
    report.Ratio(subject.name + "_of_bare", what + ", of bare SQLite",
                 subject.PerSecond() / of_bare[point ? 0 : 1].PerSecond(), "0.5 or more");
  }
}

}  // namespace fdbjobs::bench
