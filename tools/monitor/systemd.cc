#include "tools/monitor/systemd.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "absl/strings/numbers.h"

namespace fdbjobs::monitor_tool {

void NotifySystemd(std::string_view state) {
  const char* const path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr) return;
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const size_t length = std::strlen(path);
  if (length == 0 || length >= sizeof(address.sun_path)) return;
  std::memcpy(address.sun_path, path, length);
  // A name that begins with @ is one of the abstract namespace.
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';
  const int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return;
  const socklen_t size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
  // Whoever asked for notifications and does not take them has no use for an error either.
  (void)sendto(descriptor, state.data(), state.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
               reinterpret_cast<const sockaddr*>(&address), size);
  close(descriptor);
}

absl::Duration WatchdogInterval() {
  const char* const process = std::getenv("WATCHDOG_PID");
  int64_t pid = getpid();
  if (process != nullptr && (!absl::SimpleAtoi(process, &pid) || pid != getpid())) return absl::InfiniteDuration();
  const char* const text = std::getenv("WATCHDOG_USEC");
  int64_t microseconds = 0;
  if (text == nullptr || !absl::SimpleAtoi(text, &microseconds) || microseconds <= 0) return absl::InfiniteDuration();
  return absl::Microseconds(microseconds) / 2;
}

}  // namespace fdbjobs::monitor_tool
