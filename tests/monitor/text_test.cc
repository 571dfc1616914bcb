// What job data can't do: forge lines of the log, or series of the metrics.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/monitor/log.h"
#include "tools/monitor/metrics.h"

namespace fdbjobs::monitor_tool {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const absl::Time kTime = absl::FromUnixMillis(1763452800123);

TEST(LogTest, TextLine) {
  EXPECT_EQ(TextLine(kTime, Level::kInfo, "jobs were put back", {{"type", "index"}, {"n", "3"}}),
            "2025-11-18T08:00:00.123Z info jobs were put back type=\"index\" n=\"3\"");
}

TEST(LogTest, JsonLine) {
  EXPECT_EQ(JsonLine(kTime, Level::kError, "bad", {{"type", "größe"}}),
            "{\"time\":\"2025-11-18T08:00:00.123Z\",\"level\":\"error\",\"message\":\"bad\",\"type\":\"größe\"}");
}

TEST(LogTest, ValuesCanNotForgeLinesOrFields) {
  const Fields evil = {{"id", "a\n2025 error all is lost\r\x1b[2J\"} x=\"1\\\x7f"}};
  EXPECT_EQ(TextLine(kTime, Level::kInfo, "m", evil),
            "2025-11-18T08:00:00.123Z info m id=\"a\\x0a2025 error all is lost\\x0d\\x1b[2J\\\"} x=\\\"1\\\\\\x7f\"");
  EXPECT_EQ(JsonLine(kTime, Level::kInfo, "m", evil),
            "{\"time\":\"2025-11-18T08:00:00.123Z\",\"level\":\"info\",\"message\":\"m\","
            "\"id\":\"a\\u000a2025 error all is lost\\u000d\\u001b[2J\\\"} x=\\\"1\\\\\\u007f\"}");
}

TEST(LogTest, WhatIsNotPrintableUtf8IsEscaped) {
  // A stray byte, a cut character, a control character past ASCII, a line separator, a mark of direction.
  EXPECT_THAT(TextLine(kTime, Level::kInfo, "\xff|\xc3|\xc2\x85|\xe2\x80\xa8|\xe2\x80\xae|\xe2\x82\xac", {}),
              HasSubstr("\\xff|\\xc3|\\xc2\\x85|\\xe2\\x80\\xa8|\\xe2\\x80\\xae|\xe2\x82\xac"));
}

TEST(MetricsTest, TypesCanNotForgeSeries) {
  World world;
  world.stats.types.push_back({.type = JobType("a\"} 1\nfdbjobs_forged 1\n{\\")});
  const std::string page = MetricsText(world);
  EXPECT_THAT(page, Not(HasSubstr("\nfdbjobs_forged")));
  EXPECT_THAT(page, HasSubstr("fdbjobs_monitor_reenqueued_total{type=\""));
}

TEST(MetricsTest, TheTypesWithTheMostJobsAreShown) {
  World world;
  world.census.emplace();
  for (int i = 0; i < 10; ++i) {
    world.stats.types.push_back({.type = JobType(i)});
    world.census->push_back({.type = JobType(i), .counts = {.pending = i % 5, .running = i}});
  }
  world.max_types = 2;
  const std::string page = MetricsText(world);
  EXPECT_THAT(page, HasSubstr("fdbjobs_monitor_types 10\n"));
  EXPECT_THAT(page, HasSubstr("fdbjobs_monitor_types_not_shown 8\n"));
  EXPECT_THAT(page, HasSubstr("fdbjobs_running_jobs{type=\"9\"} 9\n"));
  EXPECT_THAT(page, HasSubstr("fdbjobs_running_jobs{type=\"8\"} 8\n"));
  EXPECT_THAT(page, Not(HasSubstr("{type=\"4\"}")));
}

}  // namespace
}  // namespace fdbjobs::monitor_tool
