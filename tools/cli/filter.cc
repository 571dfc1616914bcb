#include "tools/cli/filter.h"

#include <algorithm>
#include <utility>

#include "tools/cli/command.h"

namespace fdbjobs::cli {

bool Filter::Matches(const Job& job) const {
  return (!state.has_value() || job.state == *state) && (!id_prefix.has_value() || id_prefix->Matches(job.id));
}

void AddFilterOptions(CLI::App& command, FilterArguments* arguments) {
  command.add_option("--state", arguments->state, "Only jobs in this state: pending, running or finished");
  command.add_option("--id-prefix", arguments->id_prefix,
                     "Only ids that begin so: a string, bytes, or a tuple by its first elements");
}

absl::StatusOr<Filter> MakeFilter(const FilterArguments& arguments) {
  Filter filter;
  if (!arguments.state.empty()) {
    const absl::StatusOr<JobState> state = ParseState(arguments.state);
    if (!state.ok()) return state.status();
    filter.state = *state;
  }
  if (!arguments.id_prefix.empty()) {
    const absl::StatusOr<keyspace::PackedElement> value = ParseValue("id prefix", arguments.id_prefix);
    if (!value.ok()) return value.status();
    absl::StatusOr<keyspace::IdPrefix> prefix = keyspace::IdPrefix::Make(value->element());
    if (!prefix.ok()) return prefix.status();
    filter.id_prefix = *std::move(prefix);
  }
  return filter;
}

absl::StatusOr<JobPage> ReadPage(const Context& context, const JobType& type, const Filter& filter,
                                 const std::string& continuation, int* limit) {
  bool again = false;
  return context.Transact([&](fdb::Transaction& tr) {
    if (std::exchange(again, true)) *limit = std::max(1, *limit / 2);
    return ListJobs(
        context.jobs(), tr, type,
        {.state = filter.state, .id_prefix = filter.id_prefix, .limit = *limit, .continuation = continuation});
  });
}

}  // namespace fdbjobs::cli
