// Program: fdbjobs-cli as a child process, with its input, output, errors and exit code; or on a pseudo-terminal.
//
// Thread safety: one thread at a time. Lifetime: the child is killed at the latest when the object goes.
//
//   const Ran ran = RunProgram({"--db", name, "summary"});
//   EXPECT_EQ(ran.exit_code, 0) << ran.errors;
//
//   Program program({"--db", name, "add", "type", "--batch"});
//   program.Write("{}\n");
//   program.Signal(SIGINT);
//   const Ran ran = program.Finish();
#ifndef FDBJOBS_TESTS_CLI_RUN_PROGRAM_H_
#define FDBJOBS_TESTS_CLI_RUN_PROGRAM_H_

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"

namespace fdbjobs::test {

struct Ran {
  int exit_code = 0;  // minus the signal's number when one ended it
  std::string output;
  std::string errors;
};

struct ProgramOptions {
  bool terminal = false;  // on a pseudo-terminal of 80 columns and 24 rows; then errors come with the output
  uid_t user = 0;         // other than 0: run as this user
  std::vector<std::string> environment = {};
};

class Program {
 public:
  explicit Program(const std::vector<std::string>& arguments, const ProgramOptions& options = {});
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  void Write(std::string_view input);
  void CloseInput();
  void Signal(int number) const;
  // Changes the size of the pseudo-terminal.
  void Resize(int columns, int rows) const;
  // Reads until `text` was in the output, which is then all in output(). False when that took too long.
  bool ReadUntil(std::string_view text, absl::Duration timeout = absl::Seconds(60));
  const std::string& output() const { return ran_.output; }
  void ForgetOutput() { ran_.output.clear(); }

  // Closes its input, reads the rest and waits for its end.
  Ran Finish();

 private:
  // Reads what there is; waits for some until the deadline. False at the end of both.
  bool ReadSome(absl::Time deadline);

  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
  int errors_ = -1;
  bool ended_ = false;
  Ran ran_;
};

Ran RunProgram(const std::vector<std::string>& arguments, std::string_view input = "",
               const ProgramOptions& options = {});

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_CLI_RUN_PROGRAM_H_
