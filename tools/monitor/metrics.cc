#include "tools/monitor/metrics.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "fdbjobs/keyspace/tuple_parse.h"
#include "prometheus/metric_family.h"
#include "prometheus/text_serializer.h"

namespace fdbjobs::monitor_tool {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

// Collects families in the order in which they are first named.
class Families {
 public:
  void Add(MetricType type, const std::string& name, const std::string& help, double value, Labels labels = {}) {
    const auto [place, is_new] = index_.emplace(name, families_.size());
    if (is_new) families_.push_back({.name = name, .help = help, .type = type, .metric = {}});
    ClientMetric metric;
    metric.label = std::move(labels);
    if (type == MetricType::Counter) {
      metric.counter.value = value;
    } else {
      metric.gauge.value = value;
    }
    families_[place->second].metric.push_back(std::move(metric));
  }
  void Counter(const std::string& name, const std::string& help, double value, Labels labels = {}) {
    Add(MetricType::Counter, name, help, value, std::move(labels));
  }
  void Gauge(const std::string& name, const std::string& help, double value, Labels labels = {}) {
    Add(MetricType::Gauge, name, help, value, std::move(labels));
  }

  const std::vector<MetricFamily>& families() const { return families_; }

 private:
  std::vector<MetricFamily> families_;
  std::map<std::string, size_t> index_;
};

double Seconds(absl::Duration duration) { return absl::ToDoubleSeconds(duration); }

// The monitor's own time as the time of day.
double Timestamp(const World& world, absl::Time time) {
  return absl::ToUnixMicros(world.wall_now - (world.monitor_now - time)) / 1e6;
}

void AddMonitor(const World& world, Families* families) {
  const MonitorStats& stats = world.stats;
  families->Gauge("fdbjobs_monitor_database_up", "1 while the database answers, else 0", stats.contact ? 1 : 0);
  if (stats.last_contact.has_value()) {
    families->Gauge("fdbjobs_monitor_last_contact_timestamp_seconds", "When the database answered last",
                    Timestamp(world, *stats.last_contact));
  }
  families->Gauge("fdbjobs_monitor_types", "Types that are watched over", static_cast<double>(stats.types.size()));
  families->Gauge("fdbjobs_monitor_types_asleep", "Types of which nothing runs",
                  static_cast<double>(std::count_if(stats.types.begin(), stats.types.end(),
                                                    [](const TypeStats& type) { return type.asleep; })));
  families->Gauge("fdbjobs_monitor_types_damaged", "Timeouts that can't be read",
                  static_cast<double>(stats.damaged_types));
  families->Counter("fdbjobs_monitor_rounds_total", "Rounds of the monitor", static_cast<double>(stats.rounds));
  families->Counter("fdbjobs_monitor_receipts_pruned_total", "Receipts of ended processes that were removed",
                    static_cast<double>(stats.receipts_pruned));
  ErrorCounts errors = stats.errors;
  for (const TypeStats& type : stats.types) {
    for (const auto& [code, count] : type.errors) errors[code] += count;
  }
  // Always there, so that a rate can be asked for before the first error.
  for (const int code : {0, 1007, 1020, 1021, 1031, 2101}) errors.emplace(code, 0);
  for (const auto& [code, count] : errors) {
    families->Counter("fdbjobs_monitor_errors_total", "Failed tries, by FoundationDB's error code; 0: other errors",
                      static_cast<double>(count), {{"code", absl::StrCat(code)}});
  }
}

void AddTypeStats(const World& world, const TypeStats& type, const Labels& labels, Families* families) {
  families->Counter("fdbjobs_monitor_reenqueued_total", "Jobs that were put back, since their worker stopped reporting",
                    static_cast<double>(type.reenqueued), labels);
  families->Counter("fdbjobs_monitor_finished_total", "The same, but finished, since they were canceled",
                    static_cast<double>(type.finished), labels);
  families->Counter("fdbjobs_monitor_dropped_total", "Activity entries that were no job's any more",
                    static_cast<double>(type.dropped), labels);
  families->Counter("fdbjobs_monitor_conflicts_total", "Batches that lost against another monitor or a late worker",
                    static_cast<double>(type.conflicts), labels);
  families->Counter("fdbjobs_monitor_batches_total", "Transactions that put jobs back",
                    static_cast<double>(type.batches), labels);
  families->Gauge("fdbjobs_monitor_batch_unsettled",
                  "1 while it is not known whether the last batch committed; its jobs are in no counter",
                  type.unsettled ? 1 : 0, labels);
  families->Counter("fdbjobs_monitor_looks_total", "Looks at the type", static_cast<double>(type.looks), labels);
  families->Counter("fdbjobs_monitor_scans_total", "Scans for stale jobs", static_cast<double>(type.passes), labels);
  families->Counter("fdbjobs_monitor_scan_seconds_total", "Time that scans took", Seconds(type.all_scans), labels);
  families->Gauge("fdbjobs_monitor_scan_duration_seconds", "Time that the last scan took", Seconds(type.last_scan),
                  labels);
  families->Gauge("fdbjobs_monitor_batch_size", "Most jobs in the next transaction", type.batch_limit, labels);
  families->Gauge("fdbjobs_monitor_stale_backlog", "Stale jobs that wait for the monitor; counted up to 10000",
                  static_cast<double>(type.stale_backlog), labels);
  families->Gauge("fdbjobs_monitor_damaged_entries", "Activity entries that can't be read and are set aside",
                  static_cast<double>(type.damaged), labels);
  families->Gauge("fdbjobs_activity_timeout_seconds", "The type's activity timeout", Seconds(type.timeout), labels);
  if (type.oldest_heartbeat.has_value()) {
    families->Gauge("fdbjobs_oldest_heartbeat_seconds", "Age of the oldest heartbeat of a running job",
                    Seconds(*type.oldest_heartbeat), labels);
  }
  if (type.last_success.has_value()) {
    families->Gauge("fdbjobs_monitor_last_success_timestamp_seconds", "When the type was looked at last",
                    Timestamp(world, *type.last_success), labels);
  }
}

void AddCensus(const TypeCensus& census, const Labels& labels, Families* families) {
  families->Gauge("fdbjobs_pending_jobs", "Jobs that wait for a worker", static_cast<double>(census.counts.pending),
                  labels);
  families->Gauge("fdbjobs_running_jobs", "Jobs that a worker holds", static_cast<double>(census.counts.running),
                  labels);
  families->Gauge("fdbjobs_finished_jobs", "Finished jobs that were not removed",
                  static_cast<double>(census.counts.finished), labels);
  if (census.oldest_pending.has_value()) {
    families->Gauge("fdbjobs_oldest_pending_seconds", "Age of the oldest pending job, at the ends of the queue",
                    Seconds(*census.oldest_pending), labels);
  }
}

// Which types have metrics of their own: those with the most jobs, those that were rescued from, the others.
std::vector<size_t> ShownTypes(const World& world) {
  std::vector<size_t> shown(world.stats.types.size());
  std::iota(shown.begin(), shown.end(), 0);
  const size_t most = static_cast<size_t>(std::max(0, world.max_types));
  if (shown.size() <= most) return shown;
  const auto weight = [&](size_t i) {
    const TypeStats& type = world.stats.types[i];
    const Counts counts = world.census.has_value() ? (*world.census)[i].counts : Counts();
    return std::pair<int64_t, uint64_t>(counts.running + counts.pending, type.reenqueued + type.finished);
  };
  std::stable_sort(shown.begin(), shown.end(), [&](size_t a, size_t b) { return weight(a) > weight(b); });
  shown.resize(most);
  std::sort(shown.begin(), shown.end());
  return shown;
}

}  // namespace

std::string MetricsText(const World& world) {
  Families families;
  AddMonitor(world, &families);
  const std::vector<size_t> shown = ShownTypes(world);
  families.Gauge("fdbjobs_monitor_types_not_shown", "Types without metrics of their own (--metrics-max-types)",
                 static_cast<double>(world.stats.types.size() - shown.size()));
  families.Gauge("fdbjobs_monitor_census_up", "1 if the jobs could be counted for this page, else 0",
                 world.census.has_value() ? 1 : 0);
  for (const size_t i : shown) {
    const TypeStats& type = world.stats.types[i];
    const Labels labels = {{"type", tuple::PrintArgument(type.type.element())}};
    AddTypeStats(world, type, labels, &families);
    if (world.census.has_value()) AddCensus((*world.census)[i], labels, &families);
  }
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, families.families());
  return out.str();
}

}  // namespace fdbjobs::monitor_tool
