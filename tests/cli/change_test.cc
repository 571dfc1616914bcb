// The commands that change: add, cancel, resubmit, remove, priority, export, import; and what goes wrong.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/cli/cli_fixture.h"
#include "tests/support/temp_folder.h"

namespace fdbjobs::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

using CliChangeTest = CliTest;

std::string Lines(int begin, int end) {
  std::string lines;
  for (int i = begin; i < end; ++i) absl::StrAppend(&lines, "{\"id\":", i, ",\"data\":{\"n\": ", i, "}}\n");
  return lines;
}

TEST_F(CliChangeTest, AddsOneJobWithItsDataByteForByte) {
  EXPECT_EQ(Cli({"add", "type", "a", "--data", "{\"x\" : 1}", "--priority", "-5"}).output, "added a\n");
  EXPECT_EQ(Find("a")->data, "{\"x\" : 1}");
  EXPECT_EQ(Find("a")->priority, Priority(-5));
  const Ran twice = Cli({"add", "type", "a"});
  EXPECT_EQ(twice.exit_code, 1);
  EXPECT_EQ(twice.errors, "fdbjobs-cli: job \"a\" of type \"type\" is there already, pending\n");
  EXPECT_EQ(Cli({"add", "type", "a", "--if-exists", "keep", "--json"}).output,
            "{\n  \"type\": \"type\",\n  \"id\": \"a\",\n  \"result\": \"exists\"\n}\n");
  EXPECT_EQ(Cli({"add", "type", "-7"}).output, "added -7\n");
  EXPECT_EQ(Look(-7), "pending");
  EXPECT_THAT(Cli({"add", "type"}).output, StartsWith("added uuid("));
}

TEST_F(CliChangeTest, AddsManyFromJsonLines) {
  const Ran ran = Cli({"add", "type", "--batch"}, Lines(0, 1200) + "{\"id\":\"\\\"7\\\"\",\"priority\":1.5}\n{}\n");
  EXPECT_EQ(ran.exit_code, 0) << ran.errors;
  EXPECT_EQ(ran.output, "1,202 added, 0 resubmitted, 0 existed\n");
  EXPECT_EQ(Count().pending, 1202);
  EXPECT_EQ(Find(7)->data, "{\"n\": 7}");
  EXPECT_EQ(Find("7")->priority, Priority(1.5));
}

TEST_F(CliChangeTest, ABadLineEndsABatchExactlyThere) {
  const Ran ran = Cli({"add", "type", "--batch", "--json"}, Lines(0, 3) + "{\"id\":1,\n" + Lines(4, 6));
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.errors, StartsWith("fdbjobs-cli: line 4: not JSON"));
  EXPECT_THAT(ran.errors, HasSubstr("; go on with --skip 3\n"));
  EXPECT_THAT(ran.output, HasSubstr("\"lines\": 3,\n  \"added\": 3"));
  EXPECT_EQ(Count().pending, 3);
  EXPECT_THAT(Cli({"add", "type", "--batch"}, "{\"ID\":1}").errors, HasSubstr("line 1: unknown member \"ID\""));
  EXPECT_THAT(Cli({"add", "type", "--batch"}, "[]").errors, HasSubstr("line 1: not a JSON object"));
}

TEST_F(CliChangeTest, AnInterruptedBatchGoesOnWhereItEnded) {
  Program add(Arguments({"add", "type", "--batch"}));
  add.Write(Lines(0, 1300));
  const absl::Time deadline = absl::Now() + absl::Seconds(60);
  while (Count().pending < 1000 && absl::Now() < deadline) {
  }
  // 300 lines wait for their batch to get full when the signal comes.
  add.Signal(SIGINT);
  const Ran ran = add.Finish();
  EXPECT_EQ(ran.exit_code, 130);
  EXPECT_EQ(ran.errors, "fdbjobs-cli: interrupted; go on with --skip 1000\n");
  EXPECT_EQ(ran.output, "1,000 added, 0 resubmitted, 0 existed\n");
  EXPECT_EQ(Count().pending, 1000);
  EXPECT_EQ(Cli({"add", "type", "--batch", "--skip", "1000"}, Lines(0, 1300)).output,
            "300 added, 0 resubmitted, 0 existed\n");
  EXPECT_EQ(Count().pending, 1300);
}

TEST_F(CliChangeTest, ChangesJobsById) {
  AddJob("a");
  AddJob("b");
  const Ran canceled = Cli({"cancel", "type", "a", "c"});
  EXPECT_EQ(canceled.exit_code, 3);
  EXPECT_EQ(canceled.output, "a: changed\nc: not found\n");
  EXPECT_EQ(Look("a"), "finished+cancel");
  EXPECT_EQ(Cli({"resubmit", "type", "a"}).output, "a: changed\n");
  EXPECT_EQ(Look("a"), "pending");
  EXPECT_EQ(Cli({"priority", "type", "b", "--to", "(1, \"x\")"}).output, "b: changed\n");
  EXPECT_EQ(Find("b")->priority, Priority(tuple::Tuple{1, "x"}));
  EXPECT_EQ(Cli({"remove", "type", "b", "--dry-run"}).output, "b: unchanged\n");
  EXPECT_EQ(Cli({"remove", "type", "b", "--json"}).output,
            "[\n  {\n    \"id\": \"b\",\n    \"result\": \"changed\"\n  }\n]\n");
  EXPECT_EQ(Look("b"), "absent");
}

TEST_F(CliChangeTest, ChangesJobsByFilterAndAsksBeforeMany) {
  AddJobs(30);
  Claim({.limit = 10});
  const Ran dry = Cli({"cancel", "type", "--state", "pending", "--dry-run"});
  EXPECT_EQ(dry.exit_code, 0);
  EXPECT_EQ(std::count(dry.output.begin(), dry.output.end(), '\n'), 20);
  const Ran unasked = Cli({"cancel", "type", "--state", "pending"});
  EXPECT_EQ(unasked.exit_code, 2);
  EXPECT_EQ(unasked.errors, "fdbjobs-cli: cancel 20 jobs of type type? Give --yes, or --dry-run to see which.\n");
  Program no(Arguments({"cancel", "type", "--state", "pending"}), {.terminal = true});
  ASSERT_TRUE(no.ReadUntil("[y/N]"));
  no.Write("n\r");
  EXPECT_EQ(no.Finish().exit_code, 1);
  EXPECT_EQ(Count().pending, 20);
  Program yes(Arguments({"cancel", "type", "--state", "pending"}), {.terminal = true});
  ASSERT_TRUE(yes.ReadUntil("[y/N]"));
  yes.Write("y\r");
  EXPECT_THAT(yes.Finish().output, HasSubstr("cancel: 20 changed, 0 unchanged, 0 not found"));
  EXPECT_EQ(Count(), (Counts{.pending = 0, .running = 10, .finished = 20}));
  EXPECT_THAT(Cli({"remove", "type", "--all", "--yes", "--json"}).output, HasSubstr("\"changed\": 30"));
  EXPECT_EQ(Count(), Counts());
  EXPECT_EQ(Cli({"remove", "type"}).exit_code, 2);
  EXPECT_EQ(Cli({"remove", "type", "a", "--all"}).exit_code, 2);
}

TEST_F(CliChangeTest, AnInterruptedFilterIsFinishedByRunningItAgain) {
  constexpr int kJobs = 8000;
  AddJobs(kJobs);
  Program remove(Arguments({"remove", "type", "--all", "--yes"}));
  const absl::Time deadline = absl::Now() + absl::Seconds(60);
  while (Count().pending == kJobs && absl::Now() < deadline) {
  }
  remove.Signal(SIGINT);
  const Ran ran = remove.Finish();
  EXPECT_EQ(ran.exit_code, 130);
  EXPECT_THAT(ran.errors, HasSubstr("interrupted after "));
  const int64_t left = Count().pending;
  EXPECT_GT(left, 0);
  EXPECT_LT(left, kJobs);
  EXPECT_THAT(Cli({"remove", "type", "--all", "--yes", "--json"}).output,
              HasSubstr(absl::StrCat("\"changed\": ", left)));
  EXPECT_EQ(Count(), Counts());
}

using CliTransferTest = CliTest;

TEST_F(CliTransferTest, MovesEverythingToAnotherKeyspace) {
  AddJobs(700);
  AddJob("lines", {.data = "{\n  \"a\": 1\r\n}", .priority = tuple::Tuple{1, nullptr}});
  AddJob(tuple::Bytes{std::string("\0\xff", 2)}, {.data = "1e400"});
  AddJob("done");
  EXPECT_EQ(Cli({"cancel", "type", "done"}).exit_code, 0);
  Claim({.limit = 5});
  // A field of a later version.
  const std::string key = keys().Data(type(), 600);
  Commit([&](fdb::Transaction& tr) {
    keyspace::JobRow row;
    row.options = R"({"later":{"x": [1]},"data":7})";
    tr.Set(key, row.Encode());
  });
  const Ran exported = Cli({"export"});
  EXPECT_EQ(exported.exit_code, 0) << exported.errors;
  EXPECT_THAT(exported.output, StartsWith("{\"fdbjobs_export\":1,\"incarnation\":0,"));
  EXPECT_THAT(exported.output, HasSubstr("\"options\":{\"later\":{\"x\": [1]},\"data\":7}}\n"));

  const std::string there = Key("elsewhere/");
  const std::vector<std::string> import = {"--db", TestDatabaseName(), "--prefix", there, "--timeout", "60", "import"};
  const Ran imported = RunProgram(import, exported.output);
  EXPECT_EQ(imported.exit_code, 0) << imported.errors;
  EXPECT_EQ(imported.output, "1 types, 703 jobs imported, 0 were there already, incarnation 1\n");
  const Ran again = RunProgram(import, exported.output);
  EXPECT_EQ(again.output, "1 types, 0 jobs imported, 703 were there already, incarnation 1\n");

  const Jobs other({.prefix = there});
  const absl::StatusOr<KeyspaceContents> moved = ReadKeyspace(db(), other.keys());
  ASSERT_THAT(moved, IsOk());
  EXPECT_THAT(CheckKeyspace(*moved), IsEmpty());
  EXPECT_EQ(moved->incarnation, 1);
  const TypeContents before = Rows();
  const TypeContents& after = moved->types.at(type());
  EXPECT_EQ(after.timeout_ms, before.timeout_ms);
  ASSERT_EQ(after.jobs.size(), before.jobs.size());
  for (const auto& [id, job] : before.jobs) {
    EXPECT_EQ(after.jobs.at(id).row.options, job.row.options) << id.ToString();
    const JobState state = job.row.state == JobState::kRunning ? JobState::kPending : job.row.state;
    EXPECT_EQ(after.jobs.at(id).row.state, state) << id.ToString();
  }
}

TEST_F(CliTransferTest, SaysWhenAnExportIsNoneOrCutOff) {
  AddJobs(2);
  std::string text = Cli({"export"}).output;
  const auto import = [&](const std::string& input) {
    return RunProgram({"--db", TestDatabaseName(), "--prefix", Key("elsewhere/"), "import"}, input);
  };
  EXPECT_EQ(import("{\"x\":1}\n").exit_code, 2);
  EXPECT_THAT(import("{\"x\":1}\n").errors, HasSubstr("line 1: not an export of fdbjobs-cli"));
  text.resize(text.rfind("{\"end\""));
  const Ran cut = import(text);
  EXPECT_EQ(cut.exit_code, 2);
  EXPECT_EQ(cut.errors, "fdbjobs-cli: the export is cut off after line 4: its last line is missing\n");
}

using CliErrorTest = CliTest;

TEST_F(CliErrorTest, MalformedArgumentsAreOneLineAndExitCode2) {
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"show", "(1", "a"},
                                             {"show", "type", "two words"},
                                             {"add", "type", "--data", "{"},
                                             {"list", "type", "--state", "x"},
                                             {"timeout", "set", "type", "soon"},
                                             {"bogus"},
                                             {"list", "type", "--bogus"},
                                             {"list"},
                                             {},
                                             {"list", "type", "--continuation", "zz"}}) {
    const Ran ran = Cli(command);
    EXPECT_EQ(ran.exit_code, 2) << ::testing::PrintToString(command);
    EXPECT_THAT(ran.errors, StartsWith("fdbjobs-cli: "));
    EXPECT_EQ(std::count(ran.errors.begin(), ran.errors.end(), '\n'), 1) << ran.errors;
    EXPECT_THAT(ran.output, IsEmpty());
  }
}

TEST_F(CliErrorTest, UnknownTypesAreExitCode3) {
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{{"list", "nix"},
                                                                                       {"show", "nix", "a"},
                                                                                       {"cancel", "nix", "a"},
                                                                                       {"tail", "nix"},
                                                                                       {"export", "--type", "nix"}}) {
    const Ran ran = Cli(command);
    EXPECT_EQ(ran.exit_code, 3) << ::testing::PrintToString(command) << ran.errors;
    EXPECT_THAT(ran.errors, StartsWith("fdbjobs-cli: type nix is not known"));
  }
}

TEST_F(CliErrorTest, UnreachableDatabasesAreExitCode5) {
  const TempFolder folder;
  EXPECT_EQ(RunProgram({"--db", "embedded:" + folder.path() + "/typo", "summary"}).exit_code, 5);
  EXPECT_NE(access((folder.path() + "/typo").c_str(), F_OK), 0) << "a look must not make a database";
  EXPECT_EQ(RunProgram({"--db", "embedded:/proc/none", "timeout", "set", "a", "1s"}).exit_code, 5);
  EXPECT_EQ(RunProgram({"--db", "fdb:" + folder.path() + "/fdb.cluster", "summary"}).exit_code, 5);
  const Ran library = RunProgram({"--db", "fdb:", "summary"}, "",
                                 {.environment = {"FDBJOBS_FDB_LIBRARY=" + folder.path() + "/libfdb_c.so"}});
  EXPECT_EQ(library.exit_code, 5);
  EXPECT_THAT(library.errors, StartsWith("fdbjobs-cli: "));
  EXPECT_EQ(RunProgram({"--db", "sqlite:x", "summary"}).exit_code, 2);
  EXPECT_EQ(RunProgram({"summary"}).exit_code, 2);
}

// Of the embedded engine alone: a cluster has no permissions of the file system.
TEST_F(CliErrorTest, AFolderOfSomebodyElseIsExitCode6) {
  const TempFolder folder;
  const std::string name = "embedded:" + folder.path() + "/db";
  ASSERT_EQ(RunProgram({"--db", name, "timeout", "set", "a", "1s"}).exit_code, 0);
  const bool root = getuid() == 0;
  ASSERT_EQ(chmod((folder.path() + "/db").c_str(), root ? 0700 : 0000), 0);
  if (root) {
    ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
  }
  const Ran ran = RunProgram({"--db", name, "summary"}, "", {.user = root ? 65534u : 0u});
  EXPECT_EQ(ran.exit_code, 6) << ran.errors;
  EXPECT_EQ(std::count(ran.errors.begin(), ran.errors.end(), '\n'), 1) << ran.errors;
  ASSERT_EQ(chmod((folder.path() + "/db").c_str(), 0700), 0);
}

TEST_F(CliErrorTest, EveryCommandHasHelpWithAnExample) {
  const Ran help = RunProgram({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.output, HasSubstr("Exit codes:"));
  for (const char* command : {"summary", "types", "timeout", "list", "show", "dump", "top", "tail", "add", "cancel",
                              "resubmit", "remove", "priority", "check", "export", "import", "completion"}) {
    EXPECT_THAT(help.output, HasSubstr(absl::StrCat("\n  ", command)));
    EXPECT_THAT(RunProgram({command, "--help"}).output, HasSubstr("Example:\n  ")) << command;
  }
}

}  // namespace
}  // namespace fdbjobs::test
