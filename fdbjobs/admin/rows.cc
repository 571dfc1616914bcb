#include "fdbjobs/admin/rows.h"

#include <algorithm>
#include <utility>

#include "fdbjobs/fdb/key_selector.h"

namespace fdbjobs::admin {

absl::StatusOr<RowPage> ReadRows(fdb::Transaction& tr, const keyspace::JobKeys& keys, const keyspace::KeyRange& range,
                                 int limit) {
  const fdb::RangeFuture asked = tr.GetRange({.begin = fdb::KeySelectorView::FirstGreaterOrEqual(range.begin),
                                              .end = fdb::KeySelectorView::FirstGreaterOrEqual(range.end),
                                              .isolation = fdb::Isolation::kSnapshot,
                                              .limit = limit,
                                              .mode = fdb::StreamingMode::kExact});
  const absl::StatusOr<fdb::RangeBatchView> batch = asked.AwaitView();
  if (!batch.ok()) return batch.status();
  RowPage page;
  for (const fdb::KeyValueView& row : batch->rows) page.rows.push_back(keyspace::ReadRow(keys, row.key(), row.value()));
  if (batch->more && !page.rows.empty()) page.next = page.rows.back().key + '\0';
  return page;
}

absl::Status ForEachRow(const fdb::Database& db, const keyspace::JobKeys& keys, keyspace::KeyRange range,
                        const fdb::TransactOptions& options, absl::FunctionRef<bool(const keyspace::Row&)> visit) {
  constexpr int kMost = 1000;
  int limit = kMost;
  while (true) {
    bool again = false;
    const absl::StatusOr<RowPage> page = fdb::Transact(db, options, [&](fdb::Transaction& tr) {
      if (std::exchange(again, true)) limit = std::max(1, limit / 2);
      return ReadRows(tr, keys, range, limit);
    });
    if (!page.ok()) return page.status();
    for (const keyspace::Row& row : page->rows) {
      if (!visit(row)) return absl::OkStatus();
    }
    if (page->next.empty()) return absl::OkStatus();
    range.begin = page->next;
    limit = std::min(kMost, limit * 2);
  }
}

}  // namespace fdbjobs::admin
