// Filter: which jobs of a type a command is about, by state and by the begin of their ids.
//
// Thread safety: plain values. Lifetime: owns what it holds.
//
//   auto arguments = std::make_shared<FilterArguments>();
//   AddFilterOptions(*command, arguments.get());
//   absl::StatusOr<Filter> filter = MakeFilter(*arguments);
#ifndef FDBJOBS_TOOLS_CLI_FILTER_H_
#define FDBJOBS_TOOLS_CLI_FILTER_H_

#include <optional>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "fdbjobs/job.h"
#include "fdbjobs/keyspace/id_prefix.h"
#include "fdbjobs/listing.h"
#include "tools/cli/context.h"

namespace fdbjobs::cli {

struct FilterArguments {
  std::string state;
  std::string id_prefix;
};

struct Filter {
  std::optional<JobState> state;
  std::optional<keyspace::IdPrefix> id_prefix;

  bool Matches(const Job& job) const;
};

void AddFilterOptions(CLI::App& command, FilterArguments* arguments);
absl::StatusOr<Filter> MakeFilter(const FilterArguments& arguments);

// One page of jobs that match. Asks again for less when the database takes too long for `limit` rows; then `limit` is
// what it could read.
absl::StatusOr<JobPage> ReadPage(const Context& context, const JobType& type, const Filter& filter,
                                 const std::string& continuation, int* limit);

}  // namespace fdbjobs::cli

#endif  // FDBJOBS_TOOLS_CLI_FILTER_H_
