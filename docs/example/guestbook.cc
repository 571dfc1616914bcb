// A guestbook in a FoundationDB database: what a program on top of fdbjobs/fdb and fdbjobs/keyspace looks like.
//
//   guestbook embedded:/tmp/book sign "Hello"   adds an entry
//   guestbook embedded:/tmp/book read           prints the entries, oldest first
//   guestbook embedded:/tmp/book wait           waits until somebody signs
//   guestbook embedded:/tmp/book fill           signs until it is killed; prints the number of each entry once it is
//   safe
//
// Its rows are tuples, so clients in other languages can read them:
//
//   ("guestbook", "entry", <versionstamp>) = text
//   ("guestbook", "count")                 = how many entries there are, 64 bits, little endian
#include <unistd.h>

#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "fdbjobs/fdb/database.h"
#include "fdbjobs/fdb/range.h"
#include "fdbjobs/fdb/transact.h"
#include "fdbjobs/keyspace/tuple.h"

namespace {

using fdbjobs::fdb::Database;
using fdbjobs::fdb::Isolation;
using fdbjobs::fdb::KeySelectorView;
using fdbjobs::fdb::KeyValueView;
using fdbjobs::fdb::RangeReader;
using fdbjobs::fdb::Transact;
using fdbjobs::fdb::Transaction;
using fdbjobs::fdb::VoidFuture;
using fdbjobs::tuple::KeyRange;
using fdbjobs::tuple::Tuple;
using fdbjobs::tuple::Versionstamp;
using fdbjobs::tuple::VersionstampedBytes;

// These tuples hold nothing that can't be packed.
std::string CountKey() { return *Tuple{"guestbook", "count"}.Pack(); }
KeyRange Entries() { return *Tuple{"guestbook", "entry"}.Range(); }

int64_t FromLittleEndian(std::string_view bytes) {
  uint64_t number = 0;
  for (size_t i = bytes.size(); i-- > 0;) number = number << 8 | static_cast<uint8_t>(bytes[i]);
  return static_cast<int64_t>(number);
}

// Serializable: whoever writes because of this number must not have read an old one.
absl::StatusOr<int64_t> Count(Transaction& tr) {
  absl::StatusOr<std::optional<std::string>> value = tr.Get(CountKey(), Isolation::kSerializable).Await();
  if (!value.ok()) return value.status();
  return value->has_value() ? FromLittleEndian(**value) : 0;
}

// The entry and the count change together or not at all. Neither write reads anything, so two people who sign at the
// same time do not conflict. The versionstamp puts the entry behind all that were committed before.
absl::Status Sign(Transaction& tr, std::string_view text) {
  absl::StatusOr<uint16_t> order = tr.NextUserVersion();
  if (!order.ok()) return order.status();
  absl::StatusOr<VersionstampedBytes> key =
      Tuple{"guestbook", "entry", Versionstamp::Incomplete(*order)}.PackWithVersionstamp();
  if (!key.ok()) return key.status();
  tr.SetVersionstampedKey(key->packed(), key->offset, text);
  tr.Add(CountKey(), 1);
  return absl::OkStatus();
}

absl::Status PrintEntries(Transaction& tr) {
  absl::StatusOr<int64_t> count = Count(tr);
  if (!count.ok()) return count.status();
  const KeyRange range = Entries();
  // Snapshot: nothing is written, so there is nothing to conflict with.
  RangeReader reader(tr, {.begin = KeySelectorView::FirstGreaterOrEqual(range.begin),
                          .end = KeySelectorView::FirstGreaterOrEqual(range.end),
                          .isolation = Isolation::kSnapshot});
  std::string page;
  int64_t entries = 0;
  while (true) {
    absl::StatusOr<absl::Span<const KeyValueView>> batch = reader.Next();
    if (!batch.ok()) return batch.status();
    if (batch->empty()) break;
    for (const KeyValueView& row : *batch) {
      absl::StrAppend(&page, ++entries, ". ");
      page.append(row.value()).append("\n");
    }
  }
  if (entries != *count) return absl::DataLossError(absl::StrCat(entries, " entries, but the count is ", *count));
  std::cout << page << entries << " entries, and the count agrees\n";
  return absl::OkStatus();
}

absl::Status WaitForSomebody(const Database& database) {
  std::optional<VoidFuture> signed_by_somebody;
  absl::Status status = Transact(database, [&](Transaction& tr) {
    signed_by_somebody.emplace(tr.Watch(CountKey()));
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  std::cout << "waiting" << std::endl;
  status = signed_by_somebody->Await();
  if (status.ok()) std::cout << "somebody signed" << std::endl;
  return status;
}

absl::Status Fill(const Database& database) {
  for (int64_t number = 1;; ++number) {
    const std::string text = absl::StrCat("entry ", number, " of process ", getpid());
    absl::Status status = Transact(database, [&](Transaction& tr) { return Sign(tr, text); });
    if (!status.ok()) return status;
    std::cout << number << std::endl;
  }
}

absl::Status Run(const std::string& name, const std::string& command, const std::string& text) {
  absl::StatusOr<Database> database = Database::Open(name);
  if (!database.ok()) return database.status();
  if (command == "sign") return Transact(*database, [&](Transaction& tr) { return Sign(tr, text); });
  if (command == "read") return Transact(*database, PrintEntries);
  if (command == "wait") return WaitForSomebody(*database);
  if (command == "fill") return Fill(*database);
  return absl::InvalidArgumentError(absl::StrCat("unknown command: ", command));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: guestbook <database> sign <text> | read | wait | fill\n";
    return 2;
  }
  const absl::Status status = Run(argv[1], argv[2], argc > 3 ? argv[3] : "Hello");
  if (!status.ok()) std::cerr << status << "\n";
  return status.ok() ? 0 : 1;
}
