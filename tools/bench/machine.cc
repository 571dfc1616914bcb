#include "tools/bench/machine.h"

#include <sched.h>
#include <sys/utsname.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace fdbjobs::bench {
namespace {

std::string Stripped(std::string text) {
  absl::StripAsciiWhitespace(&text);
  return text;
}

// What follows "name:" in a file of such lines; empty when there is none.
std::string Field(const char* path, std::string_view name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos || Stripped(line.substr(0, colon)) != name) continue;
    return Stripped(line.substr(colon + 1));
  }
  return "";
}

// "1234 kB" in bytes.
int64_t Kilobytes(const std::string& text) { return std::strtoll(text.c_str(), nullptr, 10) * 1024; }

int CoresForThisProcess() {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 0;
}

bool Contains(std::string_view mount_point, std::string_view path) {
  if (mount_point == "/") return true;
  return path.starts_with(mount_point) && (path.size() == mount_point.size() || path[mount_point.size()] == '/');
}

// The mount that `folder` lies in, from /proc/self/mountinfo:
//   id parent device root MOUNT-POINT OPTIONS [optional...] - TYPE SOURCE OPTIONS
Json DescribeFileSystem(const std::string& folder) {
  std::error_code error;
  const std::string path = std::filesystem::weakly_canonical(folder, error).string();
  std::ifstream mounts("/proc/self/mountinfo");
  Json found;
  size_t longest = 0;
  for (std::string line; std::getline(mounts, line);) {
    const std::vector<std::string> halves = absl::StrSplit(line, absl::MaxSplits(" - ", 1));
    if (halves.size() != 2) continue;
    const std::vector<std::string> place = absl::StrSplit(halves[0], ' ');
    const std::vector<std::string> what = absl::StrSplit(halves[1], ' ');
    if (place.size() < 6 || what.size() < 3 || !Contains(place[4], path) || place[4].size() < longest) continue;
    longest = place[4].size();
    found = Json::Object();
    found["type"] = what[0];
    found["source"] = what[1];
    found["options"] = absl::StrCat(place[5], ",", what[2]);
  }
  return found;
}

}  // namespace

Json DescribeMachine(const std::string& folder) {
  Json machine = Json::Object();
  machine["cores"] = CoresForThisProcess();
  machine["processor"] = Field("/proc/cpuinfo", "model name");
  machine["memory_bytes"] = Kilobytes(Field("/proc/meminfo", "MemTotal"));
  utsname system;
  if (uname(&system) == 0) machine["kernel"] = absl::StrCat(system.sysname, " ", system.release, " ", system.machine);
  if (!folder.empty()) machine["file_system"] = DescribeFileSystem(folder);
  return machine;
}

Json Memory::ToJson() const {
  Json json = Json::Object();
  json["resident_bytes"] = resident;
  json["anonymous_bytes"] = anonymous;
  json["file_bytes"] = file;
  return json;
}

Memory ReadMemory() {
  constexpr char kStatus[] = "/proc/self/status";
  return {Kilobytes(Field(kStatus, "VmRSS")), Kilobytes(Field(kStatus, "RssAnon")),
          Kilobytes(Field(kStatus, "RssFile"))};
}

}  // namespace fdbjobs::bench
