#include "tests/support/child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace fdbjobs::test {
namespace {

[[noreturn]] void Die(const std::string& what, int error) {
  std::fprintf(stderr, "%s: %s\n", what.c_str(), std::strerror(error));
  std::abort();
}

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

ChildProcess::ChildProcess(std::vector<std::string> arguments, const std::vector<std::string>& environment) {
  // The first of two settings with one name counts.
  std::vector<std::string> settings = environment;
  for (char** setting = environ; *setting != nullptr; ++setting) settings.emplace_back(*setting);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) Die("pipe", errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], kReportDescriptor);
  const int error = posix_spawn(&pid_, arguments[0].c_str(), &actions, nullptr, Pointers(arguments).data(),
                                Pointers(settings).data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) Die("start " + arguments[0], error);
  report_ = ends[0];
  fcntl(report_, F_SETFL, O_NONBLOCK);
}

ChildProcess::~ChildProcess() {
  if (pid_ < 0) return;
  Kill();
  close(report_);
}

void ChildProcess::Swap(ChildProcess& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(report_, other.report_);
  std::swap(ended_, other.ended_);
  std::swap(exit_, other.exit_);
}

bool ChildProcess::ReadSome(std::string* bytes) {
  char buffer[4096];
  for (;;) {
    const ssize_t count = read(report_, buffer, sizeof buffer);
    if (count > 0) {
      bytes->append(buffer, static_cast<size_t>(count));
    } else if (count == 0) {
      return false;
    } else if (errno == EAGAIN) {
      return true;
    } else if (errno != EINTR) {
      Die("read from a child", errno);
    }
  }
}

std::string ChildProcess::ReadAll() {
  std::string bytes;
  while (ReadSome(&bytes)) {
    pollfd readable = {report_, POLLIN, 0};
    poll(&readable, 1, -1);
  }
  return bytes;
}

void ChildProcess::Signal(int number) const {
  if (!ended_) kill(pid_, number);
}

int ChildProcess::Wait() {
  int status = 0;
  while (!ended_) {
    if (waitpid(pid_, &status, 0) == pid_) {
      ended_ = true;
      exit_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    } else if (errno != EINTR) {
      Die("wait for a child", errno);
    }
  }
  return exit_;
}

void ChildProcess::Kill() {
  Signal(SIGKILL);
  Wait();
}

}  // namespace fdbjobs::test
