#include "tools/cli/type_list.h"

#include <utility>
#include <vector>

#include "fdbjobs/admin/rows.h"
#include "fdbjobs/listing.h"

namespace fdbjobs::cli {
namespace {

// Types with a timeout.
absl::Status ReadTimeouts(const Context& context, TypeList* types) {
  std::string continuation;
  do {
    const absl::StatusOr<TypePage> page = context.Transact(
        [&](fdb::Transaction& tr) { return ListTypes(context.jobs(), tr, /*limit=*/1000, continuation); });
    if (!page.ok()) return page.status();
    for (const TypeTimeout& type : page->types) (*types)[type.type].timeout = type.timeout;
    continuation = page->continuation;
  } while (!continuation.empty());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TypeList> ReadTypes(const Context& context) {
  TypeList types;
  if (absl::Status status = ReadTimeouts(context, &types); !status.ok()) return status;
  // Types whose timeout was cleared still have their counters.
  const keyspace::JobKeys& keys = context.jobs().keys();
  const absl::Status counted =
      admin::ForEachRow(context.db(), keys, keys.CountsRange(), context.transact(), [&](const keyspace::Row& row) {
        if (row.type.has_value() && row.damage.empty()) types.try_emplace(*row.type);
        return true;
      });
  if (!counted.ok()) return counted;
  for (auto& [type, facts] : types) {
    const absl::StatusOr<Counts> counts =
        context.Transact([&context, &name = type](fdb::Transaction& tr) { return context.jobs().CountJobs(tr, name); });
    if (!counts.ok()) return counts.status();
    facts.counts = *counts;
  }
  return types;
}

}  // namespace fdbjobs::cli
