#include "fdbjobs/monitor/look.h"

#include "absl/strings/str_cat.h"
#include "fdbjobs/fdb/key_selector.h"

namespace fdbjobs {
namespace {

fdb::RangeFuture AskFirst(const Jobs& jobs, fdb::Transaction& tr, const JobType& type, const std::string& from) {
  const keyspace::KeyRange range = jobs.keys().ActivityRange(type);
  return tr.GetRange({.begin = fdb::KeySelectorView::FirstGreaterOrEqual(from.empty() ? range.begin : from),
                      .end = fdb::KeySelectorView::FirstGreaterOrEqual(range.end),
                      .isolation = fdb::Isolation::kSnapshot,
                      .limit = 1,
                      .mode = fdb::StreamingMode::kExact});
}

}  // namespace

Look::Look(const Jobs& jobs, fdb::Transaction& tr, const JobType& type, const std::string& from)
    : jobs_(jobs),
      type_(type),
      watch_(tr.Get(jobs.keys().Watch(type), fdb::Isolation::kSnapshot)),
      first_(AskFirst(jobs, tr, type, from)) {}

absl::StatusOr<Seen> Look::Await() const {
  const absl::StatusOr<std::optional<std::string_view>> watch = watch_.AwaitView();
  if (!watch.ok()) return watch.status();
  const absl::StatusOr<fdb::RangeBatchView> first = first_.AwaitView();
  if (!first.ok()) return first.status();
  Seen seen;
  if (!first->rows.empty()) {
    seen.any_entry = true;
    const absl::StatusOr<Sequence> sequence = jobs_.keys().ReadActivity(type_, first->rows[0].key());
    if (sequence.ok()) seen.first = *sequence;
  }
  if (watch->has_value()) {
    const absl::StatusOr<Sequence> sequence = keyspace::JobKeys::DecodeSequence(**watch);
    if (sequence.ok()) {
      seen.watch = *sequence;
    } else if (seen.any_entry) {
      return absl::DataLossError(
          absl::StrCat(jobs_.keys().Describe(jobs_.keys().Watch(type_)), ": ", sequence.status().message()));
    }
  }
  return seen;
}

}  // namespace fdbjobs
