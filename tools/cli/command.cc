#include "tools/cli/command.h"

#include "absl/strings/str_cat.h"
#include "fdbjobs/keyspace/tuple_parse.h"

namespace fdbjobs::cli {

CLI::App* AddCommand(CLI::App& app, const std::string& name, const std::string& description,
                     const std::string& example) {
  CLI::App* const command = app.add_subcommand(name, description);
  command->footer("Example:\n  " + example);
  // Global options may stand behind the command too.
  command->fallthrough();
  return command;
}

absl::StatusOr<keyspace::PackedElement> ParseValue(std::string_view what, const std::string& text) {
  const absl::StatusOr<tuple::Element> element = tuple::ParseArgument(text);
  if (!element.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(std::string(what), " ", tuple::Element(text).ToString(), ": ",
                                                   std::string(element.status().message())));
  }
  keyspace::PackedElement packed(*element);
  if (!packed.status().ok()) {
    return absl::InvalidArgumentError(absl::StrCat(std::string(what), ": ", packed.status().message()));
  }
  return packed;
}

absl::StatusOr<JobState> ParseState(const std::string& text) {
  for (const JobState state : {JobState::kPending, JobState::kRunning, JobState::kFinished}) {
    if (text == JobStateName(state)) return state;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("state ", tuple::Element(text).ToString(), "; allowed are pending, running and finished"));
}

absl::StatusOr<absl::Duration> ParseDuration(std::string_view what, const std::string& text) {
  absl::Duration duration;
  if (absl::ParseDuration(text, &duration)) return duration;
  return absl::InvalidArgumentError(absl::StrCat(std::string(what), " ", tuple::Element(text).ToString(),
                                                 "; allowed are durations as 250ms, 30s, 5m and 1h30m"));
}

}  // namespace fdbjobs::cli
