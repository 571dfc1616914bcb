// ChildProcess: a program that a test starts, talks to over a pipe, stops, goes on with and kills.
//
// The child's descriptor kReportDescriptor is the write end of a pipe whose read end the parent holds; standard output
// and standard error are the parent's own. The child never outlives the object: it is killed at the latest then.
//
// Thread safety: one thread at a time. Lifetime: move-only, one owner.
//
//   ChildProcess child({"/path/to/program", "argument"}, {"NAME=value"});
//   std::string report = child.ReadAll();
//   EXPECT_EQ(child.Wait(), 0);
#ifndef FDBJOBS_TESTS_SUPPORT_CHILD_PROCESS_H_
#define FDBJOBS_TESTS_SUPPORT_CHILD_PROCESS_H_

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace fdbjobs::test {

inline constexpr int kReportDescriptor = 3;

class ChildProcess {
 public:
  // Starts `arguments[0]`. `environment` comes on top of the parent's. Ends the test program when it can't be started.
  explicit ChildProcess(std::vector<std::string> arguments, const std::vector<std::string>& environment = {});
  ChildProcess(ChildProcess&& other) noexcept { Swap(other); }
  ChildProcess& operator=(ChildProcess&& other) noexcept {
    ChildProcess taken(std::move(other));
    Swap(taken);
    return *this;
  }
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  // The read end of the pipe, non-blocking, for poll.
  int report_descriptor() const { return report_; }

  // Appends what the child has written and was not read yet. False once it has closed its end, or is dead.
  bool ReadSome(std::string* bytes);
  // All that the child writes until its end.
  std::string ReadAll();

  void Signal(int number) const;
  // Whether Wait or Kill has seen its end.
  bool Ended() const { return ended_; }
  // Waits for its end: its exit status, or minus the number of the signal that ended it. Idempotent.
  int Wait();
  // Kill and Wait.
  void Kill();

 private:
  void Swap(ChildProcess& other) noexcept;

  pid_t pid_ = -1;  // -1 when moved from
  int report_ = -1;
  bool ended_ = false;
  int exit_ = 0;
};

}  // namespace fdbjobs::test

#endif  // FDBJOBS_TESTS_SUPPORT_CHILD_PROCESS_H_
