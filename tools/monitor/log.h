// Log lines: a text and named values, as text or as JSON, one line each whatever bytes they hold.
//
//   2026-11-18T08:00:00.123Z info jobs were put back type="index" reenqueued="3"
//   {"time":"2026-11-18T08:00:00.123Z","level":"info","message":"jobs were put back","type":"index","reenqueued":"3"}
//
// Thread safety: any thread, after SetUpLog.
//
//   Log(Level::kInfo, "jobs were put back", {{"type", type.ToString()}});
#ifndef FDBJOBS_TOOLS_MONITOR_LOG_H_
#define FDBJOBS_TOOLS_MONITOR_LOG_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"

namespace fdbjobs::monitor_tool {

enum class Level { kDebug, kInfo, kWarning, kError };
using Fields = std::vector<std::pair<std::string, std::string>>;

// `level` is debug, info, warning, error or off.
void SetUpLog(const std::string& level, bool json);
void Log(Level level, std::string_view message, const Fields& fields = {});

// The lines without what comes after them, for Log and its tests. No control characters, no bytes that are not UTF-8,
// and quotes within a value are escaped, so nothing in a value can look like another field or another line.
std::string TextLine(absl::Time time, Level level, std::string_view message, const Fields& fields);
std::string JsonLine(absl::Time time, Level level, std::string_view message, const Fields& fields);

}  // namespace fdbjobs::monitor_tool

#endif  // FDBJOBS_TOOLS_MONITOR_LOG_H_
