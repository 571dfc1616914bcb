#include "tools/bench/jobs_workloads.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include "tools/bench/jobs_bench.h"
#include "tools/bench/jobs_payload.h"
#include "tools/bench/latency.h"
#include "tools/bench/rates.h"

namespace fdbjobs::bench {
namespace {

constexpr int kProducers = 16;

void Log(const char* what) { std::fprintf(stderr, "  %s\n", what); }

// One row, part by part.
class Row {
 public:
  Row(const JobsSettings& settings, ClaimMode mode) : settings_(settings), mode_(mode) { Reset(); }

  Json Measure() {
    MeasureBoots();
    Log("bulk enqueue, drain with one and with two processes");
    MeasureDrains();
    Log("single enqueue");
    for (const int producers : {1, kProducers}) MeasureSingle(producers);
    Log("end to end, 200/s");
    MeasureEndToEnd();
    Log("drain of a shallow and of a deep backlog");
    MeasureBacklogs();
    return std::move(json_);
  }

 private:
  // A fresh database, when jobs of one workload are left that would disturb the next.
  void Reset() {
    bench_.reset();
    bench_ = std::make_unique<JobsBench>(settings_, mode_);
  }

  JobsBench::Drained DrainOrReset(int processes, int64_t queued) {
    JobsBench::Drained drained = bench_->Drain(processes, queued, 0, settings_.cap);
    if (!drained.complete) {
      Log("  (not done in time: starting afresh)");
      Reset();
    }
    return drained;
  }

  void MeasureBoots() {
    Json boot_us = Json::Object();
    for (int processes = 1; processes <= 2; ++processes) {
      std::vector<double> boots;
      for (int i = 0; i < 5; ++i) boots.push_back(static_cast<double>(bench_->Boot(processes)));
      boot_us_[processes - 1] = Median(boots);
      boot_us[processes == 1 ? "1" : "2"] = boot_us_[processes - 1];
    }
    json_["bootUs"] = std::move(boot_us);
  }

  void MeasureDrains() {
    std::vector<double> bulk_rates;
    Json bulk_runs = Json::Array();
    for (int processes = 1; processes <= 2; ++processes) {
      std::vector<double> rates;
      Json runs = Json::Array();
      for (int i = 0; i < settings_.reps; ++i) {
        const JobsBench::Done added = bench_->Bulk(settings_.jobs, settings_.cap);
        bulk_rates.push_back(added.PerSecond());
        Json bulk = Json::Object();
        bulk["jobs"] = added.jobs;
        bulk["us"] = added.us;
        bulk["complete"] = added.jobs == settings_.jobs;
        bulk_runs.Add(std::move(bulk));
        rates.push_back(DrainAll(processes, added.jobs, &runs));
      }
      json_[processes == 1 ? "drain1" : "drain2"] = Rates(rates, std::move(runs));
    }
    json_["enqueueBulk"] = Rates(bulk_rates, std::move(bulk_runs));
  }

  double DrainAll(int processes, int64_t queued, Json* runs) {
    const JobsBench::Drained drained = DrainOrReset(processes, queued);
    const double us = std::max(1.0, static_cast<double>(drained.us) - boot_us_[processes - 1]);
    const double rate = static_cast<double>(drained.jobs) * 1e6 / us;
    Json run = Json::Object();
    run["queued"] = queued;
    run["handled"] = drained.handled;
    run["us"] = drained.us;
    run["complete"] = drained.complete;
    run["exact"] = drained.handled == queued && drained.id_sum == queued * (queued - 1) / 2;
    run["perSecond"] = rate;
    runs->Add(std::move(run));
    return rate;
  }

  void MeasureSingle(int producers) {
    std::vector<double> rates;
    Json runs = Json::Array();
    for (int i = 0; i < settings_.reps; ++i) {
      const JobsBench::Done added = bench_->Single(producers);
      rates.push_back(added.PerSecond());
      Json run = Json::Object();
      run["jobs"] = added.jobs;
      run["us"] = added.us;
      run["complete"] = true;
      run["perSecond"] = added.PerSecond();
      run["p50us"] = Median(added.took_us);
      run["p99us"] = Percentile(added.took_us, 99);
      const JobsBench::Drained drained = DrainOrReset(2, added.jobs);
      run["exact"] = drained.complete && drained.handled == added.jobs;
      runs.Add(std::move(run));
    }
    json_[producers == 1 ? "enqueueSingle1" : "enqueueSingle16"] = Rates(rates, std::move(runs));
  }

  // Open loop: a job is due every five milliseconds, whether or not those before were answered.
  void MeasureEndToEnd() {
    constexpr int kRate = 200;
    const int jobs = std::max(1, static_cast<int>(kRate * settings_.end_to_end));
    bench_->StartWorkers(1);
    std::this_thread::sleep_for(std::chrono::seconds(1));  // until they wait, as with the peers
    const Clock::time_point start = Clock::now();
    std::vector<double> acks(jobs);
    std::vector<std::thread> producers;
    for (int p = 0; p < kProducers; ++p) {
      producers.emplace_back([&, p] {
        for (int i = p; i < jobs; i += kProducers) {
          std::this_thread::sleep_until(start + std::chrono::microseconds(int64_t{i} * 1'000'000 / kRate));
          const int64_t call = NowMicros();
          bench_->AddOne(i, call);
          acks[i] = static_cast<double>(NowMicros() - call);
        }
      });
    }
    for (std::thread& producer : producers) producer.join();
    while (bench_->CountLeft() > 0 && SecondsSince(start) < settings_.end_to_end + settings_.cap) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    const JobsBench::Drained drained = bench_->StopWorkers(1);
    const std::vector<double> latencies(drained.latencies_us.begin(), drained.latencies_us.end());
    Json end_to_end = Json::Object();
    end_to_end["rate"] = kRate;
    end_to_end["seconds"] = settings_.end_to_end;
    end_to_end["enqueued"] = jobs;
    end_to_end["handled"] = drained.handled;
    end_to_end["p50us"] = Median(latencies);
    end_to_end["p99us"] = Percentile(latencies, 99);
    end_to_end["maxUs"] = Percentile(latencies, 100);
    end_to_end["ackP50us"] = Median(acks);
    end_to_end["ackP99us"] = Percentile(acks, 99);
    json_["endToEnd"] = std::move(end_to_end);
    if (bench_->CountLeft() > 0) Reset();
  }

  void MeasureBacklogs() {
    std::vector<double> times;
    for (int i = 0; i < 15; ++i) {
      const auto boot = static_cast<double>(bench_->Boot(1));
      const JobsBench::Done added = bench_->Bulk(settings_.shallow, settings_.cap);
      const JobsBench::Drained drained = DrainOrReset(1, added.jobs);
      times.push_back((static_cast<double>(drained.us) - boot) /
                      static_cast<double>(std::max<int64_t>(1, drained.jobs)));
    }
    const JobsBench::Done filled = bench_->Bulk(settings_.deep, settings_.fill);
    const int64_t depth = bench_->CountLeft();
    const JobsBench::Drained drained = bench_->Drain(1, depth, depth / 2, settings_.cap);
    Json shallow = Json::Object();
    shallow["depth"] = settings_.shallow;
    shallow["usPerJob"] = Median(times);
    Json deep = Json::Object();
    deep["depth"] = depth;
    deep["usPerJob"] =
        (static_cast<double>(drained.us) - boot_us_[0]) / static_cast<double>(std::max<int64_t>(1, drained.jobs));
    deep["complete"] = drained.complete;
    deep["jobs"] = drained.jobs;
    deep["us"] = drained.us;
    deep["fillUs"] = filled.us;
    Json backlog = Json::Object();
    backlog["shallow"] = std::move(shallow);
    backlog["deep"] = std::move(deep);
    json_["backlog"] = std::move(backlog);
  }

  const JobsSettings& settings_;
  const ClaimMode mode_;
  std::unique_ptr<JobsBench> bench_;
  double boot_us_[2] = {0, 0};  // of one and of two processes
  Json json_ = Json::Object();
};

}  // namespace

Json MeasureRow(const JobsSettings& settings, ClaimMode mode) { return Row(settings, mode).Measure(); }

}  // namespace fdbjobs::bench
