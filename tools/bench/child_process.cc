#include "tools/bench/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/bench/errors.h"

namespace fdbjobs::bench {
namespace {

// Both ends are closed on exec; posix_spawn gives the child its copies.
struct Pipe {
  int read_end = -1;
  int write_end = -1;

  Pipe() {
    int ends[2];
    RequireSystem(pipe2(ends, O_CLOEXEC) == 0, "make a pipe");
    read_end = ends[0];
    write_end = ends[1];
  }
};

int WaitFor(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& arguments) {
  const Pipe input;
  const Pipe output;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.read_end, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.write_end, STDOUT_FILENO);
  std::string program = "fdbjobs-bench";
  std::vector<std::string> copies = arguments;
  std::vector<char*> argv = {program.data()};
  for (std::string& argument : copies) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const int error = posix_spawn(&pid_, "/proc/self/exe", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(input.read_end);
  close(output.write_end);
  to_ = fdopen(input.write_end, "w");
  from_ = fdopen(output.read_end, "r");
  errno = error;
  if (error != 0) pid_ = -1;
  RequireSystem(error == 0, "start another process");
}

ChildProcess::~ChildProcess() {
  if (to_ != nullptr) std::fclose(to_);
  if (from_ != nullptr) std::fclose(from_);
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  WaitFor(pid_);
}

void ChildProcess::Send(std::string_view line) {
  std::fprintf(to_, "%.*s\n", static_cast<int>(line.size()), line.data());
  RequireSystem(std::fflush(to_) == 0, "write to the other process");
}

std::string ChildProcess::ReadLine() {
  char* line = nullptr;
  size_t capacity = 0;
  const ssize_t length = getline(&line, &capacity, from_);
  std::string text(line, length > 0 ? static_cast<size_t>(length) : 0);
  std::free(line);
  if (text.empty()) throw BenchError("the other process ended before its time");
  text.pop_back();
  return text;
}

void ChildProcess::Expect(std::string_view line) {
  const std::string got = ReadLine();
  if (got != line) {
    throw BenchError(absl::StrCat("the other process said \"", got, "\" instead of \"", std::string(line), "\""));
  }
}

void ChildProcess::Finish() {
  std::fclose(std::exchange(to_, nullptr));
  const int status = WaitFor(std::exchange(pid_, -1));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw BenchError("the other process failed");
}

}  // namespace fdbjobs::bench
