// ChildProcess: this program started once more, in another role, and the lines that are passed to and from it.
//
// Thread safety: none. Lifetime: one that was not finished is killed and waited for at the end.
//
//   ChildProcess child({"engine-worker", "load", "--threads", "32"});
//   child.Expect("ready");
//   child.Send("go");
//   std::string line = child.ReadLine();
//   child.Finish();
#ifndef FDBJOBS_TOOLS_BENCH_CHILD_PROCESS_H_
#define FDBJOBS_TOOLS_BENCH_CHILD_PROCESS_H_

#include <sys/types.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace fdbjobs::bench {

class ChildProcess {
 public:
  // Starts /proc/self/exe with `arguments`; its standard error stays ours.
  explicit ChildProcess(const std::vector<std::string>& arguments);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  void Send(std::string_view line);
  // Throws at the end of its output.
  std::string ReadLine();
  // Reads a line and throws unless it is this one.
  void Expect(std::string_view line);
  // Closes its input, waits for its end, and throws unless it ended well.
  void Finish();

 private:
  pid_t pid_ = -1;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
};

}  // namespace fdbjobs::bench

#endif  // FDBJOBS_TOOLS_BENCH_CHILD_PROCESS_H_
