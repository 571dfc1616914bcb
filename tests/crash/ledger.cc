#include "tests/crash/ledger.h"

#include <cstring>
#include <optional>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "fdbjobs/fdb/range.h"
#include "fdbjobs/fdb/transact.h"

namespace fdbjobs::test {
namespace {

constexpr int kRows = 8;
constexpr int kAccounts = 6;
constexpr char kTotal[] = "total";
constexpr char kNewest[] = "newest";
constexpr size_t kStampSize = 10;

std::string Place(const Author& author) { return absl::StrCat(author.writer, "/", author.thread); }
std::string SequenceKey(const Author& author) { return absl::StrCat("sequence/", Place(author)); }
std::string RowKey(const Author& author, int64_t number) {
  return absl::StrCat("row/", Place(author), "/", number % kRows);
}
std::string AccountKey(uint64_t i) { return absl::StrCat("account/", i % kAccounts); }

// From nothing to some hundred bytes, so that records end anywhere in a page.
std::string RowText(const Author& author, int64_t number) {
  const std::string word = absl::StrCat("<", Place(author), "/", number, ">");
  std::string text = absl::StrCat("commit ", number, " ");
  for (uint64_t i = static_cast<uint64_t>(number) * 7 % 40; i > 0; --i) text += word;
  return text;
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

// Two accounts are read and written, so that writers also conflict.
absl::Status MoveMoney(fdb::Transaction& tr, std::mt19937_64& random) {
  const std::string from = AccountKey(random());
  const std::string to = AccountKey(random());
  if (from == to) return absl::OkStatus();
  const int64_t amount = static_cast<int64_t>(random() % 100);
  const fdb::ValueFuture from_value = tr.Get(from, fdb::Isolation::kSerializable);
  const fdb::ValueFuture to_value = tr.Get(to, fdb::Isolation::kSerializable);
  if (absl::Status status = fdb::AwaitAll(from_value, to_value); !status.ok()) return status;
  tr.Set(from, NumberBytes(NumberIn(from_value.Await()->value_or("")) - amount));
  tr.Set(to, NumberBytes(NumberIn(to_value.Await()->value_or("")) + amount));
  return absl::OkStatus();
}

// All writes of the commit that follows the last one of `author`. Returns its number.
absl::StatusOr<int64_t> WriteNext(fdb::Transaction& tr, const Author& author, std::mt19937_64& random) {
  const absl::StatusOr<std::optional<std::string>> last =
      tr.Get(SequenceKey(author), fdb::Isolation::kSerializable).Await();
  if (!last.ok()) return last.status();
  const int64_t number = NumberIn(last->value_or("")) + 1;
  tr.Set(SequenceKey(author), NumberBytes(number));
  tr.Set(RowKey(author, number), RowText(author, number));
  tr.Add(kTotal, 1);
  tr.SetVersionstampedValue(kNewest, std::string(kStampSize, '\xff'), 0);
  if (random() % 3 == 0) {
    if (absl::Status status = MoveMoney(tr, random); !status.ok()) return status;
  }
  return number;
}

int64_t VersionIn(std::string_view stamp) {
  uint64_t version = 0;
  for (size_t i = 0; i < 8 && i < stamp.size(); ++i) version = version << 8 | static_cast<uint8_t>(stamp[i]);
  return static_cast<int64_t>(version);
}

void CheckRows(const std::map<std::string, std::string>& rows, LedgerView* view) {
  for (const auto& [author, last] : view->sequences) {
    for (int64_t number = std::max<int64_t>(1, last - kRows + 1); number <= last; ++number) {
      const auto row = rows.find(RowKey(author, number));
      if (row != rows.end() && row->second == RowText(author, number)) continue;
      view->problems.push_back(absl::StrCat("commit ", number, " of ", Place(author), ", whose last is ", last,
                                            ", has the row ", row == rows.end() ? "(none)" : row->second));
    }
  }
}

void CheckSums(const std::map<std::string, std::string>& rows, LedgerView* view) {
  int64_t commits = 0;
  for (const auto& [author, last] : view->sequences) commits += last;
  const auto total = rows.find(kTotal);
  const int64_t counted = total == rows.end() ? 0 : NumberIn(total->second);
  if (counted != commits) view->problems.push_back(absl::StrCat("total ", counted, ", but ", commits, " commits"));
  int64_t money = 0;
  for (uint64_t i = 0; i < kAccounts; ++i) {
    if (const auto account = rows.find(AccountKey(i)); account != rows.end()) money += NumberIn(account->second);
  }
  if (money != 0) view->problems.push_back(absl::StrCat("the accounts sum up to ", money));
}

}  // namespace

absl::StatusOr<Commit> CommitNext(const fdb::Database& database, const Author& author, std::mt19937_64& random) {
  absl::StatusOr<fdb::OwnedTransaction> tr = database.CreateTransaction();
  if (!tr.ok()) return tr.status();
  for (;;) {
    const absl::StatusOr<int64_t> number = WriteNext(*tr, author, random);
    absl::Status status = number.status();
    if (status.ok()) status = tr->Commit().Await();
    if (status.ok()) {
      const absl::StatusOr<int64_t> version = tr->GetCommittedVersion();
      if (!version.ok()) return version.status();
      return Commit{author, *number, *version};
    }
    status = tr->OnError(fdb::FdbCode(status)).Await();
    if (!status.ok()) return status;
  }
}

absl::StatusOr<LedgerView> ReadLedger(const fdb::Database& database) {
  LedgerView view;
  std::map<std::string, std::string> rows;
  const absl::Status status = fdb::Transact(database, [&](fdb::Transaction& tr) -> absl::Status {
    const absl::StatusOr<int64_t> version = tr.GetReadVersion().Await();
    if (!version.ok()) return version.status();
    const absl::StatusOr<std::vector<fdb::KeyValue>> read =
        fdb::ReadRange(tr, {.begin = fdb::KeySelectorView::FirstGreaterOrEqual(""),
                            .end = fdb::KeySelectorView::FirstGreaterOrEqual("\xff"),
                            .isolation = fdb::Isolation::kSnapshot});  // nothing is written, so nothing conflicts
    if (!read.ok()) return read.status();
    view.read_version = *version;
    rows.clear();
    for (const fdb::KeyValue& row : *read) rows[row.key] = row.value;
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  for (const auto& [key, value] : rows) {
    const std::vector<std::string> parts = absl::StrSplit(key, '/');
    if (parts[0] == "newest") view.newest_version = VersionIn(value);
    if (parts[0] != "sequence" || parts.size() != 3) continue;
    const Author author{static_cast<uint32_t>(std::stoul(parts[1])), static_cast<uint32_t>(std::stoul(parts[2]))};
    view.sequences[author] = NumberIn(value);
  }
  CheckRows(rows, &view);
  CheckSums(rows, &view);
  return view;
}

}  // namespace fdbjobs::test
