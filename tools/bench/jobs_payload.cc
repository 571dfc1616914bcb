#include "tools/bench/jobs_payload.h"

#include <charconv>
#include <chrono>

#include "absl/strings/str_cat.h"
#include "tools/bench/errors.h"
#include "tools/bench/latency.h"

namespace fdbjobs::bench {
namespace {

int64_t NumberAfter(std::string_view data, std::string_view name) {
  const size_t at = data.find(name);
  int64_t number = 0;
  if (at == std::string_view::npos ||
      std::from_chars(data.data() + at + name.size(), data.data() + data.size(), number).ec != std::errc()) {
    throw BenchError("a job with other data than was put in: " + std::string(data));
  }
  return number;
}

}  // namespace

std::string MakePayload(const Payload& payload) {
  return absl::StrCat("{\"id\":", payload.id, ",\"t\":", payload.enqueued_us,
                      ",\"to\":\"user-0001@example.com\",\"template\":\"welcome\",\"pad\":\"xxxxxxxxxxxxxxxxxxxx\"}");
}

Payload ReadPayload(std::string_view data) {
  return {.id = NumberAfter(data, "\"id\":"), .enqueued_us = NumberAfter(data, "\"t\":")};
}

int64_t NowMicros() {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now().time_since_epoch()).count();
}

}  // namespace fdbjobs::bench
