// The examples of the public headers, compiled. Those that do more than a line are run by the tests of their headers.
// examples_test.cc sees to it that the headers have them as they are here; "..." in a header stands for anything.
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "fdbjobs/claimer.h"
#include "fdbjobs/claims_in_flight.h"
#include "fdbjobs/fdb/bytes.h"
#include "fdbjobs/fdb/library.h"
#include "fdbjobs/fdb/range.h"
#include "fdbjobs/fdb/transact.h"
#include "fdbjobs/job_access.h"
#include "fdbjobs/jobs.h"
#include "fdbjobs/listing.h"
#include "fdbjobs/pending_queue.h"
#include "fdbjobs/subscriptions.h"

namespace fdbjobs {

void Print(const Job& job) { std::cout << job.id.ToString() << "\n"; }

absl::Status JobsExample(const fdb::Database& db) {
  Jobs jobs;
  absl::Status status = fdb::Transact(db, [&](fdb::Transaction& tr) -> absl::Status {
    tr.Set("order/7", "...");
    return jobs.Add(tr, "invoice", {.id = 7, .data = R"({"order":7})"}).status();
  });
  return status;
}

absl::Status ClaimerExample(const fdb::Database& db, const Jobs& jobs, const bool& running) {
  Claimer claimer(db, jobs, "index", {.limit = 10});
  while (running) {
    absl::StatusOr<Claimed> claimed = claimer.Accept(absl::Now() + absl::Seconds(30));
    if (!claimed.ok()) return claimed.status();
  }
  return absl::OkStatus();
}

void ClaimsInFlightExample(std::shared_ptr<ClaimsInFlight> in_flight, const std::string& queue, int limit,
                           const std::vector<std::string_view>& rows_read, std::vector<ClaimsInFlight::Place>& memory) {
  ClaimsInFlight::Place place(in_flight, queue, &memory, limit);  // before the queue is read
  const std::vector<ClaimsInFlight::Span> left_out = place.HeldByOthers();
  int rows = limit + place.WantedBefore();
  const std::vector<std::string_view> keys(rows_read.begin(), rows_read.begin() + (left_out.empty() ? rows : 1));
  const std::vector<size_t> free = place.Free(keys);
  place.Hold({std::string(keys[free.front()]), std::string(keys[free.back()])});  // until it is destroyed
  memory.push_back(std::move(place));
}

absl::Status PendingQueueExample(const keyspace::JobKeys& keys, fdb::Transaction& tr, const JobType& type,
                                 const std::optional<Priority>& max_priority, const ClaimsInFlight::Place& place) {
  std::vector<Damage> damaged;
  PendingQueue queue(keys, tr, type, max_priority);
  queue.LeaveOut(place.HeldByOthers());
  while (!queue.at_end()) {
    const std::vector<fdb::RangeFuture> asked = queue.Ask(100);
    absl::StatusOr<std::vector<Candidate>> candidates = queue.Take(asked, &damaged);
    if (!candidates.ok()) return candidates.status();
  }
  return absl::OkStatus();
}

absl::Status ListingExample(const fdb::Database& db, const Jobs& jobs) {
  absl::Status status = ForEachJob(jobs, db, "index", JobState::kRunning, [](const Job& job) {
    Print(job);
    return true;  // go on
  });
  return status;
}

absl::StatusOr<std::vector<JobChange>> SubscriptionsExample(const fdb::Database& db, const Jobs& jobs) {
  Subscriptions subscriptions(db, jobs);
  absl::Status status = fdb::Transact(db, [&](fdb::Transaction& tr) -> absl::Status {
    if (absl::Status added = jobs.Add(tr, "index", {.id = 7}).status(); !added.ok()) return added;
    return subscriptions.Subscribe(tr, "index", 7, JobState::kFinished);
  });
  if (!status.ok()) return status;
  absl::StatusOr<std::vector<JobChange>> changes = subscriptions.Wait(absl::Now() + absl::Minutes(1));
  return changes;
}

absl::Status JobAccessExample(const keyspace::JobKeys& keys, Receipts& receipts, fdb::Transaction& tr,
                              const JobType& type, const JobId& id) {
  JobAccess access(keys, receipts, tr);
  JobAccess::Read read = access.StartRead(type, id);
  absl::StatusOr<LoadedJob> job = access.Await(read);
  if (!job.ok()) return job.status();
  job->options.cancel = job->changed = true;
  if (absl::Status status = access.Put(*job, JobState::kFinished); !status.ok()) return status;
  return access.Flush();
}

}  // namespace fdbjobs

namespace fdbjobs::fdb {

void AbiExample(Client* client) {
  const abi::Api& api = client->api();
  std::puts(api.get_error(1020));
}

void BytesExample(const abi::Api& api, FDBTransaction* handle, const std::string& key) {
  api.transaction_clear(handle, Bytes(key), Length(key));
}

absl::Status ClientExample() {
  absl::StatusOr<Client*> client = Client::Load(Engine::kCluster, "/opt/fdb/libfdb_c.so");
  if (!client.ok()) return client.status();
  absl::Status status = (*client)->SetNetworkOption(NetworkText::kTraceEnable, "/var/log/fdb");
  return status;
}

absl::Status DatabaseExample() {
  absl::StatusOr<Database> database = Database::Open("embedded:/var/lib/jobs");
  if (!database.ok()) return database.status();
  absl::StatusOr<OwnedTransaction> tr = database->CreateTransaction();
  return tr.status();
}

absl::Status DatabaseNameExample() {
  absl::StatusOr<DatabaseName> name = DatabaseName::Parse("embedded:/var/lib/jobs");
  return name.status();
}

void ErrorCodesExample(const absl::Status& status, int& batch) {
  if (FdbCode(status) == error::kTransactionTooLarge) batch /= 2;
}

absl::Status FutureExample(Transaction& tr) {
  ValueFuture a = tr.Get("a", Isolation::kSerializable);  // both are on the way
  ValueFuture b = tr.Get("b", Isolation::kSerializable);
  if (absl::Status status = AwaitAll(a, b); !status.ok()) return status;
  absl::StatusOr<std::optional<std::string_view>> value = a.AwaitView();
  return value.status();
}

void KeySelectorExample(Transaction& tr) {
  KeyFuture before = tr.GetKey(KeySelectorView::LastLessThan("user/42"), Isolation::kSnapshot);
  KeyFuture tenth = tr.GetKey(KeySelectorView::FirstGreaterOrEqual("user/") + 9, Isolation::kSnapshot);
}

absl::Status LibraryExample() {
  absl::StatusOr<Library> library = OpenLibrary(Engine::kEmbedded, "");
  if (!library.ok()) return library.status();
  absl::StatusOr<abi::Api> api = BindApi(*library);
  return api.status();
}

absl::Status OptionsExample(Transaction& tr) {
  absl::Status status = tr.SetOption(TransactionFlag::kReadYourWritesDisable);
  status.Update(tr.SetOption(TransactionInt::kTimeoutMilliseconds, 500));
  status.Update(tr.SetOption(TransactionText::kTag, "reports"));
  return status;
}

size_t counted = 0;
void Count(std::string_view key, std::string_view value) { counted += key.size() + value.size(); }

absl::Status RangeExample(Transaction& tr) {
  RangeReader reader(tr, {.begin = KeySelectorView::FirstGreaterOrEqual("job/"),
                          .end = KeySelectorView::FirstGreaterOrEqual("job0"),
                          .isolation = Isolation::kSnapshot});  // only counted, so nothing to conflict with
  while (true) {
    absl::StatusOr<absl::Span<const KeyValueView>> batch = reader.Next();
    if (!batch.ok()) return batch.status();
    if (batch->empty()) break;
    for (const KeyValueView& row : *batch) Count(row.key(), row.value());
  }
  return absl::OkStatus();
}

absl::Status LookWhetherItIsThere() { return absl::OkStatus(); }
absl::Status TryAgain() { return absl::OkStatus(); }

absl::Status StatusExample(Transaction& tr) {
  absl::Status status = tr.Commit().Await();
  if (MaybeCommitted(status)) return LookWhetherItIsThere();
  if (IsRetryable(status)) return TryAgain();
  std::cerr << status << ", FoundationDB's error " << FdbCode(status) << "\n";
  return status;
}

absl::StatusOr<int> TransactExample(const Database& database) {
  absl::StatusOr<int> count =
      Transact(database, {.timeout = absl::Seconds(10)}, [&](Transaction& tr) -> absl::StatusOr<int> {
        absl::StatusOr<std::optional<std::string>> value = tr.Get("count", Isolation::kSerializable).Await();
        if (!value.ok()) return value.status();
        const int next = value->has_value() ? 2 : 1;
        tr.Set("count", absl::StrCat(next));
        return next;
      });
  return count;
}

absl::Status TransactionExample(const Database& database) {
  absl::StatusOr<OwnedTransaction> tr = database.CreateTransaction();
  ValueFuture old = tr->Get("counter", Isolation::kSerializable);
  tr->Set("seen", "yes");
  absl::Status status = tr->Commit().Await();
  return status;
}

absl::Status BorrowedTransactionExample(FDBTransaction* raw) {
  absl::StatusOr<Client*> client = Client::Load(Engine::kCluster);  // the libfdb_c that the program uses
  if (!client.ok()) return client.status();
  BorrowedTransaction borrowed(**client, raw);
  return absl::OkStatus();
}

}  // namespace fdbjobs::fdb
