// CliTest: fdbjobs-cli on the test's database and prefix, beside the library's own calls.
//
//   TEST_F(ShowTest, PrintsAJob) {
//     AddJob("a", {.data = "{}"});
//     const Ran ran = Cli({"show", "type", "a"});
//     EXPECT_EQ(ran.exit_code, 0) << ran.errors;
//   }
#ifndef FDBJOBS_TESTS_CLI_CLI_FIXTURE_H_
#define FDBJOBS_TESTS_CLI_CLI_FIXTURE_H_

#include <string>
#include <string_view>
#include <vector>

#include "tests/cli/run_program.h"
#include "tests/jobs/jobs_fixture.h"

namespace fdbjobs::test {

class CliTest : public JobsTest {
 protected:
  std::vector<std::string> Arguments(const std::vector<std::string>& command) const {
    std::vector<std::string> arguments = {"--db", TestDatabaseName(), "--prefix", prefix(), "--timeout", "60"};
    arguments.insert(arguments.end(), command.begin(), command.end());
    return arguments;
  }
  Ran Cli(const std::vector<std::string>& command, std::string_view input = "") const {
    return RunProgram(Arguments(command), input);
  }
};

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_CLI_CLI_FIXTURE_H_
