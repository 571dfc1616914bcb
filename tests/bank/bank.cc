#include "tests/bank/bank.h"

#include <charconv>
#include <cstring>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "fdbjobs/fdb/range.h"
#include "fdbjobs/fdb/transact.h"

namespace fdbjobs::test {
namespace {

constexpr int kRowsAtATime = 10'000;

struct Transfer {
  int from = 0;
  int to = 0;
  int64_t amount = 0;
  bool blind = false;
};

// Spreads neighbouring numbers (the finalizer of SplitMix64).
uint64_t Mix(uint64_t number) {
  number += 0x9e3779b97f4a7c15;
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
  number = (number ^ number >> 27) * 0x94d049bb133111eb;
  return number ^ number >> 31;
}

Transfer TransferOf(int64_t job, int step) {
  const uint64_t bits = Mix(static_cast<uint64_t>(job) * 4 + static_cast<uint64_t>(step));
  const int from = static_cast<int>(bits % Bank::kAccounts);
  const int distance = 1 + static_cast<int>((bits >> 16) % (Bank::kAccounts - 1));
  return {.from = from,
          .to = (from + distance) % Bank::kAccounts,
          .amount = 1 + static_cast<int64_t>((bits >> 32) % 1000),
          .blind = (bits >> 48) % 4 != 0};
}

std::string NumberBytes(int64_t number) {
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

int64_t NumberIn(std::string_view bytes) {
  int64_t number = 0;
  std::memcpy(&number, bytes.data(), std::min(bytes.size(), sizeof number));
  return number;
}

// Every number below the prefix, by key without it.
absl::StatusOr<std::map<std::string, int64_t>> ReadNumbers(const fdb::Database& db, const std::string& prefix) {
  std::map<std::string, int64_t> numbers;
  std::string begin = prefix;
  const std::string end = prefix + '\xff';
  while (true) {
    const auto rows = fdb::Transact(db, [&](fdb::Transaction& tr) {
      return fdb::ReadRange(tr, {.begin = fdb::KeySelectorView::FirstGreaterOrEqual(begin),
                                 .end = fdb::KeySelectorView::FirstGreaterOrEqual(end),
                                 .isolation = fdb::Isolation::kSnapshot,  // nobody writes any more
                                 .limit = kRowsAtATime,
                                 .mode = fdb::StreamingMode::kWantAll});
    });
    if (!rows.ok()) return rows.status();
    for (const fdb::KeyValue& row : *rows) numbers[row.key.substr(prefix.size())] = NumberIn(row.value);
    if (rows->size() < kRowsAtATime) return numbers;
    begin = rows->back().key + '\0';
  }
}

}  // namespace

std::string Progress::ToJson() const { return absl::StrCat("{\"job\":", job, ",\"step\":", step, "}"); }

absl::StatusOr<Progress> Progress::FromJson(std::string_view data) {
  constexpr std::string_view kJob = "{\"job\":";
  constexpr std::string_view kStep = ",\"step\":";
  Progress progress;
  const size_t step = data.find(kStep);
  const char* const end = data.data() + data.size();
  if (!data.starts_with(kJob) || step == std::string_view::npos ||
      std::from_chars(data.data() + kJob.size(), end, progress.job).ec != std::errc() ||
      std::from_chars(data.data() + step + kStep.size(), end, progress.step).ec != std::errc()) {
    return absl::DataLossError(absl::StrCat("a job has other data than was put in: ", std::string(data)));
  }
  return progress;
}

int StepsOf(int64_t job) { return 1 + static_cast<int>(Mix(static_cast<uint64_t>(job) + (1ull << 62)) % 3); }

bool IsRemovedAtEnd(int64_t job) { return Mix(static_cast<uint64_t>(job) + (1ull << 63)) % 2 == 0; }

std::string Bank::LedgerKey(int64_t job, int step) const { return absl::StrCat(prefix_, "ledger/", job, "/", step); }
std::string Bank::AccountKey(int account) const { return absl::StrCat(prefix_, "account/", account); }

absl::Status Bank::Move(fdb::Transaction& tr, int64_t job, int step) const {
  const Transfer transfer = TransferOf(job, step);
  const std::string from = AccountKey(transfer.from);
  const std::string to = AccountKey(transfer.to);
  tr.Add(LedgerKey(job, step), 1);
  tr.Add(TotalKey(), 1);
  if (transfer.blind) {
    tr.Add(from, -transfer.amount);
    tr.Add(to, transfer.amount);
    return absl::OkStatus();
  }
  const fdb::ValueFuture from_value = tr.Get(from, fdb::Isolation::kSerializable);
  const fdb::ValueFuture to_value = tr.Get(to, fdb::Isolation::kSerializable);
  if (absl::Status status = fdb::AwaitAll(from_value, to_value); !status.ok()) return status;
  tr.Set(from, NumberBytes(NumberIn(from_value.Await()->value_or("")) - transfer.amount));
  tr.Set(to, NumberBytes(NumberIn(to_value.Await()->value_or("")) + transfer.amount));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> Bank::Check(const fdb::Database& db, int64_t jobs) const {
  absl::StatusOr<std::map<std::string, int64_t>> found = ReadNumbers(db, prefix_);
  if (!found.ok()) return found.status();
  std::map<std::string, int64_t> wanted;
  for (int64_t job = 0; job < jobs; ++job) {
    for (int step = 0; step < StepsOf(job); ++step) {
      const Transfer transfer = TransferOf(job, step);
      wanted[LedgerKey(job, step)] = 1;
      ++wanted[TotalKey()];
      wanted[AccountKey(transfer.from)] -= transfer.amount;
      wanted[AccountKey(transfer.to)] += transfer.amount;
    }
  }
  std::vector<std::string> problems;
  int64_t sum = 0;
  for (const auto& [key, number] : wanted) {
    const std::string name = key.substr(prefix_.size());
    const auto row = found->find(name);
    const int64_t there = row == found->end() ? 0 : row->second;
    if (there != number) problems.push_back(absl::StrCat(name, " is ", there, " and should be ", number));
    if (row == found->end()) continue;
    if (absl::StartsWith(name, "account/")) sum += there;
    found->erase(row);
  }
  for (const auto& [name, number] : *found) problems.push_back(absl::StrCat(name, " is ", number, " and nobody's"));
  if (sum != 0) problems.push_back(absl::StrCat("the accounts hold ", sum, " together and should hold 0"));
  return problems;
}

}  // namespace fdbjobs::test
