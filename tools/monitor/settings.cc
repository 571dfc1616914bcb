#include "tools/monitor/settings.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "fdbjobs/fdb/database_name.h"
#include "fdbjobs/keyspace/tuple_parse.h"
#include "tools/monitor/exit_code.h"

namespace fdbjobs::monitor_tool {
namespace {

constexpr char kAbout[] =
    R"(fdbjobs-monitor puts back the jobs of workers that stopped reporting.

It watches over every type that has an activity timeout. A job whose worker
gave no sign of life for that long is pending again, at the priority that it
had, between 1 and 1.25 timeouts after its last update. Any number of monitors
may run on one database. Leave one or two running for as long as workers do.)";

constexpr char kExamples[] = R"(
Examples:
  fdbjobs-monitor --db fdb:/etc/foundationdb/fdb.cluster
  fdbjobs-monitor --db embedded:/var/lib/jobs --types index 'video' '("tenant", 7)'
  fdbjobs-monitor --db embedded:/var/lib/jobs --metrics 127.0.0.1:9464 --log-format json
  fdbjobs-monitor --config /etc/fdbjobs/monitor.toml
  fdbjobs-monitor --db embedded:/var/lib/jobs --once

A configuration file has the same names without the dashes, one in a line:
  db = "embedded:/var/lib/jobs"
  types = ["index", "video"]
  log-format = "json"

Watch it at http://127.0.0.1:9464/metrics and /healthz; docs/operations.md tells
what each metric means. Exit status: 0 it was stopped, or a pass (--once) is done;
1 it could not do its work; 2 wrong options; 3 a pass is done and met rows that
can't be read.)";

struct Raw {
  std::string prefix;
  std::vector<std::string> types;
  std::string metrics = "127.0.0.1:9464";
  std::string log_format = "text";
  double transaction_timeout = 5;
  double ping_every = 5;
  double once_wait = 10;
};

// Text in which \xHH is a byte and \\ a backslash.
absl::StatusOr<std::string> PrefixBytes(const std::string& text) {
  if (text.find('\\') == std::string::npos) return text;
  const absl::StatusOr<tuple::Element> bytes = tuple::ParseElement(absl::StrCat("b\"", text, "\""));
  if (!bytes.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--prefix: \"", absl::Utf8SafeCEscape(text),
                     "\"; allowed is text in which \\xHH is a byte and \\\\ a backslash"));
  }
  return bytes->get_if<tuple::Bytes>()->value;
}

// "9464" and "127.0.0.1:9464" and "[::1]:9464"; "off" is nothing.
absl::StatusOr<std::string> ListenAddress(const std::string& text) {
  if (text == "off" || text.empty()) return "";
  const size_t colon = text.rfind(':');
  const std::string port = colon == std::string::npos ? text : text.substr(colon + 1);
  uint32_t number = 0;
  const bool good_port = absl::SimpleAtoi(port, &number) && number <= 65535;
  const bool good = good_port && text.find_first_of(", \t\r\nsr") == std::string::npos && colon != 0;
  if (!good) {
    return absl::InvalidArgumentError(absl::StrCat("--metrics: \"", absl::Utf8SafeCEscape(text),
                                                   "\"; allowed is an address and a port as in 127.0.0.1:9464, a port "
                                                   "alone for 127.0.0.1, or off"));
  }
  return colon == std::string::npos ? absl::StrCat("127.0.0.1:", port) : text;
}

absl::Status Check(const Raw& raw, Settings* settings) {
  if (const auto name = fdb::DatabaseName::Parse(settings->db); !name.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--db: ", name.status().message()));
  }
  absl::StatusOr<std::string> prefix = PrefixBytes(raw.prefix);
  if (!prefix.ok()) return prefix.status();
  settings->prefix = *std::move(prefix);
  for (const std::string& text : raw.types) {
    const absl::StatusOr<tuple::Element> type = tuple::ParseArgument(text);
    if (!type.ok()) return absl::InvalidArgumentError(absl::StrCat("--types: ", type.status().message()));
    settings->types.insert(JobType(*type));
  }
  absl::StatusOr<std::string> metrics = ListenAddress(raw.metrics);
  if (!metrics.ok()) return metrics.status();
  settings->metrics = *std::move(metrics);
  settings->log_json = raw.log_format == "json";
  settings->transaction_timeout = absl::Seconds(raw.transaction_timeout);
  settings->ping_every = absl::Seconds(raw.ping_every);
  settings->once_wait = absl::Seconds(raw.once_wait);
  return absl::OkStatus();
}

void AddOptions(CLI::App& app, Settings* settings, Raw* raw) {
  app.add_option("--db", settings->db, "The database: fdb:/path/to/fdb.cluster or embedded:/path/to/folder")
      ->required()
      ->envname("FDBJOBS_DB");
  app.add_option("--library", settings->library, "The libfdb_c.so to use instead of the usual one");
  app.add_option("--prefix", raw->prefix, "Before every key: text, in which \\xHH is a byte and \\\\ a backslash")
      ->envname("FDBJOBS_PREFIX");
  app.add_option("--types", raw->types,
                 "Only these types: words are strings, all else is in the notation of docs/tuple.md. Default: all");
  app.add_option("--metrics", raw->metrics,
                 "Where /metrics and /healthz are served: address:port, or a port of 127.0.0.1 (0: any), or off")
      ->capture_default_str();
  app.add_option("--metrics-max-types", settings->metrics_max_types,
                 "Types with metrics of their own, those with the most jobs first")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  app.add_option("--log-level", settings->log_level, "Least important lines that are written (to standard error)")
      ->check(CLI::IsMember({"debug", "info", "warning", "error", "off"}))
      ->capture_default_str();
  app.add_option("--log-format", raw->log_format, "How lines are written")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  app.add_option("--transaction-timeout", raw->transaction_timeout, "Seconds after which the database does not answer")
      ->check(CLI::Range(0.1, 60.0))
      ->capture_default_str();
  app.add_option("--ping-every", raw->ping_every, "Seconds between two small commits that tell whether it answers")
      ->check(CLI::Range(0.1, 60.0))
      ->capture_default_str();
  app.add_option("--max-batch", settings->max_batch, "Most jobs that are put back in one transaction")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app.add_flag("--once", settings->once,
               "One pass, then the end: takes one timeout of the longest type that has running jobs");
  app.add_option("--once-wait", raw->once_wait, "With --once: seconds to wait for a database that is not there")
      ->check(CLI::Range(0.0, 86400.0))
      ->capture_default_str();
  app.allow_config_extras(CLI::config_extras_mode::error);
  app.set_config("--config", "", "A file with the same settings; the command line comes before it");
}

}  // namespace

std::optional<Settings> ReadSettings(int argc, char** argv, int* exit) {
  CLI::App app(kAbout, "fdbjobs-monitor");
  Settings settings;
  Raw raw;
  AddOptions(app, &settings, &raw);
  app.set_version_flag("--version", "fdbjobs-monitor " FDBJOBS_VERSION);
  app.footer(kExamples);
  app.get_formatter()->column_width(34);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool asked = error.get_exit_code() == 0;
    (void)app.exit(error);
    *exit = asked ? kDone : kWrongOptions;
    return std::nullopt;
  }
  if (const absl::Status status = Check(raw, &settings); !status.ok()) {
    std::cerr << status.message() << "\nRun with --help for more information.\n";
    *exit = kWrongOptions;
    return std::nullopt;
  }
  return settings;
}

}  // namespace fdbjobs::monitor_tool
