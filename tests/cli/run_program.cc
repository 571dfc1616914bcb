#include "tests/cli/run_program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "absl/time/clock.h"

namespace fdbjobs::test {
namespace {

[[noreturn]] void Die(const char* what) {
  std::fprintf(stderr, "%s: %s\n", what, std::strerror(errno));
  std::abort();
}

// In the child. Nothing here may allocate: the parent has threads.
[[noreturn]] void Exec(char* const* arguments, char* const* environment, uid_t user) {
  if (user != 0 && (setgid(user) != 0 || setuid(user) != 0)) _exit(126);
  execve(FDBJOBS_CLI, arguments, environment);
  _exit(127);
}

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

void Close(int* fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

// False once the other end is closed.
bool Append(int fd, std::string* text) {
  char buffer[4096];
  const ssize_t count = read(fd, buffer, sizeof buffer);
  if (count > 0) text->append(buffer, static_cast<size_t>(count));
  return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN));
}

}  // namespace

Program::Program(const std::vector<std::string>& arguments, const ProgramOptions& options) {
  signal(SIGPIPE, SIG_IGN);  // a child that ends early is no end of the test
  std::vector<std::string> words = {FDBJOBS_CLI};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> settings = options.environment;
  for (char** setting = environ; *setting != nullptr; ++setting) {
    if (!std::string_view(*setting).starts_with("FDBJOBS_DB=")) settings.emplace_back(*setting);
  }
  const std::vector<char*> argv = Pointers(words);
  const std::vector<char*> envp = Pointers(settings);
  if (options.terminal) {
    winsize size = {};
    size.ws_col = 80;
    size.ws_row = 24;
    pid_ = forkpty(&output_, nullptr, nullptr, &size);
    if (pid_ < 0) Die("forkpty");
    if (pid_ == 0) Exec(argv.data(), envp.data(), options.user);
    return;
  }
  int in[2], out[2], err[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) Die("pipe");
  pid_ = fork();
  if (pid_ < 0) Die("fork");
  if (pid_ == 0) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    signal(SIGPIPE, SIG_DFL);
    Exec(argv.data(), envp.data(), options.user);
  }
  close(in[0]);
  close(out[1]);
  close(err[1]);
  input_ = in[1];
  output_ = out[0];
  errors_ = err[0];
}

Program::~Program() {
  if (!ended_) {
    Signal(SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  CloseInput();
  Close(&output_);
  Close(&errors_);
}

void Program::Write(std::string_view input) {
  const int fd = input_ >= 0 ? input_ : output_;
  while (!input.empty()) {
    const ssize_t count = write(fd, input.data(), input.size());
    if (count < 0 && errno != EINTR) return;  // it has ended, and its exit code tells why
    if (count > 0) input.remove_prefix(static_cast<size_t>(count));
  }
}

void Program::CloseInput() { Close(&input_); }

void Program::Signal(int number) const {
  if (!ended_) kill(pid_, number);
}

void Program::Resize(int columns, int rows) const {
  winsize size = {};
  size.ws_col = static_cast<unsigned short>(columns);
  size.ws_row = static_cast<unsigned short>(rows);
  ioctl(output_, TIOCSWINSZ, &size);
}

bool Program::ReadSome(absl::Time deadline) {
  pollfd polled[] = {{output_, POLLIN, 0}, {errors_, POLLIN, 0}};
  const auto wait = static_cast<int>(absl::ToInt64Milliseconds(deadline - absl::Now()));
  if (wait < 0) return false;
  poll(polled, 2, wait);
  if (polled[0].revents != 0 && !Append(output_, &ran_.output)) Close(&output_);
  if (polled[1].revents != 0 && !Append(errors_, &ran_.errors)) Close(&errors_);
  return output_ >= 0 || errors_ >= 0;
}

bool Program::ReadUntil(std::string_view text, absl::Duration timeout) {
  const absl::Time deadline = absl::Now() + timeout;
  while (ran_.output.find(text) == std::string::npos) {
    if (!ReadSome(deadline)) return ran_.output.find(text) != std::string::npos;
  }
  return true;
}

Ran Program::Finish() {
  CloseInput();
  const absl::Time deadline = absl::Now() + absl::Minutes(2);
  while (ReadSome(deadline)) {
  }
  if (absl::Now() >= deadline) Signal(SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  ended_ = true;
  ran_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return ran_;
}

Ran RunProgram(const std::vector<std::string>& arguments, std::string_view input, const ProgramOptions& options) {
  Program program(arguments, options);
  program.Write(input);
  return program.Finish();
}

}  // namespace fdbjobs::test
