#include "tools/bench/engine_command.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tools/bench/engine_bench.h"
#include "tools/bench/engine_parts.h"
#include "tools/bench/machine.h"
#include "tools/bench/positive.h"
#include "tools/bench/report.h"
#include "tools/bench/sync_probe.h"
#include "tools/bench/worker.h"

namespace fdbjobs::bench {
namespace {

std::vector<std::string> PartNames() {
  std::vector<std::string> names;
  for (const EnginePart& part : EngineParts()) names.emplace_back(part.name);
  return names;
}

Json DescribeVersions(const EngineBench& bench) {
  const fdb::Database database = bench.Open();
  Json versions = Json::Object();
  versions["fdbjobs"] = FDBJOBS_VERSION;
  versions["client"] = database.client().version();
  versions["client_library"] = database.client().library_path();
  versions["sqlite"] = sqlite3_libversion();
  versions["compiler"] = __VERSION__;
  versions["build"] = FDBJOBS_BUILD;
  return versions;
}

Json DescribeSettings(const EngineBench& bench) {
  const EngineSettings& settings = bench.settings();
  Json json = Json::Object();
  json["rows"] = settings.rows;
  json["key_bytes"] = DataSet::kKeySize;
  json["value_bytes"] = DataSet::kValueSize;
  json["seconds"] = settings.seconds;
  json["watch_rounds"] = settings.watch_rounds;
  json["only"] = Json::Array();
  for (const std::string& name : settings.only) json["only"].Add(name);
  return json;
}

// One sync before the load begins, as a measure of the disk.
LatencySummary MeasureSync(const EngineBench& bench) {
  constexpr int kSyncs = 200;
  SyncProbe probe(bench.ScratchPath("sync-"));
  std::vector<std::chrono::nanoseconds> times;
  for (int i = 0; i < kSyncs; ++i) times.push_back(probe.Overwrite());
  return Summarize(std::move(times));
}

void Describe(const EngineBench& bench, Report& report) {
  Json& json = report.json();
  json["benchmark"] = "engine";
  json["database"] = bench.database_name();
  json["started"] = absl::FormatTime(absl::RFC3339_sec, absl::Now(), absl::UTCTimeZone());
  json["machine"] = DescribeMachine(bench.folder());
  report.Head(bench.database_name());
  report.Row("cores", absl::StrCat(std::thread::hardware_concurrency()));
  if (bench.embedded()) {
    const LatencySummary sync = MeasureSync(bench);
    json["machine"]["fdatasync_us"] = sync.ToJson();
    report.Row("fdatasync of 4 KB, before all", Time(sync.median_us), Times(sync));
  }
  json["versions"] = DescribeVersions(bench);
  json["settings"] = DescribeSettings(bench);
}

void RunEngine(const EngineSettings& settings) {
  EngineBench bench(settings);
  Report report;
  Describe(bench, report);
  for (const EnginePart& part : EngineParts()) {
    if (!bench.embedded() && !part.on_cluster) continue;
    const auto& only = settings.only;
    if (!only.empty() && std::find(only.begin(), only.end(), part.name) == only.end()) continue;
    std::fprintf(stderr, "measuring %s...\n", part.name);
    part.measure(bench, report);
  }
  std::puts(settings.json ? report.json().ToString().c_str() : report.ToTable().c_str());
}

void AddWorkerCommand(CLI::App& app) {
  CLI::App* const command = app.add_subcommand(kWorkerCommand, "A second process of engine")->group("");
  const auto settings = std::make_shared<WorkerSettings>();
  command->add_option("role", settings->role)->required();
  command->add_option("--db", settings->database)->required();
  command->add_option("--prefix", settings->prefix)->required();
  command->add_option("--rows", settings->rows);
  command->add_option("--threads", settings->threads);
  command->add_option("--seconds", settings->seconds);
  command->callback([settings] { RunWorker(*settings); });
}

}  // namespace

const std::vector<EnginePart>& EngineParts() {
  static const auto* const parts = new std::vector<EnginePart>{
      {"reads", &MeasureReads, true},          {"commits", &MeasureCommits, true},
      {"processes", &MeasureProcesses, false}, {"latency", &MeasureLatency, false},
      {"sustained", &MeasureSustained, false}, {"watch", &MeasureWatch, true},
      {"memory", &MeasureMemory, false},
  };
  return *parts;
}

void AddEngineCommand(CLI::App& app) {
  CLI::App* const command =
      app.add_subcommand("engine", "The engine below the fdb_c ABI: reads, commits, watches, memory");
  const auto settings = std::make_shared<EngineSettings>();
  command->add_flag("--json", settings->json, "Print all numbers as JSON instead of a table");
  command->add_option("--db", settings->database,
                      "embedded:/folder or fdb:/cluster/file (default: a folder in TMPDIR, removed at the end)");
  command->add_option("--seconds", settings->seconds, "How long each measurement runs")
      ->check(Positive(settings->seconds))
      ->capture_default_str();
  command->add_option("--rows", settings->rows, "How many rows the database has")
      ->check(Positive(settings->rows))
      ->capture_default_str();
  command->add_option("--watch-rounds", settings->watch_rounds, "How many watches are fired")
      ->check(Positive(settings->watch_rounds))
      ->capture_default_str();
  command->add_option("--only", settings->only, absl::StrCat("Only these: ", absl::StrJoin(PartNames(), ",")))
      ->delimiter(',')
      ->check(CLI::IsMember(PartNames()));
  command->callback([settings] { RunEngine(*settings); });
  AddWorkerCommand(app);
}

}  // namespace fdbjobs::bench
