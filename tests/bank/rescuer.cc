#include "tests/bank/rescuer.h"

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "fdbjobs/fdb/transact.h"

namespace fdbjobs::test {

absl::StatusOr<int> Rescuer::RunOnce(absl::Time now) {
  const absl::StatusOr<std::optional<Sequence>> watch =
      fdb::Transact(db_, [&](fdb::Transaction& tr) { return jobs_.GetWatch(tr, type_); });
  if (!watch.ok()) return watch.status();
  if (!watch->has_value()) return 0;
  notes_.push_back({now, **watch});
  // The newest note that is old enough.
  while (notes_.size() > 1 && now - notes_[1].time >= timeout_) notes_.pop_front();
  if (now - notes_.front().time < timeout_) return 0;
  return PutBack(notes_.front().watch);
}

absl::StatusOr<int> Rescuer::PutBack(const Sequence& not_renewed_since) {
  constexpr int kBatch = 100;
  int put_back = 0;
  std::optional<std::string> continuation;
  do {
    const absl::StatusOr<RescueResult> result = fdb::Transact(
        db_, [&](fdb::Transaction& tr) { return jobs_.Rescue(tr, type_, not_renewed_since, kBatch, continuation); });
    if (!result.ok()) return result.status();
    if (!result->damaged.empty()) {
      return absl::DataLossError(absl::StrCat("rescue: ", result->damaged.front().what));
    }
    put_back += result->reenqueued;
    continuation = result->continuation;
  } while (continuation.has_value());
  return put_back;
}

}  // namespace fdbjobs::test
