#include "tools/monitor/log.h"

#include <atomic>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "fdbjobs/keyspace/tuple_utf8.h"
#include "spdlog/sinks/stdout_sinks.h"
#include "spdlog/spdlog.h"

namespace fdbjobs::monitor_tool {
namespace {

std::atomic<bool> write_json{false};

const char* LevelName(Level level) {
  switch (level) {
    case Level::kDebug:
      return "debug";
    case Level::kInfo:
      return "info";
    case Level::kWarning:
      return "warning";
    case Level::kError:
      return "error";
  }
  return "error";
}

spdlog::level::level_enum SpdlogLevel(Level level) {
  switch (level) {
    case Level::kDebug:
      return spdlog::level::debug;
    case Level::kInfo:
      return spdlog::level::info;
    case Level::kWarning:
      return spdlog::level::warn;
    case Level::kError:
      break;
  }
  return spdlog::level::err;
}

// How many bytes from `at` on are a character past ASCII that may stand as it is: not a control character (U+0080 to
// U+009F), a line separator (U+2028, U+2029), a mark of direction (U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069).
size_t PlainCharacter(std::string_view text, size_t at) {
  const size_t length = std::min(text.size() - at, (text[at] & 0xE0) == 0xC0   ? size_t{2}
                                                   : (text[at] & 0xF0) == 0xE0 ? size_t{3}
                                                                               : size_t{4});
  const std::string_view character = text.substr(at, length);
  if (!tuple::IsValidUtf8(character)) return 0;
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(character[i]); };
  if (byte(0) == 0xC2 && byte(1) < 0xA0) return 0;
  if (byte(0) == 0xE2 && byte(1) == 0x80 &&
      (byte(2) == 0x8E || byte(2) == 0x8F || (byte(2) >= 0xA8 && byte(2) <= 0xAE))) {
    return 0;
  }
  if (byte(0) == 0xE2 && byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9) return 0;
  return length;
}

// `escape` is what a byte that may not stand as it is begins with: \x or \u00.
std::string Escape(std::string_view text, const char* escape) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const unsigned char c = text[at];
    const size_t plain = c >= 0x80 ? PlainCharacter(text, at) : (c >= 0x20 && c != 0x7F) ? 1 : 0;
    if (plain == 0) {
      absl::StrAppend(&out, escape, absl::StrFormat("%02x", c));
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += text.substr(at, plain);
    }
    at += std::max<size_t>(plain, 1);
  }
  return out;
}

std::string TimeText(absl::Time time) { return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", time, absl::UTCTimeZone()); }

}  // namespace

std::string TextLine(absl::Time time, Level level, std::string_view message, const Fields& fields) {
  std::string line = absl::StrCat(TimeText(time), " ", LevelName(level), " ", Escape(message, "\\x"));
  for (const auto& [name, value] : fields) absl::StrAppend(&line, " ", name, "=\"", Escape(value, "\\x"), "\"");
  return line;
}

std::string JsonLine(absl::Time time, Level level, std::string_view message, const Fields& fields) {
  std::string line = absl::StrCat("{\"time\":\"", TimeText(time), "\",\"level\":\"", LevelName(level),
                                  "\",\"message\":\"", Escape(message, "\\u00"), "\"");
  for (const auto& [name, value] : fields) {
    absl::StrAppend(&line, ",\"", Escape(name, "\\u00"), "\":\"", Escape(value, "\\u00"), "\"");
  }
  return line + "}";
}

void SetUpLog(const std::string& level, bool json) {
  write_json = json;
  auto logger = spdlog::stderr_logger_mt("fdbjobs-monitor");
  logger->set_pattern("%v");
  logger->set_level(spdlog::level::from_str(level));
  logger->flush_on(spdlog::level::trace);
  spdlog::set_default_logger(std::move(logger));
}

void Log(Level level, std::string_view message, const Fields& fields) {
  const spdlog::level::level_enum wanted = SpdlogLevel(level);
  if (!spdlog::should_log(wanted)) return;
  const absl::Time now = absl::Now();
  spdlog::log(wanted, "{}", write_json ? JsonLine(now, level, message, fields) : TextLine(now, level, message, fields));
}

}  // namespace fdbjobs::monitor_tool
