// fdbjobs-monitor as a process: options, a pass for cron, signals, systemd, metrics, a database that goes and comes
// back. Engine only where a folder is taken away; the rest runs on whatever FDBJOBS_TEST_DB names.
#include "tests/monitor/program.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "absl/strings/escaping.h"
#include "tests/jobs/jobs_fixture.h"
#include "tests/support/temp_folder.h"

namespace fdbjobs::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr absl::Duration kTimeout = absl::Milliseconds(500);

class MonitorProgramTest : public JobsTest {
 protected:
  void SetUp() override { SetTimeout(type(), kTimeout); }

  // --prefix takes bytes only in its own words.
  std::vector<std::string> Arguments(std::vector<std::string> more = {}) {
    std::string text;
    for (const char c : prefix()) absl::StrAppend(&text, "\\x", absl::BytesToHexString(std::string(1, c)));
    std::vector<std::string> arguments = {"--db", TestDatabaseName(), "--prefix", text};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  void ClaimSome(int count) {
    AddJobs(count);
    ASSERT_EQ(Claim({.limit = count}).jobs.size(), static_cast<size_t>(count));
  }
};

TEST_F(MonitorProgramTest, PutsJobsBackAndItsMetricsSaySo) {
  MonitorProgram monitor(Arguments());
  ASSERT_TRUE(Eventually([&] { return monitor.Get("/healthz").code == 200; })) << monitor.log();
  EXPECT_EQ(monitor.Metric("fdbjobs_monitor_database_up"), 1);
  EXPECT_EQ(monitor.Metric("fdbjobs_monitor_types"), 1);
  ClaimSome(20);
  EXPECT_EQ(monitor.Metric("fdbjobs_running_jobs{type=\"type\"}"), 20);
  ASSERT_TRUE(Eventually([&] { return Count().pending == 20; })) << monitor.log();
  ASSERT_TRUE(Eventually([&] { return monitor.Metric("fdbjobs_monitor_reenqueued_total{type=\"type\"}") == 20; }));
  const std::string page = monitor.Get("/metrics").body;
  EXPECT_EQ(MetricValue(page, "fdbjobs_running_jobs{type=\"type\"}"), 0);
  EXPECT_EQ(MetricValue(page, "fdbjobs_pending_jobs{type=\"type\"}"), 20);
  EXPECT_EQ(MetricValue(page, "fdbjobs_monitor_finished_total{type=\"type\"}"), 0);
  EXPECT_EQ(MetricValue(page, "fdbjobs_activity_timeout_seconds{type=\"type\"}"), 0.5);
  EXPECT_GE(MetricValue(page, "fdbjobs_oldest_pending_seconds{type=\"type\"}"), 0.5);
  EXPECT_GE(MetricValue(page, "fdbjobs_monitor_scan_duration_seconds{type=\"type\"}"), 0);
  EXPECT_GE(MetricValue(page, "fdbjobs_monitor_batch_size{type=\"type\"}"), 1);
  EXPECT_EQ(MetricValue(page, "fdbjobs_monitor_stale_backlog{type=\"type\"}"), 0);
  EXPECT_GE(MetricValue(page, "fdbjobs_monitor_errors_total{code=\"1031\"}"), 0);
  EXPECT_GT(MetricValue(page, "fdbjobs_monitor_last_success_timestamp_seconds{type=\"type\"}"), 1.6e9);
  EXPECT_EQ(monitor.Get("/").code, 404);
  EXPECT_EQ(monitor.Get("/metrics/../etc").code, 404);
}

TEST_F(MonitorProgramTest, SignalsEndItWithStatusZero) {
  for (const int number : {SIGTERM, SIGINT}) {
    MonitorProgram monitor(Arguments());
    ASSERT_TRUE(monitor.WaitForLog("watching over the database"));
    monitor.process().Signal(number);
    EXPECT_EQ(monitor.Wait(), 0);
    EXPECT_THAT(monitor.log(), HasSubstr("stopped"));
  }
}

TEST_F(MonitorProgramTest, OnlyTheTypesThatAreAskedFor) {
  SetTimeout(tuple::Tuple{"tenant", 7}, kTimeout);
  SetTimeout("other", kTimeout);
  MonitorProgram monitor(Arguments({"--types", "other", "(\"tenant\", 7)"}));
  ASSERT_TRUE(Eventually([&] { return monitor.Metric("fdbjobs_monitor_types") == 2; })) << monitor.log();
  EXPECT_THAT(monitor.Get("/metrics").body, AllOf(HasSubstr("type=\"other\""), HasSubstr("tenant")));
}

TEST_F(MonitorProgramTest, OnceIsOnePass) {
  ClaimSome(5);
  MonitorProgram monitor(Arguments({"--once"}));
  EXPECT_EQ(monitor.Wait(), 0) << monitor.log();
  EXPECT_EQ(Count().pending, 5);
  EXPECT_THAT(monitor.log(), HasSubstr("the pass is done types=\"1\" reenqueued=\"5\""));
  // With nothing to do it is done at once.
  MonitorProgram again(Arguments({"--once"}));
  EXPECT_EQ(again.Wait(), 0) << again.log();
  EXPECT_THAT(again.log(), HasSubstr("reenqueued=\"0\""));
}

TEST_F(MonitorProgramTest, OnceTellsOfRowsThatCanNotBeRead) {
  KeepDamage();
  ClaimSome(2);
  Commit([&](fdb::Transaction& tr) { tr.Set(keys().Data(type(), 1), "no row"); });
  MonitorProgram monitor(Arguments({"--once"}));
  EXPECT_EQ(monitor.Wait(), 3) << monitor.log();
  EXPECT_THAT(monitor.log(), AllOf(HasSubstr("can't be read"), HasSubstr("damaged=\"1\"")));
}

TEST_F(MonitorProgramTest, OnceGivesUpWithoutADatabase) {
  TempFolder folder;
  MonitorProgram monitor({"--db", "embedded:" + folder.path() + "/missing", "--once", "--once-wait", "0.1"});
  EXPECT_EQ(monitor.Wait(), 1) << monitor.log();
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/missing"));
}

TEST_F(MonitorProgramTest, ReadsItsSettingsFromAFile) {
  SetTimeout("other", kTimeout);
  TempFolder folder;
  const std::string path = folder.path() + "/monitor.toml";
  std::string text;
  for (const char c : prefix()) absl::StrAppend(&text, "\\x", absl::BytesToHexString(std::string(1, c)));
  std::ofstream(path) << "db = \"" << TestDatabaseName() << "\"\nprefix = \"" << text
                      << "\"\ntypes = [\"other\"]\nlog-format = \"json\"\nlog-level = \"debug\"\nonce = true\n";
  MonitorProgram monitor({"--config", path});
  EXPECT_EQ(monitor.Wait(), 0) << monitor.log();
  EXPECT_THAT(monitor.log(), HasSubstr(R"("level":"info","message":"the pass is done","types":"1")"));
}

TEST_F(MonitorProgramTest, WrongOptionsEndItWithStatusTwoAndSayWhatIsAllowed) {
  TempFolder folder;
  std::ofstream(folder.path() + "/bad.toml") << "db = \"embedded:/nowhere\"\nno-such-setting = 1\n";
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "--db is required"},
      {{"--db", "mysql:x"}, "allowed are fdb:/path/to/fdb.cluster"},
      {{"--db", "embedded:/x", "--metrics", "here"}, "allowed is an address and a port"},
      {{"--db", "embedded:/x", "--metrics", "127.0.0.1:70000"}, "allowed is an address and a port"},
      {{"--db", "embedded:/x", "--types", "(1,"}, "--types"},
      {{"--db", "embedded:/x", "--prefix", "\\q"}, "allowed is text in which"},
      {{"--db", "embedded:/x", "--log-level", "loud"}, "--log-level"},
      {{"--db", "embedded:/x", "--log-format", "xml"}, "--log-format"},
      {{"--db", "embedded:/x", "--max-batch", "0"}, "--max-batch"},
      {{"--db", "embedded:/x", "--frobnicate"}, "--frobnicate"},
      {{"--config", folder.path() + "/missing.toml"}, "missing.toml"},
      {{"--config", folder.path() + "/bad.toml"}, "no-such-setting"},
  };
  for (const auto& [arguments, message] : cases) {
    MonitorProgram monitor(arguments);
    EXPECT_EQ(monitor.Wait(), 2) << message;
    EXPECT_THAT(monitor.log(), HasSubstr(message));
  }
}

TEST_F(MonitorProgramTest, AnAddressThatIsTakenIsAnError) {
  MonitorProgram first(Arguments());
  ASSERT_EQ(first.Get("/metrics").code, 200);
  const size_t at = first.log().find("port=\"") + 6;
  const std::string port = first.log().substr(at, first.log().find('"', at) - at);
  MonitorProgram second(Arguments({"--metrics", "127.0.0.1:" + port}));
  EXPECT_EQ(second.Wait(), 1);
  EXPECT_THAT(second.log(), HasSubstr("can't listen"));
}

TEST_F(MonitorProgramTest, TellsSystemd) {
  TempFolder folder;
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string path = folder.path() + "/notify";
  ASSERT_LT(path.size(), sizeof(address.sun_path));
  std::memcpy(address.sun_path, path.c_str(), path.size());
  const int socket_descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  ASSERT_EQ(bind(socket_descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  std::string heard;
  const auto hears = [&](const std::string& text) {
    return Eventually([&] {
      char buffer[4096];
      for (ssize_t got; (got = recv(socket_descriptor, buffer, sizeof(buffer), 0)) > 0;) {
        heard += std::string(buffer, got) + "\n";
      }
      return heard.find(text) != std::string::npos;
    });
  };
  MonitorProgram monitor(Arguments(), {"NOTIFY_SOCKET=" + path, "WATCHDOG_USEC=400000"});
  EXPECT_TRUE(hears("READY=1\n"));
  EXPECT_TRUE(hears("STATUS=watching\n")) << heard;
  heard.clear();
  EXPECT_TRUE(hears("WATCHDOG=1\n"));
  monitor.process().Signal(SIGTERM);
  EXPECT_TRUE(hears("STOPPING=1\n"));
  EXPECT_EQ(monitor.Wait(), 0);
  close(socket_descriptor);
}

// Engine only.
TEST(MonitorFolderTest, StartsBeforeTheDatabaseIsThereAndNeverMakesOne) {
  TempFolder folder;
  const std::string path = folder.path() + "/db";
  MonitorProgram monitor({"--db", "embedded:" + path});
  ASSERT_TRUE(monitor.WaitForLog("waiting for the database"));
  EXPECT_EQ(monitor.Get("/healthz").code, 503);
  EXPECT_EQ(monitor.Metric("fdbjobs_monitor_database_up"), 0);
  EXPECT_FALSE(std::filesystem::exists(path));
  const absl::StatusOr<fdb::Database> db = fdb::Database::Open("embedded:" + path);
  ASSERT_THAT(db, IsOk());
  ASSERT_TRUE(Eventually([&] { return monitor.Get("/healthz").code == 200; })) << monitor.log();
  EXPECT_EQ(monitor.CountInLog("waiting for the database"), 1);
}

// Engine only.
TEST(MonitorFolderTest, SurvivesTheLossAndReturnOfTheFolderAndSaysSoOnce) {
  TempFolder folder;
  const std::string path = folder.path() + "/db";
  const std::string elsewhere = folder.path() + "/elsewhere";
  const absl::StatusOr<fdb::Database> db = fdb::Database::Open("embedded:" + path);
  ASSERT_THAT(db, IsOk());
  const Jobs jobs;
  const auto count = [&] {
    return fdb::Transact(*db, [&](fdb::Transaction& tr) { return jobs.CountJobs(tr, "type"); });
  };
  ASSERT_THAT(fdb::Transact(*db,
                            [&](fdb::Transaction& tr) -> absl::Status {
                              absl::Status status = jobs.SetActivityTimeout(tr, "type", kTimeout);
                              if (status.ok()) status = jobs.Add(tr, "type", {.id = 1}).status();
                              return status;
                            }),
              IsOk());
  MonitorProgram monitor({"--db", "embedded:" + path, "--ping-every", "0.2"});
  ASSERT_TRUE(Eventually([&] { return monitor.Get("/healthz").code == 200; })) << monitor.log();
  std::filesystem::rename(path, elsewhere);
  ASSERT_TRUE(Eventually([&] { return monitor.Get("/healthz").code == 503; })) << monitor.log();
  EXPECT_EQ(monitor.Metric("fdbjobs_monitor_database_up"), 0);
  EXPECT_FALSE(std::filesystem::exists(path));
  std::filesystem::rename(elsewhere, path);
  ASSERT_TRUE(Eventually([&] { return monitor.Get("/healthz").code == 200; })) << monitor.log();
  ASSERT_TRUE(monitor.WaitForLog("the database answers again"));
  EXPECT_EQ(monitor.CountInLog("the database does not answer"), 1) << monitor.log();
  ASSERT_TRUE(Eventually([&] {
    return fdb::Transact(*db, [&](fdb::Transaction& tr) { return jobs.Accept(tr, "type").status(); }).ok() &&
           count()->running == 1;
  }));
  EXPECT_TRUE(Eventually([&] { return count()->pending == 1; })) << monitor.log();
}

// Engine only. Another folder, as from a backup.
TEST(MonitorFolderTest, OpensTheDatabaseThatTookThePlaceOfALostOne) {
  TempFolder folder;
  const std::string path = folder.path() + "/db";
  const Jobs jobs;
  const auto make = [&](const std::string& where, const JobType& type) {
    const absl::StatusOr<fdb::Database> db = fdb::Database::Open("embedded:" + where);
    ASSERT_THAT(db, IsOk());
    ASSERT_THAT(fdb::Transact(*db, [&](fdb::Transaction& tr) { return jobs.SetActivityTimeout(tr, type, kTimeout); }),
                IsOk());
  };
  make(path, "first");
  MonitorProgram monitor({"--db", "embedded:" + path, "--ping-every", "0.2"});
  ASSERT_TRUE(Eventually([&] { return monitor.Get("/metrics").body.find("\"first\"") != std::string::npos; }));
  make(folder.path() + "/restored", "second");
  std::filesystem::rename(path, folder.path() + "/broken");
  std::filesystem::rename(folder.path() + "/restored", path);
  EXPECT_TRUE(Eventually([&] { return monitor.Get("/metrics").body.find("\"second\"") != std::string::npos; }))
      << monitor.log();
  EXPECT_EQ(monitor.Get("/healthz").code, 200);
}

// Engine only. A database that hangs.
TEST(MonitorFolderTest, SignalsEndItWhileTheDatabaseHangs) {
  TempFolder folder;
  ASSERT_THAT(fdb::Database::Open("embedded:" + folder.path()), IsOk());
  MonitorProgram monitor({"--db", "embedded:" + folder.path()},
                         {"FDBJOBS_EMBEDDED_FAULTS=seed=1,commit_delay=1,commit_delay_ms=10000"});
  ASSERT_TRUE(monitor.WaitForLog("watching over the database"));
  EXPECT_EQ(monitor.Get("/healthz").code, 503);
  monitor.process().Signal(SIGTERM);
  EXPECT_EQ(monitor.Wait(), 0);
}

}  // namespace
}  // namespace fdbjobs::test
