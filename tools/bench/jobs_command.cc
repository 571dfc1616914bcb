#include "tools/bench/jobs_command.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fdbjobs/fdb/database.h"
#include "tools/bench/errors.h"
#include "tools/bench/jobs_bench.h"
#include "tools/bench/jobs_settings.h"
#include "tools/bench/jobs_worker.h"
#include "tools/bench/jobs_workloads.h"
#include "tools/bench/json.h"
#include "tools/bench/machine.h"
#include "tools/bench/positive.h"

namespace fdbjobs::bench {
namespace {

struct RowName {
  const char* name;
  const char* durability;
  ClaimMode mode;
};

constexpr RowName kRows[] = {
    {"fdbjobs", "every add, claim and finish synced before the answer", ClaimMode::kDurable},
    {"fdbjobs-risky-claims", "every add and finish synced; a claim may be forgotten by a crash of the machine",
     ClaimMode::kRisky},
    {"fdbjobs-whole-jobs", "every add synced; claim, work and finish in one synced transaction", ClaimMode::kWhole},
};
constexpr char kCompetition[] = "competition";
constexpr char kBare[] = "bare";

constexpr char kFooter[] =
    R"(What is measured, each with jobs of some 100 bytes of JSON and a handler that does nothing:
  enqueueBulk      jobs a second, --bulk-chunk in a transaction, --bulk-in-flight of these at once
  enqueueSingle1   one job a transaction, each waits for its commit; enqueueSingle16: by 16 threads
  drain1, drain2   jobs a second by one and by two worker processes; runs say whether all were done (complete),
                   each exactly once (exact)
  endToEnd         microseconds from the call that adds to the start of the job, at 200 jobs a second
  backlog          microseconds a job with --shallow and with --deep jobs queued
  competition      claims a second and conflicts per claim, one job at a time, by 1, 4, 16 and 64 claimers
  bare             the same rows read and written by bare transactions, in batches and in flight as above, by one
                   process: blind adds, no conflicts, no checks; what the layer costs is the difference

Rows: fdbjobs commits claims durably; fdbjobs-risky-claims commits them with DURABILITY_RISKY, so that a crash of the
machine may forget a claim and the job is pending again; fdbjobs-whole-jobs claims, works and finishes in one transaction.

Examples:
  fdbjobs-bench jobs                                            all of it, on a disk below TMPDIR: some minutes
  fdbjobs-bench jobs --jobs 2000 --reps 1 --deep 5000 --cap 10 --single 1       a quick look
  fdbjobs-bench jobs --only fdbjobs --deep 1000000              with a million jobs queued
  fdbjobs-bench jobs --only competition --single 5
  fdbjobs-bench jobs --db fdb:/etc/foundationdb/fdb.cluster --batch 100 --in-flight 8 --bulk-chunk 100 --bulk-in-flight 16
Beside other queues: run.sh --ours "fdbjobs-bench jobs --json", which adds its own numbers as flags.)";

std::vector<std::string> PartNames() {
  std::vector<std::string> names;
  for (const RowName& row : kRows) names.emplace_back(row.name);
  names.emplace_back(kCompetition);
  names.emplace_back(kBare);
  return names;
}

Json Versions(const JobsSettings& settings) {
  const BenchDatabase database(settings.database);
  Json versions = Json::Object();
  versions["fdbjobs"] = FDBJOBS_VERSION;
  versions["client"] = database.db().client().version();
  return versions;
}

Json Settings(const JobsSettings& settings) {
  Json json = Json::Object();
  json["bulkChunk"] = settings.bulk_chunk;
  json["bulkInFlight"] = settings.bulk_in_flight;
  json["batch"] = settings.batch;
  json["inFlight"] = settings.in_flight;
  json["jobs"] = settings.jobs;
  json["reps"] = settings.reps;
  return json;
}

void RunJobs(const JobsSettings& settings) {
  const auto wanted = [&](const std::string& name) {
    return settings.only.empty() || std::count(settings.only.begin(), settings.only.end(), name) > 0;
  };
  Json result = Json::Object();
  const bool own_folder = settings.database.empty();
  result["benchmark"] = "jobs";
  result["database"] = own_folder ? "embedded" : settings.database;
  result["machine"] = DescribeMachine(own_folder ? std::filesystem::temp_directory_path().string() : "");
  // First, so that nothing of ours is left to be cleaned up by the database meanwhile.
  if (wanted(kBare)) {
    std::fprintf(stderr, "measuring %s\n", kBare);
    result[kBare] = MeasureBare(settings);
  }
  result["rows"] = Json::Array();
  for (const RowName& name : kRows) {
    if (!wanted(name.name)) continue;
    std::fprintf(stderr, "measuring %s\n", name.name);
    Json row = Json::Object();
    row["row"] = name.name;
    row["durability"] = name.durability;
    row["versions"] = Versions(settings);
    row["settings"] = Settings(settings);
    // One row that fails does not take the others with it: the peers' table shows its error.
    try {
      row["measured"] = MeasureRow(settings, name.mode);
    } catch (const BenchError& error) {
      std::fprintf(stderr, "%s: %s\n", name.name, error.what());
      row["error"] = error.what();
    }
    result["rows"].Add(std::move(row));
  }
  if (wanted(kCompetition)) {
    std::fprintf(stderr, "measuring %s\n", kCompetition);
    result[kCompetition] = MeasureCompetition(settings);
  }
  std::puts(result.ToString().c_str());
}

void AddWorkerCommand(CLI::App& app) {
  CLI::App* const command = app.add_subcommand(kJobsWorkerCommand, "A worker process of jobs")->group("");
  const auto settings = std::make_shared<JobsWorkerSettings>();
  command->add_option("--db", settings->database)->required();
  command->add_option("--prefix", settings->prefix)->required();
  command->add_option("--mode", settings->mode)->required();
  command->add_option("--batch", settings->batch);
  command->add_option("--in-flight", settings->in_flight);
  command->callback([settings] { RunJobsWorker(*settings); });
}

}  // namespace

void AddJobsCommand(CLI::App& app) {
  CLI::App* const command = app.add_subcommand(
      "jobs", "The jobs layer: adding, draining, latency, competing claimers; rows for the peers' table, as JSON");
  const auto settings = std::make_shared<JobsSettings>();
  command->add_flag("--json", settings->json, "JSON is what it prints; accepted so that all commands look alike");
  command->add_option("--db", settings->database,
                      "embedded:/folder or fdb:/cluster/file (default: folders in TMPDIR, removed at the end)");
  const auto number = [&](const char* name, auto& value, const char* help) {
    command->add_option(name, value, help)->check(Positive(value))->capture_default_str();
  };
  number("--jobs", settings->jobs, "Jobs of the bulk enqueue and of the drains");
  number("--reps", settings->reps, "Runs of those and of the single enqueues; medians are printed");
  number("--deep", settings->deep, "Jobs of the deep backlog");
  number("--shallow", settings->shallow, "Jobs of the shallow backlog");
  number("--cap", settings->cap, "Most seconds of one timed drain or bulk enqueue");
  number("--fill", settings->fill, "Most seconds for filling the deep backlog");
  number("--single", settings->single, "Seconds of each single-enqueue run, and of each number of competing claimers");
  number("--end-to-end", settings->end_to_end, "Seconds of the run that measures latency");
  number("--bulk-chunk", settings->bulk_chunk, "Jobs that one transaction adds in bulk");
  number("--bulk-in-flight", settings->bulk_in_flight, "Such transactions at once");
  number("--batch", settings->batch, "Jobs that one transaction claims, and finishes");
  number("--in-flight", settings->in_flight, "Such transactions at once in each worker process");
  std::string names;
  for (const std::string& name : PartNames()) names += (names.empty() ? "" : ",") + name;
  command->add_option("--only", settings->only, "Only these: " + names)
      ->delimiter(',')
      ->check(CLI::IsMember(PartNames()));
  command->footer(kFooter);
  command->callback([settings] { RunJobs(*settings); });
  AddWorkerCommand(app);
}

}  // namespace fdbjobs::bench
