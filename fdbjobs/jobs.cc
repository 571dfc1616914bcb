#include "fdbjobs/jobs.h"

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "fdbjobs/arguments.h"
#include "fdbjobs/claims_in_flight.h"
#include "fdbjobs/contention.h"
#include "fdbjobs/job_access.h"
#include "fdbjobs/receipts.h"
#include "fdbjobs/uuid.h"

namespace fdbjobs {

using fdb::Isolation;
using keyspace::JobKeys;

const char* OutcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kOk:
      return "ok";
    case Outcome::kWorkerConflict:
      return "worker_conflict";
    case Outcome::kCanceled:
      return "canceled";
  }
  return "unknown";
}

Jobs::Jobs(JobsOptions options)
    : keys_(options.prefix),
      receipts_(std::make_unique<Receipts>(keys_)),
      contention_(std::make_unique<Contention>()),
      in_flight_(std::make_shared<ClaimsInFlight>()) {}

Jobs::~Jobs() = default;

JobId NewJobId() { return TimeOrderedUuid(); }

absl::StatusOr<Lock> ParseLock(std::string_view text) {
  Lock lock;
  if (text.size() == lock.bytes.size()) {
    std::copy(text.begin(), text.end(), lock.bytes.begin());
    return lock;
  }
  if (const std::optional<tuple::Uuid> uuid = UuidFromString(text)) return *uuid;
  constexpr size_t kShown = 60;
  return absl::InvalidArgumentError(absl::StrCat(
      "lock: ", text.size(), " bytes, \"", absl::CHexEscape(std::string(text.substr(0, kShown))),
      text.size() > kShown ? "..." : "", "\"; allowed are 16 bytes and the text of a UUID, of 32 or 36 characters"));
}

absl::Status Jobs::SetActivityTimeout(fdb::Transaction& tr, const JobType& type, absl::Duration timeout) const {
  if (absl::Status status = CheckType(keys_, type); !status.ok()) return status;
  if (absl::Status status = CheckTimeout(timeout); !status.ok()) return status;
  const std::string key = keys_.ActivityTimeout(type);
  const std::string value = JobKeys::EncodeNumber(absl::ToInt64Milliseconds(timeout));
  const absl::StatusOr<std::optional<std::string>> before = tr.Get(key, Isolation::kSerializable).Await();
  if (!before.ok()) return before.status();
  if (*before == value) return absl::OkStatus();
  tr.Set(key, value);
  JobAccess access(keys_, *receipts_, tr);
  access.TouchStamp(keys_.TypesWatch());
  return access.Flush();
}

absl::StatusOr<std::optional<absl::Duration>> Jobs::GetActivityTimeout(fdb::Transaction& tr,
                                                                       const JobType& type) const {
  if (absl::Status status = CheckType(keys_, type); !status.ok()) return status;
  const std::string key = keys_.ActivityTimeout(type);
  const absl::StatusOr<std::optional<std::string>> value = tr.Get(key, Isolation::kSerializable).Await();
  if (!value.ok()) return value.status();
  if (!value->has_value()) return std::nullopt;
  const absl::StatusOr<int64_t> milliseconds = JobKeys::DecodeTimeout(**value);
  if (!milliseconds.ok()) {
    return absl::DataLossError(absl::StrCat(keys_.Describe(key), ": ", milliseconds.status().message()));
  }
  return absl::Milliseconds(*milliseconds);
}

absl::Status Jobs::ClearActivityTimeout(fdb::Transaction& tr, const JobType& type) const {
  if (absl::Status status = CheckType(keys_, type); !status.ok()) return status;
  const std::string key = keys_.ActivityTimeout(type);
  const absl::StatusOr<std::optional<std::string>> before = tr.Get(key, Isolation::kSerializable).Await();
  if (!before.ok()) return before.status();
  if (!before->has_value()) return absl::OkStatus();
  tr.Clear(key);
  JobAccess access(keys_, *receipts_, tr);
  access.TouchStamp(keys_.TypesWatch());
  return access.Flush();
}

absl::StatusOr<uint8_t> Jobs::GetIncarnation(fdb::Transaction& tr) const {
  return JobAccess(keys_, *receipts_, tr).AwaitIncarnation();
}

absl::StatusOr<uint8_t> Jobs::RaiseIncarnation(fdb::Transaction& tr) const {
  const absl::StatusOr<uint8_t> before = GetIncarnation(tr);
  if (!before.ok()) return before.status();
  if (*before == 255) return absl::OutOfRangeError("incarnation: it is 255, the highest that fits into a sequence");
  TransactionMemory& memory = tr.memory<TransactionMemory>();
  // Their sequences hold the old one, and can't be changed any more.
  if (!memory.stamped.empty()) {
    return absl::FailedPreconditionError("incarnation: this transaction has claimed or updated jobs; raise it before");
  }
  const uint8_t raised = *before + 1;
  tr.Set(keys_.Incarnation(), JobKeys::EncodeNumber(raised));
  memory.incarnation[keys_.Incarnation()] = raised;
  memory.watches.clear();  // to be written again, with the new one
  // Once, also when the result of the commit is unknown.
  if (tr.keeps_receipts() && !tr.receipt_written()) tr.WriteReceipt(receipts_->Take());
  return raised;
}

absl::StatusOr<std::optional<Sequence>> Jobs::GetWatch(fdb::Transaction& tr, const JobType& type) const {
  if (absl::Status status = CheckType(keys_, type); !status.ok()) return status;
  const std::string key = keys_.Watch(type);
  const absl::StatusOr<std::optional<std::string>> value = tr.Get(key, Isolation::kSnapshot).Await();
  if (!value.ok()) return value.status();
  if (!value->has_value()) return std::nullopt;
  const absl::StatusOr<Sequence> sequence = JobKeys::DecodeSequence(**value);
  if (!sequence.ok()) return absl::DataLossError(absl::StrCat(keys_.Describe(key), ": ", sequence.status().message()));
  return *sequence;
}

fdb::Receipt Jobs::NewReceipt() const { return receipts_->Take(); }

absl::StatusOr<bool> Jobs::HasCommitted(fdb::Transaction& tr, const fdb::Receipt& receipt) {
  const absl::StatusOr<std::optional<std::string>> value = tr.Get(receipt.key, Isolation::kSerializable).Await();
  if (!value.ok()) return value.status();
  return *value == receipt.token;
}

}  // namespace fdbjobs
