// A shop that sends an invoice for each order: what a program with fdbjobs looks like.
//
//   shop embedded:/tmp/shop order 3000    places orders; each brings a job, in the transaction of the order
//   shop embedded:/tmp/shop work          prints and sends invoices until nothing is left; start as many as you like
//   shop embedded:/tmp/shop work forever  the same, and then waits for more
//   shop embedded:/tmp/shop progress      shows how the workers get on, until nothing is left
//   shop embedded:/tmp/shop count         counts: one invoice for each order, no more and no less?
//
// On a cluster, the first argument is fdb:/etc/foundationdb/fdb.cluster. Its own rows, beside those of the jobs:
//
//   ("shop", "next_order")       = number of the next order, 64 bits, little endian, as are all numbers here
//   ("shop", "order", Number)    = cents
//   ("shop", "invoices", Number) = how many invoices were sent for the order
//   ("shop", "revenue")          = cents of all invoices
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "fdbjobs/claimer.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/fdb/range.h"
#include "fdbjobs/fdb/transact.h"
#include "fdbjobs/jobs.h"
#include "fdbjobs/keyspace/tuple.h"
#include "fdbjobs/listing.h"

namespace {

using fdbjobs::Claimed;
using fdbjobs::ClaimedJob;
using fdbjobs::Claimer;
using fdbjobs::Counts;
using fdbjobs::FinishRequest;
using fdbjobs::JobPage;
using fdbjobs::Jobs;
using fdbjobs::JobState;
using fdbjobs::NewJob;
using fdbjobs::Outcome;
using fdbjobs::UpdateRequest;
using fdbjobs::fdb::Database;
using fdbjobs::fdb::Isolation;
using fdbjobs::fdb::KeySelectorView;
using fdbjobs::fdb::KeyValueView;
using fdbjobs::fdb::RangeReader;
using fdbjobs::fdb::Transact;
using fdbjobs::fdb::Transaction;
using fdbjobs::fdb::ValueFuture;
using fdbjobs::tuple::Element;
using fdbjobs::tuple::KeyRange;
using fdbjobs::tuple::Tuple;

constexpr char kInvoice[] = "invoice";                     // the type of our jobs
constexpr absl::Duration kTimeout = absl::Seconds(3);      // a worker that is silent for so long loses its jobs
constexpr int64_t kOrdersAtOnce = 100;                     // in one transaction
constexpr int kJobsAtOnce = 25;                            // in the hands of one worker
constexpr int kPages = 3;                                  // of an invoice
constexpr absl::Duration kPage = absl::Milliseconds(60);   // how long it takes to print one page of all 25
constexpr absl::Duration kLook = absl::Milliseconds(500);  // between two lines of `progress`

// These tuples hold nothing that can't be packed.
std::string Key(const char* name) { return *Tuple{"shop", name}.Pack(); }
std::string Key(const char* name, const Element& order) { return *Tuple{"shop", name, order}.Pack(); }

std::string ToBytes(int64_t number) {
  std::string bytes;
  for (int shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<char>(number >> shift));
  return bytes;
}

int64_t ToNumber(std::string_view bytes) {
  uint64_t number = 0;
  for (size_t i = bytes.size(); i-- > 0;) number = number << 8 | static_cast<uint8_t>(bytes[i]);
  return static_cast<int64_t>(number);
}

// 0 when there is none. Serializable: if somebody changes it before we commit, the transaction runs again.
absl::StatusOr<int64_t> GetNumber(Transaction& tr, const std::string& key) {
  absl::StatusOr<std::optional<std::string>> value = tr.Get(key, Isolation::kSerializable).Await();
  if (!value.ok()) return value.status();
  return ToNumber(value->value_or(""));
}

// --- Orders ----------------------------------------------------------------------------------------------------------

// The orders and their jobs: all of them, or none. There is no order without its job, nor a job without its order.
absl::Status PlaceOrders(const Jobs& jobs, Transaction& tr, int64_t count) {
  absl::StatusOr<int64_t> first = GetNumber(tr, Key("next_order"));
  if (!first.ok()) return first.status();
  std::vector<NewJob> invoices;
  for (int64_t order = *first; order < *first + count; ++order) {
    tr.Set(Key("order", order), ToBytes(1000 + order % 997));
    invoices.push_back({.id = order, .data = absl::StrCat(R"({"order":)", order, "}")});
  }
  tr.Set(Key("next_order"), ToBytes(*first + count));
  return jobs.AddMany(tr, kInvoice, invoices).status();
}

absl::Status Order(const Database& db, const Jobs& jobs, int64_t count) {
  absl::Status status = Transact(db, [&](Transaction& tr) { return jobs.SetActivityTimeout(tr, kInvoice, kTimeout); });
  for (int64_t placed = 0; placed < count && status.ok(); placed += kOrdersAtOnce) {
    const int64_t some = std::min(kOrdersAtOnce, count - placed);
    status = Transact(db, [&](Transaction& tr) { return PlaceOrders(jobs, tr, some); });
  }
  if (status.ok()) std::cout << count << " orders placed, each with its job in the same transaction\n";
  return status;
}

// --- Work ------------------------------------------------------------------------------------------------------------

// A sign of life with the progress, in one transaction for all jobs in hand. Jobs that are no longer ours leave it.
absl::Status Report(const Database& db, const Jobs& jobs, int page, std::vector<ClaimedJob>& in_hand) {
  std::vector<UpdateRequest> updates;
  for (const ClaimedJob& job : in_hand) {
    const std::string data =
        absl::StrCat(R"({"order":)", job.id.ToString(), R"(,"page":)", page, R"(,"worker":)", getpid(), "}");
    updates.push_back({.type = job.type, .id = job.id, .lock = job.lock, .data = data});
  }
  absl::StatusOr<std::vector<Outcome>> outcomes =
      Transact(db, [&](Transaction& tr) { return jobs.UpdateMany(tr, updates); });
  if (!outcomes.ok()) return outcomes.status();
  std::vector<ClaimedJob> still_ours;
  for (size_t i = 0; i < in_hand.size(); ++i) {
    if ((*outcomes)[i] == Outcome::kOk) still_ours.push_back(in_hand[i]);
  }
  in_hand = still_ours;
  return absl::OkStatus();
}

// Finishes the jobs and writes what they were for, in one transaction. Only where Finish says kOk: a worker that was
// too slow has lost its job to another one, and must not send a second invoice.
absl::StatusOr<int> SendInvoices(const Jobs& jobs, Transaction& tr, const std::vector<ClaimedJob>& in_hand) {
  std::vector<FinishRequest> finishes;
  std::vector<ValueFuture> orders;
  for (const ClaimedJob& job : in_hand) {
    finishes.push_back({.type = job.type, .id = job.id, .lock = job.lock});
    orders.push_back(tr.Get(Key("order", job.id.element()), Isolation::kSerializable));
  }
  absl::StatusOr<std::vector<Outcome>> outcomes = jobs.FinishMany(tr, finishes);
  if (!outcomes.ok()) return outcomes.status();
  int sent = 0;
  for (size_t i = 0; i < in_hand.size(); ++i) {
    absl::StatusOr<std::optional<std::string>> cents = orders[i].Await();
    if (!cents.ok()) return cents.status();
    if ((*outcomes)[i] != Outcome::kOk || !cents->has_value()) continue;
    tr.Add(Key("invoices", in_hand[i].id.element()), 1);
    tr.Add(Key("revenue"), ToNumber(**cents));
    ++sent;
  }
  return sent;
}

absl::StatusOr<int64_t> JobsLeft(const Database& db, const Jobs& jobs) {
  absl::StatusOr<Counts> counts = Transact(db, [&](Transaction& tr) { return jobs.CountJobs(tr, kInvoice); });
  if (!counts.ok()) return counts.status();
  return counts->pending + counts->running;
}

absl::Status Work(const Database& db, const Jobs& jobs, bool forever) {
  Claimer claimer(db, jobs, kInvoice, {.limit = kJobsAtOnce});
  while (true) {
    // Waits for jobs. Those of a worker that died come back by the monitor, so an empty queue is not yet the end.
    absl::StatusOr<Claimed> claimed = claimer.Accept(absl::Now() + absl::Seconds(1));
    if (!claimed.ok()) return claimed.status();
    if (claimed->jobs.empty()) {
      absl::StatusOr<int64_t> left = JobsLeft(db, jobs);
      if (!left.ok()) return left.status();
      if (*left == 0 && !forever) return absl::OkStatus();
      continue;
    }
    std::vector<ClaimedJob> in_hand = claimed->jobs;
    std::cout << "took " << in_hand.size() << " jobs" << std::endl;
    for (int page = 1; page <= kPages; ++page) {
      absl::SleepFor(kPage);  // the work itself
      if (absl::Status status = Report(db, jobs, page, in_hand); !status.ok()) return status;
      std::cout << "page " << page << " of " << in_hand.size() << " invoices" << std::endl;
    }
    absl::StatusOr<int> sent = Transact(db, [&](Transaction& tr) { return SendInvoices(jobs, tr, in_hand); });
    if (!sent.ok()) return sent.status();
    std::cout << "sent " << *sent << " invoices" << std::endl;
  }
}

// --- Looking ---------------------------------------------------------------------------------------------------------

absl::StatusOr<Counts> PrintProgress(const Jobs& jobs, Transaction& tr) {
  absl::StatusOr<Counts> counts = jobs.CountJobs(tr, kInvoice);
  if (!counts.ok()) return counts.status();
  // Oldest heartbeat first.
  absl::StatusOr<JobPage> running = ListJobs(jobs, tr, kInvoice, {.state = JobState::kRunning, .limit = 1});
  if (!running.ok()) return running.status();
  std::cout << "pending " << counts->pending << ", running " << counts->running << ", finished " << counts->finished;
  if (!running->jobs.empty()) std::cout << ", longest silent: " << running->jobs[0].data;
  std::cout << std::endl;
  return counts;
}

absl::Status Progress(const Database& db, const Jobs& jobs) {
  while (true) {
    absl::StatusOr<Counts> counts = Transact(db, [&](Transaction& tr) { return PrintProgress(jobs, tr); });
    if (!counts.ok()) return counts.status();
    if (counts->pending + counts->running == 0) return absl::OkStatus();
    absl::SleepFor(kLook);
  }
}

struct Sums {
  int64_t rows = 0;
  int64_t total = 0;
  int64_t not_one = 0;  // rows whose number is not 1
};

absl::StatusOr<Sums> SumUp(Transaction& tr, const char* name) {
  const KeyRange range = *Tuple{"shop", name}.Range();
  RangeReader reader(tr,
                     {.begin = KeySelectorView::FirstGreaterOrEqual(range.begin),
                      .end = KeySelectorView::FirstGreaterOrEqual(range.end),
                      .isolation = Isolation::kSnapshot});  // nothing is written, so there is nothing to conflict with
  Sums sums;
  while (true) {
    absl::StatusOr<absl::Span<const KeyValueView>> batch = reader.Next();
    if (!batch.ok()) return batch.status();
    if (batch->empty()) return sums;
    for (const KeyValueView& row : *batch) {
      const int64_t number = ToNumber(row.value());
      ++sums.rows;
      sums.total += number;
      if (number != 1) ++sums.not_one;
    }
  }
}

absl::Status Count(Transaction& tr) {
  absl::StatusOr<Sums> orders = SumUp(tr, "order");
  if (!orders.ok()) return orders.status();
  absl::StatusOr<Sums> invoices = SumUp(tr, "invoices");
  if (!invoices.ok()) return invoices.status();
  absl::StatusOr<int64_t> revenue = GetNumber(tr, Key("revenue"));
  if (!revenue.ok()) return revenue.status();
  std::cout << orders->rows << " orders of " << orders->total << " cents\n"
            << invoices->total << " invoices of " << *revenue << " cents, for " << invoices->rows << " orders\n"
            << invoices->not_one << " orders have more than one invoice\n";
  if (invoices->rows == orders->rows && invoices->not_one == 0 && *revenue == orders->total) {
    std::cout << "Each order has exactly one invoice.\n";
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError("not every order has exactly one invoice (are all jobs finished?)");
}

absl::Status Run(const std::string& name, const std::string& command, const std::string& argument) {
  absl::StatusOr<Database> db = Database::Open(name);
  if (!db.ok()) return db.status();
  const Jobs jobs;
  if (command == "order") {
    int64_t count = 0;
    if (!absl::SimpleAtoi(argument, &count) || count < 1) {
      return absl::InvalidArgumentError(absl::StrCat("how many orders? '", argument, "' is not a number above 0"));
    }
    return Order(*db, jobs, count);
  }
  if (command == "work") return Work(*db, jobs, argument == "forever");
  if (command == "progress") return Progress(*db, jobs);
  if (command == "count") return Transact(*db, Count);
  return absl::InvalidArgumentError(absl::StrCat("unknown command: ", command));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: shop <database> order <how many> | work [forever] | progress | count\n";
    return 2;
  }
  const absl::Status status = Run(argv[1], argv[2], argc > 3 ? argv[3] : "");
  if (!status.ok()) std::cerr << status << "\n";
  return status.ok() ? 0 : 1;
}
