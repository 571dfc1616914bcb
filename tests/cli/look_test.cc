// The commands that look: summary, types, timeout, list, show, dump, tail, top, completion.
#include <signal.h>

#include "absl/strings/str_split.h"
#include "tests/cli/cli_fixture.h"

namespace fdbjobs::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

using CliLookTest = CliTest;

TEST_F(CliLookTest, SummaryCountsTheStatesOfEachType) {
  AddJobs(3);
  ClaimOne();
  const Ran table = Cli({"summary"});
  EXPECT_EQ(table.exit_code, 0) << table.errors;
  EXPECT_THAT(table.errors, IsEmpty());
  const std::vector<std::string> lines = absl::StrSplit(table.output, '\n');
  EXPECT_EQ(lines[0], "type  pending  running  finished  timeout  oldest pending  oldest heartbeat");
  EXPECT_THAT(lines[1], MatchesRegex("type        2        1         0       1m +[0-9.]+s +[0-9.]+s"));
  const Ran json = Cli({"summary", "--json"});
  EXPECT_THAT(json.output, HasSubstr("\"type\": \"type\",\n      \"pending\": 2,\n      \"running\": 1,"));
  EXPECT_THAT(json.output, HasSubstr("\"timeout_seconds\": 60,"));
}

TEST_F(CliLookTest, TypesAndTimeoutsAreSetReadAndCleared) {
  EXPECT_EQ(Cli({"timeout", "set", "(1, \"a\")", "90s"}).output, "1m30s\n");
  EXPECT_EQ(Cli({"timeout", "get", "(1,\"a\")"}).output, "1m30s\n");
  EXPECT_EQ(Cli({"types"}).output,
            "type      timeout  jobs\n"
            "type           1m     0\n"
            "(1, \"a\")    1m30s     0\n");
  EXPECT_THAT(Cli({"types", "--json"}).output, HasSubstr("\"type\": \"(1, \\\"a\\\")\""));
  EXPECT_EQ(Cli({"timeout", "clear", "type", "--json"}).output,
            "{\n  \"type\": \"type\",\n  \"timeout_seconds\": null\n}\n");
  const Ran gone = Cli({"timeout", "get", "type"});
  EXPECT_EQ(gone.exit_code, 3);
  EXPECT_EQ(gone.errors, "fdbjobs-cli: type type is not known: it has no activity timeout and never had jobs\n");
}

TEST_F(CliLookTest, ListGoesOnBehindItsContinuation) {
  AddJobs(7);
  const Ran first = Cli({"list", "type", "--limit", "4", "--json"});
  EXPECT_EQ(first.exit_code, 0) << first.errors;
  EXPECT_THAT(first.output, HasSubstr("\"id\": \"3\""));
  EXPECT_THAT(first.output, Not(HasSubstr("\"id\": \"4\"")));
  const std::string mark = "\"continuation\": \"";
  const size_t begin = first.output.find(mark) + mark.size();
  const std::string continuation = first.output.substr(begin, first.output.find('"', begin) - begin);
  const Ran second = Cli({"list", "type", "--continuation", continuation});
  EXPECT_THAT(second.output, StartsWith("id  state    priority"));
  EXPECT_THAT(second.output, HasSubstr("\n4   pending  0"));
  EXPECT_THAT(second.output, Not(HasSubstr("\n3 ")));
  EXPECT_THAT(second.errors, IsEmpty());
  EXPECT_THAT(Cli({"list", "type", "--limit", "2"}).errors, StartsWith("more: --continuation a"));
}

TEST_F(CliLookTest, ListIsNarrowedByStateAndIdPrefix) {
  for (const char* id : {"a/1", "a/2", "b/1"}) AddJob(id);
  AddJob(tuple::Tuple{"t", 1});
  AddJob(tuple::Tuple{std::string("t\0x", 3), 1});
  EXPECT_THAT(Cli({"cancel", "type", "a/1"}).output, HasSubstr("a/1: changed"));
  EXPECT_THAT(Cli({"list", "type", "--id-prefix", "a/", "--limit", "1"}).output, HasSubstr("\na/1 "));
  const std::string finished = Cli({"list", "type", "--state", "finished"}).output;
  EXPECT_THAT(finished, HasSubstr("a/1  finished, cancel"));
  EXPECT_THAT(finished, Not(HasSubstr("a/2")));
  const std::string below = Cli({"list", "type", "--id-prefix", "(\"t\")"}).output;
  EXPECT_THAT(below, HasSubstr("(\"t\", 1)"));
  EXPECT_THAT(below, Not(HasSubstr("x")));
  EXPECT_EQ(Cli({"list", "type", "--id-prefix", "7"}).exit_code, 2);
}

TEST_F(CliLookTest, ShowPrintsAllOfAJobAndNothingThatATerminalObeys) {
  AddJob("a", {.data = "{\"n\":[1,2],\"evil\":\"\xc2\x9b"
                       "2J\"}"});
  const ClaimedJob job = ClaimOne();
  const Ran people = Cli({"show", "type", "a"});
  EXPECT_EQ(people.exit_code, 0) << people.errors;
  EXPECT_THAT(people.output, HasSubstr("state     running\n"));
  EXPECT_THAT(people.output, HasSubstr("\nlock      "));
  EXPECT_THAT(people.output, HasSubstr("\nsequence  0:"));
  EXPECT_THAT(people.output, HasSubstr("data\n  {\n    \"n\": [\n      1,\n      2\n    ],\n"));
  EXPECT_THAT(people.output, HasSubstr("\"evil\": \"\\u009b2J\""));
  const Ran json = Cli({"show", "type", "a", "--json"});
  EXPECT_THAT(json.output, HasSubstr("\"data\": {\"n\":[1,2],\"evil\":\"\xc2\x9b"
                                     "2J\"}"));
  EXPECT_EQ(Cli({"show", "type", "b"}).exit_code, 3);
  EXPECT_EQ(Cli({"show", "type", "b"}).errors, "fdbjobs-cli: no job b of type type\n");
}

TEST_F(CliLookTest, ShowTellsOfFieldsThatItDoesNotKnow) {
  AddJob("a");
  Commit([&](fdb::Transaction& tr) {
    keyspace::JobRow row;
    row.options = R"({"later":{"x": 1},"data":2})";
    tr.Set(keys().Data(type(), "a"), row.Encode());
  });
  EXPECT_THAT(Cli({"show", "type", "a"}).output, HasSubstr("\nothers    {\"later\":{\"x\": 1}}\n"));
  EXPECT_THAT(Cli({"show", "type", "a", "--json"}).output, HasSubstr("\"others\": {\"later\":{\"x\": 1}}"));
}

TEST_F(CliLookTest, DumpDecodesEveryRowOrShowsOneInHex) {
  AddJob(7, {.data = "1"});
  const Ran all = Cli({"dump"});
  EXPECT_THAT(all.output, HasSubstr("(\"couch_jobs\", \"pending\", \"type\", 0, 7) = \"\"\n"));
  EXPECT_THAT(all.output, HasSubstr("(\"couch_jobs\", \"count\", \"type\", \"pending\") = 1\n"));
  const Ran one = Cli({"dump", "--key", "(\"couch_jobs\", \"count\", \"type\", \"pending\")"});
  EXPECT_THAT(one.output,
              EndsWith("value, 8 bytes\n  0000  01 00 00 00 00 00 00 00" + std::string(26, ' ') + "........\n"));
  EXPECT_EQ(Cli({"dump", "--key", "(\"couch_jobs\", 1)"}).exit_code, 3);
  EXPECT_EQ(Cli({"dump", "--key", "(1"}).exit_code, 2);
  EXPECT_THAT(
      Cli({"dump", "--json", "--type", "type"}).output,
      HasSubstr("{\"key\":\"(\\\"couch_jobs\\\", \\\"activity_timeout\\\", \\\"type\\\")\",\"value\":\"(60000)\"}\n"));
}

TEST_F(CliLookTest, TailFollowsJobsThroughTheirStates) {
  AddJob("before");
  Program tail(Arguments({"tail", "type", "--json", "--count", "3", "--interval", "0.1"}));
  // Adds until tail is there to see it.
  int added = 0;
  do {
    AddJob(absl::StrCat("seen-", added++), {.priority = -1});
  } while (!tail.ReadUntil("\"to\":\"pending\"", absl::Milliseconds(500)) && added < 200);
  const ClaimedJob job = ClaimOne();
  ASSERT_TRUE(tail.ReadUntil("\"to\":\"running\"")) << tail.output();
  EXPECT_EQ(Do([&](fdb::Transaction& tr) { return jobs().Finish(tr, job); }), Outcome::kOk);
  const Ran ran = tail.Finish();
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.output, HasSubstr("\"from\":\"pending\",\"to\":\"running\""));
}

TEST_F(CliLookTest, TailEndsQuietlyWhenItIsInterrupted) {
  Program tail(Arguments({"tail", "type", "--interval", "0.1"}));
  int added = 0;
  do {
    AddJob(absl::StrCat("job-", added++));
  } while (!tail.ReadUntil(" pending\n", absl::Milliseconds(500)) && added < 200);
  tail.Signal(SIGINT);
  const Ran ran = tail.Finish();
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.errors, IsEmpty());
}

// The screen that the escapes draw, without styles. Knows what `top` uses.
std::vector<std::string> ScreenOf(const std::string& output) {
  std::string last = output.substr(output.rfind("\x1b[H"));
  last = last.substr(0, last.find("\x1b[J"));
  std::string plain;
  for (size_t i = 0; i < last.size(); ++i) {
    if (last[i] == '\x1b') {
      while (i < last.size() && !absl::ascii_isalpha(static_cast<unsigned char>(last[i]))) ++i;
    } else if (last[i] != '\r') {
      plain.push_back(last[i]);
    }
  }
  return absl::StrSplit(plain, '\n');
}

TEST_F(CliLookTest, TopFitsTheScreenAndGivesItBack) {
  AddJobs(40);
  Claim({.limit = 30});
  AddJob("with-progress", {.data = R"({"progress":0.5})", .priority = -1});
  ClaimOne();
  Program top(Arguments({"top", "--interval", "0.2"}), {.terminal = true, .environment = {"LC_ALL=C.UTF-8"}});
  ASSERT_TRUE(top.ReadUntil("\x1b[J")) << top.output();
  ASSERT_TRUE(top.ReadUntil("more")) << top.output();
  EXPECT_THAT(top.output(), StartsWith("\x1b[?1049h"));
  const std::vector<std::string> screen = ScreenOf(top.output());
  EXPECT_LE(screen.size(), 24u);
  for (const std::string& line : screen) {
    const auto width = std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; });
    EXPECT_LE(width, 80) << line;
  }
  EXPECT_THAT(screen[0], StartsWith("fdbjobs top"));
  EXPECT_THAT(screen[2], HasSubstr("10         31          0"));
  // Wider and higher: then all jobs have a place.
  top.Resize(120, 60);
  EXPECT_TRUE(top.ReadUntil("[#####     ]  50%")) << top.output();
  top.Write("q");
  const Ran ran = top.Finish();
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.output, HasSubstr("\x1b[?25h\x1b[?1049l"));
}

TEST_F(CliLookTest, TopEndsOnControlCAndOnSigterm) {
  Program key(Arguments({"top"}), {.terminal = true});
  ASSERT_TRUE(key.ReadUntil("\x1b[J"));
  key.Write("\x03");
  EXPECT_EQ(key.Finish().exit_code, 0);
  Program terminated(Arguments({"top"}), {.terminal = true});
  ASSERT_TRUE(terminated.ReadUntil("\x1b[J"));
  terminated.Signal(SIGTERM);
  const Ran ran = terminated.Finish();
  EXPECT_EQ(ran.exit_code, 143);
  EXPECT_THAT(ran.output, HasSubstr("\x1b[?25h\x1b[?1049l"));
}

TEST_F(CliLookTest, TopNeedsATerminal) {
  const Ran ran = Cli({"top"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_EQ(ran.errors, "fdbjobs-cli: top: standard input and output must be a terminal for this\n");
  EXPECT_THAT(ran.output, IsEmpty());
}

TEST_F(CliLookTest, CompletionKnowsEveryCommand) {
  for (const char* shell : {"bash", "zsh"}) {
    const Ran ran = RunProgram({"completion", shell});
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_THAT(ran.output, HasSubstr("summary types timeout list show dump top tail add cancel resubmit remove"));
    EXPECT_THAT(ran.output, HasSubstr("complete -F _fdbjobs_cli fdbjobs-cli"));
  }
  EXPECT_EQ(RunProgram({"completion", "fish"}).exit_code, 2);
}

TEST_F(CliLookTest, ANumberOutOfRangeIsToldWithItsRange) {
  const Ran ran = Cli({"tail", "--count", "0"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_EQ(ran.errors, "fdbjobs-cli: --count: Value 0 not in range 1 to 1000000000 (see fdbjobs-cli --help)\n");
  EXPECT_THAT(Cli({"add", "type", "--batch", "--skip", "-1"}).errors, HasSubstr("not in range 0 to 1000000000000 "));
}

TEST_F(CliLookTest, HelpListsTheExitCodesThatThePageLists) {
  const Ran ran = RunProgram({"--help"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.output, HasSubstr("4    check: there are violations, or not everything could be checked; export:"));
}

}  // namespace
}  // namespace fdbjobs::test
